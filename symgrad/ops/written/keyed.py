"""Dicts and sets whose keys are known at run time only, written out around a list of keys, a list
of values and a dict of positions in these."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any

_COMPILED = "this is compiled; it cannot be called"


def no_places() -> Any:
    """No positions yet."""
    raise TypeError(_COMPILED)


def has(places: Any, key: Any, names: Any) -> Any:
    """Whether a key, perhaps one of ``names``, has a position."""
    raise TypeError(_COMPILED)


def place(places: Any, key: Any) -> Any:
    """The position of a key that has one."""
    raise TypeError(_COMPILED)


def added(places: Any, key: Any) -> Any:
    """The positions with one more key at the end."""
    raise TypeError(_COMPILED)


def dropped(places: Any, key: Any) -> Any:
    """The positions without a key that has one."""
    raise TypeError(_COMPILED)


def lengthen(xs: Any) -> Any:
    """Make a list that has elements one whose length is known at run time only."""
    raise TypeError(_COMPILED)


class Keyed:
    """A dict."""

    __symgrad_class__ = dict

    def __init__(self):
        self._places = no_places()
        self._keys = []
        self._values = []

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys[:])

    def __contains__(self, key):
        return has(self._places, key, self._keys)

    def __getitem__(self, key):
        if key not in self:
            raise KeyError(key)
        return self._values[place(self._places, key)]

    def __setitem__(self, key, x):
        if key in self:
            self._values[place(self._places, key)] = x
        else:
            self._places = added(self._places, key)
            self._keys.append(key)
            self._values.append(x)
            lengthen(self._keys)
            lengthen(self._values)

    def __delitem__(self, key):
        if key not in self:
            raise KeyError(key)
        at = place(self._places, key)
        self._places = dropped(self._places, key)
        self._keys.pop(at)
        self._values.pop(at)

    def __eq__(self, other):
        if len(self) != len(other):
            return False
        return all(key in other and other[key] == self[key] for key in self)

    def keys(self):
        return self._keys[:]

    def values(self):
        return self._values[:]

    def items(self):
        return zip(self._keys[:], self._values[:], strict=False)

    def get(self, key, default=None):
        if key in self:
            return self._values[place(self._places, key)]
        return default

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self._values[place(self._places, key)]

    def pop(self, key, *default):
        if key in self:
            taken = self._values[place(self._places, key)]
            del self[key]
            return taken
        if len(default) == 0:
            raise KeyError(key)
        return default[0]

    def popitem(self):
        if len(self) == 0:
            raise KeyError("popitem(): dictionary is empty")
        key = self._keys[-1]
        return key, self.pop(key)

    def update(self, other):
        for key, x in other.items():
            self[key] = x

    def clear(self):
        self._places = no_places()
        self._keys.clear()
        self._values.clear()

    def copy(self):
        made = Keyed()
        made.update(self)
        return made


__all__ = ["Keyed", "added", "dropped", "has", "lengthen", "no_places", "place"]
