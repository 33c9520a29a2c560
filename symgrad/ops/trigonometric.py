"""Trigonometric and hyperbolic functions, angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import is_complex
from .elementwise import elementwise
from .formula import times
from .masks import scale_under_masks

# No squares: they overflow and underflow where the derivative does not.
_TO_ONE = "(1 - x) * (1 + x)"  # 1 - x**2 cancels near 1
_RADIUS = "where(hypot(x, y) == 0, 1, hypot(x, y))"


def _by_arcsinh(h: Expr, x: Expr, *, conjugate: bool) -> Any:
    """``h / sqrt(1 + x**2)``, without the square where ``x`` is real."""
    if is_complex(x.type):
        return times(h, 1 / f.sqrt(x**2 + 1), conjugate)
    return h / f.hypot(x, 1.0)


def _arcsinh_vjp(g: Expr, x: Expr) -> Any:
    return scale_under_masks(g, lambda h, x: _by_arcsinh(h, x, conjugate=True), (x,))


def _arcsinh_jvp(t: Expr, x: Expr) -> Any:
    return _by_arcsinh(t, x, conjugate=False)


elementwise("sin", "sin(x)")
elementwise("cos", "cos(x)")
elementwise("tan", "tan(x)")
elementwise(
    "arcsin", "asin(x)", math_name="asin", traits="singular may_be_nonfinite",
    derivative={"x": f"over(1, sqrt({_TO_ONE}))"}, kink="inf at 1",
)  # fmt: skip
elementwise(
    "arccos", "acos(x)", math_name="acos", traits="singular may_be_nonfinite",
    derivative={"x": f"-over(1, sqrt({_TO_ONE}))"}, kink="-inf at 1",
)  # fmt: skip
elementwise("arctan", "atan(x)", math_name="atan", level="x")
elementwise(
    "arctan2", "atan2(y, x)", inputs="y x", math_name="atan2", kink="0 at (0, 0)",
    derivative={"y": f"x / {_RADIUS} / {_RADIUS}", "x": f"-y / {_RADIUS} / {_RADIUS}"},
)  # fmt: skip
elementwise(
    "hypot", "sqrt(x**2 + y**2)", inputs="x y", traits="commutative nonnegative",
    derivative={"x": "x / where(out == 0, 1, out)", "y": "y / where(out == 0, 1, out)"},
    kink="0 at (0, 0)",
)  # fmt: skip
elementwise("sinh", "sinh(x)", traits="may_warn may_overflow")
elementwise("cosh", "cosh(x)", traits="positive may_warn may_overflow")
elementwise("tanh", "tanh(x)", level="x")
elementwise(
    "arcsinh", "asinh(x)", math_name="asinh", vjp={"x": _arcsinh_vjp}, jvp={"x": _arcsinh_jvp}
)  # fmt: skip
elementwise(
    "arccosh", "acosh(x)", math_name="acosh", traits="singular may_be_nonfinite",
    derivative={"x": "over(1, sqrt(x + 1) * sqrt(x - 1))"}, kink="inf at 1",
)  # fmt: skip
elementwise(
    "arctanh", "atanh(x)", math_name="atanh", traits="may_be_nonfinite",
    derivative={"x": f"1 / ({_TO_ONE})"},
)  # fmt: skip
elementwise("deg2rad", "x * pi / 180", math_name="radians", calls=(np.deg2rad, np.radians))
elementwise("rad2deg", "x * 180 / pi", math_name="degrees", calls=(np.rad2deg, np.degrees))
