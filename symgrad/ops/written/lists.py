"""What can be done with lists, written out in Python for lists whose length is known at run time
only: compiled where it is called, like a function of the user's. What changes a list returns
its new content."""

from __future__ import annotations

from typing import Any

import numpy as np


def contains(xs: Any, item: Any) -> Any:
    """``item in xs``."""
    return any(xs[i] == item for i in range(len(xs)))


def index(xs: Any, item: Any, start: Any = 0, stop: Any = None) -> Any:
    """``xs.index(item, start, stop)``."""
    size = len(xs)
    last = size if stop is None else bound(size, stop)
    for i in range(bound(size, start), last):
        if xs[i] == item:
            return i
    raise ValueError(f"{item!r} is not in list")


def count(xs: Any, item: Any) -> Any:
    """``xs.count(item)``."""
    found = 0
    for i in range(len(xs)):
        if xs[i] == item:
            found += 1
    return found


def equal(xs: Any, ys: Any) -> Any:
    """``xs == ys``."""
    return len(xs) == len(ys) and all(xs[i] == ys[i] for i in range(len(xs)))


def bound(size: Any, i: Any) -> Any:
    """Where a slice of a list of this length begins or ends."""
    at = i + size if i < 0 else i
    return max(min(at, size), 0)


def position(size: Any, i: Any) -> Any:
    """An index from the front of a list that is assigned to or deleted from."""
    at = i + size if i < 0 else i
    if at < 0 or at >= size:
        raise IndexError("list assignment index out of range")
    return at


def first_of(xs: Any, item: Any) -> Any:
    """Where ``xs.remove(item)`` takes an element out."""
    for i in range(len(xs)):
        if xs[i] == item:
            return i
    raise ValueError("list.remove(x): x not in list")


def without(xs: Any, start: Any, stop: Any, step: int) -> Any:
    """``xs`` after ``del xs[start:stop:step]``; bounds from the front, a step of 1 or more."""
    kept = []
    for i in range(len(xs)):
        if i < start or i >= stop or (i - start) % step != 0:
            kept.append(xs[i])
    return kept


def spliced(xs: Any, start: Any, stop: Any, items: Any) -> Any:
    """``xs`` after ``xs[start:stop] = items``; bounds from the front."""
    made = []
    for i in range(start):
        made.append(xs[i])
    for item in items:
        made.append(item)
    for i in range(max(start, stop), len(xs)):
        made.append(xs[i])
    return made


def set_each(xs: Any, start: Any, stop: Any, step: int, items: Any) -> Any:
    """``xs`` after ``xs[start:stop:step] = items``; bounds from the front."""
    size, given = len(range(start, stop, step)), len(items)
    if size != given:
        raise ValueError(
            f"attempt to assign sequence of size {given} to extended slice of size {size}"
        )
    made = xs[:]
    place = start
    for item in items:
        made[place] = item
        place += step
    return made


def repeated(xs: Any, times: Any) -> Any:
    """``xs * times``."""
    made = []
    for _ in range(times):
        for i in range(len(xs)):
            made.append(xs[i])
    return made


def order(keys: Any, reverse: bool) -> Any:
    """Positions in the order of their keys, equal ones as they stand."""
    if reverse:
        return (len(keys) - 1 - np.argsort(keys[::-1], kind="stable"))[::-1]
    return np.argsort(keys, kind="stable")


def in_order(xs: Any, places: Any) -> Any:
    """The elements at some places."""
    made = []
    for k in places:
        made.append(xs[k])
    return made


def sorted_by(xs: Any, key: Any, reverse: bool) -> Any:
    """``sorted(xs, key=key, reverse=reverse)`` by numbers."""
    keys = np.empty(len(xs))
    for i in range(len(xs)):
        keys[i] = key(xs[i])
    return in_order(xs, order(keys, reverse))


def kept(xs: Any, test: Any) -> Any:
    """``list(filter(test, xs))``."""
    found = []
    for x in xs:
        if test(x):
            found.append(x)
    return found


def largest(xs: Any, key: Any) -> Any:
    """``max(xs, key=key)``: the first of the largest."""
    best = xs[0]
    held = key(best)
    for i in range(1, len(xs)):
        x = xs[i]
        value = key(x)
        if value > held:
            best, held = x, value
    return best


def smallest(xs: Any, key: Any) -> Any:
    """``min(xs, key=key)``: the first of the smallest."""
    best = xs[0]
    held = key(best)
    for i in range(1, len(xs)):
        x = xs[i]
        value = key(x)
        if value < held:
            best, held = x, value
    return best


def itself(x: Any) -> Any:
    """The key where none is given."""
    return x


def sorted_tuples(xs: Any, width: int, reverse: bool) -> Any:
    """``sorted(xs, reverse=reverse)`` of tuples of ``width`` numbers: by the last of them, then
    by the one before it, down to the first."""
    size = len(xs)
    places = np.arange(size)
    for k in range(width):
        keys = np.empty(size)
        for i in range(size):
            keys[i] = xs[places[i]][width - 1 - k]
        places = places[order(keys, reverse)]
    return in_order(xs, places)


__all__ = [
    "bound",
    "contains",
    "count",
    "equal",
    "first_of",
    "in_order",
    "index",
    "itself",
    "order",
    "position",
    "repeated",
    "set_each",
    "sorted_by",
    "sorted_tuples",
    "spliced",
    "without",
]
