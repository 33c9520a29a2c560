"""``collections.deque`` and ``collections.defaultdict``, written out around a list and a dict."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import collections
from functools import partial


class Deque:
    """A deque; where it is full, what is put in at one end drops out at the other."""

    __symgrad_items__ = "held"
    __symgrad_class__ = collections.deque

    def __init__(self, iterable, maxlen):
        self.held = []
        self.maxlen = maxlen
        self.extend(iterable)

    @staticmethod
    def __symgrad_made__(maxlen):
        return partial(collections.deque, maxlen=maxlen)

    def append(self, x):
        self.held.append(x)
        if self.maxlen is not None and len(self.held) > self.maxlen:
            self.held.pop(0)

    def appendleft(self, x):
        self.held.insert(0, x)
        if self.maxlen is not None and len(self.held) > self.maxlen:
            self.held.pop()

    def extend(self, xs):
        for x in xs:
            self.append(x)

    def extendleft(self, xs):
        for x in xs:
            self.appendleft(x)

    def pop(self):
        return self.held.pop()

    def popleft(self):
        return self.held.pop(0)

    def insert(self, i, x):
        if self.maxlen is not None and len(self.held) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.held.insert(i, x)

    def remove(self, x):
        self.held.remove(x)

    def rotate(self, n=1):
        for _ in range(n):
            self.held.insert(0, self.held.pop())
        for _ in range(-n):
            self.held.append(self.held.pop(0))

    def reverse(self):
        self.held.reverse()

    def clear(self):
        self.held.clear()

    def copy(self):
        return Deque(self.held, self.maxlen)

    def count(self, x):
        return self.held.count(x)

    def index(self, x):
        return self.held.index(x)

    def __len__(self):
        return len(self.held)

    def __getitem__(self, i):
        return self.held[i]

    def __setitem__(self, i, x):
        self.held[i] = x

    def __delitem__(self, i):
        del self.held[i]

    def __iter__(self):
        return iter(self.held)

    def __contains__(self, x):
        return x in self.held


class DefaultDict:
    """A dict that makes the entries that are asked for."""

    __symgrad_items__ = "held"
    __symgrad_class__ = collections.defaultdict

    def __init__(self, default_factory, entries):
        self.held = entries
        self.default_factory = default_factory

    @staticmethod
    def __symgrad_made__(default_factory):
        return partial(collections.defaultdict, default_factory)

    def keys(self):
        return self.held.keys()

    def values(self):
        return self.held.values()

    def items(self):
        return self.held.items()

    def get(self, key, default=None):
        return self.held.get(key, default)

    def pop(self, key, *default):
        return self.held.pop(key, *default)

    def setdefault(self, key, default=None):
        return self.held.setdefault(key, default)

    def update(self, *others, **more):
        self.held.update(*others, **more)

    def clear(self):
        self.held.clear()

    def copy(self):
        return DefaultDict(self.default_factory, dict(self.held))

    def __len__(self):
        return len(self.held)

    def __getitem__(self, key):
        if key not in self.held:
            if self.default_factory is None:
                raise KeyError(key)
            self.held[key] = self.default_factory()
        return self.held[key]

    def __setitem__(self, key, x):
        self.held[key] = x

    def __delitem__(self, key):
        del self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __contains__(self, key):
        return key in self.held


def deque(iterable=(), maxlen=None):
    """``collections.deque``."""
    return Deque(iterable, maxlen)


def defaultdict(default_factory=None, *entries, **more):
    """``collections.defaultdict``."""
    return DefaultDict(default_factory, dict(*entries, **more))


__all__ = ["DefaultDict", "Deque", "defaultdict", "deque"]
