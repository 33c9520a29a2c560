"""``scipy.linalg``: what NumPy has too, with SciPy's options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...errors import UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..indexing import getitem
from ..linalg.factorisations import lstsq, pinv
from ..linalg.norms import norm
from ..linalg.singular import svd, svdvals
from ..linalg.spectral import eig, eigvals, eigvalsh, mirrored
from ..linalg.systems import dagger, det, inexact, inv, matrices, solve, unit_like
from ..rules.arguments import as_array
from ..static import known, need_static
from ..table import SURFACE, nondiff, surface
from .linalg import solve_triangular

HOW = frozenset(
    (
        "overwrite_a",
        "overwrite_b",
        "check_finite",
        "lapack_driver",
        "driver",
        "lwork",
        "turbo",
    )
)
"""Options that tell how, not what."""


def with_options(*names: str) -> Callable[..., Any]:
    """Decorator: the function takes the options ``names`` of SciPy's function of its name, bound
    by SciPy's signature; of the others it takes the defaults."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        target = getattr(scipy.linalg, function.__name__.removeprefix("scipy_"))
        signature = inspect.signature(target)
        required = [p.name for p in signature.parameters.values() if p.default is p.empty]

        def call(builder: Builder, /, *args: Any, **options: Any) -> Any:
            given = signature.bind(*args, **options).arguments
            for key, value in given.items():
                default = signature.parameters[key].default
                if key in HOW or key in names or key in required or value is default:
                    continue
                if isinstance(value, Expr) or known(value) is not default:
                    raise UnsupportedFunctionError(
                        f"scipy.linalg.{target.__name__} is not supported with `{key}=`; "
                        f"{ADVICE.get((target.__name__, key), 'leave it out')}"
                    )
            kept = {k: v for k, v in given.items() if k in names}
            return function(builder, *(given[n] for n in required), **kept)

        SURFACE[target] = call
        return call

    return register


ADVICE = {
    ("eigvals", "b"): "take those of solve(b, a)",
    ("eig", "b"): "take those of solve(b, a)",
}

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
    if known(atol) is not None:
        raise UnsupportedFunctionError(
            "scipy.linalg.pinv is supported with `rtol=` only; leave `atol=` out"
        )
    inverse = pinv(b, x, rtol=rtol)
    if not need_static(return_rank):
        return inverse
    values = svdvals(b, x)
    if known(rtol) is None:
        eps = float(np.finfo(values.dtype).eps)
        rtol = f.maximum(x.length(x.ndim - 2), x.length(x.ndim - 1)) * eps
    last = (values.ndim - 1,)
    large = f.greater(values, rtol * f.max(values, axis=last, keepdims=True))
    return inverse, f.sum(large, axis=last)


# ---------------------------------------------------------------------------- eigenvalues
@with_options("right")
def scipy_eig(b: Builder, a: Any, right: Any = True) -> Any:
    """``scipy.linalg.eig`` of one matrix, with right vectors."""
    return tuple(eig(b, a)) if need_static(right) else eigvals(b, a)


@with_options()
def scipy_eigvals(b: Builder, a: Any) -> Any:
    """``scipy.linalg.eigvals``."""
    return eigvals(b, a)


def _reduced(
    b: Builder, a: Any, other: Any, lower: Any, kind: int
) -> tuple[Expr, Callable[[Expr], Expr]]:
    """A Hermitian matrix with the values of the problem of ``kind`` 1, 2 or 3 for ``a`` and
    ``other``, and what takes its vectors back: by the Cholesky factor of ``other``."""
    below = need_static(lower)
    x, y = (m if below else dagger(m) for m in (as_array(b, a), as_array(b, other)))
    x, factor = mirrored(x), f.linalg_cholesky(y)
    if kind == 1:
        matrix = f.linalg_solve(factor, dagger(f.linalg_solve(factor, x)))
    else:
        matrix = dagger(factor) @ x @ factor
    if kind == 3:
        return matrix, lambda vectors: factor @ vectors
    return matrix, lambda vectors: f.linalg_solve(dagger(factor), vectors)


def _kept(b: Builder, values: Expr, index: Any, interval: Any) -> Any:
    """Which of the eigenvalues are asked for."""
    if known(index) is not None:
        first, last = need_static(index)
        return slice(first, last + 1)
    if known(interval) is not None:
        low, high = interval
        return f.logical_and(f.greater(values, low), f.less_equal(values, high))
    return None


@with_options("b", "lower", "type", "subset_by_index", "subset_by_value")
def scipy_eigvalsh(
    builder: Builder, a: Any, b: Any = None, lower: Any = True, type: Any = 1,
    subset_by_index: Any = None, subset_by_value: Any = None,
) -> Any:  # fmt: skip
    """``scipy.linalg.eigvalsh``."""
    if known(b) is None:
        values = eigvalsh(builder, a, "L" if need_static(lower) else "U")
    else:
        matrix, _ = _reduced(builder, a, b, lower, need_static(type))
        values = eigvalsh(builder, matrix)
    kept = _kept(builder, values, subset_by_index, subset_by_value)
    return values if kept is None else getitem(builder, values, kept)


@with_options("b", "lower", "eigvals_only", "type", "subset_by_index", "subset_by_value")
def scipy_eigh(
    builder: Builder, a: Any, b: Any = None, lower: Any = True, eigvals_only: Any = False,
    type: Any = 1, subset_by_index: Any = None, subset_by_value: Any = None,
) -> Any:  # fmt: skip
    """``scipy.linalg.eigh``."""
    subset = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    if need_static(eigvals_only):
        return scipy_eigvalsh(builder, a, b, lower=lower, type=type, **subset)
    if known(b) is None:
        values, vectors = f.scipy_eigh(as_array(builder, a), lower=bool(need_static(lower)))
    else:
        if any(known(x) is not None for x in subset.values()):
            raise UnsupportedFunctionError(
                "scipy.linalg.eigh of two matrices is not supported with a subset of vectors, "
                "whose signs hang on LAPACK's way to them; take columns of all vectors"
            )
        matrix, back = _reduced(builder, a, b, lower, need_static(type))
        # LAPACK takes this way for two matrices
        values, vectors = f.scipy_eigh(matrix, lower=bool(need_static(lower)), driver="evd")
        vectors = back(vectors)
    kept = _kept(builder, values, subset_by_index, subset_by_value)
    if kept is None:
        return values, vectors
    return getitem(builder, values, kept), getitem(builder, vectors, (..., kept))


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
