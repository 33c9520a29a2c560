"""``np.linalg``: singular values and vectors.

Of complex matrices only functions that do not depend on the vectors' phases have a derivative,
and for those it is exact. The vectors that complete a full set turn against the others only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.builder import Builder
from ...ir.dims import minimum
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..indexing import getitem
from ..rules.arguments import as_array
from ..selection import take_along_axis
from ..static import need_static
from ..table import op, surface
from .spectral import columnwise, over_gaps, real_dtype, rowwise
from .systems import LAPACK, dagger, diagonal_of, inexact, matrices, unit_like

SVDResult: Any = type(np.linalg.svd(np.eye(1)))


# ------------------------------------------------------------------------------- types
def _infer_svd(
    dims: Any, inputs: tuple[Value, ...], full_matrices: bool
) -> tuple[Type, ...]:
    t = matrices(inputs[0])
    *batch, m, n = (dims.canonical(d) for d in t.shape)
    k, dtype = minimum(m, n), inexact(t.dtype)
    rows, columns = (m, n) if full_matrices else (k, k)
    return (
        ArrayType(dtype, (*batch, m, rows)),
        ArrayType(real_dtype(t.dtype), (*batch, k)),
        ArrayType(dtype, (*batch, columns, n)),
    )


def _infer_svdvals(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return _infer_svd(dims, inputs, False)[1]


# ------------------------------------------------------------------------------- rules
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


def _shares(s: Expr) -> tuple[Expr, Expr]:
    """What each of a pair of values is of their sum. Between them and the distance of the pair lies
    a quotient by a difference of squares, which would over- or underflow."""
    row, column = rowwise(s), columnwise(s)
    both = row + column
    both = f.where(f.equal(both, 0), 1, both)
    return row / both, column / both


def _outside(x: Expr, y: Expr, p: Expr, s: Expr) -> Expr | None:
    """``(y - x @ p) / s``: what ``y`` is outside of the vectors' span. Where they span everything
    that is rounding, which small values would make large, and more so in second derivatives."""
    rows, count = x.ndim - 2, x.ndim - 1
    if x.builder.dims.equal(x.dims[rows], x.dims[count]):
        return None
    complete = f.equal(x.length(rows), x.length(count))
    outside = f.where(complete, 0, y - x @ p)
    return outside / columnwise(f.where(complete, 1, s))  # type: ignore[no-any-return]


def _plus(x: Expr, more: Expr | None) -> Expr:
    return x if more is None else x + more


def _svd_vjp(g: Any, a: Expr, out: Any) -> Expr:
    u, s, v = out[0], out[1], dagger(out[2])
    g_u, g_s, g_v = g[0], g[1], None if g[2] is None else dagger(g[2])
    (u, g_u), (v, g_v) = (_reduced(x, g_x, s) for x, g_x in ((u, g_u), (v, g_v)))
    inner, total = None, None
    row_share, column_share = _shares(s)
    for x, g_x, left in ((u, g_u, True), (v, g_v, False)):
        if g_x is None:
            continue
        pulled = dagger(x) @ g_x
        share = column_share if left else row_share
        scaled = over_gaps(_skew(pulled), s) * share
        if left and a.dtype.kind == "c":  # the phases of u follow those of v
            scaled = scaled + unit_like(scaled) * columnwise(
                1j * f.imag(diagonal_of(pulled)) / s
            )
        inner = scaled if inner is None else inner + scaled
        outside = _outside(x, g_x, pulled, s)
        if outside is not None:
            part = outside @ dagger(v) if left else u @ dagger(outside)
            total = _plus(part, total)
    if g_s is not None:
        on = unit_like(inner, s.dtype) * columnwise(g_s) if inner is not None else None
        if on is None:
            return (u * columnwise(g_s)) @ dagger(v)
        inner = inner + on
    assert inner is not None
    return _plus(u @ inner @ dagger(v), total)


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
    row_share, column_share = _shares(s)
    entries = diagonal_of(p)
    turn_u = over_gaps(p * column_share + row_share * dagger(p), s)
    turn_v = over_gaps(row_share * p + dagger(p) * column_share, s)
    if t.dtype.kind == "c":
        turn_u = turn_u + unit_like(p) * columnwise(1j * f.imag(entries) / s)
        entries = f.real(entries)
    t_u = _plus(u @ turn_u, _outside(u, right, p, s))
    t_v = _plus(v @ turn_v, _outside(v, left, dagger(p), s))
    whole = []
    for x, rest, t_x in ((u, u_rest, t_u), (v, v_rest, t_v)):
        more = None if rest is None else -x @ (dagger(t_x) @ rest)
        whole.append(t_x if more is None else f.concatenate(t_x, more, axis=t.ndim - 1))
    return whole[0], entries, dagger(whole[1])


def _svdvals_vjp(g: Expr, a: Expr) -> Expr:
    return _svd_vjp((None, g, None), a, f.linalg_svd(a, full_matrices=False))


op(
    "linalg_svd", "a", _infer_svd, "np.linalg.svd(a, full_matrices=full_matrices)",
    attrs={"full_matrices": True}, vjp={"a": _svd_vjp}, jvp={"a": _svd_jvp},
    traits=LAPACK, kink="inf or nan for vectors of equal values",
    batch="leading", doc="Singular values and vectors.",
)  # fmt: skip
op(
    "linalg_svdvals", "a", _infer_svdvals, "np.linalg.svd(a, compute_uv=False)",
    vjp={"a": _svdvals_vjp}, traits=LAPACK,
    jvp={"a": lambda t, a: _svd_jvp(t, f.linalg_svd(a, full_matrices=False))[1]},
    batch="leading", doc="Singular values.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
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
    u = take_along_axis(b, vectors, columnwise(places), last + 1)
    return u, f.absolute(values), dagger(u * columnwise(f.sign(values)))
