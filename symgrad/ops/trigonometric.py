"""Trigonometric and hyperbolic functions, angles."""

from __future__ import annotations

import numpy as np

from .elementwise import elementwise

# No squares: they overflow and underflow where the derivative does not.
_RADIUS = "where(hypot(x, y) == 0, 1, hypot(x, y))"

elementwise("sin", "sin(x)")
elementwise("cos", "cos(x)")
elementwise("tan", "tan(x)")
elementwise(
    "arcsin",
    "asin(x)",
    math_name="asin",
    traits="singular may_be_nonfinite",
    kink="inf at 1",
)
elementwise(
    "arccos",
    "acos(x)",
    math_name="acos",
    traits="singular may_be_nonfinite",
    kink="-inf at 1",
)
elementwise("arctan", "atan(x)", math_name="atan")
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
elementwise("tanh", "tanh(x)")
elementwise("arcsinh", "asinh(x)", math_name="asinh")
elementwise(
    "arccosh",
    "acosh(x)",
    math_name="acosh",
    traits="singular may_be_nonfinite",
    kink="inf at 1",
)
elementwise("arctanh", "atanh(x)", math_name="atanh", traits="may_be_nonfinite")
elementwise("deg2rad", "x * pi / 180", math_name="radians", calls=(np.deg2rad, np.radians))
elementwise("rad2deg", "x * 180 / pi", math_name="degrees", calls=(np.rad2deg, np.degrees))
