"""Batch rules of reading, storing and adding at indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...ir.expr import Expr, apply, f
from ...ir.indexing import (
    FULL,
    Gather,
    Index,
    Item,
    Mask,
    NewAxis,
    Operand,
    Slice,
    is_basic,
    parts_of,
)
from ...ir.values import Op
from ..reshaping import permute
from .batching import Batched, counting, front, grown, spread

Labels = list[Any]
BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Place:
    """An index for the whole batch. ``now`` names the axes of what it reads in the order in
    which NumPy gives them, ``wanted`` in the order they should have: the batch axis first."""

    index: Index
    operands: tuple[Expr, ...]
    now: Labels
    wanted: Labels

    def read(self, x: Expr) -> Expr:
        """``x`` at the index."""
        name = "index" if is_basic(self.index) else "gather"
        out = apply(name, x, *self.operands, index=self.index)
        return permute(out, [self.now.index(c) for c in self.wanted])

    def fitted(self, v: Expr, moves: bool, size: Expr) -> Expr:
        """A value to store, its axes in NumPy's order."""
        if not moves and (self.now == self.wanted or not v.ndim):
            return v
        whole = front(v if moves else spread(v, size), len(self.wanted) - 1)
        return permute(whole, [self.wanted.index(c) for c in self.now])


def placed(
    rank: int,
    index: Index,
    operands: Sequence[Expr],
    batched: Batched,
    size: Expr,
    x_moves: bool,
    examples: Expr | None = None,
) -> Place | None:
    """The index for the whole batch, or None where each example has to be taken by itself.

    Args:
        rank: axes of the array, for one example.
        batched: which operands have a batch axis.
        x_moves: whether the array has.
        examples: where in the array the examples are, if not all in order.
    """
    middle = _middle_rank(index, operands, batched)
    mids = list(range(-middle, 0))
    basics = list(range(_basic_count(rank, index, operands, batched)))
    wanted = [BATCH, *_layout(index, basics, mids)]
    if not any(batched) and examples is None:
        whole = (FULL, *index)
        return Place(whole, tuple(operands), _layout(whole, [BATCH, *basics], mids), wanted)
    if any(_needs_each(item, batched) for item in index):
        return None
    items: list[Item] = []
    given = list(operands)
    for item in index:
        if isinstance(item, Operand | Gather) and batched[item.k]:
            given[item.k] = front(operands[item.k], middle)
            item = Gather(item.k)
        items.append(item)
    if x_moves:
        examples = counting(size.builder, size) if examples is None else examples
        trailing = tuple(range(1, middle + 1))
        given.append(f.expand_dims(examples, axes=trailing) if trailing else examples)
        items.insert(0, Gather(len(given) - 1))
    whole = tuple(items)
    return Place(whole, tuple(given), _layout(whole, basics, [BATCH, *mids]), wanted)


def _needs_each(item: Item, batched: Batched) -> bool:
    """Slices of different lengths, and masks beside indices that differ."""
    if isinstance(item, Slice):
        parts = parts_of(item)
        return any(isinstance(p, Operand) and batched[p.k] for p in parts)
    return isinstance(item, Mask)


def _middle_rank(index: Index, operands: Sequence[Expr], batched: Batched) -> int:
    """How many axes the index arrays give, for one example."""
    ranks = [
        operands[item.k].ndim - batched[item.k]
        for item in index
        if isinstance(item, Gather)
    ]
    ranks += [1 for item in index if isinstance(item, Mask)]
    return max(ranks, default=0)


def _basic_count(
    rank: int, index: Index, operands: Sequence[Expr], batched: Batched
) -> int:
    """How many axes the slices and what is left out give."""
    count = rank
    for item in index:
        if isinstance(item, NewAxis):
            count += 1
        elif isinstance(item, Mask):
            count -= operands[item.k].ndim - batched[item.k]
        elif not isinstance(item, Slice):
            count -= 1
    return count


def _layout(index: Index, basics: Labels, middle: Labels) -> Labels:
    """The order of axes that NumPy gives: those of index arrays where the arrays are, if
    they are side by side, else in front."""
    if is_basic(index):
        return basics
    before, place, last, apart = 0, None, -1, False
    for position, item in enumerate(index):
        if isinstance(item, NewAxis | Slice):
            before += 1
            continue
        if place is None:
            place = before
        elif position != last + 1:
            apart = True
        last = position
    where = 0 if apart else place or 0
    return [*basics[:where], *middle, *basics[where:]]


# -------------------------------------------------------------------------------- rules
def read(
    x: Expr, operands: tuple[Expr, ...], index: Index, size: Expr, batched: Batched
) -> Any:
    """``x[index]``."""
    rank = x.ndim - batched[0]
    made = x.value.op
    if batched[0] and made is not None and made.kind.has("moves") and _picks(index, made):
        # Of examples that were taken out only what is read has to be taken.
        whole, places = (Expr(x.builder, v) for v in made.inputs)
        if places.ndim == 1:
            place = placed(rank, index, operands, batched[1:], size, True, places)
            return None if place is None else place.read(whole)
    place = placed(rank, index, operands, batched[1:], size, batched[0])
    return None if place is None else place.read(x)


def _picks(index: Index, before: Op) -> bool:
    """Whether an index takes entries on some axis of examples that were taken out before."""
    if before.attrs.get("index") != (Gather(0),) or any(
        isinstance(item, Mask) for item in index
    ):
        return False
    return any(isinstance(item, int | Operand | Gather) for item in index)


def store(
    x: Expr, v: Expr, operands: tuple[Expr, ...], index: Index, size: Expr, batched: Batched
) -> Any:
    """``x[index] = v``."""
    return _store("store", x, v, operands, index, size, batched, {})


def add_store(
    x: Expr,
    v: Expr,
    operands: tuple[Expr, ...],
    index: Index,
    distinct: bool,
    size: Expr,
    batched: Batched,
) -> Any:
    """``x[index] += v``."""
    attrs = {"distinct": distinct}
    return _store("add_store", x, v, operands, index, size, batched, attrs)


def _store(
    name: str,
    x: Expr,
    v: Expr,
    operands: tuple[Expr, ...],
    index: Index,
    size: Expr,
    batched: Batched,
    attrs: dict[str, Any],
) -> Any:
    rank = x.ndim - batched[0]
    if any(batched[2:]) and index == (Mask(0),):
        return _masked(name, x, v, operands[0], rank, batched)
    place = placed(rank, index, operands, batched[2:], size, True)
    if place is None:
        return None
    whole = x if batched[0] else grown(x, size)
    value = place.fitted(v, batched[1], size)
    if name == "add_store" and any(batched[2:]) and is_basic(index):
        attrs = {"distinct": True}  # one place in each example
    return apply(name, whole, value, *place.operands, index=place.index, **attrs)


def _masked(name: str, x: Expr, v: Expr, mask: Expr, rank: int, batched: Batched) -> Any:
    """One number stored wherever a mask says so."""
    if v.ndim - batched[1]:
        return None
    trailing = tuple(range(mask.ndim, rank + 1))
    chosen = f.expand_dims(mask, axes=trailing) if trailing else mask
    value = front(v, rank) if batched[1] else v
    if name == "add_store":
        return x + f.where(chosen, value, 0)
    return f.where(chosen, value, x)


def sum_rows(
    values: Expr, indices: Expr, length: Expr, size: Expr, batched: Batched
) -> Any:
    """Rows added up by index."""
    if batched[2]:
        return None
    if not batched[1]:
        rank = indices.ndim
        order = [*range(1, rank + 1), 0, *range(rank + 1, values.ndim)]
        out = f.sum_rows(permute(values, order), indices, length)
        return permute(out, [1, 0, *range(2, out.ndim)])
    whole = values if batched[0] else spread(values, size)
    least = f.maximum(length, 1)
    starts = counting(size.builder, size) * length
    starts = f.expand_dims(starts, axes=tuple(range(1, indices.ndim)))
    places = f.remainder(indices, least) + starts
    out = f.sum_rows(whole, places, length * size)
    return f.reshape(out, size, length, *out.shape[1:])
