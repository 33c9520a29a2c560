"""``np.linalg``: inverses, determinants, factorisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.dims import Dimension
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._arguments import as_array, integer
from .contraction import conj
from .kernels import _cofactors, text_of
from .static import need_static
from .table import SURFACE, op, surface

SlogdetResult = type(np.linalg.slogdet(np.eye(1)))
EighResult = type(np.linalg.eigh(np.eye(1)))


# ------------------------------------------------------------------------------- types
def inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that ``np.linalg`` computes in: double for integers."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def _matrix(dims: Any, value: Value) -> ArrayType:
    t = value.type
    assert isinstance(t, ArrayType)
    if t.ndim < 2:
        raise ShapeError(f"a matrix is needed, got {t}")
    try:
        dims.unify(t.shape[-1], t.shape[-2])
    except ShapeError:
        raise ShapeError(f"a square matrix is needed, got {t}") from None
    return t


def _infer_same(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = _matrix(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape)


def _infer_number(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = _matrix(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape[:-2])


def _infer_slogdet(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = _matrix(dims, inputs[0])
    dtype = inexact(t.dtype)
    real = np.zeros(0, dtype).real.dtype
    return (ArrayType(dtype, t.shape[:-2]), ArrayType(real, t.shape[:-2]))


def _infer_solve(dims: Any, inputs: tuple[Value, ...]) -> Type:
    a, y = _matrix(dims, inputs[0]), inputs[1].type
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


def _infer_eigh(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = _matrix(dims, inputs[0])
    dtype = inexact(t.dtype)
    return (ArrayType(dtype, t.shape[:-1]), ArrayType(dtype, t.shape))


def _infer_eigvalsh(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = _matrix(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape[:-1])


# ------------------------------------------------------------------------------- rules
def _each(x: Expr) -> Expr:
    """A number for each matrix, in the rank of the matrices."""
    return f.expand_dims(x, axes=(x.ndim, x.ndim + 1))  # type: ignore[no-any-return]


def _trace(x: Expr) -> Expr:
    entries = f.diagonal(x, axis1=x.ndim - 2, axis2=x.ndim - 1)
    return f.sum(entries, axis=(entries.ndim - 1,))  # type: ignore[no-any-return]


def _lower_half(x: Expr) -> Expr:
    """The lower triangle with half of the diagonal."""
    return (f.tril(x, 0) + f.tril(x, -1)) * 0.5  # type: ignore[no-any-return]


def _mirrored(t: Expr) -> Expr:
    """The symmetric matrix of which the lower triangle is read."""
    return f.tril(t, 0) + f.tril(t, -1).mT  # type: ignore[no-any-return]


def _cofactor_vjp(g: Expr, a: Expr, out: Expr) -> Expr:
    """Of det(a) inv(a).T, for a regular matrix."""
    back = conj(f.linalg_inv(a)).mT
    return _each(_trace(g.mT @ conj(out))) * back - back @ g.mT @ conj(out)


def _cofactor_jvp(t: Expr, a: Expr, out: Expr) -> Expr:
    moved = f.linalg_inv(a) @ t
    return _each(_trace(moved)) * out - (moved @ out.mT).mT  # type: ignore[no-any-return]


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


def _cholesky_vjp(g: Expr, out: Expr) -> Expr:
    """The lower triangle of the symmetric adjoint, since only that is read."""
    inverse = f.linalg_inv(out)
    whole = inverse.mT @ _lower_half(out.mT @ g) @ inverse
    return _lower_half(whole + whole.mT)


def _cholesky_jvp(t: Expr, out: Expr) -> Expr:
    inverse = f.linalg_inv(out)
    return out @ _lower_half(inverse @ _mirrored(t) @ inverse.mT)


def _gaps(values: Expr) -> Expr:
    """``1 / (value j - value i)`` at (i, j), 0 on the diagonal."""
    last = values.ndim
    apart = f.expand_dims(values, axes=(last - 1,)) - f.expand_dims(values, axes=(last,))
    b, n = values.builder, values.length(last - 1)
    size = n.value if isinstance(n, Expr) else b.const(n)
    unit = Expr(b, b.op("eye", size, size, b.const(0), dtype=values.dtype))
    return (1 - unit) / (apart + unit)  # type: ignore[no-any-return]


def _eigh_vjp(g: Any, out: Any) -> Expr:
    (g_values, g_vectors), (values, vectors) = g, out
    inner = None
    if g_vectors is not None:
        inner = _gaps(values) * (vectors.mT @ g_vectors)
    if g_values is not None:
        scaled = vectors * f.expand_dims(g_values, axes=(g_values.ndim - 1,))
        whole = scaled @ vectors.mT
        whole = whole if inner is None else whole + vectors @ inner @ vectors.mT
    else:
        assert inner is not None
        whole = vectors @ inner @ vectors.mT
    return _lower_half(whole + whole.mT)


def _eigh_jvp(t: Expr, out: Any) -> tuple[Expr, Expr]:
    values, vectors = out
    inner = vectors.mT @ _mirrored(t) @ vectors
    entries = f.diagonal(inner, axis1=inner.ndim - 2, axis2=inner.ndim - 1)
    return entries, vectors @ (_gaps(values) * inner)


def _eigvalsh_vjp(g: Expr, a: Expr) -> Expr:
    return _eigh_vjp((g, None), f.linalg_eigh(a))


op(
    "linalg_inv", "a", _infer_same, "np.linalg.inv(a)", traits="allocates",
    vjp={"a": lambda g, out: -(conj(out).mT @ g @ conj(out).mT)},
    jvp={"a": lambda t, out: -(out @ t @ out)},
    doc="The inverse matrix.",
)  # fmt: skip
op(
    "linalg_det", "a", _infer_number, "np.linalg.det(a)", traits="allocates",
    vjp={"a": lambda g, a: _each(g) * conj(f.cofactors(a))},
    jvp={"a": lambda t, a: f.sum(
        f.cofactors(a) * t, axis=(a.ndim - 2, a.ndim - 1))},
    kink="of a singular matrix the adjugate's transpose", doc="The determinant.",
)  # fmt: skip
op(
    "cofactors", "a", _infer_same, "_cofactors(a)", helper=text_of(_cofactors),
    vjp={"a": _cofactor_vjp}, jvp={"a": _cofactor_jvp}, traits="allocates",
    doc="The derivative of the determinant, also of a singular matrix.",
)  # fmt: skip
op(
    "linalg_slogdet", "a", _infer_slogdet, "np.linalg.slogdet(a)", traits="allocates",
    vjp={"a": lambda g, a: None if g[1] is None else _each(g[1]) * conj(f.linalg_inv(a)).mT},
    jvp={"a": lambda t, a: (None, _trace(f.linalg_solve(a, t)))},
    doc="Sign and logarithm of the determinant.",
)  # fmt: skip
op(
    "linalg_solve", "a y", _infer_solve, "np.linalg.solve(a, y)", traits="allocates",
    vjp={"a": _solve_a, "y": lambda g, a: f.linalg_solve(conj(a).mT, g)},
    jvp={"a": _solve_jvp, "y": lambda t, a: f.linalg_solve(a, t)},
    doc="The solution x of a @ x = y.",
)  # fmt: skip
op(
    "linalg_cholesky", "a", _infer_same, "np.linalg.cholesky(a)", traits="allocates",
    vjp={"a": _cholesky_vjp}, jvp={"a": _cholesky_jvp},
    kink="the gradient lies in the triangle that is read", doc="The lower Cholesky factor.",
)  # fmt: skip
op(
    "linalg_eigh", "a", _infer_eigh, "np.linalg.eigh(a)", traits="allocates",
    vjp={"a": _eigh_vjp}, jvp={"a": _eigh_jvp},
    kink="the gradient lies in the lower triangle; inf or nan for vectors of equal values",
    doc="Eigenvalues and eigenvectors of a symmetric matrix, from its lower triangle.",
)  # fmt: skip
op(
    "linalg_eigvalsh", "a", _infer_eigvalsh, "np.linalg.eigvalsh(a)", traits="allocates",
    vjp={"a": _eigvalsh_vjp}, jvp={"a": lambda t, a: _eigh_jvp(t, f.linalg_eigh(a))[0]},
    doc="Eigenvalues of a symmetric matrix, from its lower triangle.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
def real_matrix(b: Builder, name: str, a: Any) -> Expr:
    """A matrix of real numbers."""
    x = as_array(b, a)
    if x.dtype.kind == "c":
        raise UnsupportedFunctionError(f"{name} of complex matrices is not supported")
    return x


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
    return SlogdetResult(*f.linalg_slogdet(real_matrix(b, "np.linalg.slogdet", a)))


@surface(np.linalg.solve)
def solve(b: Builder, a: Any, b_: Any) -> Expr:
    """``np.linalg.solve``."""
    matrix, y = as_array(b, a), as_array(b, b_)
    if y.ndim > 1 or matrix.ndim == 2:
        return f.linalg_solve(matrix, y)  # type: ignore[no-any-return]
    columns = f.linalg_solve(matrix, f.expand_dims(y, axes=(1,)))
    return f.squeeze(columns, axes=(columns.ndim - 1,))  # type: ignore[no-any-return]


@surface(np.linalg.cholesky)
def cholesky(b: Builder, a: Any, *, upper: Any = False) -> Expr:
    """``np.linalg.cholesky``."""
    x = real_matrix(b, "np.linalg.cholesky", a)
    # The upper factor is read from the upper triangle.
    return f.linalg_cholesky(x.mT).mT if need_static(upper) else f.linalg_cholesky(x)  # type: ignore[no-any-return]


def _check_lower(uplo: Any) -> bool:
    return str(need_static(uplo)).upper() == "L"


@surface(np.linalg.eigh)
def eigh(b: Builder, a: Any, UPLO: Any = "L") -> Any:  # noqa: N803
    """``np.linalg.eigh``."""
    x = real_matrix(b, "np.linalg.eigh", a)
    return EighResult(*f.linalg_eigh(x if _check_lower(UPLO) else x.mT))


@surface(np.linalg.eigvalsh)
def eigvalsh(b: Builder, a: Any, UPLO: Any = "L") -> Expr:  # noqa: N803
    """``np.linalg.eigvalsh``."""
    x = real_matrix(b, "np.linalg.eigvalsh", a)
    return f.linalg_eigvalsh(x if _check_lower(UPLO) else x.mT)  # type: ignore[no-any-return]


@surface(np.linalg.matrix_power)
def matrix_power(b: Builder, a: Any, n: Any) -> Expr:
    """``np.linalg.matrix_power``, by repeated squaring."""
    x, count = as_array(b, a), integer(n, "the exponent of np.linalg.matrix_power")
    if count == 0:
        size = x.length(x.ndim - 1)
        length = size.value if isinstance(size, Expr) else b.const(size)
        unit = Expr(b, b.op("eye", length, length, b.const(0), dtype=x.dtype))
        return unit if x.ndim == 2 else f.copy(f.broadcast_to(unit, *x.shape))
    square = f.linalg_inv(x) if count < 0 else x
    count, result = abs(count), None
    while count:
        if count % 2:
            result = square if result is None else result @ square
        count //= 2
        square = square @ square if count else square
    assert result is not None
    return result


@surface(np.linalg.multi_dot)
def multi_dot(b: Builder, arrays: Any) -> Expr:
    """``np.linalg.multi_dot``, from the right if that is a vector, else from the left."""
    listed = [as_array(b, x) for x in arrays]
    if listed[-1].ndim == 1:
        result = listed[-1]
        for x in reversed(listed[:-1]):
            result = x @ result
        return result
    result = listed[0]
    for x in listed[1:]:
        result = result @ x
    return result


SURFACE.waiting["scipy.linalg"] = ".scipy_linalg"
