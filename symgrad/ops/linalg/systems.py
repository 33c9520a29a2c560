"""``np.linalg``: inverses, determinants, linear systems."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.dims import Dimension
from ...ir.expr import Expr, f, lift
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..contraction import conj
from ..kernels import text_of
from ..rules import batching as batching
from ..rules.arguments import as_array
from ..table import linear, op, surface
from .kernels import _cofactor_slope, _cofactors, _inv_lower, _lower_half, _undefined

SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


# ------------------------------------------------------------------------------- types
def inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that ``np.linalg`` computes in: double for integers."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


LAPACK = "allocates may_warn fails"
"""Traits of what LAPACK computes."""


def matrices(value: Value) -> ArrayType:
    """The type of matrices of any shape."""
    t = value.type
    assert isinstance(t, ArrayType)
    if t.ndim < 2:
        raise ShapeError(f"a matrix is needed, got {t}")
    return t


def square(dims: Any, value: Value) -> ArrayType:
    """The type of square matrices."""
    t = matrices(value)
    try:
        dims.unify(t.shape[-1], t.shape[-2])
    except ShapeError:
        raise ShapeError(f"a square matrix is needed, got {t}") from None
    return t


def _infer_same(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = square(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape)


def _infer_number(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = square(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape[:-2])


def _infer_slope(dims: Any, inputs: tuple[Value, ...]) -> Type:
    types = [square(dims, v) for v in inputs]
    shape = dims.broadcast_shapes(*(t.shape for t in types))
    return ArrayType(inexact(np.result_type(*(t.dtype for t in types))), shape)


def _infer_slogdet(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = square(dims, inputs[0])
    dtype = inexact(t.dtype)
    real = np.zeros(0, dtype).real.dtype
    return (ArrayType(dtype, t.shape[:-2]), ArrayType(real, t.shape[:-2]))


def _infer_solve(dims: Any, inputs: tuple[Value, ...]) -> Type:
    a, y = square(dims, inputs[0]), inputs[1].type
    assert isinstance(y, ArrayType)
    dtype = inexact(np.result_type(a.dtype, y.dtype))
    rows: Dimension = y.shape[0] if y.ndim == 1 else y.shape[-2]
    try:
        dims.unify(a.shape[-1], rows)
    except ShapeError:
        raise ShapeError(f"np.linalg.solve: {a} and {y} do not fit") from None
    tail = (rows,) if y.ndim == 1 else (rows, y.shape[-1])
    batch = dims.broadcast_shapes(a.shape[:-2], y.shape[:-2] if y.ndim > 1 else ())
    return ArrayType(dtype, (*batch, *tail))


# ------------------------------------------------------------------------------- rules
def dagger(x: Expr) -> Expr:
    """The conjugate transpose."""
    return conj(x).mT


def each(x: Expr) -> Expr:
    """A number for each matrix, in the rank of the matrices."""
    return f.expand_dims(x, axes=(x.ndim, x.ndim + 1))  # type: ignore[no-any-return]


def diagonal_of(x: Expr) -> Expr:
    """The diagonal of each matrix."""
    return f.diagonal(x, axis1=x.ndim - 2, axis2=x.ndim - 1)  # type: ignore[no-any-return]


def trace_of(x: Expr) -> Expr:
    """The trace of each matrix."""
    entries = diagonal_of(x)
    return f.sum(entries, axis=(entries.ndim - 1,))  # type: ignore[no-any-return]


def lower_half(x: Expr) -> Expr:
    """The lower triangle with half of the diagonal."""
    return f.lower_half(x)  # type: ignore[no-any-return]


def unit_like(x: Expr, dtype: Any = None) -> Expr:
    """The unit matrix for square matrices ``x``."""
    b, n = x.builder, lift(x.builder, x.length(x.ndim - 1))
    return Expr(b, b.op("eye", n, n, b.const(0), dtype=np.dtype(dtype or x.dtype)))


def _slope_along(t: Expr, a: Expr, ts: Any, position: int, end: Any = None) -> Expr:
    """The slope of the cofactors with another direction in place of one: it is symmetric in
    the directions and in what it is multiplied by."""
    slope = f.cofactor_slope(a, *ts[: position - 1], t, *ts[position:])
    return end(slope) if end else slope  # type: ignore[no-any-return]


def _slogdet_vjp(g: Any, a: Expr, out: Any) -> Expr | None:
    """The adjoint of the logarithm, and i times that of the angle of the sign."""
    g_sign, g_log = g
    parts = [] if g_log is None else [g_log]
    if g_sign is not None and a.dtype.kind == "c":
        parts.append(f.imag(g_sign * conj(out[0])) * 1j)
    if not parts:
        return None
    return each(parts[0] + parts[1] if parts[1:] else parts[0]) * dagger(f.linalg_inv(a))


def _slogdet_jvp(t: Expr, a: Expr, out: Any) -> Any:
    moved = trace_of(f.linalg_solve(a, t))
    if a.dtype.kind != "c":
        return None, moved
    return f.imag(moved) * 1j * out[0], f.real(moved)


def _solve_a(g: Expr, a: Expr, y: Expr, out: Expr) -> Expr:
    back = f.linalg_solve(conj(a).mT, g)
    if y.ndim > 1:
        return -(back @ conj(out).mT)  # type: ignore[no-any-return]
    column, row = (
        f.expand_dims(v, axes=(v.ndim - i,)) for v, i in ((back, 0), (conj(out), 1))
    )
    return -column * row  # type: ignore[no-any-return]


def _solve_jvp(t: Expr, a: Expr, y: Expr, out: Expr) -> Expr:
    return -f.linalg_solve(a, t @ out)  # type: ignore[no-any-return]


op(
    "linalg_inv", "a", _infer_same, "np.linalg.inv(a)", traits=LAPACK,
    vjp={"a": lambda g, out: -(conj(out).mT @ g @ conj(out).mT)},
    jvp={"a": lambda t, out: -(out @ t @ out)},
    batch="leading", doc="The inverse matrix.",
)  # fmt: skip
op(
    "inv_lower", "a", _infer_same, "_inv_lower(a)", helper=text_of(_inv_lower), traits=LAPACK,
    vjp={"a": lambda g, out: -(conj(out).mT @ g @ conj(out).mT)},
    jvp={"a": lambda t, out: -(out @ t @ out)},
    batch="leading", doc="The inverse of a lower triangular matrix.",
)  # fmt: skip
linear(
    "lower_half", "x", _infer_same, "_lower_half(x)", helper=text_of(_lower_half),
    transpose={"x": lambda g: f.lower_half(g)}, traits="allocates", batch="leading",
    doc="The lower triangle of a matrix, with half of the diagonal.",
)  # fmt: skip
op(
    "linalg_det", "a", _infer_number, "np.linalg.det(a)", traits=LAPACK,
    vjp={"a": lambda g, a: each(g) * conj(f.cofactors(a))},
    jvp={"a": lambda t, a: f.sum(
        f.cofactors(a) * t, axis=(a.ndim - 2, a.ndim - 1))},
    kink="of a singular matrix the adjugate's transpose", batch="leading", doc="The determinant.",
)  # fmt: skip
op(
    "cofactors", "a", _infer_same, "_cofactors(a)", helper=text_of(_undefined, _cofactors),
    vjp={"a": lambda g, a: conj(f.cofactor_slope(a, conj(g)))},
    jvp={"a": lambda t, a: f.cofactor_slope(a, t)}, traits="allocates",
    batch="leading", doc="The derivative of the determinant, also of a singular matrix.",
)  # fmt: skip
op(
    "cofactor_slope", "a *ts", _infer_slope,
    lambda inputs, attrs: ast.Call(ast.Name("_cofactor_slope"), inputs, []),
    helper=text_of(_undefined, _cofactor_slope),
    vjp={"a": lambda g, a, ts: conj(f.cofactor_slope(a, *ts, conj(g))),
         "ts": lambda g, a, ts, position: _slope_along(conj(g), a, ts, position, conj)},
    jvp={"a": lambda t, inputs: f.cofactor_slope(*inputs, t),
         "ts": lambda t, a, ts, position: _slope_along(t, a, ts, position)},
    traits="allocates", batch="leading", doc="The derivative of cofactors(a) along each of ts.",
)  # fmt: skip
op(
    "linalg_slogdet", "a", _infer_slogdet, "np.linalg.slogdet(a)", traits=LAPACK,
    vjp={"a": _slogdet_vjp}, jvp={"a": _slogdet_jvp},
    batch="leading", doc="Sign and logarithm of the determinant.",
)  # fmt: skip
op(
    "linalg_solve", "a y", _infer_solve, "np.linalg.solve(a, y)",
    vjp={"a": _solve_a, "y": lambda g, a: f.linalg_solve(conj(a).mT, g)},
    jvp={"a": _solve_jvp}, linear_in="y",
    traits=f"{LAPACK} matrices", batch=batching.solve, doc="The solution x of a @ x = y.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
@surface(np.linalg.inv)
def inv(b: Builder, a: Any) -> Expr:
    """``np.linalg.inv``."""
    return f.linalg_inv(as_array(b, a))  # type: ignore[no-any-return]


@surface(np.linalg.det)
def det(b: Builder, a: Any) -> Expr:
    """``np.linalg.det``."""
    return f.linalg_det(as_array(b, a))  # type: ignore[no-any-return]


@surface(np.linalg.slogdet)
def slogdet(b: Builder, a: Any) -> Any:
    """``np.linalg.slogdet``."""
    return SlogdetResult(*f.linalg_slogdet(as_array(b, a)))


@surface(np.linalg.solve)
def solve(builder: Builder, /, a: Any, b: Any) -> Expr:
    """``np.linalg.solve``."""
    matrix, y = as_array(builder, a), as_array(builder, b)
    if y.ndim > 1 or matrix.ndim == 2:
        return f.linalg_solve(matrix, y)  # type: ignore[no-any-return]
    columns = f.linalg_solve(matrix, f.expand_dims(y, axes=(1,)))
    return f.squeeze(columns, axes=(columns.ndim - 1,))  # type: ignore[no-any-return]
