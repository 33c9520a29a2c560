"""``np.linalg``: eigenvalues, singular values and their vectors.

A vector is determined up to its phase. ``eig`` differentiates what LAPACK returns (length 1,
the largest entry real); of ``eigh`` and ``svd`` of complex matrices only functions that do not
depend on the phases have a derivative, and for those it is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.builder import Builder
from ..ir.dims import minimum
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._arguments import as_array
from .contraction import conj
from .indexing import getitem
from .kernels import text_of
from .linalg import dagger, diagonal_of, inexact, lower_half, matrices, square, unit_like
from .linalg_kernels import _eig, _eigvals
from .selection import take_along_axis
from .static import need_static
from .table import op, surface

EighResult = type(np.linalg.eigh(np.eye(1)))
EigResult = type(np.linalg.eig(np.eye(1)))
SVDResult = type(np.linalg.svd(np.eye(1)))


# ------------------------------------------------------------------------------- types
def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.zeros(0, inexact(dtype)).real.dtype


def _infer_eigh(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> tuple[Type, ...]:
    t = square(dims, inputs[0])
    values = ArrayType(_real(t.dtype), t.shape[:-1])
    return (values, ArrayType(inexact(t.dtype), t.shape))


def _infer_eigvalsh(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return _infer_eigh(dims, inputs)[0]


def _infer_eig(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = square(dims, inputs[0])
    dtype = np.result_type(inexact(t.dtype), np.complex64)
    return (ArrayType(dtype, t.shape[:-1]), ArrayType(dtype, t.shape))


def _infer_eigvals(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return _infer_eig(dims, inputs)[0]


def _infer_svd(
    dims: Any, inputs: tuple[Value, ...], full_matrices: bool
) -> tuple[Type, ...]:
    t = matrices(inputs[0])
    *batch, m, n = (dims.canonical(d) for d in t.shape)
    k, dtype = minimum(m, n), inexact(t.dtype)
    rows, columns = (m, n) if full_matrices else (k, k)
    return (
        ArrayType(dtype, (*batch, m, rows)),
        ArrayType(_real(t.dtype), (*batch, k)),
        ArrayType(dtype, (*batch, columns, n)),
    )


def _infer_svdvals(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return _infer_svd(dims, inputs, False)[1]


# ---------------------------------------------------------------------- rules: Hermitian
def mirrored(t: Expr) -> Expr:
    """The Hermitian matrix of which the lower triangle is read."""
    if t.dtype.kind != "c":
        return f.tril(t, 0) + f.tril(t, -1).mT  # type: ignore[no-any-return]
    return lower_half(t) + dagger(lower_half(t))


def _columnwise(v: Expr) -> Expr:
    """Numbers that scale the columns of matrices."""
    return f.expand_dims(v, axes=(v.ndim - 1,))  # type: ignore[no-any-return]


def _rowwise(v: Expr) -> Expr:
    return f.expand_dims(v, axes=(v.ndim,))  # type: ignore[no-any-return]


def _over_gaps(inner: Expr, values: Expr, still: Expr | None = None) -> Expr:
    """``inner / (value j - value i)`` at (i, j), 0 on the diagonal, and for pairs of equal
    values where nothing is to be divided (and the values are ``still``)."""
    unit = unit_like(inner, values.dtype)
    apart = _columnwise(values) - _rowwise(values)
    nothing = f.logical_and(f.equal(apart, 0), f.equal(inner, 0))
    if still is not None:
        nothing = f.logical_and(nothing, f.logical_and(_columnwise(still), _rowwise(still)))
    return inner * (1 - unit) / f.where(nothing, 1, apart + unit)  # type: ignore[no-any-return]


def _eigh_vjp(g: Any, out: Any, UPLO: str) -> Expr:  # noqa: N803
    (g_values, g_vectors), (values, vectors) = g, out
    parts = []
    if g_vectors is not None:
        still = None if g_values is None else f.equal(g_values, 0)
        inner = _over_gaps(dagger(vectors) @ g_vectors, values, still)
        parts.append(vectors @ inner @ dagger(vectors))
    if g_values is not None:
        parts.append((vectors * _columnwise(g_values)) @ dagger(vectors))
    whole = parts[0] + parts[1] if parts[1:] else parts[0]
    lower = lower_half(whole + dagger(whole))
    return lower if UPLO == "L" else dagger(lower)


def _eigh_jvp(t: Expr, out: Any, UPLO: str) -> tuple[Expr, Expr]:  # noqa: N803
    values, vectors = out
    inner = dagger(vectors) @ mirrored(t if UPLO == "L" else dagger(t)) @ vectors
    entries = diagonal_of(inner)
    entries = f.real(entries) if t.dtype.kind == "c" else entries
    return entries, vectors @ _over_gaps(inner, values)


def _eigvalsh_vjp(g: Expr, a: Expr, UPLO: str) -> Expr:  # noqa: N803
    return _eigh_vjp((g, None), f.linalg_eigh(a, UPLO=UPLO), UPLO)


def _eigvalsh_jvp(t: Expr, a: Expr, UPLO: str) -> Expr:  # noqa: N803
    return _eigh_jvp(t, f.linalg_eigh(a, UPLO=UPLO), UPLO)[0]


# ------------------------------------------------------------------------ rules: general
def _largest(vectors: Expr) -> Expr:
    """True at the entry of each column that LAPACK made real."""
    size = f.where(f.equal(f.imag(vectors), 0), f.absolute(vectors), -1)
    return f.equal(size, f.max(size, axis=(size.ndim - 2,), keepdims=True))  # type: ignore[no-any-return]


def _normal_vjp(g: Expr, v: Expr) -> Expr:
    """The adjoint of scaling columns to length 1 with their largest entries real."""
    product = f.sum(conj(g) * v, axis=(v.ndim - 2,), keepdims=True)
    place = _largest(v)
    turn = f.imag(product) / f.where(place, f.real(v), 1)
    return g - f.real(product) * v + 1j * f.where(place, turn, 0)  # type: ignore[no-any-return]


def _normal_jvp(w: Expr, v: Expr) -> Expr:
    along = f.real(f.sum(conj(v) * w, axis=(v.ndim - 2,), keepdims=True))
    place = _largest(v)
    turn = f.where(place, f.imag(w) / f.where(place, f.real(v), 1), 0)
    turn = f.sum(turn, axis=(v.ndim - 2,), keepdims=True)
    return w - v * (along + 1j * turn)  # type: ignore[no-any-return]


def _eig_vjp(g: Any, out: Any) -> Expr:
    (g_values, g_vectors), (values, vectors) = g, out
    inner = None
    if g_vectors is not None:
        pulled = dagger(vectors) @ _normal_vjp(g_vectors, vectors)
        inner = _over_gaps(pulled, conj(values))
    if g_values is not None:
        on = unit_like(vectors) * _columnwise(g_values)
        inner = on if inner is None else inner + on
    return f.linalg_solve(dagger(vectors), inner @ dagger(vectors))  # type: ignore[no-any-return]


def _eig_jvp(t: Expr, out: Any) -> tuple[Expr, Expr]:
    values, vectors = out
    inner = f.linalg_solve(vectors, t @ vectors)
    moved = vectors @ _over_gaps(inner, values)
    return diagonal_of(inner), _normal_jvp(moved, vectors)


# -------------------------------------------------------------------- rules: singular values
def _thin(x: Expr, s: Expr, *, rows: bool) -> tuple[Expr, Expr | None]:
    """The vectors that have a singular value, and the rest of a full set."""
    axis = x.ndim - (2 if rows else 1)
    if x.builder.dims.equal(x.dims[axis], s.dims[-1]):
        return x, None
    k = s.length(s.ndim - 1)
    cuts = (slice(None, k), slice(k, None))
    keys = [(..., c, slice(None)) if rows else (..., c) for c in cuts]
    head, rest = (getitem(x.builder, x, key) for key in keys)
    return head, rest


def _skew(x: Expr) -> Expr:
    return x - dagger(x)


def _svd_vjp(g: Any, a: Expr, out: Any) -> Expr:
    u, s, v = out[0], out[1], dagger(out[2])
    g_u, g_s, g_v = g[0], g[1], None if g[2] is None else dagger(g[2])
    (u, g_u), (v, g_v) = (_reduced(x, g_x, s) for x, g_x in ((u, g_u), (v, g_v)))
    inner, total = None, None
    for x, g_x, left in ((u, g_u, True), (v, g_v, False)):
        if g_x is None:
            continue
        pulled = dagger(x) @ g_x
        pairs = _over_gaps(_skew(pulled), s * s)
        scaled = pairs * _columnwise(s) if left else pairs * _rowwise(s)
        if left and a.dtype.kind == "c":  # the phases of u follow those of v
            scaled = scaled + unit_like(scaled) * _columnwise(
                1j * f.imag(diagonal_of(pulled)) / s
            )
        inner = scaled if inner is None else inner + scaled
        outside = (g_x - x @ pulled) / _columnwise(s)
        part = outside @ dagger(v) if left else u @ dagger(outside)
        total = part if total is None else total + part
    if g_s is not None:
        on = unit_like(inner, s.dtype) * _columnwise(g_s) if inner is not None else None
        if on is None:
            return (u * _columnwise(g_s)) @ dagger(v)
        inner = inner + on
    assert inner is not None
    return u @ inner @ dagger(v) + total


def _reduced(x: Expr, g: Expr | None, s: Expr) -> tuple[Expr, Expr | None]:
    """Vectors that have a singular value; the rest of a full set turns against them."""
    head, rest = _thin(x, s, rows=False)
    if rest is None or g is None:
        return head, g
    g_head, g_rest = _thin(g, s, rows=False)
    assert g_rest is not None
    return head, g_head - rest @ dagger(g_rest) @ head


def _svd_jvp(t: Expr, out: Any) -> tuple[Expr, Expr, Expr]:
    s = out[1]
    (u, u_rest), (v, v_rest) = (_thin(x, s, rows=False) for x in (out[0], dagger(out[2])))
    right, left = t @ v, dagger(t) @ u
    p = dagger(u) @ right
    row, column = _rowwise(s), _columnwise(s)
    entries = diagonal_of(p)
    squares = s * s
    turn_u = _over_gaps(p * column + row * dagger(p), squares)
    turn_v = _over_gaps(row * p + dagger(p) * column, squares)
    if t.dtype.kind == "c":
        turn_u = turn_u + unit_like(p) * _columnwise(1j * f.imag(entries) / s)
        entries = f.real(entries)
    t_u = u @ turn_u + (right - u @ p) / column
    t_v = v @ turn_v + (left - v @ dagger(p)) / column
    whole = []
    for x, rest, t_x in ((u, u_rest, t_u), (v, v_rest, t_v)):
        more = None if rest is None else -x @ (dagger(t_x) @ rest)
        whole.append(t_x if more is None else f.concatenate(t_x, more, axis=t.ndim - 1))
    return whole[0], entries, dagger(whole[1])


def _svdvals_vjp(g: Expr, a: Expr) -> Expr:
    return _svd_vjp((None, g, None), a, f.linalg_svd(a, full_matrices=False))


op(
    "linalg_eigh", "a", _infer_eigh, "np.linalg.eigh(a, UPLO=UPLO)", attrs={"UPLO": "L"},
    traits="allocates may_warn", vjp={"a": _eigh_vjp}, jvp={"a": _eigh_jvp},
    kink="the gradient lies in the triangle that is read; inf or nan for vectors of equal values",
    batch="leading", doc="Eigenvalues and eigenvectors of a Hermitian matrix, from one triangle.",
)  # fmt: skip
op(
    "linalg_eigvalsh", "a", _infer_eigvalsh, "np.linalg.eigvalsh(a, UPLO=UPLO)",
    attrs={"UPLO": "L"}, traits="allocates may_warn",
    vjp={"a": _eigvalsh_vjp}, jvp={"a": _eigvalsh_jvp},
    kink="the gradient lies in the triangle that is read",
    batch="leading", doc="Eigenvalues of a Hermitian matrix, from one triangle.",
)  # fmt: skip
op(
    "linalg_eig", "a", _infer_eig, "_eig(a)", helper=text_of(_eig), traits="allocates may_warn",
    vjp={"a": _eig_vjp}, jvp={"a": _eig_jvp},
    kink="inf or nan for vectors of equal values",
    batch="leading", doc="Eigenvalues and eigenvectors, always complex.",
)  # fmt: skip
op(
    "linalg_eigvals", "a", _infer_eigvals, "_eigvals(a)", helper=text_of(_eigvals),
    vjp={"a": lambda g, a: _eig_vjp((g, None), f.linalg_eig(a))},
    jvp={"a": lambda t, a: _eig_jvp(t, f.linalg_eig(a))[0]}, traits="allocates may_warn",
    batch="leading", doc="Eigenvalues, always complex.",
)  # fmt: skip
op(
    "linalg_svd", "a", _infer_svd, "np.linalg.svd(a, full_matrices=full_matrices)",
    attrs={"full_matrices": True}, vjp={"a": _svd_vjp}, jvp={"a": _svd_jvp},
    traits="allocates may_warn", kink="inf or nan for vectors of equal values",
    batch="leading", doc="Singular values and vectors.",
)  # fmt: skip
op(
    "linalg_svdvals", "a", _infer_svdvals, "np.linalg.svd(a, compute_uv=False)",
    vjp={"a": _svdvals_vjp}, traits="allocates may_warn",
    jvp={"a": lambda t, a: _svd_jvp(t, f.linalg_svd(a, full_matrices=False))[1]},
    batch="leading", doc="Singular values.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
def _triangle(uplo: Any) -> str:
    return str(need_static(uplo)).upper()


@surface(np.linalg.eigh)
def eigh(b: Builder, a: Any, UPLO: Any = "L") -> Any:  # noqa: N803
    """``np.linalg.eigh``."""
    return EighResult(*f.linalg_eigh(as_array(b, a), UPLO=_triangle(UPLO)))


@surface(np.linalg.eigvalsh)
def eigvalsh(b: Builder, a: Any, UPLO: Any = "L") -> Expr:  # noqa: N803
    """``np.linalg.eigvalsh``."""
    return f.linalg_eigvalsh(as_array(b, a), UPLO=_triangle(UPLO))  # type: ignore[no-any-return]


@surface(np.linalg.eig)
def eig(b: Builder, a: Any) -> Any:
    """``np.linalg.eig``; the result is complex even if all eigenvalues are real."""
    return EigResult(*f.linalg_eig(as_array(b, a)))


@surface(np.linalg.eigvals)
def eigvals(b: Builder, a: Any) -> Expr:
    """``np.linalg.eigvals``; the result is complex even if all eigenvalues are real."""
    return f.linalg_eigvals(as_array(b, a))  # type: ignore[no-any-return]


@surface(np.linalg.svdvals)
def svdvals(b: Builder, x: Any, /) -> Expr:
    """``np.linalg.svdvals``."""
    return f.linalg_svdvals(as_array(b, x))  # type: ignore[no-any-return]


@surface(np.linalg.svd)
def svd(
    b: Builder, a: Any, full_matrices: Any = True, compute_uv: Any = True,
    hermitian: Any = False,
) -> Any:  # fmt: skip
    """``np.linalg.svd``."""
    x, vectors = as_array(b, a), need_static(compute_uv)
    if need_static(hermitian):
        u, s, vh = _svd_of_hermitian(b, x)
        return SVDResult(u, s, vh) if vectors else s
    if not vectors:
        return svdvals(b, x)
    return SVDResult(*f.linalg_svd(x, full_matrices=bool(need_static(full_matrices))))


def _svd_of_hermitian(b: Builder, a: Expr) -> tuple[Expr, Expr, Expr]:
    """Eigenvalues by falling size; their signs go to the right vectors."""
    values, vectors = f.linalg_eigh(a)
    last = values.ndim - 1
    places = f.argsort(-f.absolute(values), axis=last)
    values = take_along_axis(b, values, places, last)
    u = take_along_axis(b, vectors, _columnwise(places), last + 1)
    return u, f.absolute(values), dagger(u * _columnwise(f.sign(values)))
