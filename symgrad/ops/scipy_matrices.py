"""``scipy.linalg``: functions of matrices, matrix equations, LU factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ..errors import ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from . import scipy_schur, scipy_structured
from ._arguments import as_array
from .composed import composed
from .contraction import conj
from .indexing import getitem
from .kernels import text_of
from .linalg import dagger, inexact, square, unit_like
from .linalg_kernels import _like, _order
from .scipy_linalg import solve_triangular
from .spectral import eigh_jvp, eigh_vjp, eigvalsh, infer_eigh
from .static import need_static
from .table import nondiff, op, surface

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
    "linalg_fractional_matrix_power", "a",
    "_like(linalg.fractional_matrix_power(a, power), a)",
    lambda a, power: f.linalg_expm(power * f.linalg_logm(a)), attrs={"power": REQUIRED},
    imports=IMPORT, helper=text_of(_like), traits="allocates", batch="each",
    doc="scipy.linalg.fractional_matrix_power.",
)  # fmt: skip


@surface(scipy.linalg.fractional_matrix_power)
def fractional_matrix_power(b: Builder, A: Any, t: Any) -> Expr:
    """``scipy.linalg.fractional_matrix_power``; the power is static."""
    return f.linalg_fractional_matrix_power(as_array(b, A), power=need_static(t))  # type: ignore[no-any-return]


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


@surface(scipy.linalg.lu_factor)
def lu_factor(
    b: Builder, a: Any, overwrite_a: Any = False, check_finite: Any = True
) -> tuple[Expr, ...]:
    """``scipy.linalg.lu_factor``."""
    return tuple(f.linalg_lu_factor(as_array(b, a)))


@surface(scipy.linalg.lu)
def lu(
    b: Builder, a: Any, permute_l: Any = False, overwrite_a: Any = False,
    check_finite: Any = True, p_indices: Any = False,
) -> tuple[Expr, ...]:  # fmt: skip
    """``scipy.linalg.lu`` of a square matrix."""
    both, pivots = f.linalg_lu_factor(as_array(b, a))
    lower, upper = _factors(both)
    places = f.argsort(f.pivot_order(pivots), axis=0)
    if need_static(permute_l):
        return getitem(b, lower, places), upper
    p = places if need_static(p_indices) else getitem(b, unit_like(both), places)
    return p, lower, upper


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
    "scipy_eigh", "a", infer_eigh, "linalg.eigh(a, lower=lower)", attrs={"lower": True},
    vjp={"a": _flagged(eigh_vjp, "g")}, jvp={"a": _flagged(eigh_jvp, "t")}, imports=IMPORT,
    traits="allocates", batch="each",
    kink="the gradient lies in the triangle that is read; inf or nan for vectors of equal values",
    doc="Eigenvalues and eigenvectors of a Hermitian matrix, from one triangle.",
)  # fmt: skip


@surface(scipy.linalg.eigh)
def eigh(
    builder: Builder,
    /,
    a: Any,
    b: Any = None,
    *,
    lower: Any = True,
    eigvals_only: Any = False,
) -> Any:
    """``scipy.linalg.eigh`` of one matrix."""
    if b is not None:
        raise UnsupportedFunctionError(
            "scipy.linalg.eigh takes one matrix here; with the Cholesky factor L of b, take that "
            "of inv(L) @ a @ inv(L).T"
        )
    if need_static(eigvals_only):
        return eigvalsh(builder, a, "L" if need_static(lower) else "U")
    return f.scipy_eigh(as_array(builder, a), lower=bool(need_static(lower)))


__all__ = ["scipy_schur", "scipy_structured"]
