"""Derivative formulas are what SymPy says, and are good numerically."""

import subprocess
import sys
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgrad.ops
from symgrad.ops import symbolic
from symgrad.ops.derived import DERIVED
from symgrad.ops.elementwise import EXPRESSIONS
from symgrad.ops.formula import build, parse

from .building import value

BY_HAND = {name: given for name, (_, _, given) in EXPRESSIONS.items() if given}
EXTREME = [-1e300, -800.0, -40.0, -1e-9, 1e-9, 0.5, 40.0, 800.0, 1e300]


def test_derived_is_what_sympy_gives() -> None:
    assert symbolic.derive_all() == DERIVED


@lru_cache
def numeric(text: str, names: tuple[str, ...]) -> Any:
    return sp.lambdify(names, symbolic.parse(text, names), "mpmath")


@lru_cache
def exact_slope(name: str, by: str) -> Any:
    names, text, _ = EXPRESSIONS[name]
    exact = sp.diff(symbolic.parse(text, names), sp.Symbol(by, real=True))
    return sp.lambdify(names, exact, "mpmath")


def slope_at(
    name: str, by: str, formula: str, point: tuple[float, ...]
) -> tuple[float, float]:
    """The formula's value in float64 and the true derivative."""
    names = EXPRESSIONS[name][0]
    node = parse(formula)

    def evaluated(*inputs: Any) -> Any:
        out = getattr(symgrad.ir.expr.f, name)(*inputs)
        return build(node, dict(zip((*names, "out"), (*inputs, out), strict=True)))

    with np.errstate(all="ignore"):
        arrays = [np.array([p]) for p in point]
        got = value(lambda *a: evaluated(*a) + 0.0 * a[0], *arrays)[0]
    with mpmath.workdps(700):
        true = exact_slope(name, by)(*map(mpmath.mpf, point))
    return float(got), float(mpmath.re(true))


@pytest.mark.parametrize("name", BY_HAND)
def test_formulas_by_hand_are_the_derivative(name: str) -> None:
    names, _, given = EXPRESSIONS[name]
    for by, formula in given.items():
        for x in (-1.7, -0.3, 0.4, 2.2):
            point = (x, 1.3)[: len(names)]
            if symbolic_real(name, point):
                got, true = slope_at(name, by, formula, point)
                assert got == pytest.approx(true, rel=1e-12), (by, point)


@pytest.mark.parametrize("name", [*BY_HAND, *DERIVED])
def test_formulas_stay_finite_where_the_derivative_is(name: str) -> None:
    names, _, given = EXPRESSIONS[name]
    for by, formula in (given or DERIVED[name]).items():
        for x in EXTREME:
            point = (x, 1.3)[: len(names)]
            try:
                got, true = slope_at(name, by, formula, point)
            except (ValueError, ZeroDivisionError, OverflowError):
                continue  # not defined there
            if abs(true) < 1e150 and symbolic_real(name, point):
                assert np.isfinite(got), (by, point)
                assert got == pytest.approx(true, rel=1e-6, abs=1e-12), (by, point)


def symbolic_real(name: str, point: tuple[float, ...]) -> bool:
    """Whether the function itself is real and in range there."""
    names, text, _ = EXPRESSIONS[name]
    with mpmath.workdps(400):
        found = numeric(text, names)(*map(mpmath.mpf, point))
        return mpmath.im(found) == 0 and abs(found) < 1e150


def test_importing_symgrad_does_not_import_sympy() -> None:
    code = "import symgrad, symgrad.ops, sys; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "by", "formula"),
    [
        ("tanh(x)", "x", "1 - out**2"),
        ("sqrt(x)", "x", "1 / (2 * out)"),
        ("sin(x)", "x", "cos(x)"),
        ("atan(x)", "x", "1 / (x**2 + 1)"),
        ("x * exp(x)", "x", "out + exp(x)"),
        ("3 * exp(x) - 2", "x", "out + 2"),
        ("Abs(x)", "x", "sign(x)"),
    ],
)
def test_derivative(text: str, by: str, formula: str) -> None:
    assert symbolic.derivative(text, ("x",), by) == formula


def test_derivative_without_an_op() -> None:
    with pytest.raises(ValueError, match=r"polygamma.*which has no op for it"):
        symbolic.derivative("loggamma(x)", ("x",), "x")


@pytest.mark.parametrize("text", ["x if y else z", "[x]", "lambda: x", "x and y"])
def test_formulas_are_arithmetic_only(text: str) -> None:
    with pytest.raises(ValueError, match="is not allowed in the formula"):
        parse(text)
