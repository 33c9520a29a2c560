"""The static part of ``x[...]``: a tuple of items, some of which refer to operands.

Items: an ``int``; ``Operand(k)``, a runtime integer; ``Slice``; ``NEWAXIS``; ``Gather(k)``, an
integer array; ``Mask(k)``, a boolean array. ``k`` counts the op's index operands from 0.
An ellipsis has been expanded, trailing full slices are left out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operand:
    """Index operand number ``k``, a runtime integer."""

    k: int


Bound = int | Operand | None


@dataclass(frozen=True, slots=True)
class Slice:
    """``start:stop:step``; the step is static."""

    start: Bound = None
    stop: Bound = None
    step: int | None = None


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


def operand_count(index: Index) -> int:
    """How many index operands the items refer to."""
    count = 0
    for item in index:
        parts = (item.start, item.stop) if isinstance(item, Slice) else (item,)
        for part in parts:
            if isinstance(part, Operand | Gather | Mask):
                count = max(count, part.k + 1)
    return count
