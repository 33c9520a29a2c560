"""``scipy.linalg``; loaded once the user has imported that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.linalg

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..contraction import conj
from ..linalg.factorisations import cholesky
from ..linalg.systems import inexact
from ..rules.arguments import as_array
from ..static import need_static
from ..table import op, surface

IMPORT = "from scipy.linalg import solve_triangular"
OPTIONS = {"lower": False, "trans": 0, "unit_diagonal": False, "check_finite": True}
CALL = f"solve_triangular(a, y, {', '.join(f'{name}={name}' for name in OPTIONS)})"


def _infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    a, y = inputs[0].type, inputs[1].type
    assert isinstance(a, ArrayType) and isinstance(y, ArrayType)
    if a.ndim < 2 or (y.ndim != a.ndim and (a.ndim, y.ndim) != (2, 1)):
        raise ShapeError(
            f"solve_triangular needs a matrix and a vector or matrix: {a}, {y}"
        )
    pairs = zip(a.shape[:-2], y.shape, strict=False)
    for m, n in (a.shape[-2:], (a.shape[-1], y.shape[a.ndim - 2]), *pairs):
        try:
            dims.unify(m, n)
        except ShapeError:
            raise ShapeError(f"solve_triangular: {a} and {y} do not fit") from None
    return ArrayType(inexact(np.result_type(a.dtype, y.dtype)), y.shape)


def _back(g: Expr, a: Expr, attrs: Mapping[str, Any]) -> Expr:
    """The adjoint of the right-hand side: the transposed system."""
    return f.solve_triangular(  # type: ignore[no-any-return]
        conj(a), g, **{**attrs, "trans": 1 - attrs["trans"]}
    )


def _triangle(x: Expr, lower: bool, unit_diagonal: bool) -> Expr:
    """The part of a matrix that is read."""
    if lower:
        return f.tril(x, -1 if unit_diagonal else 0)  # type: ignore[no-any-return]
    return f.triu(x, 1 if unit_diagonal else 0)  # type: ignore[no-any-return]


def _outer(x: Expr, y: Expr) -> Expr:
    if x.ndim == 1:
        return f.expand_dims(x, axes=(1,)) * y  # type: ignore[no-any-return]
    return x @ y.mT


def _vjp_a(g: Expr, a: Expr, out: Expr, attrs: Mapping[str, Any]) -> Expr:
    back, x = _back(g, a, attrs), conj(out)
    product = _outer(x, back) if attrs["trans"] else _outer(back, x)
    return -_triangle(product, attrs["lower"], attrs["unit_diagonal"])


def _jvp_a(t: Expr, a: Expr, out: Expr, attrs: Mapping[str, Any]) -> Expr:
    moved = _triangle(t, attrs["lower"], attrs["unit_diagonal"])
    moved = (moved.mT if attrs["trans"] else moved) @ out
    return -f.solve_triangular(a, moved, **attrs)  # type: ignore[no-any-return]


op(
    "solve_triangular", "a y", _infer, CALL, attrs=OPTIONS, traits="allocates",
    vjp={"a": _vjp_a, "y": _back}, jvp={"a": _jvp_a}, linear_in="y", imports=(IMPORT,),
    doc="The solution x of a @ x = y, of which one triangle is read.",
)  # fmt: skip


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
        "check_finite": bool(need_static(check_finite)),
    }
    if y.ndim > 1 and max(y.ndim, matrix.ndim) > 2:
        shapes = (matrix.dims[:-2], y.dims[:-2])
        batch = builder.dims.broadcast_shapes(*shapes)
        matrix, y = (
            f.broadcast_to(
                x, *(Expr(builder, builder.length(d)) for d in batch), *x.shape[-2:]
            )
            for x in (matrix, y)
        )
    return f.solve_triangular(matrix, y, trans=int(turned), **attrs)  # type: ignore[no-any-return]


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
