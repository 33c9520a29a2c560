"""``np.linalg``: Cholesky and QR factors, least squares, pseudo-inverses.

Rules are written for complex matrices; for real ones ``conj`` is nothing and so is
the imaginary part of a diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.dims import minimum
from ...ir.expr import Expr, f, lift
from ...ir.opdef import REQUIRED
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..composed import composed
from ..indexing import getitem
from ..rules.arguments import as_array
from ..static import known, need_static
from ..table import nondiff, op, surface
from .singular import svdvals
from .spectral import mirrored
from .systems import LAPACK, dagger, inexact, lower_half, matrices, square

QRResult = type(np.linalg.qr(np.eye(1)))


# ------------------------------------------------------------------------------- types
def _infer_cholesky(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = square(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape)


def _infer_qr(dims: Any, inputs: tuple[Value, ...], mode: str) -> tuple[Type, ...]:
    t = matrices(inputs[0])
    *batch, m, n = (dims.canonical(d) for d in t.shape)
    k = m if mode == "complete" else minimum(m, n)
    dtype = inexact(t.dtype)
    return (ArrayType(dtype, (*batch, m, k)), ArrayType(dtype, (*batch, k, n)))


def _infer_pinv(dims: Any, inputs: tuple[Value, ...], rcond: Any) -> Type:
    t = matrices(inputs[0])
    return ArrayType(inexact(t.dtype), (*t.shape[:-2], t.shape[-1], t.shape[-2]))


def _infer_lstsq(dims: Any, inputs: tuple[Value, ...], rcond: Any) -> Type:
    a, y = inputs[0].type, inputs[1].type
    assert isinstance(a, ArrayType) and isinstance(y, ArrayType)
    dims.unify(a.shape[0], y.shape[0])
    return ArrayType(inexact(np.result_type(a.dtype, y.dtype)), (a.shape[1], *y.shape[1:]))


def _infer_rank(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return ArrayType(np.dtype(np.intp), matrices(inputs[0]).shape[:-2])


# ------------------------------------------------------------------------------- rules
def _cholesky_vjp(g: Expr, out: Expr) -> Expr:
    """The lower triangle of the Hermitian adjoint, since only that is read."""
    inverse = f.inv_lower(out)
    whole = dagger(inverse) @ lower_half(dagger(out) @ g) @ inverse
    return lower_half(whole + dagger(whole))


def _cholesky_jvp(t: Expr, out: Expr) -> Expr:
    inverse = f.inv_lower(out)
    return out @ lower_half(inverse @ mirrored(t) @ dagger(inverse))


def _part(x: Expr, rows: Any = None, columns: Any = None) -> Expr:
    """Rows and columns of each matrix, given as slices."""
    return getitem(x.builder, x, (..., rows or slice(None), columns or slice(None)))


class _Thin:
    """The thin factors of a QR factorisation, and the square part of ``r`` and of ``a``."""

    def __init__(self, a: Expr, out: Any) -> None:
        q, self.r = out
        k = a.builder.dims.canonical(minimum(*a.dims[-2:]))
        tall = a.builder.dims.equal(k, a.dims[-1])
        self.wide, self.complete = not tall, not a.builder.dims.equal(q.dims[-1], k)
        # more columns than rows: a = [x, y], r = [u, q.H @ y]
        if not self.complete:
            size = q.length(q.ndim - 1)
        elif tall:
            size = a.length(a.ndim - 1)
        else:
            size = f.minimum(a.length(a.ndim - 2), a.length(a.ndim - 1))
        self.head, self.tail = slice(None, size), slice(size, None)
        self.q = _part(q, columns=self.head) if self.complete else q
        self.rest = _part(q, columns=self.tail) if self.complete else None
        self.top = _part(self.r, rows=self.head) if self.complete else self.r
        self.u = _part(self.top, columns=self.head) if self.wide else self.top


def _mirrored_down(x: Expr) -> Expr:
    """The strict lower triangle and its mirror, with the real part of the diagonal."""
    return lower_half(x) + dagger(lower_half(x))


def _qr_vjp(g: Any, a: Expr, out: Any) -> Expr:
    thin = _Thin(a, out)
    g_q, g_r = g
    if g_q is None:
        g_q = f.zeros_like(out[0])
    if g_r is None:
        g_r = f.zeros_like(out[1])
    if thin.rest is not None:  # the complement turns against the thin part
        g_rest = _part(g_q, columns=thin.tail)
        g_q = _part(g_q, columns=thin.head) - thin.rest @ dagger(g_rest) @ thin.q
        g_r = _part(g_r, rows=thin.head)
    if thin.wide:
        g_v, y = _part(g_r, columns=thin.tail), _part(a, columns=thin.tail)
        g_q, g_r = g_q + y @ dagger(g_v), _part(g_r, columns=thin.head)
    inner = thin.u @ dagger(g_r) - dagger(g_q) @ thin.q
    moved = g_q + thin.q @ _mirrored_down(inner)
    g_x = dagger(f.linalg_solve(thin.u, dagger(moved)))
    if not thin.wide:
        return g_x
    return f.concatenate(g_x, thin.q @ g_v, axis=a.ndim - 1)  # type: ignore[no-any-return]


def _qr_jvp(t: Expr, a: Expr, out: Any) -> tuple[Expr, Expr]:
    thin = _Thin(a, out)
    t_x = _part(t, columns=thin.head) if thin.wide else t
    right = dagger(f.linalg_solve(dagger(thin.u), dagger(t_x)))
    m = dagger(thin.q) @ right
    upper = dagger(lower_half(dagger(m)) + lower_half(m))
    t_q, t_r = right - thin.q @ upper, upper @ thin.u
    if thin.wide:
        y, t_y = _part(a, columns=thin.tail), _part(t, columns=thin.tail)
        t_r = f.concatenate(t_r, dagger(t_q) @ y + dagger(thin.q) @ t_y, axis=t.ndim - 1)
    if thin.rest is not None:
        t_rest = -thin.q @ dagger(t_q) @ thin.rest
        t_q = f.concatenate(t_q, t_rest, axis=t.ndim - 1)
        t_r = f.concatenate(
            t_r, _part(f.zeros_like(out[1]), rows=thin.tail), axis=t.ndim - 2
        )
    return t_q, t_r


def _outside(x: Expr, a: Expr, p: Expr) -> Expr:
    """``(1 - a @ p) @ x``."""
    return x - a @ (p @ x)


def _pinv_vjp(g: Expr, a: Expr, out: Expr) -> Expr:
    h, gh = dagger(out), dagger(g)
    first = _outside(gh, a, out) @ out @ h
    second = h @ (out @ dagger(_outside(g, out, a)))
    return first + second - h @ g @ h


def _pinv_jvp(t: Expr, a: Expr, out: Expr) -> Expr:
    h, th = dagger(out), dagger(t)
    first = out @ (h @ dagger(_outside(t, a, out)))
    return first + _outside(th, out, a) @ h @ out - out @ t @ out


def _columns(x: Expr) -> Expr:
    return f.expand_dims(x, axes=(1,)) if x.ndim == 1 else x


def _lstsq_vjp(g: Expr, a: Expr, y: Expr, out: Expr, rcond: Any) -> Expr:
    """Of ``pinv(a) @ y``."""
    p = f.linalg_pinv(a, rcond=rcond)
    g, x, y = _columns(g), _columns(out), _columns(y)
    back = dagger(p) @ g
    inside = _outside(g, p, a)
    return (
        (y - a @ x) @ dagger(p @ back) + dagger(p) @ (x @ dagger(inside)) - back @ dagger(x)
    )


def _lstsq_jvp(t: Expr, a: Expr, y: Expr, out: Expr, rcond: Any) -> Expr:
    p = f.linalg_pinv(a, rcond=rcond)
    x, residual = out, y - a @ out
    moved = p @ (dagger(p) @ (dagger(t) @ residual) - t @ x)
    return moved + _outside(dagger(t) @ (dagger(p) @ x), p, a)  # type: ignore[no-any-return]


op(
    "linalg_cholesky", "a", _infer_cholesky, "np.linalg.cholesky(a)", traits=LAPACK,
    vjp={"a": _cholesky_vjp}, jvp={"a": _cholesky_jvp},
    kink="the gradient lies in the triangle that is read", batch="leading",
    doc="The lower Cholesky factor.",
)  # fmt: skip
op(
    "linalg_qr", "a", _infer_qr, "np.linalg.qr(a, mode=mode)", attrs={"mode": "reduced"},
    vjp={"a": _qr_vjp}, jvp={"a": _qr_jvp}, traits=LAPACK,
    kink="the complement in mode complete is not turned in itself", batch="leading",
    doc="QR factors.",
)  # fmt: skip
op(
    "linalg_pinv", "a", _infer_pinv, "np.linalg.pinv(a, rcond=rcond)",
    attrs={"rcond": None}, vjp={"a": _pinv_vjp}, jvp={"a": _pinv_jvp}, traits=LAPACK,
    kink="as for matrices of the same rank nearby", batch="leading",
    doc="The pseudo-inverse.",
)  # fmt: skip
op(
    "linalg_lstsq", "a y", _infer_lstsq, "np.linalg.lstsq(a, y, rcond=rcond)[0]",
    attrs={"rcond": None}, traits=LAPACK, batch="each",
    vjp={"a": _lstsq_vjp, "y": lambda g, a, rcond: dagger(f.linalg_pinv(a, rcond=rcond)) @ g},
    jvp={"a": _lstsq_jvp, "y": lambda t, a, rcond: f.linalg_pinv(a, rcond=rcond) @ t},
    kink="as for matrices of the same rank nearby", doc="The least squares solution.",
)  # fmt: skip
nondiff(
    "linalg_matrix_rank", "a", _infer_rank, "np.linalg.matrix_rank(a, tol, hermitian)",
    attrs={"tol": None, "hermitian": False}, doc="The rank.",
)  # fmt: skip


LARGE_CUT = 1e-6
"""What is cut off below this has no part in the derivative; more may lie where a matrix has
numbers, and then the derivative is that of a matrix of lower rank nearby."""


def cut(a: Expr, least: Callable[[Expr], Any]) -> Any:
    """The pseudo-inverse of what is left of a matrix without its singular values that are not
    greater than ``least`` makes of them all."""
    u, s, vh = f.linalg_svd(a, full_matrices=False)
    kept = f.greater(s, least(s))
    scale = f.where(kept, 1 / f.where(kept, s, 1), 0)
    return (dagger(vh) * f.expand_dims(scale, axes=(s.ndim - 1,))) @ dagger(u)


def _cut(a: Expr, rcond: float) -> Any:
    return cut(a, lambda s: rcond * f.max(s, axis=(s.ndim - 1,), keepdims=True))


composed(
    "pinv_cut", "a", "np.linalg.pinv(a, rcond=rcond)", _cut, attrs={"rcond": REQUIRED},
    batch="leading", kink="inf or nan for equal singular values",
    doc="The pseudo-inverse of a matrix without its small singular values.",
)  # fmt: skip
composed(
    "lstsq_cut", "a y", "np.linalg.lstsq(a, y, rcond=rcond)[0]",
    lambda a, y, rcond: f.pinv_cut(a, rcond=rcond) @ y, attrs={"rcond": REQUIRED}, batch="each",
    kink="inf or nan for equal singular values",
    doc="The least squares solution by a matrix without its small singular values.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
@surface(np.linalg.cholesky)
def cholesky(b: Builder, a: Any, *, upper: Any = False) -> Expr:
    """``np.linalg.cholesky``; the upper factor is read from the upper triangle."""
    x = as_array(b, a)
    if need_static(upper):
        return dagger(f.linalg_cholesky(dagger(x)))
    return f.linalg_cholesky(x)  # type: ignore[no-any-return]


@surface(np.linalg.qr)
def qr(b: Builder, a: Any, mode: Any = "reduced") -> Any:
    """``np.linalg.qr``."""
    x, mode = as_array(b, a), need_static(mode)
    mode = {"full": "reduced", "f": "reduced"}.get(mode, mode)  # the old name
    if mode not in ("reduced", "complete", "r"):
        raise UnsupportedFunctionError(
            f"np.linalg.qr has no mode {mode!r}; write mode='reduced'"
        )
    q, r = f.linalg_qr(x, mode="complete" if mode == "complete" else "reduced")
    return r if mode == "r" else QRResult(q, r)


@surface(np.linalg.pinv)
def pinv(
    b: Builder, a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = None
) -> Expr:
    """``np.linalg.pinv``."""
    x = as_array(b, a)
    x = mirrored(x) if need_static(hermitian) else x
    cut = need_static(rcond if known(rcond) is not None else rtol)
    if cut is not None and cut > LARGE_CUT:
        return f.pinv_cut(x, rcond=float(cut))  # type: ignore[no-any-return]
    return f.linalg_pinv(x, rcond=cut)  # type: ignore[no-any-return]


@surface(np.linalg.lstsq)
def lstsq(builder: Builder, /, a: Any, b: Any, rcond: Any = None) -> tuple[Expr, ...]:
    """``np.linalg.lstsq``."""
    matrix, y, cut = as_array(builder, a), as_array(builder, b), need_static(rcond)
    solve = f.lstsq_cut if cut is not None and cut > LARGE_CUT else f.linalg_lstsq
    x = solve(matrix, y, rcond=cut)
    values = svdvals(builder, matrix)
    m, n = (Expr(builder, lift(builder, k)) for k in matrix.shape)
    eps = float(np.finfo(x.dtype).eps)
    least = f.max(values) * (eps * f.asarray(f.maximum(m, n), dtype=values.dtype))
    if cut is not None:
        least = f.max(values) * cut
    rank = f.sum(f.greater(values, least), dtype=np.dtype(np.int32))
    off = f.absolute(y - matrix @ x)
    sums = f.sum(f.square(off), axis=(0,))
    sums = f.expand_dims(sums, axes=(0,)) if y.ndim == 1 else sums
    there = f.logical_and(f.equal(rank, n), f.greater(m, n))
    residuals = getitem(
        builder, sums, f.broadcast_to(f.asarray(there, dtype=np.dtype(bool)), *sums.shape)
    )
    return x, residuals, rank, values


@surface(np.linalg.matrix_rank)
def matrix_rank(
    b: Builder, A: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None
) -> Expr:
    """``np.linalg.matrix_rank``: data, no derivative."""
    x = as_array(b, A)
    if known(rtol) is not None:
        values = svdvals(b, mirrored(x) if need_static(hermitian) else x)
        least = f.max(values, axis=(values.ndim - 1,), keepdims=True) * rtol
        return f.sum(f.greater(values, least), axis=(values.ndim - 1,))  # type: ignore[no-any-return]
    attrs = {"tol": need_static(tol), "hermitian": bool(need_static(hermitian))}
    return f.linalg_matrix_rank(x, **attrs)  # type: ignore[no-any-return]
