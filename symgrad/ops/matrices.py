"""Diagonals and triangles of matrices."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..ir.builder import Builder
from ..ir.dims import Dimension, add, minimum
from ..ir.expr import Expr, f, lift
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .indexing import spread_at
from .keys import parse
from .reshaping import broadcast_to, ravel
from .rules import batching as batching
from .rules.arguments import as_array, axis_of, dtype_of, integer, length_of
from .rules.emission import np_call
from .rules.infer import same
from .table import linear, method, surface


# ------------------------------------------------------------------------------- types
def _diagonal_length(rows: Dimension, columns: Dimension, offset: int) -> Dimension:
    if offset >= 0:
        return minimum(rows, add(columns, -offset))
    return minimum(add(rows, offset), columns)


def _infer_diagonal(
    dims: Any, inputs: tuple[Value, ...], offset: int, axis1: int, axis2: int
) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    rest = tuple(n for i, n in enumerate(t.shape) if i not in (axis1, axis2))
    rows, columns = dims.canonical(t.shape[axis1]), dims.canonical(t.shape[axis2])
    length = _diagonal_length(rows, columns, offset)
    return ArrayType(
        t.dtype, (*rest, max(length, 0) if isinstance(length, int) else length)
    )


def _infer_diag(dims: Any, inputs: tuple[Value, ...], k: int) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType) and t.ndim == 1
    n = add(t.shape[0], abs(k))
    return ArrayType(t.dtype, (n, n))


# ---------------------------------------------------------------------------- emission
def _emit_triangle(name: str) -> Any:
    def emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
        x, k = inputs
        main = isinstance(k, ast.Constant) and k.value == 0
        return np_call(name, x) if main else np_call(name, x, k)

    return emit


# ------------------------------------------------------------------------------- rules
def _onto_diagonal(acc: Expr, g: Expr, offset: int, axis1: int, axis2: int) -> Expr:
    b = acc.builder
    count = g.length(g.ndim - 1)
    rows, columns = (
        _counting(b, start, count) for start in (max(-offset, 0), max(offset, 0))
    )
    key: list[Any] = [slice(None)] * acc.ndim
    key[axis1], key[axis2] = rows, columns
    place = min(axis1, axis2) if abs(axis1 - axis2) == 1 else 0
    order = list(range(g.ndim - 1))
    order.insert(place, g.ndim - 1)
    moved = f.transpose(g, axes=tuple(order)) if place != g.ndim - 1 else g
    index, operands = parse(b, acc, tuple(key))
    return spread_at(acc, moved, tuple(Expr(b, o) for o in operands), index)


def _same_triangle(name: str) -> Any:
    return lambda g, k: Expr(g.builder, g.builder.op(name, g.value, k.value))


def _counting(b: Builder, start: int, count: Any) -> Expr:
    """``count`` integers from ``start`` on."""
    stop = count + start if start else count
    ends = (b.const(start), lift(b, stop), b.const(1))
    return Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))


linear(
    "diagonal",
    "x",
    _infer_diagonal,
    "np.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)",
    attrs={"offset": 0, "axis1": 0, "axis2": 1},
    transpose={"x": _onto_diagonal},
    traits="moves cheap view",
    doc="A diagonal of two axes, as the last axis; a view that cannot be written through.",
)
linear(
    "diag",
    "x",
    _infer_diag,
    "np.diag(x, k=k)",
    attrs={"k": 0},
    transpose={"x": lambda g, k: f.diagonal(g, offset=k)},
    traits="allocates",
    batch=batching.diag,
    doc="A matrix with x on diagonal k, zeros elsewhere.",
)
for _name, _side in (("tril", "above"), ("triu", "below")):
    linear(
        _name, "x k", same, _emit_triangle(_name), traits="allocates",
        batch="leading",
        transpose={"x": _same_triangle(_name)},
        doc=f"x with zeros {_side} diagonal k.",
    )  # fmt: skip


# --------------------------------------------------------------------------- the surface
@surface(np.diagonal)
@method("diagonal")
def diagonal(b: Builder, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Expr:
    """``np.diagonal``."""
    x = as_array(b, a)
    if x.ndim < 2:
        raise ShapeError(f"a diagonal needs rank 2 or more, got {x.type}")
    i, j = axis_of(axis1, x.ndim), axis_of(axis2, x.ndim)
    if i == j:
        raise ShapeError("the two axes of a diagonal must differ")
    return f.diagonal(x, offset=integer(offset, "offset"), axis1=i, axis2=j)  # type: ignore[no-any-return]


@surface(np.linalg.diagonal)
def linalg_diagonal(b: Builder, x: Any, *, offset: Any = 0) -> Expr:
    """``np.linalg.diagonal``."""
    return diagonal(b, x, offset, -2, -1)  # type: ignore[no-any-return]


@surface(np.diag)
def diag(b: Builder, v: Any, k: Any = 0) -> Expr:
    """``np.diag``."""
    x = as_array(b, v)
    if x.ndim == 2:
        return f.diagonal(x, offset=integer(k, "k"))  # type: ignore[no-any-return]
    if x.ndim != 1:
        raise ShapeError(f"np.diag needs rank 1 or 2, got {x.type}")
    return f.diag(x, k=integer(k, "k"))  # type: ignore[no-any-return]


@surface(np.diagflat)
def diagflat(b: Builder, v: Any, k: Any = 0) -> Expr:
    """``np.diagflat``."""
    return f.diag(ravel(b, as_array(b, v)), k=integer(k, "k"))  # type: ignore[no-any-return]


@surface(np.trace)
@method("trace")
def trace(
    b: Builder, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None
) -> Expr:
    """``np.trace``."""
    entries = diagonal(b, a, offset, axis1, axis2)
    wanted = None if dtype is None else dtype_of(dtype)
    return f.sum(entries, axis=(entries.ndim - 1,), dtype=wanted)  # type: ignore[no-any-return]


@surface(np.linalg.trace)
def linalg_trace(b: Builder, x: Any, *, offset: Any = 0, dtype: Any = None) -> Expr:
    """``np.linalg.trace``."""
    return trace(b, x, offset, -2, -1, dtype)  # type: ignore[no-any-return]


def _triangle(name: str) -> Any:
    def call(b: Builder, m: Any, k: Any = 0) -> Expr:
        x = as_array(b, m)
        if x.ndim == 1:
            x = broadcast_to(b, x, (x.length(0), x.length(0)))
        if x.ndim < 2:
            raise ShapeError(f"np.{name} needs rank 2 or more, got {x.type}")
        return Expr(b, b.op(name, x.value, length_of(b, k)))

    return call


tril = surface(np.tril)(_triangle("tril"))
triu = surface(np.triu)(_triangle("triu"))


@surface(np.tri)
def tri(b: Builder, N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Expr:
    """``np.tri``."""
    rows = length_of(b, N)
    columns = rows if M is None else length_of(b, M)
    ones = Expr(b, b.op("ones", rows, columns, dtype=dtype_of(dtype)))
    return tril(b, ones, k)  # type: ignore[no-any-return]
