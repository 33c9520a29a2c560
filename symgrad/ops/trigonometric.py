"""Trigonometric and hyperbolic functions, angles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import Type, is_complex
from ..ir.values import Value
from .elementwise import elementwise, in_numpy
from .formula import times
from .guards import WRITTEN
from .masks import scale_under_masks
from .roots import without_factor
from .slopes import slope
from .table import op

# No squares: they overflow and underflow where the derivative does not.
_RADIUS = "where(hypot(x, y) == 0, 1, hypot(x, y))"
_TURN = f"level_off({{}} / {_RADIUS} / {_RADIUS}, isinf({_RADIUS}))"


def _by_arcsinh(h: Expr, x: Expr, *, conjugate: bool) -> Any:
    """``h / sqrt(1 + x**2)``, without the square where ``x`` is real."""
    if is_complex(x.type):
        return times(h, 1 / f.sqrt(x**2 + 1), conjugate)
    return h / f.hypot(x, 1.0)


def _arcsinh_vjp(g: Expr, x: Expr) -> Any:
    return scale_under_masks(g, lambda h, x: _by_arcsinh(h, x, conjugate=True), (x,))


def _arcsinh_jvp(t: Expr, x: Expr) -> Any:
    return _by_arcsinh(t, x, conjugate=False)


def _hypot_vjp(place: int) -> Callable[..., Any]:
    def vjp(g: Expr, x: Expr, y: Expr, out: Expr) -> Any:
        a, b = (y, x) if place else (x, y)
        smooth = without_factor(g, out.value)
        if smooth is not None:
            return smooth * a
        return scale_under_masks(g, lambda h, a, b, r: h * f.cosine(a, b, r), (a, b, out))

    return vjp


def _hypot_jvp(place: int) -> Callable[..., Any]:
    def jvp(t: Expr, x: Expr, y: Expr, out: Expr) -> Any:
        return t * (f.cosine(y, x, out) if place else f.cosine(x, y, out))

    return jvp


def _infer_cosine(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return inputs[2].type


def _by_x(h: Expr, x: Expr, y: Expr, r: Expr) -> Expr:
    """``h * y**2 / r**2``, ``h`` at 0; ``1 / r - x**2 / r**3`` would cancel."""
    sine = f.cosine(y, x, r)
    return h * f.where(f.equal(r, 0), 1, sine * sine)  # type: ignore[no-any-return]


def _by_y(h: Expr, x: Expr, y: Expr, r: Expr) -> Expr:
    return -(h * f.cosine(x, y, r) * f.cosine(y, x, r))  # type: ignore[no-any-return]


def _cosine_vjp(slope: Callable[..., Expr]) -> Callable[..., Any]:
    def scale(h: Expr, x: Expr, y: Expr, r: Expr) -> Any:
        return in_numpy(lambda h, r: h / r, slope(h, x, y, r), (r,))

    return lambda g, x, y, r: scale_under_masks(g, scale, (x, y, r))


def _cosine_jvp(slope: Callable[..., Expr]) -> Callable[..., Any]:
    return lambda t, x, y, r: f.over(slope(t, x, y, r), r)


elementwise("sin", "sin(x)")
elementwise("cos", "cos(x)")
elementwise("tan", "tan(x)")
elementwise(
    "to_one", "(1 - x) * (1 + x)", ufunc=np.square, emit="(1 - x) * (1 + x)", calls=(),
    scalar="same", derivative={"x": "-2 * x"},  # 1 - x**2 cancels near 1, its slope at 0
)  # fmt: skip
elementwise(
    "arcsin", "asin(x)", math_name="asin", traits="singular may_be_nonfinite",
    derivative={"x": "over(1, sqrt(to_one(x)))"}, kink="inf at 1",
)  # fmt: skip
elementwise(
    "arccos", "acos(x)", math_name="acos", traits="singular may_be_nonfinite",
    derivative={"x": "-over(1, sqrt(to_one(x)))"}, kink="-inf at 1",
)  # fmt: skip
slope(
    "cauchy", "1 / (x**2 + 1)", "level_off(-2 * x * out * out, isinf(x))",  # 0 times infinity
    expression="1 / (1 + x**2)", emit="1 / (x ** 2 + 1)", emit_scalar="1 / (x * x + 1)",
)  # fmt: skip
elementwise("arctan", "atan(x)", math_name="atan", level="x", derivative={"x": "cauchy(x)"})
elementwise(
    "arctan2", "atan2(y, x)", inputs="y x", math_name="atan2", kink="0 at (0, 0)",
    derivative={"y": _TURN.format("x"), "x": f"-{_TURN.format('y')}"},
)  # fmt: skip
elementwise(
    "hypot", "sqrt(x**2 + y**2)", inputs="x y", traits="commutative nonnegative",
    vjp={"x": _hypot_vjp(0), "y": _hypot_vjp(1)}, jvp={"x": _hypot_jvp(0), "y": _hypot_jvp(1)},
    kink="0 at (0, 0), where second derivatives are inf or nan; its square is smooth; nan by what "
    "is infinite",
)  # fmt: skip
op(
    "cosine", "x y r", _infer_cosine, "x / np.where(r == 0, 1, r)",
    vjp={"x": _cosine_vjp(_by_x), "y": _cosine_vjp(_by_y)},
    jvp={"x": _cosine_jvp(_by_x), "y": _cosine_jvp(_by_y)},
    traits="elementwise marker", doc="x / r, the slope of r = hypot(x, y) by x.",
)  # fmt: skip
WRITTEN["cosine"] = lambda x, y, r: x / f.where(f.equal(r, 0), 1, r)
elementwise("sinh", "sinh(x)", traits="may_warn may_overflow")
elementwise("cosh", "cosh(x)", traits="positive may_warn may_overflow")
elementwise(
    "tanh", "tanh(x)", level="x", kink="slope 1 - tanh(x)**2, so 0 beyond 19 and -19"
)
elementwise(
    "arcsinh", "asinh(x)", math_name="asinh", vjp={"x": _arcsinh_vjp}, jvp={"x": _arcsinh_jvp}
)  # fmt: skip
elementwise(
    "arccosh", "acosh(x)", math_name="acosh", traits="singular may_be_nonfinite",
    derivative={"x": "over(1, sqrt(x + 1) * sqrt(x - 1))"}, kink="inf at 1",
)  # fmt: skip
elementwise(
    "arctanh", "atanh(x)", math_name="atanh", traits="may_be_nonfinite",
    derivative={"x": "1 / to_one(x)"},
)  # fmt: skip
elementwise("deg2rad", "x * pi / 180", math_name="radians", calls=(np.deg2rad, np.radians))
elementwise("rad2deg", "x * 180 / pi", math_name="degrees", calls=(np.rad2deg, np.degrees))
