"""``np.linalg``: eigenvalues and eigenvectors.

A vector is determined up to its phase. ``eig`` differentiates what LAPACK returns (length 1,
the largest entry real); of ``eigh`` of complex matrices only functions that do not
depend on the phases have a derivative, and for those it is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..contraction import conj
from ..kernels import text_of
from ..rules.arguments import as_array
from ..static import need_static
from ..table import op, surface
from .kernels import _eig, _eigvals
from .systems import LAPACK, dagger, diagonal_of, inexact, lower_half, square, unit_like

EighResult: Any = type(np.linalg.eigh(np.eye(1)))
EigResult: Any = type(np.linalg.eig(np.eye(1)))


# ------------------------------------------------------------------------------- types
def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of sizes of numbers."""
    return np.zeros(0, inexact(dtype)).real.dtype


def infer_eigh(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> tuple[Type, ...]:
    """Real values and vectors."""
    t = square(dims, inputs[0])
    values = ArrayType(real_dtype(t.dtype), t.shape[:-1])
    return (values, ArrayType(inexact(t.dtype), t.shape))


def _infer_eigvalsh(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return infer_eigh(dims, inputs)[0]


def _infer_eig(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = square(dims, inputs[0])
    dtype = np.result_type(inexact(t.dtype), np.complex64)
    return (ArrayType(dtype, t.shape[:-1]), ArrayType(dtype, t.shape))


def _infer_eigvals(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return _infer_eig(dims, inputs)[0]


# ---------------------------------------------------------------------- rules: Hermitian
def mirrored(t: Expr) -> Expr:
    """The Hermitian matrix of which the lower triangle is read."""
    if t.dtype.kind != "c":
        return f.tril(t, 0) + f.tril(t, -1).mT  # type: ignore[no-any-return]
    return lower_half(t) + dagger(lower_half(t))


def columnwise(v: Expr) -> Expr:
    """Numbers that scale the columns of matrices."""
    return f.expand_dims(v, axes=(v.ndim - 1,))  # type: ignore[no-any-return]


def rowwise(v: Expr) -> Expr:
    """Numbers that scale the rows of matrices."""
    return f.expand_dims(v, axes=(v.ndim,))  # type: ignore[no-any-return]


TIED = 2.0**6
"""How many roundings of the largest value two values may lie apart and count as equal: dividing
by what is but rounding would give any number."""


def _gaps(values: Expr) -> Expr:
    """``value j - value i`` at (i, j), 0 where they are equal up to rounding."""
    apart = columnwise(values) - rowwise(values)
    size = f.max(f.absolute(values), axis=(values.ndim - 1,), keepdims=True)
    least = TIED * float(np.finfo(values.dtype).eps) * rowwise(size)
    return f.where(f.absolute(apart) <= least, 0, apart)  # type: ignore[no-any-return]


def over_gaps(inner: Expr, values: Expr, still: Expr | None = None) -> Expr:
    """``inner / (value j - value i)`` at (i, j), 0 on the diagonal, and for pairs of equal
    values where nothing is to be divided (and the values are ``still``)."""
    unit = unit_like(inner, values.dtype)
    apart, moved = _gaps(values), inner * (1 - unit)
    if still is not None:
        known = f.logical_and(columnwise(still), rowwise(still))
        known = f.logical_or(known, f.not_equal(apart + unit, 0))
        moved = f.where(known, moved, np.nan)
    return f.over(moved, apart + unit)  # type: ignore[no-any-return]


def eigh_vjp(g: Any, out: Any, UPLO: str) -> Expr:  # noqa: N803
    """The adjoint of a Hermitian matrix, in the triangle that is read."""
    (g_values, g_vectors), (values, vectors) = g, out
    parts = []
    if g_vectors is not None:
        still = None if g_values is None else f.equal(g_values, 0)
        inner = over_gaps(dagger(vectors) @ g_vectors, values, still)
        parts.append(vectors @ inner @ dagger(vectors))
    if g_values is not None:
        parts.append((vectors * columnwise(g_values)) @ dagger(vectors))
    whole = parts[0] + parts[1] if parts[1:] else parts[0]
    lower = lower_half(whole + dagger(whole))
    return lower if UPLO == "L" else dagger(lower)


def eigh_jvp(t: Expr, out: Any, UPLO: str) -> tuple[Expr, Expr]:  # noqa: N803
    """The tangents of values and vectors."""
    values, vectors = out
    inner = dagger(vectors) @ mirrored(t if UPLO == "L" else dagger(t)) @ vectors
    entries = diagonal_of(inner)
    entries = f.real(entries) if t.dtype.kind == "c" else entries
    return entries, vectors @ over_gaps(inner, values)


def _eigvalsh_vjp(g: Expr, a: Expr, UPLO: str) -> Expr:  # noqa: N803
    return eigh_vjp((g, None), f.linalg_eigh(a, UPLO=UPLO), UPLO)


def _eigvalsh_jvp(t: Expr, a: Expr, UPLO: str) -> Expr:  # noqa: N803
    return eigh_jvp(t, f.linalg_eigh(a, UPLO=UPLO), UPLO)[0]


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


def eig_vjp(g: Any, out: Any, normal: Any = _normal_vjp) -> Expr:
    """The adjoint of a matrix; ``normal`` is that of giving vectors their length and phase."""
    (g_values, g_vectors), (values, vectors) = g, out
    inner = None
    if g_vectors is not None:
        pulled = dagger(vectors) @ normal(g_vectors, vectors)
        inner = over_gaps(pulled, conj(values))
    if g_values is not None:
        on = unit_like(vectors) * columnwise(g_values)
        inner = on if inner is None else inner + on
    assert inner is not None
    return f.linalg_solve(dagger(vectors), inner @ dagger(vectors))  # type: ignore[no-any-return]


def eig_jvp(t: Expr, out: Any, normal: Any = _normal_jvp) -> tuple[Expr, Expr]:
    """The tangents of values and vectors."""
    values, vectors = out
    inner = f.linalg_solve(vectors, t @ vectors)
    moved = vectors @ over_gaps(inner, values)
    return diagonal_of(inner), normal(moved, vectors)


op(
    "linalg_eigh", "a", infer_eigh, "np.linalg.eigh(a, UPLO=UPLO)", attrs={"UPLO": "L"},
    traits=LAPACK, vjp={"a": eigh_vjp}, jvp={"a": eigh_jvp},
    kink="the gradient lies in the triangle that is read; inf or nan for vectors of equal values",
    batch="leading", doc="Eigenvalues and eigenvectors of a Hermitian matrix, from one triangle.",
)  # fmt: skip
op(
    "linalg_eigvalsh", "a", _infer_eigvalsh, "np.linalg.eigvalsh(a, UPLO=UPLO)",
    attrs={"UPLO": "L"}, traits=LAPACK,
    vjp={"a": _eigvalsh_vjp}, jvp={"a": _eigvalsh_jvp},
    kink="the gradient lies in the triangle that is read; second derivatives nan for equal values",
    batch="leading", doc="Eigenvalues of a Hermitian matrix, from one triangle.",
)  # fmt: skip
op(
    "linalg_eig", "a", _infer_eig, "_eig(a)", helper=text_of(_eig), traits=LAPACK,
    vjp={"a": lambda g, out: eig_vjp(g, out)}, jvp={"a": lambda t, out: eig_jvp(t, out)},
    kink="inf or nan for vectors of equal values",
    batch="leading", doc="Eigenvalues and eigenvectors, always complex.",
)  # fmt: skip
op(
    "linalg_eigvals", "a", _infer_eigvals, "_eigvals(a)", helper=text_of(_eigvals),
    vjp={"a": lambda g, a: eig_vjp((g, None), f.linalg_eig(a))},
    jvp={"a": lambda t, a: eig_jvp(t, f.linalg_eig(a))[0]}, traits=LAPACK,
    batch="leading", doc="Eigenvalues, always complex.",
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
