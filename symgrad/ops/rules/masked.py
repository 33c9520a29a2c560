"""Finding the mask that an adjoint is under, through the ops between the mask and here.

An adjoint is *masked* where some of its entries are zero by the program's structure, not by its
numbers: behind ``where``, a store over it, a branch that was not taken. Ops that only move,
scale or add entries move the mask along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...ir.expr import Expr, apply, f, one
from ...ir.indexing import Gather, Index, Mask, Operand
from ...ir.types import ArrayType, ScalarType, is_inexact
from ...ir.values import Op, Value

DEPTH = 12


@dataclass(frozen=True, slots=True)
class Masked:
    """An adjoint ``body`` that counts where ``mask`` is true (false if not ``keep``). If the
    body is the adjoint itself, it is zero already where it does not count. A ``soft`` mask
    clears only what is not finite."""

    mask: Expr
    body: Expr
    keep: bool = True
    soft: bool = False

    @property
    def kept(self) -> Expr:
        """The mask of what counts."""
        return self.mask if self.keep else f.logical_not(self.mask)


Finder = Callable[[Expr, Op, int], Masked | None]


def masked(g: Expr, depth: int = DEPTH) -> Masked | None:
    """The mask that ``g`` is under, if any is found."""
    searched, found = g.builder.masks.get(g.value, (-1, None))
    if found is None and searched < depth:
        found = _found(g, depth)
        g.builder.masks[g.value] = depth, found
    return found  # type: ignore[no-any-return]


def _found(g: Expr, depth: int) -> Masked | None:
    op = g.value.op
    if op is None or not depth:
        return None
    if op.kind.has("moves"):
        return _moved(g, op, depth - 1)
    finder = _FINDERS.get(op.name)
    return None if finder is None else finder(g, op, depth - 1)


def whole_mask(g: Expr, depth: int = DEPTH) -> Masked | None:
    """As ``masked``, with the masks that the body is under in turn; no soft ones."""
    found = masked(g, depth)
    if found is None or found.soft:
        return None
    if found.body.value is g.value:
        return found
    deeper = whole_mask(found.body, depth - 1)
    if deeper is None or deeper.mask.value is found.mask.value:
        return found
    return Masked(f.logical_and(found.kept, deeper.kept), deeper.body)


def _soft_or_whole(g: Expr, depth: int) -> Masked | None:
    found = masked(g, depth)
    return found if found is not None and found.soft else whole_mask(g, depth)


def is_zero(value: Value) -> bool:
    """Whether ``value`` was made as zeros."""
    if value.is_constant:
        return getattr(value.constant, "ndim", 0) == 0 and bool(value.constant == 0)
    return value.op is not None and value.op.name in ("zeros", "zeros_like")


def leaves_out(index: Index, operands: Sequence[Value]) -> bool:
    """Whether an index tends to leave out entries: masks, what was made of such, and one array
    of places from outside. What else the program computes, permutations for one, does not."""
    arrays = [operands[i.k] for i in index if isinstance(i, Gather | Mask)]
    if any(is_bool(v) or asks(v) for v in arrays):
        return True
    return len(arrays) == 1 and (arrays[0].op is None or arrays[0].is_constant)


def asked_for(index: Index, operands: Sequence[Value]) -> bool:
    """Whether the program has asked for the places of an index."""
    return any(asks(operands[i.k]) for i in index if isinstance(i, Gather | Operand))


def asks(places: Value, budget: int = 8) -> bool:
    """Whether integers were made by asking for where something is true, as by ``nonzero``."""
    op = places.op
    if op is None or not budget or op.regions:
        return False
    return any(
        is_bool(v) or asks(v, budget - 1) for v in op.inputs if not is_inexact(v.type)
    )


def is_bool(value: Value) -> bool:
    """Whether a value is a truth value, or an array of them."""
    return isinstance(value.type, ArrayType | ScalarType) and value.type.dtype.kind == "b"


def _at(g: Expr, value: Value) -> Expr:
    return Expr(g.builder, value)


# ------------------------------------------------------------------------- where masks arise
def _where(g: Expr, op: Op, depth: int) -> Masked | None:
    c, x, y = (_at(g, v) for v in op.inputs)
    if is_zero(y.value):
        return Masked(c, x)
    if is_zero(x.value):
        return Masked(c, y, keep=False)
    left, right = whole_mask(x, depth), whole_mask(y, depth)
    if left is None and right is None:
        return None
    off = f.logical_not(c)
    first = c if left is None else f.logical_and(c, left.kept)
    second = off if right is None else f.logical_and(off, right.kept)
    return Masked(f.logical_or(first, second), g)


def _multiply(g: Expr, op: Op, depth: int) -> Masked | None:
    for x, y in (op.inputs, op.inputs[::-1]):
        if y.type.dtype.kind == "b":  # type: ignore[union-attr]
            return Masked(_at(g, y), _at(g, x))
    for x, y in (op.inputs, op.inputs[::-1]):
        found = masked(_at(g, x), depth)
        if found is not None:
            same = found.body.value is x
            return replace(found, body=g if same else found.body * _at(g, y))
    return None


def _store(g: Expr, op: Op, depth: int) -> Masked | None:
    """A store of zeros masks its place; a store into zeros by a mask or by index arrays the
    rest. What slices leave out is looked at only beside these: it tends to be nothing."""
    base, v, *operands = (_at(g, x) for x in op.inputs)
    index = op.attrs["index"]
    if is_zero(base.value):
        if index == (Mask(0),):
            return Masked(_leading(operands[0], g), g)
        inner = whole_mask(v, depth)
        if inner is None and not leaves_out(index, op.inputs[2:]):
            return None
        there = True if inner is None else inner.kept
        return Masked(_overwritten(g, False, there, operands, index), g)
    if op.name != "store" or not is_zero(v.value):
        return None
    if index == (Mask(0),):
        return Masked(_leading(operands[0], g), base, keep=False)
    around = _reached(base, depth)
    return Masked(_overwritten(g, around, False, operands, index), g)


def _reached(x: Expr, depth: int) -> Any:
    """Where ``x`` is not zero by the program's structure."""
    found = whole_mask(x, depth)
    if found is not None:
        return spread_mask(found.kept, x)
    op = x.value.op
    if op is None or op.name not in ("store", "add_store") or not depth:
        return True
    base, _, *operands = (_at(x, v) for v in op.inputs)
    around = False if is_zero(base.value) else _reached(base, depth - 1)
    if around is True:
        return True
    return _overwritten(x, around, True, operands, op.attrs["index"])


def _sum_rows(g: Expr, op: Op, depth: int) -> Masked | None:
    if not leaves_out((Gather(0),), op.inputs[1:2]):
        return None
    indices = _at(g, op.inputs[1])
    return Masked(_overwritten(g, False, True, [indices], (Gather(0),)), g)


def _leading(mask: Expr, like: Expr) -> Expr:
    """A mask of the first axes, with the others as axes of length 1."""
    if mask.ndim == like.ndim:
        return mask
    return f.expand_dims(mask, axes=tuple(range(mask.ndim, like.ndim)))  # type: ignore[no-any-return]


def _overwritten(
    g: Expr, around: Any, there: Any, operands: Sequence[Expr], index: Index
) -> Expr:
    """A mask that is ``there`` at the index, and ``around`` it."""
    if isinstance(around, bool):
        around = f.full_like(g, around, dtype=np.dtype(np.bool_))
    return apply("store", around, there, *operands, index=index)  # type: ignore[no-any-return]


def _if(g: Expr, op: Op, depth: int) -> Masked | None:
    """What a branch gives that the other one leaves at zero."""
    place = op.results.index(g.value)
    taken, other = (is_zero(region.results[place]) for region in op.regions)
    if taken == other:
        return None
    return Masked(_at(g, op.inputs[0]), g, keep=other)


# ------------------------------------------------------------------------ where they move on
def _moved(g: Expr, op: Op, depth: int) -> Masked | None:
    x, *rest = (_at(g, v) for v in op.inputs)
    found = masked(x, depth)
    if found is None:
        return None

    def moved(y: Expr) -> Expr:
        return one(op.name, spread_mask(y, x), *rest, **op.attrs)

    body = g if found.body.value is x.value else moved(found.body)
    mask = moved(found.mask) if found.mask.ndim else found.mask
    return replace(found, mask=mask, body=body)


def spread_mask(mask: Expr, like: Expr) -> Expr:
    """A mask in the full shape of what it is put on."""
    if isinstance(mask.type, ScalarType):
        mask = f.asarray(mask, dtype=mask.dtype)
    return mask if mask.dims == like.dims else f.broadcast_to(mask, *like.shape)


def _scaled(g: Expr, op: Op, depth: int) -> Masked | None:
    x, *rest = (_at(g, v) for v in op.inputs)
    found = masked(x, depth)
    if found is None:
        return None
    same = found.body.value is x.value
    return replace(found, body=g if same else apply(op.name, found.body, *rest, **op.attrs))


def _dropped(g: Expr, op: Op, depth: int) -> Masked | None:
    x, live = (_at(g, v) for v in op.inputs)
    return Masked(live, x, soft=True)


def _added(g: Expr, op: Op, depth: int) -> Masked | None:
    left = _soft_or_whole(_at(g, op.inputs[0]), depth)
    right = None if left is None else _soft_or_whole(_at(g, op.inputs[1]), depth)
    if left is None or right is None:
        return None
    if _opposite(left.kept, right.kept):
        return None  # every entry counts
    soft = left.soft or right.soft
    if left.mask.value is right.mask.value:
        return Masked(left.mask, g, left.keep, soft) if left.keep == right.keep else None
    return Masked(f.logical_or(left.kept, right.kept), g, soft=soft)


def _opposite(a: Expr, b: Expr) -> bool:
    pairs = ((a.value, b.value), (b.value, a.value))
    return any(
        x.op is not None and x.op.name == "logical_not" and x.op.inputs[0] is y
        for x, y in pairs
    )


def _summed(g: Expr, op: Op, depth: int) -> Masked | None:
    """A sum over axes counts where one of its terms does."""
    x = _at(g, op.inputs[0])
    found = None if op.attrs["axis"] is None else _soft_or_whole(x, depth)
    if found is None:
        return None
    if not found.mask.ndim:
        return replace(found, body=g)
    axes = {name: op.attrs[name] for name in ("axis", "keepdims")}
    return Masked(f.any(spread_mask(found.kept, x), **axes), g, soft=found.soft)


def _product(g: Expr, op: Op, depth: int) -> Masked | None:
    """A row of a matrix product is zero where the row of the left factor is, a column where
    the column of the right one is."""
    for x, axis in zip((_at(g, v) for v in op.inputs), (-1, -2), strict=True):
        found = _soft_or_whole(x, depth)
        if found is None or x.ndim < 2:
            continue
        if not found.mask.ndim:
            return replace(found, body=g)
        kept = spread_mask(found.kept, x)
        rows = f.any(kept, axis=(axis % x.ndim,), keepdims=g.ndim == x.ndim)
        if g.ndim in (x.ndim, x.ndim - 1):
            return Masked(rows, g, soft=found.soft)
    return None


_FINDERS: dict[str, Finder] = {
    "where": _where,
    "multiply": _multiply,
    "divide": _scaled,
    "negative": _scaled,
    "astype": _scaled,
    "store": _store,
    "add_store": _store,
    "sum_rows": _sum_rows,
    "if": _if,
    "add": _added,
    "subtract": _added,
    "sum": _summed,
    "matmul": _product,
    "dropped": _dropped,
}
