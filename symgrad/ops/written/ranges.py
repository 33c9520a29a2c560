"""What can be done with ``range(start, stop, step)``, written out in Python for bounds that are
known at run time only: compiled where it is called, like a function of the user's."""

from __future__ import annotations

from typing import Any


def length(start: Any, stop: Any, step: Any) -> Any:
    """``len(range(...))``."""
    if step > 0:
        return max((stop - start + step - 1) // step, 0)
    if step < 0:
        return max((start - stop - step - 1) // -step, 0)
    raise ValueError("range() arg 3 must not be zero")


def item(start: Any, stop: Any, step: Any, i: Any) -> Any:
    """``range(...)[i]``."""
    size = length(start, stop, step)
    at = i + size if i < 0 else i
    if at < 0 or at >= size:
        raise IndexError("range object index out of range")
    return start + at * step


def part(start: Any, stop: Any, step: Any, key: Any) -> Any:
    """The start, stop and step of ``range(...)[key]`` for a slice."""
    size = length(start, stop, step)
    by = 1 if key.step is None else key.step
    if by > 0:
        first = 0 if key.start is None else end(size, key.start, 0, size)
        last = size if key.stop is None else end(size, key.stop, 0, size)
    elif by < 0:
        first = size - 1 if key.start is None else end(size, key.start, -1, size - 1)
        last = -1 if key.stop is None else end(size, key.stop, -1, size - 1)
    else:
        raise ValueError("slice step cannot be zero")
    return start + first * step, start + last * step, step * by


def end(size: Any, i: Any, least: Any, most: Any) -> Any:
    """Where a slice begins or ends, counted from the front."""
    return max(min(i + size if i < 0 else i, most), least)


def contains(start: Any, stop: Any, step: Any, x: Any) -> Any:
    """``x in range(...)``."""
    inside = start <= x < stop if step > 0 else stop < x <= start
    return inside and (x - start) % step == 0
