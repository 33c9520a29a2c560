"""``x[...]``: reading, storing, and adding into parts of arrays."""

from __future__ import annotations

import ast
from functools import reduce
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ir.builder import Builder
from ..ir.expr import Expr, apply, f, lift
from ..ir.indexing import FULL, NEWAXIS, Gather, Index, Mask, NewAxis, Slice, is_basic
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .kernels import _sum_rows, text_of
from .keys import parse
from .rules import batching_index as batching
from .rules import following_index as following
from .rules.arguments import ARRAYS_ARE_NUMBERS, as_expr
from .rules.emission import np_call, np_name
from .rules.indexed import distinct, indexed_shape, subscript
from .rules.infer import as_dimension
from .table import linear, op

REVERSED = Slice(None, None, -1)


# ------------------------------------------------------------------------------- types
def _infer_index(dims: Any, inputs: tuple[Value, ...], index: Index) -> Type:
    x, *operands = inputs
    assert isinstance(x.type, ArrayType)
    return ArrayType(
        x.type.dtype, indexed_shape(dims, x.type.shape, index, tuple(operands))
    )


def _infer_store(dims: Any, inputs: tuple[Value, ...], index: Index, **attrs: Any) -> Type:
    x, v, *operands = inputs
    part = indexed_shape(dims, x.type.shape, index, tuple(operands))  # type: ignore[union-attr]
    given = v.type.shape  # type: ignore[union-attr]
    if len(dims.broadcast_shapes(part, given)) > len(part):
        raise ShapeError(f"a value of type {v.type} does not fit into {len(part)} axes")
    return x.type


def _infer_sum_rows(dims: Any, inputs: tuple[Value, ...]) -> Type:
    values, indices, length = inputs
    assert isinstance(values.type, ArrayType) and isinstance(indices.type, ArrayType)
    rows = values.type.shape[indices.type.ndim :]
    return ArrayType(values.type.dtype, (as_dimension(dims, length), *rows))


# ---------------------------------------------------------------------------- emission
def _emit_index(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Subscript(inputs[0], subscript(attrs["index"], inputs[1:]))


def _emit_store(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    x, v, *operands = inputs
    return ast.Assign([ast.Subscript(x, subscript(attrs["index"], operands))], v)


def _emit_add_store(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    x, v, *operands = inputs
    index = attrs["index"]
    where = subscript(index, operands)
    if attrs["distinct"] or not any(isinstance(item, Gather) for item in index):
        return ast.AugAssign(ast.Subscript(x, where), ast.Add(), v)
    if any(isinstance(item, Slice) for item in index):
        where = ast.Subscript(np_name("s_"), where)
    return ast.Expr(np_call("add.at", x, where, v))


# ------------------------------------------------------------------------------- rules
def read(x: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    """``x[index]``, as the op that fits the index."""
    name = "index" if is_basic(index) else "gather"
    return apply(name, x, *operands, index=index)  # type: ignore[no-any-return]


def is_zeros(x: Expr) -> bool:
    """Whether ``x`` was made as zeros."""
    return x.value.op is not None and x.value.op.kind.name in ("zeros", "zeros_like")


def _is_distinct(x: Expr, operands: tuple[Expr, ...], index: Index) -> bool:
    return distinct(x.builder.dims, index, [o.value for o in operands])


def spread_at(
    acc: Expr, g: Expr, operands: tuple[Expr, ...], index: Index, once: bool | None = None
) -> Expr:
    """The adjoint of reading: ``acc`` with ``g`` added at the index, which names each entry
    once at most if ``once`` (found out if not given)."""
    if index and all(item in (FULL, REVERSED, NEWAXIS) for item in index):
        mirrored = _unturned(g, index)
        return mirrored if is_zeros(acc) else acc + mirrored
    if not acc.ndim and operands:  # a number under masks
        kept = reduce(f.logical_and, operands)
        added = f.where(kept, f.sum(g), 0)
        return added if is_zeros(acc) else acc + added  # type: ignore[no-any-return]
    if once is None:
        once = _is_distinct(acc, operands, index)
    if is_zeros(acc):
        if once:
            return apply("store", acc, g, *operands, index=index)  # type: ignore[no-any-return]
        if len(index) == 1 and acc.dtype.kind == "f":
            return f.sum_rows(g, operands[0], acc.length(0))  # type: ignore[no-any-return]
    once = once and not is_basic(index)
    return apply("add_store", acc, g, *operands, index=index, distinct=once)  # type: ignore[no-any-return]


def _unturned(g: Expr, index: Index) -> Expr:
    """The adjoint of reading whole axes, some backwards, among new ones."""
    new = tuple(i for i, item in enumerate(index) if item == NEWAXIS)
    if new:
        g = f.squeeze(g, axes=new)
    rest = tuple(item for item in index if item != NEWAXIS)
    return f.index(g, index=rest) if REVERSED in rest else g


def winners(base: Expr, part: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    """Where an entry was written last: a store with repeated indices keeps one of them."""
    b = base.builder
    count = Expr(
        b,
        b.op("arange", b.const(0), lift(b, part.size), b.const(1), dtype=np.dtype(np.intp)),
    )
    order = f.reshape(count, *part.shape)
    empty = f.full_like(base, -1, dtype=order.dtype)
    marks = apply("store", empty, order, *operands, index=index)
    return f.equal(read(marks, operands, index), order)  # type: ignore[no-any-return]


def _store_vjp_v(g: Expr, x: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    taken = read(g, operands, index)
    if _is_distinct(x, operands, index):
        return taken
    return f.where(winners(x, taken, operands, index), taken, 0)  # type: ignore[no-any-return]


def _store_jvp(
    t_x: Any, t_v: Any, x: Expr, operands: tuple[Expr, ...], index: Index
) -> Expr:
    base = f.zeros_like(x) if t_x is None else t_x
    return apply("store", base, 0 if t_v is None else t_v, *operands, index=index)  # type: ignore[no-any-return]


def _add_store_jvp(
    t_x: Any, t_v: Any, x: Expr, operands: tuple[Expr, ...], index: Index, distinct: bool
) -> Any:
    if t_v is None:
        return t_x
    base = f.zeros_like(x) if t_x is None else t_x
    return apply("add_store", base, t_v, *operands, index=index, distinct=distinct)


_spread = {"x": lambda acc, g, operands, index: spread_at(acc, g, operands, index)}


def _replaced(base: Expr, new: Expr, operands: tuple[Expr, ...], index: Index) -> Expr:
    return apply("store", base, new, *operands, index=index)  # type: ignore[no-any-return]


def _reading(name: str, traits: str, doc: str, **rest: Any) -> None:
    """``x[index]``; its adjoint is added up at the places."""
    linear(
        name, "x *operands", _infer_index, _emit_index, attrs={"index": REQUIRED},
        transpose=_spread, traits=f"moves {traits}", batch=batching.read,
        follow=following.indexed, doc=doc, **rest,
    )  # fmt: skip


_reading("index", "cheap view", "x[index] without index arrays: a view.", put=_replaced)
_reading(
    "gather", "allocates", "x[index] with integer or boolean arrays in the index: a copy."
)


def _storing(
    name: str, emit: Any, vjp: Any, jvp: Any, traits: str, doc: str, **rest: Any
) -> None:
    """``x`` with ``v`` at the index, as a statement of the code."""
    op(
        name, "x v *operands", _infer_store, None, emit_store=emit, vjp=vjp, jvp=jvp,
        traits=f"linear store {traits}", follow=following.stored, doc=doc, **rest,
    )  # fmt: skip


_storing(
    "store", _emit_store, {
        "x": lambda g, operands, index: apply("store", g, 0, *operands, index=index),
        "v": _store_vjp_v,
    },
    _store_jvp, "joins", "x with x[index] = v done.", attrs={"index": REQUIRED},
    batch=batching.store,
)  # fmt: skip
_storing(
    "add_store", _emit_add_store,
    {"x": lambda g: g, "v": lambda g, operands, index: read(g, operands, index)},
    _add_store_jvp, "",
    "x with v added at the index; repeated indices add up (none repeats if `distinct`).",
    attrs={"index": REQUIRED, "distinct": False}, batch=batching.add_store,
)  # fmt: skip
linear(
    "sum_rows",
    "values indices length",
    _infer_sum_rows,
    "_sum_rows(values, indices, length)",
    transpose={"values": lambda g, indices: f.gather(g, indices, index=(Gather(0),))},
    traits="allocates",
    helper=text_of(_sum_rows),
    batch=batching.sum_rows,
    doc="Zeros of the given length with rows added up by index: the adjoint of table[indices].",
)


# --------------------------------------------------------------------------- the surface
def getitem(b: Builder, x: Expr, key: Any) -> Expr:
    """``x[key]``: static objects and expressions in any mix, as NumPy takes them."""
    index, operands = parse(b, x, key)
    if not index:
        return x
    if all(isinstance(item, NewAxis) or item == FULL for item in index):
        axes = tuple(i for i, item in enumerate(index) if isinstance(item, NewAxis))
        return f.expand_dims(x, axes=axes)  # type: ignore[no-any-return]
    return Expr(
        b, b.op("index" if is_basic(index) else "gather", x.value, *operands, index=index)
    )


def setitem(b: Builder, x: Expr, key: Any, value: Any) -> Expr:
    """``x`` after ``x[key] = value``; the value is cast to the dtype of ``x``."""
    index, operands = parse(b, x, key)
    v = _fitted(b, x, value, key, index, operands)
    return Expr(b, b.op("store", x.value, v.value, *operands, index=index))


def _spreads(key: Any) -> bool:
    """Whether a place of rank 0 is an array, not an entry, to NumPy."""
    return (
        any(item is Ellipsis for item in key) if isinstance(key, tuple) else key is Ellipsis
    )


def _fitted(
    b: Builder, x: Expr, value: Any, key: Any, index: Index, operands: tuple[Value, ...]
) -> Expr:
    """The value to store, without leading axes of length 1 that the place does not have."""
    v = as_expr(b, value)
    if v.dtype.kind == "c" and x.dtype.kind != "c":
        raise DTypeError(f"a complex value cannot be stored into an array of {x.dtype}")
    rank = len(indexed_shape(b.dims, x.dims, index, operands))
    if rank == 0 and v.ndim and not ARRAYS_ARE_NUMBERS and not _spreads(key):
        raise ShapeError(f"{v.type} cannot be stored into one entry; write value.item()")
    extra = v.ndim - rank
    if extra > 0 and all(b.dims.canonical(n) == 1 for n in v.dims[:extra]):
        v = f.squeeze(v, axes=tuple(range(extra)))
    return v


__all__ = [
    "Mask",
    "getitem",
    "indexed_shape",
    "is_zeros",
    "read",
    "setitem",
    "subscript",
]
