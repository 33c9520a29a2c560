"""``scipy.linalg``: functions of matrices, matrix equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...errors import UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..composed import composed
from ..contraction import conj
from ..indexing import getitem
from ..kernels import text_of
from ..linalg.kernels import _like
from ..linalg.products import matrix_power
from ..linalg.spectral import real_dtype
from ..linalg.systems import dagger, inexact, square, unit_like
from ..rules.arguments import as_array, as_expr
from ..static import known, need_static
from ..table import nondiff, op, surface
from . import as_numpy, eigen, factors, schur, structured

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


ESTIMATED = ("sqrtm", "logm")
"""Functions that say, asked with ``disp=False``, how wrong they may be."""


def _estimated(name: str) -> Any:
    function = _surface_of(name)

    def call(b: Builder, A: Any, disp: Any = True, blocksize: Any = None) -> Any:
        found = function(b, A)
        if need_static(disp):
            return found
        if name not in ESTIMATED:
            raise UnsupportedFunctionError(
                f"scipy.linalg.{name} with disp=False gives an estimate for some matrices "
                "alone; leave it out"
            )
        return found, getattr(f, f"{name}_estimate")(as_array(b, A))

    return call


def _infer_estimate(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(real_dtype(square(dims, inputs[0]).dtype), ())


for _name in ("expm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
    matrix_function(_name, f"linalg.{_name}(a)")
    surface(getattr(scipy.linalg, _name))(_surface_of(_name))
for _name in ("sqrtm", "logm", "signm"):
    matrix_function(_name, f"_like(linalg.{_name}(a), a)", text_of(_like))
    surface(getattr(scipy.linalg, _name))(_estimated(_name))
for _name in ESTIMATED:
    nondiff(
        f"{_name}_estimate", "a", _infer_estimate, f"linalg.{_name}(a, disp=False)[1]",
        imports=IMPORT, batch="each", doc=f"How wrong scipy.linalg.{_name} says that it may be.",
    )  # fmt: skip
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


_sylvester_vjp: dict[str, Callable[..., Any]] = {
    "a": lambda g, a, b, out: -_sylvester_back(g, a, b) @ dagger(out),
    "b": lambda g, a, b, out: -dagger(out) @ _sylvester_back(g, a, b),
    "q": lambda g, a, b: _sylvester_back(g, a, b),
}
_sylvester_jvp: dict[str, Callable[..., Any]] = {
    "a": lambda t, a, b, out: f.linalg_solve_sylvester(a, b, -t @ out),
    "b": lambda t, a, b, out: f.linalg_solve_sylvester(a, b, -out @ t),
}
op(
    "linalg_solve_sylvester", "a b q", _infer_sylvester, "linalg.solve_sylvester(a, b, q)",
    vjp=_sylvester_vjp, jvp=_sylvester_jvp,
    linear_in="q",
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


__all__ = ["as_numpy", "eigen", "factors", "schur", "structured"]
