"""Indices: the shape they give, how they are written, whether they name an entry twice."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.dims import (
    Dimension,
    add,
    at_least,
    floordiv,
    maximum,
    may_be_one,
    minimum,
    multiply,
    slice_length,
)
from ...ir.indexing import (
    Bound,
    Gather,
    Index,
    Mask,
    NewAxis,
    Operand,
    Slice,
    is_basic,
    parts_of,
)
from ...ir.types import ArrayType
from ...ir.values import Value
from .infer import as_dimension


# ------------------------------------------------------------------------------- types
def indexed_shape(
    dims: Any, shape: tuple[Dimension, ...], index: Index, operands: tuple[Value, ...]
) -> tuple[Dimension, ...]:
    """Shape of ``x[index]``."""
    basic: list[Dimension] = []
    advanced: list[tuple[Dimension, ...]] = []
    place: int | None = None
    apart = False
    last_advanced = -2
    has_arrays = not is_basic(index)
    axis = 0
    for position, item in enumerate(index):
        if isinstance(item, NewAxis):
            basic.append(1)
        elif isinstance(item, Slice):
            basic.append(_slice(dims, shape[axis], item, operands))
            axis += 1
        else:
            if has_arrays:
                apart = apart or (place is not None and position != last_advanced + 1)
                place = len(basic) if place is None else place
                last_advanced = position
            if isinstance(item, Gather):
                advanced.append(_shape(operands[item.k]))
            elif isinstance(item, Mask):
                advanced.append((dims.count_of(operands[item.k]),))
                axis += len(_shape(operands[item.k])) - 1
            axis += 1
    basic += shape[axis:]
    if not has_arrays:
        return tuple(basic)
    middle = dims.broadcast_shapes(*advanced)
    where = 0 if apart else place or 0
    return (*basic[:where], *middle, *basic[where:])


def _shape(value: Value) -> tuple[Dimension, ...]:
    assert isinstance(value.type, ArrayType)
    return value.type.shape


def _slice(
    dims: Any, length: Dimension, item: Slice, operands: tuple[Value, ...]
) -> Dimension:
    length = dims.canonical(length)
    start, stop = _bound(dims, item.start, operands), _bound(dims, item.stop, operands)
    step = 1 if item.step is None else _bound(dims, item.step, operands)
    if not isinstance(step, int):
        return dims.count_of((length, start, stop, step))  # type: ignore[no-any-return]
    if step < 0:
        found = _backward_length(length, start, stop, -step)
    else:
        found = slice_length(length, start, stop, step)
    return dims.fresh() if found is None else found


def _backward_length(
    length: Dimension, start: Dimension | None, stop: Dimension | None, step: int
) -> Dimension | None:
    """Length of ``x[start:stop:-step]``, or None where it cannot be told."""
    first = length if start is None else _entries_up_to(length, start)
    last: Dimension | None = 0 if stop is None else _entries_up_to(length, stop)
    if first is None or last is None:
        return None
    span = maximum(0, add(first, multiply(-1, last)))
    return floordiv(add(span, step - 1), step)


def _entries_up_to(length: Dimension, position: Dimension) -> Dimension | None:
    """How many entries ``x[:position + 1]`` has, for a position that may count from the end."""
    if isinstance(position, int) and position < 0:
        return maximum(0, add(length, position + 1))
    return minimum(length, add(position, 1)) if at_least(position, 0) else None


def _bound(dims: Any, bound: Bound, operands: tuple[Value, ...]) -> Dimension | None:
    if isinstance(bound, Operand):
        return as_dimension(dims, operands[bound.k])
    return bound


# ---------------------------------------------------------------------------- emission
def subscript(index: Index, operands: list[ast.expr]) -> ast.expr:
    """The index as it is written between brackets."""

    def bound(b: Bound) -> ast.expr | None:
        if isinstance(b, Operand):
            return operands[b.k]
        return None if b is None else ast.Constant(b)

    items: list[ast.expr] = []
    for item in index:
        if isinstance(item, Slice):
            items.append(ast.Slice(*map(bound, parts_of(item))))
        elif isinstance(item, NewAxis):
            items.append(ast.Attribute(ast.Name("np"), "newaxis"))
        elif isinstance(item, int):
            items.append(ast.Constant(item))
        else:
            items.append(_listed(operands[item.k]))
    if len(items) == 1:
        return items[0]
    return ast.Tuple(items) if items else ast.Constant(...)


def _listed(operand: ast.expr) -> ast.expr:
    """An array of constants as the list that says the same between brackets."""
    match operand:
        case ast.Call(ast.Attribute(ast.Name("np"), "array"), [ast.List([_, *_]) as items]):
            return items
        case _:
            return operand


# ------------------------------------------------------------------- repeated entries
def distinct(dims: Any, index: Index, operands: Sequence[Value]) -> bool:
    """Whether ``index`` is known to name no entry twice, so that ``x[index] += v`` adds all
    of ``v``: true of slices and masks, of ``np.arange`` along each axis of the result, and of
    the index arrays that ``np.tril_indices`` and its like make."""
    gathers = [operands[item.k] for item in index if isinstance(item, Gather)]
    if not gathers:
        return True
    if any(isinstance(item, Mask) for item in index):
        return False
    maker = gathers[0].op
    if maker is not None and maker.kind.has("distinct") and len(maker.results) > 1:
        return len(gathers) == len(maker.results) and set(gathers) == set(maker.results)
    rank = max(len(_shape(v)) for v in gathers)
    return all(_counted(dims, gathers, axis) for axis in range(1, rank + 1))


def _counted(dims: Any, gathers: Sequence[Value], axis: int) -> bool:
    """Whether the last axis but ``axis - 1`` of the index arrays' common shape is trivial, or
    the only one along which some array, itself without repetition, varies."""
    lengths = [_shape(v)[-axis] if len(_shape(v)) >= axis else 1 for v in gathers]
    varying = [dims.canonical(n) for n in lengths if dims.canonical(n) != 1]
    if not varying:
        return True
    if any(n != varying[0] and (may_be_one(n) or may_be_one(varying[0])) for n in varying):
        return False  # one may be 1 and repeat along the other
    return any(_counts(dims, v, axis) for v in gathers)


def _counts(dims: Any, value: Value, axis: int) -> bool:
    shape = _shape(value)
    long_axes = [i for i, n in enumerate(shape) if dims.canonical(n) != 1]
    if long_axes != [len(shape) - axis]:
        return False
    while value.op is not None and value.op.kind.name in ("expand_dims", "reshape"):
        value = value.op.inputs[0]
    if value.op is None:
        return False
    if value.is_constant:
        entries = np.asarray(value.constant).ravel()
        return bool((entries >= 0).all()) and np.unique(entries).size == entries.size
    if value.op.kind.has("distinct"):
        return len(value.op.results) == 1 and len(_shape(value)) == 1
    if value.op.kind.name != "arange":
        return False
    start, _, step = value.op.inputs
    return (
        start.is_constant and start.constant >= 0 and step.is_constant and step.constant > 0
    )
