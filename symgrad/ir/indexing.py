"""The static part of ``x[...]``: a tuple of items, some of which refer to operands.

Items: an ``int``; ``Operand(k)``, a runtime integer; ``Slice``; ``NEWAXIS``; ``Gather(k)``, an
integer array; ``Mask(k)``, a boolean array. ``k`` counts the op's index operands from 0.
An ellipsis has been expanded, trailing full slices are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Operand:
    """Index operand number ``k``, a runtime integer."""

    k: int


Bound = int | Operand | None


@dataclass(frozen=True, slots=True)
class Slice:
    """``start:stop:step``."""

    start: Bound = None
    stop: Bound = None
    step: Bound = None


@dataclass(frozen=True, slots=True)
class NewAxis:
    """``np.newaxis``."""


@dataclass(frozen=True, slots=True)
class Gather:
    """Index operand number ``k``, an integer array."""

    k: int


@dataclass(frozen=True, slots=True)
class Mask:
    """Index operand number ``k``, a boolean array."""

    k: int


NEWAXIS = NewAxis()
FULL = Slice()
Item = int | Operand | Slice | NewAxis | Gather | Mask
Index = tuple[Item, ...]


def is_basic(index: Index) -> bool:
    """Whether ``x[index]`` is a view: no integer or boolean arrays."""
    return not any(isinstance(item, Gather | Mask) for item in index)


def parts_of(item: Item) -> tuple[Any, ...]:
    """What may refer to an operand: the item itself, or what a slice is made of."""
    if isinstance(item, Slice):
        return (item.start, item.stop, item.step)
    return (item,)


def operand_count(index: Index) -> int:
    """How many index operands the items refer to."""
    count = 0
    for item in index:
        for part in parts_of(item):
            if isinstance(part, Operand | Gather | Mask):
                count = max(count, part.k + 1)
    return count


def composed(first: Index, second: Index, shift: int) -> Index | None:
    """One index for ``x[first][second]``: items of ``second`` put where ``first`` leaves whole
    axes; None where that does not do. ``shift`` is the number of operands of ``first``."""
    if not _in_front(second):
        return None
    rest = [_shifted(item, shift) for item in second]
    items: list[Any] = []
    for item in first:
        if isinstance(item, int | Operand):
            items.append(item)
            continue
        while rest and isinstance(rest[0], NewAxis):
            items.append(rest.pop(0))
        if item != FULL:
            following = rest.pop(0) if rest else FULL
            if following != FULL:
                return None
            items.append(item)
        else:
            items.append(rest.pop(0) if rest else FULL)
    items += rest
    while items and items[-1] == FULL:
        items.pop()
    return tuple(items) or None


def _in_front(index: Index) -> bool:
    """Whether what integer arrays give stands in front, before and after being composed. A mask
    may stand for several axes, which is not looked at here."""
    gathers = [k for k, item in enumerate(index) if isinstance(item, Gather)]
    ahead = index[: gathers[-1]] if gathers else ()
    masks = any(isinstance(item, Mask) for item in index)
    return not masks and not any(isinstance(item, Slice | NewAxis) for item in ahead)


def _shifted(item: Any, shift: int) -> Any:
    def bound(b: Any) -> Any:
        return type(b)(b.k + shift) if isinstance(b, Operand | Gather) else b

    if isinstance(item, Slice):
        return Slice(*map(bound, parts_of(item)))
    return bound(item)
