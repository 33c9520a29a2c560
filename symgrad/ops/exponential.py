"""Roots, exponentials and logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from .elementwise import elementwise, math_surface
from .masks import scale_under_masks
from .slopes import slope
from .table import SURFACE

elementwise("exp", "exp(x)", traits="positive may_warn may_overflow", level="-x")
elementwise("exp2", "2**x", traits="positive may_warn may_overflow")
elementwise(
    "expm1", "exp(x) - 1", traits="may_warn may_overflow",
    derivative={"x": "exp(x)"},  # 1 + out cancels
)  # fmt: skip
elementwise("log", "log(x)", traits="may_be_nonfinite")
elementwise("log2", "log(x) / log(2)", traits="may_be_nonfinite")
elementwise("log10", "log(x) / log(10)", traits="may_be_nonfinite")
elementwise("log1p", "log(1 + x)", traits="may_be_nonfinite")


def _math_log(b: Any, x: Any, *base: Any) -> Any:
    """``math.log(x)`` and ``math.log(x, base)``."""
    one = math_surface("log")
    return one(b, x) / one(b, *base) if base else one(b, x)


SURFACE[math.log] = _math_log


# --------------------------------------------------------------------- log of a sum of exp
elementwise(
    "falling_sigmoid", "1 / (1 + exp(x))", ufunc=np.exp, calls=(),
    emit="np.exp(-np.logaddexp(0, x))",  # exact at both ends, and silent where exp overflows
    derivative={"x": "-falling_slope(x)"}, traits="positive", level="x",
)  # fmt: skip
slope(
    "falling_slope", "falling_sigmoid(x) * falling_sigmoid(-x)", "-out * tanh(0.5 * x)",
    expression="exp(x) / (1 + exp(x))**2", emit="np.exp(-np.logaddexp(0, x) - np.logaddexp(0, -x))",
    traits="positive", level="x",
)  # fmt: skip


def _gap(x: Expr, y: Expr) -> Expr:
    """y - x, and 0 for two equal infinities; not for equal numbers, whose difference has slopes."""
    if any(e.value.is_constant and np.all(np.isfinite(e.value.constant)) for e in (x, y)):
        return y - x
    same = f.logical_and(f.isinf(x), f.equal(x, y))
    return f.where(same, 0, y) - f.where(same, 0, x)  # type: ignore[no-any-return]


def _of_share(unit: float, swap: bool, *, jvp: bool) -> Callable[..., Any]:
    """exp(x) / (exp(x) + exp(y)) as a falling sigmoid of y - x: nothing overflows or warns, and
    two equal infinities share equally."""

    def slope(x: Expr, y: Expr) -> Expr:
        d = -_gap(x, y) if swap else _gap(x, y)
        return f.falling_sigmoid(d if unit == 1 else unit * d)  # type: ignore[no-any-return]

    def vjp_rule(g: Expr, x: Expr, y: Expr) -> Any:
        return scale_under_masks(g, lambda h, x, y: h * slope(x, y), (x, y))

    def jvp_rule(t: Expr, x: Expr, y: Expr) -> Any:
        return t * slope(x, y)

    return jvp_rule if jvp else vjp_rule


for _name, _unit, _text in (
    ("logaddexp", 1.0, "log(exp(x) + exp(y))"),
    ("logaddexp2", math.log(2), "log(2**x + 2**y) / log(2)"),
):
    elementwise(
        _name, _text, inputs="x y", traits="commutative", kink="0.5 each where both are -inf",
        vjp={"x": _of_share(_unit, False, jvp=False), "y": _of_share(_unit, True, jvp=False)},
        jvp={"x": _of_share(_unit, False, jvp=True), "y": _of_share(_unit, True, jvp=True)},
    )  # fmt: skip
