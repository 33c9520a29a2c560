"""``scipy.linalg``: LU factors, also of stacks of matrices and of those that are not square."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.dims import minimum
from ...ir.expr import Expr, f, lift
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..indexing import getitem
from ..kernels import text_of
from ..linalg.kernels import _order
from ..linalg.systems import dagger, inexact, matrices, square, unit_like
from ..rules.arguments import as_array
from ..static import need_static
from ..table import nondiff, op, surface
from .linalg import solve_triangular

IMPORT = ("from scipy import linalg",)
PIVOTS = np.dtype(np.int32)


def _infer_lu(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = square(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape), ArrayType(PIVOTS, t.shape[:-1])


def _infer_pivots(dims: Any, inputs: tuple[Value, ...]) -> Type:
    *batch, m, n = matrices(inputs[0]).shape
    return ArrayType(PIVOTS, (*batch, minimum(m, n)))


def _infer_order(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.intp), inputs[0].type.shape)  # type: ignore[union-attr]


def _infer_rows(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.intp), matrices(inputs[0]).shape[:-1])


# ------------------------------------------------------------------------------- rules
def _factors(lu: Expr) -> tuple[Expr, Expr]:
    return f.tril(lu, -1) + unit_like(lu), f.triu(lu, 0)


def _rows(x: Expr, places: Expr) -> Expr:
    """The rows of each matrix (of a vector the entries) at these places."""
    if places.ndim == 1:
        return getitem(x.builder, x, places)
    places = f.expand_dims(places, axes=(places.ndim,))
    return f.take_along_axis(x, places, axis=x.ndim - 2)  # type: ignore[no-any-return]


def _places(order: Expr) -> Expr:
    """Where each row has gone."""
    return f.argsort(order, axis=order.ndim - 1)  # type: ignore[no-any-return]


def _lu_vjp(g: Any, out: Any) -> Expr:
    (lower, upper), order = _factors(out[0]), f.pivot_order(out[1])
    below = f.tril(dagger(lower) @ f.tril(g[0], -1), -1)
    inner = f.linalg_solve(
        dagger(lower), below + f.triu(f.triu(g[0], 0) @ dagger(upper), 0)
    )
    return _rows(dagger(f.linalg_solve(upper, dagger(inner))), _places(order))


def _lu_jvp(t: Expr, out: Any) -> tuple[Expr, None]:
    (lower, upper), order = _factors(out[0]), f.pivot_order(out[1])
    moved = f.linalg_solve(lower, _rows(t, order))
    inner = dagger(f.linalg_solve(dagger(upper), dagger(moved)))
    return lower @ f.tril(inner, -1) + f.triu(inner, 0) @ upper, None


op(
    "linalg_lu_factor", "a", _infer_lu, "linalg.lu_factor(a)", vjp={"a": _lu_vjp},
    jvp={"a": _lu_jvp}, imports=IMPORT, traits="allocates", batch="each",
    doc="Both factors in one matrix, and the exchanges of rows.",
)  # fmt: skip
nondiff(
    "lu_pivots", "a", _infer_pivots, "linalg.lu_factor(a)[1]", imports=IMPORT, batch="each",
    doc="The exchanges of rows of lu_factor.",
)  # fmt: skip
nondiff(
    "pivot_order", "piv", _infer_order, "_order(piv)", helper=text_of(_order), batch="each",
    doc="The order of rows after the exchanges of lu_factor.",
)  # fmt: skip
nondiff(
    "lu_order", "a", _infer_rows, "np.argsort(linalg.lu(a, p_indices=True)[0])", imports=IMPORT,
    batch="each", doc="The order of rows in a triangular factorisation with pivoting.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
def _is_square(x: Expr) -> bool:
    return x.builder.dims.equal(x.dims[-2], x.dims[-1])


def _shorter(x: Expr) -> Any:
    """The length of the leading square."""
    m, n = x.shape[-2:]
    static = isinstance(m, int) and isinstance(n, int)
    return min(m, n) if static else f.minimum(m, n)


def _parts(x: Expr) -> tuple[Expr, Expr, Expr]:
    """Both factors and the order of rows. Of a matrix that is not square the rows are put into
    order first, then the leading square is factorised, and the rest follows from it."""
    if _is_square(x):
        both, pivots = f.linalg_lu_factor(x)
        return *_factors(both), f.pivot_order(pivots)
    b, order = x.builder, f.lu_order(x)
    ordered = _rows(x, order)
    k = _shorter(x)
    head, tail = slice(None, k), slice(k, None)
    both, _ = f.linalg_lu_factor(getitem(b, ordered, (..., head, head)))
    lower, upper = _factors(both)
    below = f.linalg_solve(upper.mT, getitem(b, ordered, (..., tail, head)).mT).mT
    right = f.linalg_solve(lower, getitem(b, ordered, (..., head, tail)))
    return (
        f.concatenate(lower, below, axis=x.ndim - 2),
        f.concatenate(upper, right, axis=x.ndim - 1),
        order,
    )


@surface(scipy.linalg.lu_factor)
def lu_factor(
    b: Builder, a: Any, overwrite_a: Any = False, check_finite: Any = True
) -> tuple[Expr, ...]:
    """``scipy.linalg.lu_factor``."""
    x = as_array(b, a)
    if _is_square(x):
        return tuple(f.linalg_lu_factor(x))
    lower, upper, _ = _parts(x)
    rest = slice(_shorter(x), None)
    nothing = f.zeros_like(x, dtype=lower.dtype)
    below = (f.tril(lower, -1), getitem(b, nothing, (..., rest)))
    above = (upper, getitem(b, nothing, (..., rest, slice(None))))
    both = f.concatenate(*below, axis=x.ndim - 1) + f.concatenate(*above, axis=x.ndim - 2)
    return both, f.lu_pivots(x)


@surface(scipy.linalg.lu)
def lu(
    b: Builder, a: Any, permute_l: Any = False, overwrite_a: Any = False,
    check_finite: Any = True, p_indices: Any = False,
) -> tuple[Expr, ...]:  # fmt: skip
    """``scipy.linalg.lu``."""
    lower, upper, order = _parts(as_array(b, a))
    places = _places(order)
    if need_static(permute_l):
        return _rows(lower, places), upper
    if need_static(p_indices):
        return f.astype(places, dtype=PIVOTS), lower, upper
    n = lift(b, lower.length(lower.ndim - 2))
    real = np.zeros(0, lower.dtype).real.dtype
    unit = Expr(b, b.op("eye", n, n, b.const(0), dtype=real))
    return getitem(b, unit, places), lower, upper


@surface(scipy.linalg.lu_solve)
def lu_solve(
    builder: Builder, /, lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False,
    check_finite: Any = True,
) -> Expr:  # fmt: skip
    """``scipy.linalg.lu_solve``."""
    both, pivots = (as_array(builder, x) for x in lu_and_piv)
    order, y, turned = f.pivot_order(pivots), as_array(builder, b), need_static(trans)
    if both.ndim > 2 and y.ndim != both.ndim:
        raise ShapeError(f"scipy.linalg.lu_solve: {both.type} and {y.type} do not fit")
    if not turned:
        half = solve_triangular(builder, both, _rows(y, order), 0, True, True)
        return solve_triangular(builder, both, half)  # type: ignore[no-any-return]
    half = solve_triangular(builder, both, y, turned)
    full = solve_triangular(builder, both, half, turned, True, True)
    return _rows(full, _places(order))
