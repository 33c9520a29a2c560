"""Signs, magnitudes, rounding, and what is told about single numbers."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ..errors import DTypeError
from ..ir.expr import Expr, f
from ..ir.types import INT, ScalarType, Type, is_complex
from ..ir.values import Value
from .elementwise import elementwise, python_scalar, refuse
from .masks import scale_under_masks
from .rules.arguments import as_array, as_expr
from .rules.infer import same
from .static import need_static
from .table import SURFACE, method, nondiff, surface


# --------------------------------------------------------------------- sign, magnitude
def direction(x: Expr) -> Expr:
    """The sign of a real number, z / abs(z) of a complex one; 0 of 0."""
    return f.unit(x) if is_complex(x.type) else f.sign(x)  # type: ignore[no-any-return]


def _absolute_vjp(g: Expr, x: Expr) -> Any:
    return scale_under_masks(g, lambda h, x: h * direction(x), (x,))


def _absolute_jvp(t: Expr, x: Expr) -> Any:
    if is_complex(x.type):
        return f.real(f.conjugate(direction(x)) * t)
    return t * direction(x)


def _unit_slope(t: Expr, x: Expr, out: Expr) -> Expr:
    # What is at right angles to z turns it. The map is symmetric: the rule of both modes.
    size = f.absolute(x)
    turning = f.imag(f.conjugate(out) * t) / f.where(f.equal(size, 0), 1, size)
    return 1j * turning * out  # type: ignore[no-any-return]


elementwise(
    "absolute", "Abs(x)", emit="np.abs(x)", emit_scalar="abs(x)", scalar="real",
    traits="nonnegative",
    vjp={"x": _absolute_vjp}, jvp={"x": _absolute_jvp},
    calls=(np.absolute,), kink="0 at 0",
)  # fmt: skip
elementwise(
    "abs", "Abs(x)", ufunc=np.absolute, emit="abs(x)", scalar="real", traits="nonnegative",
    vjp={"x": _absolute_vjp}, jvp={"x": _absolute_jvp}, calls=(), kink="0 at 0",
    doc="Python's abs of a NumPy scalar, which rounds complex ones in its own way.",
)  # fmt: skip
elementwise(
    "fabs", "Abs(x)", traits="nonnegative", derivative={"x": "sign(x)"}, kink="0 at 0"
)
elementwise(
    "sign", emit_scalar="math.copysign(x != 0, x)", traits="nondiff", kink="0 everywhere",
    calls=(), doc="-1, 0 or 1.",
)  # fmt: skip
elementwise(
    "unit", ufunc=np.sign, emit="np.sign(x)", calls=(), kink="0 at 0",
    vjp={"x": lambda g, x, out: _unit_slope(g, x, out)},
    jvp={"x": lambda t, x, out: _unit_slope(t, x, out)},
    doc="z / abs(z), NumPy's sign of a complex number.",
)  # fmt: skip
SURFACE[np.sign] = lambda b, x: direction(as_array(b, x))
elementwise(
    "copysign", inputs="x y", derivative={"x": "copysign(1, x) * copysign(1, y)"}, kink="0 to y",
    doc="abs(x) with the sign of y.",
)  # fmt: skip

# ---------------------------------------------------------------------------- rounding
elementwise(
    "floor", scalar="int", traits="nondiff", kink="0 everywhere", doc="Rounded down."
)
elementwise("ceil", scalar="int", traits="nondiff", kink="0 everywhere", doc="Rounded up.")
elementwise(
    "trunc", scalar="int", traits="nondiff", calls=(np.trunc, np.fix), kink="0 everywhere",
    doc="Rounded towards 0.",
)  # fmt: skip
elementwise(
    "rint", scalar="int", emit_scalar="round(x)", traits="nondiff", kink="0 everywhere",
    doc="Rounded to the nearest integer, halves to the even one.",
)  # fmt: skip
elementwise(
    "fraction", ufunc=np.fmod, infer=lambda dims, inputs: _float_like(inputs[0]), calls=(),
    emit="np.modf(x)[0]", emit_scalar="math.modf(x)[0]", derivative={"x": "1"},
    doc="x - trunc(x).",
)  # fmt: skip
elementwise(
    "heaviside", inputs="x y", derivative={"y": "where(x == 0, 1, 0)"}, kink="0 to x",
    doc="0 where x < 0, 1 where x > 0, y where x is 0.",
)  # fmt: skip
elementwise(
    "nan_to_num", infer=same, derivative={"x": "where(isfinite(x), 1, 0)"}, emit_scalar=None,
    emit="np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)",
    attrs={"nan": 0.0, "posinf": None, "neginf": None}, traits="selects",
    doc="nan replaced by 0, infinities by the largest numbers.", kink="0 where not finite",
)  # fmt: skip


def _float_like(x: Value) -> Type:
    return x.type


def _infer_round(dims: Any, inputs: tuple[Value, ...], decimals: int) -> Type:
    return inputs[0].type


nondiff(
    "round", "x", _infer_round, "np.round(x, decimals)", emit_scalar="round(x, decimals)",
    attrs={"decimals": 0}, traits="elementwise", doc="Rounded to a number of decimals.",
    kink="0 everywhere",
)  # fmt: skip


@surface(np.round, np.around)
@method("round")
def np_round(b: Any, a: Any, decimals: Any = 0) -> Expr:
    """``np.round(a, decimals)``."""
    x = as_array(b, a)
    if x.dtype.kind == "b":
        x = f.astype(x, dtype=np.dtype(np.float16))
    return f.round(x, decimals=need_static(decimals))  # type: ignore[no-any-return]


@surface(builtins.round)
def _round(b: Any, number: Any, ndigits: Any = None) -> Any:
    x = as_expr(b, number)
    digits = need_static(ndigits)
    if x.ndim:
        raise DTypeError(f"round() of {x.type}: write np.round(x)")
    if not isinstance(x.type, ScalarType):
        if digits is None and x.ndim == 0 and x.dtype.kind == "f":
            return f.rint(f.item(x, kind="float"))
        return np_round(b, x, digits or 0)
    if digits is None:
        return x if x.type == INT else f.rint(x)
    return f.round(x, decimals=digits)


@surface(np.modf)
def _modf(b: Any, x: Any) -> Any:
    value = as_array(b, x)
    kind = np.modf(np.zeros(0, value.dtype))[0].dtype
    value = value if value.dtype == kind else f.astype(value, dtype=kind)
    return f.fraction(value), f.trunc(value)


@surface(math.modf)
def _math_modf(b: Any, x: Any) -> Any:
    value = f.item(python_scalar(b, x, "math.modf"), kind="float")
    return f.fraction(value), f.item(f.trunc(value), kind="float")


@surface(np.nan_to_num)
def _nan_to_num(b: Any, x: Any, copy: Any = True, **options: Any) -> Expr:
    refuse("np.nan_to_num", dict.fromkeys(options, 0), nan=0, posinf=0, neginf=0)
    given = {k: need_static(v) for k, v in options.items()}
    return f.nan_to_num(as_array(b, x), **given)  # type: ignore[no-any-return]
