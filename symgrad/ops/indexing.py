"""``x[...]``: reading, storing, and adding into parts of arrays."""

from __future__ import annotations

import ast
from typing import Any

from ..ir.dims import Dimension, slice_length
from ..ir.expr import Expr, apply, f
from ..ir.indexing import FULL, Bound, Gather, Index, Mask, NewAxis, Operand, Slice, is_basic
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._infer import as_dimension, same
from .table import op


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
                advanced.append((dims.fresh("count"),))
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


def _slice(dims: Any, length: Dimension, item: Slice, operands: tuple[Value, ...]) -> Dimension:
    step = 1 if item.step is None else item.step
    start, stop = _bound(dims, item.start, operands), _bound(dims, item.stop, operands)
    found = slice_length(dims.canonical(length), start, stop, step)
    return dims.fresh() if found is None else found


def _bound(dims: Any, bound: Bound, operands: tuple[Value, ...]) -> Dimension | None:
    if isinstance(bound, Operand):
        return as_dimension(dims, operands[bound.k])
    return bound


def _infer_index(dims: Any, inputs: tuple[Value, ...], index: Index) -> Type:
    x, *operands = inputs
    assert isinstance(x.type, ArrayType)
    return ArrayType(x.type.dtype, indexed_shape(dims, x.type.shape, index, tuple(operands)))


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
            step = None if item.step is None else ast.Constant(item.step)
            items.append(ast.Slice(bound(item.start), bound(item.stop), step))
        elif isinstance(item, NewAxis):
            items.append(ast.Attribute(ast.Name("np"), "newaxis"))
        elif isinstance(item, int):
            items.append(ast.Constant(item))
        else:
            items.append(operands[item.k])
    if len(items) == 1:
        return items[0]
    return ast.Tuple(items) if items else ast.Constant(...)


def _emit_index(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Subscript(inputs[0], subscript(attrs["index"], inputs[1:]))


def _emit_store(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    x, v, *operands = inputs
    return ast.Assign([ast.Subscript(x, subscript(attrs["index"], operands))], v)


def _emit_add_store(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    x, v, *operands = inputs
    where = subscript(attrs["index"], operands)
    if is_basic(attrs["index"]) or _only_masks(attrs["index"]):
        return ast.AugAssign(ast.Subscript(x, where), ast.Add(), v)
    if any(isinstance(item, Slice | NewAxis) for item in attrs["index"]):
        where = _without_slices(where)
    at = ast.Attribute(ast.Attribute(ast.Name("np"), "add"), "at")
    return ast.Expr(ast.Call(at, [x, where, v], []))


def _only_masks(index: Index) -> bool:
    return not any(isinstance(item, Gather) for item in index)


def _without_slices(where: ast.expr) -> ast.expr:
    index_maker = ast.Attribute(ast.Name("np"), "s_")
    return ast.Subscript(index_maker, where)


# ------------------------------------------------------------------------------- rules
def read(x: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    """``x[index]``, as the op that fits the index."""
    name = "index" if is_basic(index) else "gather"
    return apply(name, x, *operands, index=index)  # type: ignore[no-any-return]


def _winners(base: Expr, v_shape: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    """Where an entry was written last: a store with repeated indices keeps one of them."""
    order = f.reshape(f.arange(0, v_shape.size, 1, dtype=None), *v_shape.shape)
    marks = apply("store", f.full_like(base, -1, dtype=order.dtype), order, *operands, index=index)
    return f.equal(read(marks, operands, index), order)


def _store_vjp_v(g: Expr, x: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    taken = read(g, operands, index)
    if not any(isinstance(item, Gather) for item in index):
        return taken
    return f.where(_winners(x, taken, operands, index), taken, 0)  # type: ignore[no-any-return]


def _store_jvp(t_x: Any, t_v: Any, x: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    base = f.zeros_like(x) if t_x is None else t_x
    return apply("store", base, 0 if t_v is None else t_v, *operands, index=index)  # type: ignore[no-any-return]


def _add_store_jvp(t_x: Any, t_v: Any, x: Expr, operands: tuple[Expr, ...], index: Index) -> Any:
    if t_v is None:
        return t_x
    base = f.zeros_like(x) if t_x is None else t_x
    return apply("add_store", base, t_v, *operands, index=index)


op(
    "index",
    "x *operands",
    _infer_index,
    _emit_index,
    attrs={"index": REQUIRED},
    vjp={
        "x": lambda acc, g, operands, index: apply("add_store", acc, g, *operands, index=index),
    },
    jvp={"x": lambda t, operands, index: apply("index", t, *operands, index=index)},
    put=lambda base, new, operands, index: apply("store", base, new, *operands, index=index),
    traits="linear cheap view",
    doc="x[index] without index arrays: a view.",
)
op(
    "gather",
    "x *operands",
    _infer_index,
    _emit_index,
    attrs={"index": REQUIRED},
    vjp={
        "x": lambda acc, g, operands, index: apply("add_store", acc, g, *operands, index=index),
    },
    jvp={"x": lambda t, operands, index: apply("gather", t, *operands, index=index)},
    traits="linear",
    doc="x[index] with integer or boolean arrays in the index: a copy.",
)
op(
    "store",
    "x v *operands",
    same,
    None,
    emit_store=_emit_store,
    attrs={"index": REQUIRED},
    vjp={
        "x": lambda g, operands, index: apply("store", g, 0, *operands, index=index),
        "v": _store_vjp_v,
    },
    jvp=_store_jvp,
    traits="linear store",
    doc="x with x[index] = v done.",
)
op(
    "add_store",
    "x v *operands",
    same,
    None,
    emit_store=_emit_add_store,
    attrs={"index": REQUIRED},
    vjp={
        "x": lambda g: g,
        "v": lambda g, operands, index: read(g, operands, index),
    },
    jvp=_add_store_jvp,
    traits="linear store",
    doc="x with v added at the index; repeated indices add up.",
)

__all__ = ["FULL", "indexed_shape", "read", "subscript"]
