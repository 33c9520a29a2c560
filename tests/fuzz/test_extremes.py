"""Every elementwise function far out, near 0 and at the edges of its domain, against mpmath.

A few functions run always; ``make fuzz`` runs them all. Where the function and its true
derivative are finite, so is ours, and right: in both modes, and in second derivatives whatever
the first one was.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from mpmath.libmp import NoConvergence

import symgrad as sg
from symgrad.ops.elementwise import EXPRESSIONS

special = pytest.importorskip("scipy.special")

F = sg.nn.functional
ALL = "SYMGRAD_FUZZ" in os.environ
EVERY = 1 if ALL else 29
X = sympy.Symbol("x", real=True)
SIZES = (1e-8, 0.3, 1.0, 3.0, 20.0, 40.0, 710.0, 800.0, 1e8)
NEAR_ONE = (1 - 1e-8, 1 - 2.0**-53, 1 + 2.0**-52, 1 + 1e-8)
POINTS = (0.0, 2.0, -2.5, 1e-8 - 1, *NEAR_ONE, *SIZES, *(-x for x in SIZES))
FARTHER = (1e-300, -1e-160, 1e160, -1e300, 2.0**-53 - 1, *POINTS)
"""For functions whose values out there are right themselves."""

ABSOLUTE = ("tanh", "F.tanhshrink", "F.gelu by tanh")
"""Right to the last bit of 1, as 1 - tanh(x)**2 is."""
RELATIVE = (
    "F.sigmoid", "F.silu", "F.gelu", "F.mish", "F.softsign", "special.expit",
)  # fmt: skip
"""Right relative to the derivative, however small that is beside the function."""


@dataclass(frozen=True, slots=True)
class Case:
    """A function of one number; its text, what names in that stand for, and numbers for those
    that are not ``X``."""

    function: Callable[[Any], Any]
    text: str
    symbols: dict[str, sympy.Symbol]
    numbers: dict[sympy.Symbol, float]
    points: tuple[float, ...]


# ------------------------------------------------------------------------------ the cases
OTHERS = (1.0, 1e-8, 3.0, -2.0)
WIDE = ("multiply", "divide", "hypot", "arctan2")
UNARY = {
    "erf": "erf(x)", "erfc": "erfc(x)", "erfcx": "exp(x**2)*erfc(x)", "erfi": "erfi(x)",
    "dawsn": "sqrt(pi)/2*exp(-x**2)*erfi(x)", "erfinv": "erfinv(x)", "erfcinv": "erfinv(1-x)",
    "ndtr": "erfc(-x/sqrt(2))/2",
    "log_ndtr": "log(erfc(-x/sqrt(2))/2)", "gammaln": "log(gamma(x))",
    "gamma": "gamma(x)", "rgamma": "1/gamma(x)", "digamma": "digamma(x)", "expit": "1/(1+exp(-x))",
    "logit": "log(x/(1-x))", "log_expit": "-log(1+exp(-x))", "entr": "-x*log(x)",
    "exprel": "(exp(x)-1)/x",
    "cosm1": "cos(x)-1", "exp2": "2**x", "exp10": "10**x", "expm1": "exp(x)-1", "log1p": "log(1+x)",
    "j0": "besselj(0,x)", "j1": "besselj(1,x)", "y0": "bessely(0,x)", "y1": "bessely(1,x)",
    "i0": "besseli(0,x)", "i1": "besseli(1,x)", "k0": "besselk(0,x)", "k1": "besselk(1,x)",
    "expi": "Ei(x)", "exp1": "expint(1,x)",
}  # fmt: skip
BINARY = {
    "xlogy": "a*log(b)", "xlog1py": "a*log(1+b)", "rel_entr": "a*log(a/b)",
    "kl_div": "a*log(a/b)-a+b",
    "boxcox": "(a**b-1)/b", "boxcox1p": "((1+a)**b-1)/b",
    "pseudo_huber": "a**2*(sqrt(1+(b/a)**2)-1)",
}  # fmt: skip
BY_THE_SECOND = {
    "jv": "besselj(a,b)", "yv": "bessely(a,b)", "iv": "besseli(a,b)", "kv": "besselk(a,b)",
    "gammainc": "lowergamma(a,b)/gamma(a)", "gammaincc": "uppergamma(a,b)/gamma(a)",
    "expn": "expint(a,b)",
}  # fmt: skip
COMPOSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "softplus": (lambda x: np.logaddexp(x, 0.0), "log(1+exp(x))"),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), "1/(1+exp(-x))"),
    "silu": (lambda x: x / (1 + np.exp(-x)), "x/(1+exp(-x))"),
    "softsign": (lambda x: x / (1 + np.abs(x)), "x/(1+Abs(x))"),
    "log cosh": (lambda x: np.log(np.cosh(x)), "log(cosh(x))"),
    "root of 1 + x**2": (lambda x: np.sqrt(1 + x * x), "sqrt(1+x**2)"),
    "sinc": (np.sinc, "sin(pi*x)/(pi*x)"),
    "F.sigmoid": (F.sigmoid, "1/(1+exp(-x))"),
    "F.silu": (F.silu, "x/(1+exp(-x))"),
    "F.gelu": (F.gelu, "x*erfc(-x/sqrt(2))/2"),
    "F.gelu by tanh": (
        lambda x: F.gelu(x, "tanh"),
        "x*(1+tanh(sqrt(2/pi)*(x+Rational('0.044715')*x**3)))/2",
    ),
    "F.mish": (F.mish, "x*tanh(log(1+exp(x)))"),
    "F.softsign": (F.softsign, "x/(1+Abs(x))"),
    "F.tanhshrink": (F.tanhshrink, "x-tanh(x)"),
}
POWERS = (2, 3, 4, 1, -1, -2, 0.5, -0.5, 1.5, 2.5)


def cases() -> dict[str, Case]:
    """By name."""
    found = {n: Case(c, t, {"x": X}, {}, POINTS) for n, (c, t) in COMPOSED.items()}
    for name, (names, text, _) in EXPRESSIONS.items():
        function = getattr(np, name, None)
        others = (*OTHERS, 1e160) if name in WIDE else OTHERS
        if function is not None:
            found |= of_function(name, function, text, tuple(names), others, FARTHER)
    for name, text in UNARY.items():
        found |= of_function(f"special.{name}", getattr(special, name), text, ("x",))
    for name, text in BINARY.items():
        numbers = (1.0, 0.5, 3.0)
        found |= of_function(
            f"special.{name}", getattr(special, name), text, ("a", "b"), numbers
        )
    for name, text in BY_THE_SECOND.items():
        numbers = (2.0, 3.0)
        made = of_function(
            f"special.{name}", getattr(special, name), text, ("a", "b"), numbers
        )
        found |= {n: c for n, c in made.items() if " by b" in n}
    for p in POWERS:
        text = f"x ** Rational({p})"
        found[f"x**{p}"] = Case(lambda x, p=p: x**p, text, {"x": X}, {}, FARTHER)
    return found


def of_function(
    name: str,
    function: Callable[..., Any],
    text: str,
    names: tuple[str, ...],
    numbers: tuple[float, ...] = (),
    points: tuple[float, ...] = POINTS,
) -> dict[str, Case]:
    """By each argument, with numbers for the other one."""
    if len(names) == 1:
        return {name: Case(function, text, {names[0]: X}, {}, points)}
    made = {}
    other = sympy.Symbol("other", real=True)
    for place, argument in enumerate(names):
        symbols = {argument: X, names[1 - place]: other}
        for number in numbers:

            def one(x: Any, number: float = number, place: int = place) -> Any:
                return function(number, x) if place else function(x, number)

            label = f"{name} by {argument}, {names[1 - place]} = {number:g}"
            made[label] = Case(one, text, symbols, {other: number}, points)
    return made


CASES = cases()


# ------------------------------------------------------------------------------ the truth
def truth(case: Case, order: int) -> Callable[[float, int], float]:
    """A derivative at a point with a number of digits; nan where it is none or not finite."""
    expression = sympy.sympify(case.text, locals=case.symbols)
    formula = sympy.diff(expression, X, order).replace(sympy.DiracDelta, lambda *_: 0)
    at = sympy.lambdify([X, *case.numbers], formula, modules=["mpmath"])

    def value(x: float, digits: int) -> float:
        with mpmath.workdps(digits):
            try:
                found = mpmath.mpmathify(at(*map(mpmath.mpf, (x, *case.numbers.values()))))
            except (
                ArithmeticError,
                ValueError,
                TypeError,
                NotImplementedError,
                NoConvergence,
            ):
                return np.nan
            if not mpmath.isfinite(found) or abs(mpmath.im(found)) > 1e-20 * abs(found):
                return np.nan
            real = mpmath.re(found)
            return float(real) if abs(real) < 1e308 else np.nan

    return value


def moved(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: sg.jvp(function, (x,), (np.ones_like(x),))[1]


def slope(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return sg.grad(lambda x: np.sum(function(x)))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", sorted(CASES)[::EVERY])
def test_far_out(name: str) -> None:
    case = CASES[name]
    values = case.function(np.array(case.points))
    at = np.array(case.points)[np.isfinite(values)]
    values = values[np.isfinite(values)]
    first = {"reverse": slope(case.function), "forward": moved(case.function)}
    second = {
        f"{outer.__name__} of {mode}": outer(function)
        for outer in (slope, moved)
        for mode, function in first.items()
    }
    wrong = []
    for order, ways in ((1, first), (2, second)):
        exact = truth(case, order)
        for mode, function in ways.items():
            for x, value, got in zip(at, values, function(at), strict=True):
                size = 1 if name in ABSOLUTE else max(abs(x), 1) ** order
                least = 1e-290 + (0 if name in RELATIVE else 4e-16 * abs(value) / size)
                if not right(exact, x, got, least, name):
                    wrong.append((mode, x, got, exact(x, 60)))
    assert not wrong


def right(
    exact: Callable[[float, int], float], x: float, got: float, least: float, name: str
) -> bool:
    """Digits are added where they do not agree: the truth may have cancelled, too."""
    for digits in (60, 200 if name.startswith("special") else 900):
        expected = exact(float(x), digits)
        if np.isnan(expected) or abs(got - expected) <= 1e-6 * abs(expected) + least:
            return True
    return False
