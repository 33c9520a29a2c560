"""``scipy.linalg``: functions of matrices, matrix equations, LU factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, f, lift
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..composed import composed
from ..contraction import conj
from ..indexing import getitem
from ..kernels import text_of
from ..linalg.kernels import _like, _order
from ..linalg.products import matrix_power
from ..linalg.spectral import eigh_jvp, eigh_vjp, infer_eigh
from ..linalg.systems import dagger, inexact, matrices, square, unit_like
from ..rules.arguments import as_array, as_expr
from ..static import known, need_static
from ..table import nondiff, op, surface
from . import as_numpy as scipy_numpy
from . import schur as scipy_schur
from . import structured as scipy_structured
from .linalg import solve_triangular

IMPORT = ("from scipy import linalg",)


# ------------------------------------------------------------------- functions of matrices
def _infer_same(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    t = square(dims, inputs[0])
    return ArrayType(inexact(t.dtype), t.shape)


def _along(name: str, a: Expr, t: Expr) -> Expr:
    """The derivative of a function of matrices along ``t``: it is the upper right part of
    the same function of ``[[a, t], [0, a]]``."""
    last, n = a.ndim - 1, a.length(a.ndim - 1)
    above = f.concatenate(a, t, axis=last)
    below = f.concatenate(f.zeros_like(a), a, axis=last)
    whole = getattr(f, name)(f.concatenate(above, below, axis=last - 1))
    return getitem(a.builder, whole, (..., slice(None, n), slice(n, None)))


def matrix_function(name: str, emit: str, helper: str = "") -> None:
    """A function of square matrices that commutes with the conjugate transpose."""
    key = f"linalg_{name}"
    op(
        key, "a", _infer_same, emit, helper=helper, imports=IMPORT, traits="allocates",
        vjp={"a": lambda g, a: _along(key, dagger(a), g)},
        jvp={"a": lambda t, a: _along(key, a, t)},
        batch="each", doc=f"scipy.linalg.{name}.",
    )  # fmt: skip


def _surface_of(name: str) -> Any:
    def call(b: Builder, A: Any) -> Expr:
        return getattr(f, f"linalg_{name}")(as_array(b, A))  # type: ignore[no-any-return]

    return call


for _name in ("expm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
    matrix_function(_name, f"linalg.{_name}(a)")
    surface(getattr(scipy.linalg, _name))(_surface_of(_name))
for _name in ("sqrtm", "logm", "signm"):
    matrix_function(_name, f"_like(linalg.{_name}(a), a)", text_of(_like))
    surface(getattr(scipy.linalg, _name))(_surface_of(_name))
composed(
    "linalg_fractional_matrix_power", "a power",
    "_like(linalg.fractional_matrix_power(a, power), a)",
    lambda a, power: f.linalg_expm(power * f.linalg_logm(a)),
    imports=IMPORT, helper=text_of(_like), traits="allocates", batch="each",
    doc="scipy.linalg.fractional_matrix_power.",
)  # fmt: skip


@surface(scipy.linalg.fractional_matrix_power)
def fractional_matrix_power(b: Builder, A: Any, t: Any) -> Expr:
    """``scipy.linalg.fractional_matrix_power``."""
    if isinstance(known(t), int):
        return matrix_power(b, A, t)  # type: ignore[no-any-return]
    return f.linalg_fractional_matrix_power(as_array(b, A), as_expr(b, t))  # type: ignore[no-any-return]


# ----------------------------------------------------------------------- matrix equations
def _infer_sylvester(dims: Any, inputs: tuple[Value, ...]) -> Type:
    square(dims, inputs[0]), square(dims, inputs[1])
    types: list[Any] = [v.type for v in inputs]
    return ArrayType(inexact(np.result_type(*(t.dtype for t in types))), types[2].shape)


def _sylvester_back(g: Expr, a: Expr, b: Expr) -> Expr:
    return f.linalg_solve_sylvester(dagger(a), dagger(b), g)  # type: ignore[no-any-return]


op(
    "linalg_solve_sylvester", "a b q", _infer_sylvester, "linalg.solve_sylvester(a, b, q)",
    vjp={
        "a": lambda g, a, b, out: -_sylvester_back(g, a, b) @ dagger(out),
        "b": lambda g, a, b, out: -dagger(out) @ _sylvester_back(g, a, b),
        "q": lambda g, a, b: _sylvester_back(g, a, b),
    },
    jvp={
        "a": lambda t, a, b, out: f.linalg_solve_sylvester(a, b, -t @ out),
        "b": lambda t, a, b, out: f.linalg_solve_sylvester(a, b, -out @ t),
        "q": lambda t, a, b: f.linalg_solve_sylvester(a, b, t),
    },
    imports=IMPORT, traits="allocates", batch="each", doc="The solution x of a @ x + x @ b = q.",
)  # fmt: skip


def _discrete(a: Expr, q: Expr) -> Expr:
    """x = a @ x @ a.H + q as one linear system."""
    n = a.length(0)
    pairs = f.expand_dims(a, axes=(1, 3)) * f.expand_dims(conj(a), axes=(0, 2))
    system = f.reshape(pairs, n * n, n * n)
    flat = f.linalg_solve(unit_like(system) - system, f.reshape(q, n * n))
    return f.reshape(flat, n, n)  # type: ignore[no-any-return]


composed(
    "linalg_solve_discrete_lyapunov", "a q", "linalg.solve_discrete_lyapunov(a, q)", _discrete,
    imports=IMPORT, batch="each", doc="The solution x of a @ x @ a.H - x + q = 0.",
)  # fmt: skip


@surface(scipy.linalg.solve_sylvester)
def solve_sylvester(builder: Builder, /, a: Any, b: Any, q: Any) -> Expr:
    """``scipy.linalg.solve_sylvester``."""
    return f.linalg_solve_sylvester(*(as_array(builder, x) for x in (a, b, q)))  # type: ignore[no-any-return]


@surface(scipy.linalg.solve_continuous_lyapunov, scipy.linalg.solve_lyapunov)
def solve_continuous_lyapunov(b: Builder, a: Any, q: Any) -> Expr:
    """``scipy.linalg.solve_continuous_lyapunov``."""
    x = as_array(b, a)
    return f.linalg_solve_sylvester(x, dagger(x), as_array(b, q))  # type: ignore[no-any-return]


@surface(scipy.linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(b: Builder, a: Any, q: Any, method: Any = None) -> Expr:
    """``scipy.linalg.solve_discrete_lyapunov``."""
    return f.linalg_solve_discrete_lyapunov(as_array(b, a), as_array(b, q))  # type: ignore[no-any-return]


# ----------------------------------------------------------------------------- LU factors
def _infer_lu(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = square(dims, inputs[0])
    if t.ndim != 2:
        raise ShapeError(f"one matrix is needed, got {t}")
    return (
        ArrayType(inexact(t.dtype), t.shape),
        ArrayType(np.dtype(np.int32), t.shape[:1]),
    )


def _infer_order(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.intp), inputs[0].type.shape)  # type: ignore[union-attr]


def _factors(lu: Expr) -> tuple[Expr, Expr]:
    return f.tril(lu, -1) + unit_like(lu), f.triu(lu, 0)


def _lu_vjp(g: Any, out: Any) -> Expr:
    (lower, upper), order = _factors(out[0]), f.pivot_order(out[1])
    below = f.tril(dagger(lower) @ f.tril(g[0], -1), -1)
    inner = f.linalg_solve(
        dagger(lower), below + f.triu(f.triu(g[0], 0) @ dagger(upper), 0)
    )
    whole = dagger(f.linalg_solve(upper, dagger(inner)))
    return getitem(whole.builder, whole, f.argsort(order, axis=0))


def _lu_jvp(t: Expr, out: Any) -> tuple[Expr, None]:
    (lower, upper), order = _factors(out[0]), f.pivot_order(out[1])
    moved = f.linalg_solve(lower, getitem(t.builder, t, order))
    inner = dagger(f.linalg_solve(dagger(upper), dagger(moved)))
    return lower @ f.tril(inner, -1) + f.triu(inner, 0) @ upper, None


op(
    "linalg_lu_factor", "a", _infer_lu, "linalg.lu_factor(a)", vjp={"a": _lu_vjp},
    jvp={"a": _lu_jvp}, imports=IMPORT, traits="allocates", batch="each",
    doc="Both factors in one matrix, and the exchanges of rows.",
)  # fmt: skip
nondiff(
    "pivot_order", "piv", _infer_order, "_order(piv)", helper=text_of(_order), batch="each",
    doc="The order of rows after the exchanges of lu_factor.",
)  # fmt: skip


def _infer_rows(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.intp), matrices(inputs[0]).shape[:1])


nondiff(
    "lu_order", "a", _infer_rows, "np.argsort(linalg.lu(a, p_indices=True)[0])", imports=IMPORT,
    batch="each", doc="The order of rows in a triangular factorisation with pivoting.",
)  # fmt: skip


@surface(scipy.linalg.lu_factor)
def lu_factor(
    b: Builder, a: Any, overwrite_a: Any = False, check_finite: Any = True
) -> tuple[Expr, ...]:
    """``scipy.linalg.lu_factor``."""
    return tuple(f.linalg_lu_factor(as_array(b, a)))


def _lu_parts(x: Expr) -> tuple[Expr, Expr, Expr]:
    """Both factors and the order of rows. Of a matrix that is not square the rows are put into
    order first, then the leading square is factorised, and the rest follows from it."""
    m, n = x.dims
    if x.builder.dims.equal(m, n):
        both, pivots = f.linalg_lu_factor(x)
        return *_factors(both), f.pivot_order(pivots)
    order = f.lu_order(x)
    ordered = getitem(x.builder, x, order)
    k = f.minimum(x.length(0), x.length(1))
    head, tail = slice(None, k), slice(k, None)
    both, _ = f.linalg_lu_factor(getitem(x.builder, ordered, (head, head)))
    lower, upper = _factors(both)
    below = getitem(x.builder, ordered, (tail, head))
    right = getitem(x.builder, ordered, (head, tail))
    lower = f.concatenate(lower, f.linalg_solve(upper.mT, below.mT).mT, axis=0)
    return (
        lower,
        f.concatenate(upper, f.linalg_solve(_factors(both)[0], right), axis=1),
        order,
    )


@surface(scipy.linalg.lu)
def lu(
    b: Builder, a: Any, permute_l: Any = False, overwrite_a: Any = False,
    check_finite: Any = True, p_indices: Any = False,
) -> tuple[Expr, ...]:  # fmt: skip
    """``scipy.linalg.lu`` of one matrix."""
    x = as_array(b, a)
    if x.ndim != 2:
        raise ShapeError(f"one matrix is needed, got {x.type}")
    lower, upper, order = _lu_parts(x)
    places = f.argsort(order, axis=0)
    if need_static(permute_l):
        return getitem(b, lower, places), upper
    if need_static(p_indices):
        return f.astype(places, dtype=np.dtype(np.int32)), lower, upper
    n = lift(b, x.length(0))
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
    if not turned:
        half = solve_triangular(builder, both, getitem(builder, y, order), 0, True, True)
        return solve_triangular(builder, both, half)  # type: ignore[no-any-return]
    half = solve_triangular(builder, both, y, turned)
    full = solve_triangular(builder, both, half, turned, True, True)
    return getitem(builder, full, f.argsort(order, axis=0))


# ---------------------------------------------------------------------------- eigenvalues
def _flagged(rule: Any, seed: str) -> Any:
    if seed == "g":
        return lambda g, out, lower: rule(g, out, "L" if lower else "U")
    return lambda t, out, lower: rule(t, out, "L" if lower else "U")


op(
    "scipy_eigh", "a", infer_eigh, "linalg.eigh(a, lower=lower, driver=driver)",
    attrs={"lower": True, "driver": None},
    vjp={"a": _flagged(eigh_vjp, "g")}, jvp={"a": _flagged(eigh_jvp, "t")}, imports=IMPORT,
    traits="allocates", batch="each",
    kink="the gradient lies in the triangle that is read; inf or nan for vectors of equal values",
    doc="Eigenvalues and eigenvectors of a Hermitian matrix, from one triangle.",
)  # fmt: skip


__all__ = ["scipy_numpy", "scipy_schur", "scipy_structured"]
