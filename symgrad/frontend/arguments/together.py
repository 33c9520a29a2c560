"""Arguments that share memory with one that is stored into: how the arrays of a call lie in it.

Two that are the same array become one. Others become parts of the memory between the first and
the last of their entries, which is given to the function in place of the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..requests import Path

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Alias:
    """An argument's array and the one, further to the front, whose memory it is in: all of it,
    or a part by offset, shape and strides, counted in entries."""

    path: Path
    leader: Path
    part: tuple[int, tuple[int, ...], tuple[int, ...]] | None


@dataclass(frozen=True, slots=True)
class Group:
    """Arrays in one memory; ``memory`` takes the place of the first, if it is more than that."""

    aliases: tuple[Alias, ...]
    memory: Array | None


def grouped(
    found: Sequence[tuple[Path, Array]], pairs: Sequence[tuple[int, int]]
) -> list[list[int]]:
    """Positions of arrays that share memory, in the order of the arguments."""
    home = list(range(len(found)))
    for i, j in pairs:
        low, high = sorted((home[i], home[j]))
        home = [low if h == high else h for h in home]
    groups: dict[int, list[int]] = {}
    for position, h in enumerate(home):
        groups.setdefault(h, []).append(position)
    return [group for group in groups.values() if len(group) > 1]


def together(arrays: Sequence[tuple[Path, Array]]) -> Group | None:
    """How some arrays lie in one memory; None if they are not of one kind."""
    leader, first = arrays[0]
    if all(_same(first, x) for _, x in arrays):
        return Group(tuple(Alias(path, leader, None) for path, _ in arrays[1:]), None)
    size = first.itemsize
    if any(x.dtype != first.dtype or not x.size for _, x in arrays):
        return None
    ends = [np.lib.array_utils.byte_bounds(x) for _, x in arrays]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    aliases = []
    for path, x in arrays:
        start = _address(x) - low
        apart = any(n > 1 and step == 0 for n, step in zip(x.shape, x.strides, strict=True))
        if apart or any(n % size for n in (start, *x.strides)):
            return None
        part = (start // size, x.shape, tuple(step // size for step in x.strides))
        aliases.append(Alias(path, leader, part))
    lowest = arrays[[a for a, _ in ends].index(low)][1]
    corner = lowest[
        tuple(slice(-1, None) if step < 0 else slice(0, 1) for step in lowest.strides)
    ]
    memory = np.lib.stride_tricks.as_strided(corner, ((high - low) // size,), (size,))
    return Group(tuple(aliases), memory)


def _address(x: Array) -> int:
    address: int = x.__array_interface__["data"][0]
    return address


def _same(a: Array, b: Array) -> bool:
    return a is b or (
        _address(a) == _address(b)
        and a.shape == b.shape
        and a.strides == b.strides
        and a.dtype == b.dtype
    )


def replaced(x: Any, path: Path, array: Array) -> Any:
    """An argument with another array at a place.

    Raises:
        LookupError: the place is in an object.
    """
    if not path:
        return array
    step, *rest = path
    inner = tuple(rest)
    if type(x) is tuple or type(x) is list:
        parts = [replaced(v, inner, array) if i == step else v for i, v in enumerate(x)]
        return type(x)(parts)
    if type(x) is dict:
        return {k: replaced(v, inner, array) if k == step else v for k, v in x.items()}
    raise LookupError(step)


__all__ = ["Alias", "Group", "grouped", "replaced", "together"]
