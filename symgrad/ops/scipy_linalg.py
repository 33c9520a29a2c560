"""``scipy.linalg``; loaded once the user has imported that."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ..errors import ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._arguments import as_array
from .contraction import conj
from .factorisations import cholesky, lstsq, pinv
from .linalg import dagger, det, inexact, inv, solve
from .norms import norm
from .singular import svd, svdvals
from .spectral import eig, eigvals, eigvalsh, mirrored
from .static import need_static
from .table import SURFACE, op, surface

IMPORT = "from scipy.linalg import solve_triangular"


def _infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    a, y = inputs[0].type, inputs[1].type
    assert isinstance(a, ArrayType) and isinstance(y, ArrayType)
    if a.ndim != 2 or y.ndim not in (1, 2):
        raise ShapeError(
            f"solve_triangular needs a matrix and a vector or matrix: {a}, {y}"
        )
    for n in (a.shape[1], y.shape[0]):
        try:
            dims.unify(a.shape[0], n)
        except ShapeError:
            raise ShapeError(f"solve_triangular: {a} and {y} do not fit") from None
    return ArrayType(inexact(np.result_type(a.dtype, y.dtype)), y.shape)


def _back(g: Expr, a: Expr, lower: bool, trans: int, unit_diagonal: bool) -> Expr:
    """The adjoint of the right-hand side: the transposed system."""
    return f.solve_triangular(  # type: ignore[no-any-return]
        conj(a), g, lower=lower, trans=1 - trans, unit_diagonal=unit_diagonal
    )


def _triangle(x: Expr, lower: bool, unit_diagonal: bool) -> Expr:
    """The part of a matrix that is read."""
    if lower:
        return f.tril(x, -1 if unit_diagonal else 0)  # type: ignore[no-any-return]
    return f.triu(x, 1 if unit_diagonal else 0)  # type: ignore[no-any-return]


def _outer(x: Expr, y: Expr) -> Expr:
    if x.ndim == 1:
        return f.expand_dims(x, axes=(1,)) * y  # type: ignore[no-any-return]
    return x @ y.T


def _vjp_a(
    g: Expr, a: Expr, out: Expr, lower: bool, trans: int, unit_diagonal: bool
) -> Expr:
    back, x = _back(g, a, lower, trans, unit_diagonal), conj(out)
    product = _outer(x, back) if trans else _outer(back, x)
    return -_triangle(product, lower, unit_diagonal)


def _jvp_a(
    t: Expr, a: Expr, out: Expr, lower: bool, trans: int, unit_diagonal: bool
) -> Expr:
    moved = _triangle(t, lower, unit_diagonal)
    moved = (moved.T if trans else moved) @ out
    return -f.solve_triangular(  # type: ignore[no-any-return]
        a, moved, lower=lower, trans=trans, unit_diagonal=unit_diagonal
    )


op(
    "solve_triangular",
    "a y",
    _infer,
    "solve_triangular(a, y, lower=lower, trans=trans, unit_diagonal=unit_diagonal)",
    attrs={"lower": False, "trans": 0, "unit_diagonal": False},
    vjp={"a": _vjp_a, "y": _back},
    jvp={
        "a": _jvp_a,
        "y": lambda t, a, lower, trans, unit_diagonal: f.solve_triangular(
            a, t, lower=lower, trans=trans, unit_diagonal=unit_diagonal
        ),
    },
    traits="allocates",
    imports=(IMPORT,),
    doc="The solution x of a @ x = y, of which one triangle is read.",
)


@surface(scipy.linalg.solve_triangular)
def solve_triangular(
    builder: Builder, /, a: Any, b: Any, trans: Any = 0, lower: Any = False,
    unit_diagonal: Any = False, overwrite_b: Any = False, check_finite: Any = True,
) -> Expr:  # fmt: skip
    """``scipy.linalg.solve_triangular``."""
    matrix, y = as_array(builder, a), as_array(builder, b)
    code = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    turned = need_static(code)
    if turned == 2:
        matrix, turned = conj(matrix), 1
    attrs = {
        "lower": bool(need_static(lower)),
        "unit_diagonal": bool(need_static(unit_diagonal)),
    }
    return f.solve_triangular(matrix, y, trans=int(turned), **attrs)  # type: ignore[no-any-return]


SYMMETRIC = {"sym": False, "symmetric": False, "her": True, "hermitian": True,
             "pos": True, "positive definite": True}  # fmt: skip


def _read(x: Expr, kind: str, lower: bool) -> Expr:
    """The matrix that is meant where one triangle is read."""
    one = x if lower else x.mT
    if SYMMETRIC[kind]:
        return mirrored(x if lower else dagger(x))
    return f.tril(one, 0) + f.tril(one, -1).mT  # type: ignore[no-any-return]


@surface(scipy.linalg.solve)
def scipy_solve(
    builder: Builder, /, a: Any, b: Any, lower: Any = False, overwrite_a: Any = False,
    overwrite_b: Any = False, check_finite: Any = True, assume_a: Any = None,
    transposed: Any = False,
) -> Expr:  # fmt: skip
    """``scipy.linalg.solve``; what ``assume_a`` says is not read has no gradient."""
    x, kind, below = as_array(builder, a), need_static(assume_a), bool(need_static(lower))
    turned = bool(need_static(transposed))
    if kind in ("lower triangular", "upper triangular"):
        return solve_triangular(builder, x, b, int(turned), kind.startswith("lower"))  # type: ignore[no-any-return]
    if kind in SYMMETRIC:
        x = _read(x, kind, below)
    elif kind not in (None, "gen", "general"):
        raise UnsupportedFunctionError(
            f"scipy.linalg.solve is not supported with assume_a={kind!r}; leave it out"
        )
    return solve(builder, x.mT if turned else x, b)  # type: ignore[no-any-return]


@surface(scipy.linalg.cholesky)
def scipy_cholesky(
    b: Builder,
    a: Any,
    lower: Any = False,
    overwrite_a: Any = False,
    check_finite: Any = True,
) -> Expr:
    """``scipy.linalg.cholesky``."""
    return cholesky(b, a, upper=not need_static(lower))  # type: ignore[no-any-return]


@surface(scipy.linalg.cho_factor)
def cho_factor(
    b: Builder,
    a: Any,
    lower: Any = False,
    overwrite_a: Any = False,
    check_finite: Any = True,
) -> tuple[Expr, bool]:
    """``scipy.linalg.cho_factor``: the other triangle is that of ``a``."""
    x, below = as_array(b, a), bool(need_static(lower))
    factor = cholesky(b, x, upper=not below)
    other = f.triu(x, 1) if below else f.tril(x, -1)
    return factor + other, below


@surface(scipy.linalg.cho_solve)
def cho_solve(
    builder: Builder, /, c_and_lower: Any, b: Any, overwrite_b: Any = False,
    check_finite: Any = True,
) -> Expr:  # fmt: skip
    """``scipy.linalg.cho_solve``."""
    factor, lower = c_and_lower
    below = bool(need_static(lower))
    first, second = (0, 2) if below else (2, 0)
    half = solve_triangular(builder, factor, b, first, below)
    return solve_triangular(builder, factor, half, second, below)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- NumPy's, with more options
IGNORED = {
    "overwrite_a",
    "overwrite_b",
    "check_finite",
    "lapack_driver",
    "turbo",
    "eigvals",
}


def _as_numpy(target: Any, function: Any, **renamed: Any) -> None:
    """SciPy's name for what NumPy has too; options that only tell how are left out."""

    def call(b: Builder, a: Any, *args: Any, **options: Any) -> Any:
        kept = {k: v for k, v in options.items() if k not in IGNORED}
        return function(b, a, *args, **{renamed.get(k, k): v for k, v in kept.items()})

    SURFACE[target] = call


_as_numpy(scipy.linalg.inv, inv)
_as_numpy(scipy.linalg.det, det)
_as_numpy(scipy.linalg.svd, svd)
_as_numpy(scipy.linalg.svdvals, svdvals)
_as_numpy(scipy.linalg.norm, norm)
_as_numpy(scipy.linalg.pinv, pinv)
_as_numpy(scipy.linalg.eig, lambda b, a: tuple(eig(b, a)))
_as_numpy(scipy.linalg.eigvals, eigvals)


@surface(scipy.linalg.eigvalsh)
def scipy_eigvalsh(
    builder: Builder, /, a: Any, *, lower: Any = True, **options: Any
) -> Expr:
    """``scipy.linalg.eigvalsh`` of one matrix."""
    other = [name for name in options if name not in IGNORED]
    if other:
        raise UnsupportedFunctionError(
            f"scipy.linalg.eigvalsh is not supported with `{other[0]}=`; leave it out"
        )
    return eigvalsh(builder, a, "L" if need_static(lower) else "U")  # type: ignore[no-any-return]


@surface(scipy.linalg.pinvh)
def pinvh(b: Builder, a: Any, *, lower: Any = True, check_finite: Any = True) -> Expr:
    """``scipy.linalg.pinvh``."""
    x = as_array(b, a)
    return pinv(b, x if need_static(lower) else dagger(x), hermitian=True)  # type: ignore[no-any-return]


@surface(scipy.linalg.qr)
def scipy_qr(
    b: Builder, a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full",
    pivoting: Any = False, check_finite: Any = True,
) -> Any:  # fmt: skip
    """``scipy.linalg.qr`` without pivoting."""
    chosen = need_static(mode)
    if need_static(pivoting) or chosen not in ("full", "r", "economic"):
        raise UnsupportedFunctionError(
            "scipy.linalg.qr is not supported with pivoting=True or mode='raw'; write "
            "mode='economic', 'full' or 'r'"
        )
    q, r = f.linalg_qr(
        as_array(b, a), mode="reduced" if chosen == "economic" else "complete"
    )
    return (r,) if chosen == "r" else (q, r)


@surface(scipy.linalg.lstsq)
def scipy_lstsq(
    builder: Builder, /, a: Any, b: Any, cond: Any = None, **options: Any
) -> tuple[Expr, ...]:
    """``scipy.linalg.lstsq``; the residuals are those of a matrix of full rank."""
    matrix, y = as_array(builder, a), as_array(builder, b)
    cut = need_static(cond)
    cut = float(np.finfo(inexact(matrix.dtype)).eps) if cut is None else cut
    x, residuals, rank, values = lstsq(builder, matrix, y, cut)
    if y.ndim == 1:
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
