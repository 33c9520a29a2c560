"""``scipy.linalg``: what NumPy has too, with SciPy's options."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...errors import UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..composed import composed
from ..indexing import getitem
from ..linalg.factorisations import cut, lstsq, pinv
from ..linalg.norms import norm
from ..linalg.singular import svd, svdvals
from ..linalg.spectral import mirrored
from ..linalg.systems import dagger, det, inexact, inv, matrices, solve, unit_like
from ..rules.arguments import as_array
from ..static import known, need_static
from ..table import nondiff, surface
from .linalg import solve_triangular
from .options import with_options

SYMMETRIC = {"sym": False, "symmetric": False, "her": True, "hermitian": True,
             "pos": True, "positive definite": True}  # fmt: skip


def meant(x: Expr, kind: Any, lower: Any, name: str) -> Expr:
    """The matrix of the entries that are read under ``assume_a``."""
    if kind in SYMMETRIC:
        one = x if need_static(lower) else (dagger(x) if SYMMETRIC[kind] else x.mT)
        if SYMMETRIC[kind]:
            return mirrored(one)
        return f.tril(one, 0) + f.tril(one, -1).mT  # type: ignore[no-any-return]
    if kind == "diagonal":
        return x * unit_like(x)
    if kind == "tridiagonal":
        return f.triu(f.tril(x, 1), -1)  # type: ignore[no-any-return]
    if kind in ("lower triangular", "upper triangular"):
        return f.tril(x, 0) if kind.startswith("lower") else f.triu(x, 0)  # type: ignore[no-any-return]
    if kind not in (None, "gen", "general", "banded"):
        raise UnsupportedFunctionError(
            f"scipy.linalg.{name} is not supported with assume_a={kind!r}; leave it out"
        )
    return x


@with_options("lower", "assume_a", "transposed")
def scipy_solve(
    builder: Builder, a: Any, b: Any, lower: Any = False, assume_a: Any = None,
    transposed: Any = False,
) -> Any:  # fmt: skip
    """``scipy.linalg.solve``; what ``assume_a`` says is not read has no gradient."""
    kind, turned = need_static(assume_a), bool(need_static(transposed))
    x = meant(as_array(builder, a), kind, lower, "solve")
    if kind in ("lower triangular", "upper triangular"):
        return solve_triangular(builder, x, b, int(turned), kind.startswith("lower"))
    return solve(builder, x.mT if turned else x, b)


@with_options("lower", "assume_a")
def scipy_inv(b: Builder, a: Any, lower: Any = False, assume_a: Any = None) -> Any:
    """``scipy.linalg.inv``."""
    kind = need_static(assume_a)
    if kind in ("diagonal", "tridiagonal", "banded"):  # SciPy leaves what is beside them
        raise UnsupportedFunctionError(
            f"scipy.linalg.inv is not supported with assume_a={kind!r}; leave it out"
        )
    return inv(b, meant(as_array(b, a), kind, lower, "inv"))


@with_options()
def scipy_det(b: Builder, a: Any) -> Any:
    """``scipy.linalg.det``."""
    return det(b, a)


@with_options("full_matrices", "compute_uv")
def scipy_svd(b: Builder, a: Any, **options: Any) -> Any:
    """``scipy.linalg.svd``."""
    found = svd(b, a, **options)
    return found if isinstance(found, Expr) else tuple(found)


@with_options()
def scipy_svdvals(b: Builder, a: Any) -> Any:
    """``scipy.linalg.svdvals``."""
    return svdvals(b, a)


@with_options("ord", "axis", "keepdims")
def scipy_norm(b: Builder, a: Any, **options: Any) -> Any:
    """``scipy.linalg.norm``."""
    return norm(b, a, **options)


# ------------------------------------------------------------------------- pseudo-inverses
@with_options("atol", "rtol", "return_rank")
def scipy_pinv(
    b: Builder, a: Any, atol: Any = None, rtol: Any = None, return_rank: Any = False
) -> Any:
    """``scipy.linalg.pinv``."""
    return _pinv(b, as_array(b, a), atol, rtol, return_rank)


@with_options("atol", "rtol", "return_rank", "lower")
def scipy_pinvh(
    b: Builder, a: Any, atol: Any = None, rtol: Any = None, lower: Any = True,
    return_rank: Any = False,
) -> Any:  # fmt: skip
    """``scipy.linalg.pinvh``."""
    x = as_array(b, a)
    whole = mirrored(x if need_static(lower) else dagger(x))
    return _pinv(b, whole, atol, rtol, return_rank)


def _pinv(b: Builder, x: Expr, atol: Any, rtol: Any, return_rank: Any) -> Any:
    ends = {"atol": _number(atol), "rtol": _number(rtol)}
    if ends["atol"]:  # may be more than what rounding leaves of a zero
        inverse = f.pinv_cut_at(x, **ends)
    else:
        inverse = pinv(b, x, rtol=ends["rtol"])
    if not need_static(return_rank):
        return inverse
    values = svdvals(b, x)
    last = (values.ndim - 1,)
    return inverse, f.sum(f.greater(values, _least(x, values, **ends)), axis=last)


def _number(x: Any) -> float | None:
    return None if known(x) is None else float(need_static(x))


def _least(x: Expr, values: Expr, atol: Any, rtol: Any) -> Any:
    """The singular value that is cut off with all that are less."""
    if rtol is None:
        eps = 0.0 if atol else float(np.finfo(values.dtype).eps)
        rtol = f.maximum(x.length(x.ndim - 2), x.length(x.ndim - 1)) * eps
    return f.max(values, axis=(values.ndim - 1,), keepdims=True) * rtol + (atol or 0.0)


def _cut_at(a: Expr, atol: Any, rtol: Any) -> Any:
    return cut(a, lambda values: _least(a, values, atol, rtol))


composed(
    "pinv_cut_at", "a", "linalg.pinv(a, atol=atol, rtol=rtol)", _cut_at,
    attrs={"atol": None, "rtol": None}, imports=("from scipy import linalg",), batch="each",
    kink="inf or nan for equal singular values",
    doc="The pseudo-inverse of a matrix without its singular values up to atol + rtol * largest.",
)  # fmt: skip


# ------------------------------------------------------------------------------ factors
def _infer_order(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.int32), matrices(inputs[0]).shape[-1:])


nondiff(
    "qr_order", "a", _infer_order, "linalg.qr(a, mode='r', pivoting=True)[1]",
    imports=("from scipy import linalg",), batch="each",
    doc="The order of columns in a QR factorisation with pivoting.",
)  # fmt: skip


@with_options("mode", "pivoting")
def scipy_qr(b: Builder, a: Any, mode: Any = "full", pivoting: Any = False) -> Any:
    """``scipy.linalg.qr``; with pivoting that of the permuted matrix."""
    chosen = need_static(mode)
    if chosen not in ("full", "r", "economic"):
        raise UnsupportedFunctionError(
            f"scipy.linalg.qr with mode={chosen!r} gives what only LAPACK can use; write "
            "mode='economic', 'full' or 'r'"
        )
    x = as_array(b, a)
    order: tuple[Expr, ...] = ()
    if need_static(pivoting):
        places = f.qr_order(x)
        x, order = getitem(b, x, (slice(None), places)), (places,)
    q, r = f.linalg_qr(x, mode="reduced" if chosen == "economic" else "complete")
    return (r, *order) if chosen == "r" else (q, r, *order)


@with_options("cond")
def scipy_lstsq(builder: Builder, a: Any, b: Any, cond: Any = None) -> tuple[Any, ...]:
    """``scipy.linalg.lstsq``; the residuals are those of a matrix of full rank."""
    matrix, y = as_array(builder, a), as_array(builder, b)
    cut = need_static(cond)
    cut = float(np.finfo(inexact(matrix.dtype)).eps) if cut is None else cut
    x, residuals, rank, values = lstsq(builder, matrix, y, cut)
    square = builder.dims.equal(matrix.dims[0], matrix.dims[1])
    if y.ndim == 1 and not square:
        residuals = f.sum(f.square(f.absolute(y - matrix @ x)))
    return x, residuals, rank, values


@surface(scipy.linalg.polar)
def polar(b: Builder, a: Any, side: Any = "right") -> tuple[Expr, Expr]:
    """``scipy.linalg.polar``, by singular values."""
    u, s, vh = f.linalg_svd(as_array(b, a), full_matrices=False)
    scales = f.expand_dims(s, axes=(0,))
    if need_static(side) == "right":
        return u @ vh, (dagger(vh) * scales) @ vh
    return u @ vh, (u * scales) @ dagger(u)
