"""Derivatives at extreme points against mpmath: whatever is finite in truth is right."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

import symgrad as sg

FAR = (
    0.0,
    0.3,
    -2.0,
    19.0,
    40.0,
    -40.0,
    300.0,
    -300.0,
    500.0,
    -500.0,
    800.0,
    -800.0,
    1e8,
    -1e8,
)
HUGE = (0.0, 1e-200, -1e-8, 1.0, -3.0, 1e8, -1e8, 1e100, -1e200, 1e200)
TO_ONE = (0.0, 1e-200, 0.5, -0.5, 1 - 1e-8, -1 + 1e-8, 1 - 2.0**-53, -1 + 2.0**-53)

Case = tuple[Callable[[Any], Any], Callable[[Any], Any], Sequence[float]]
exp, cosh = mpmath.exp, mpmath.cosh
CASES: dict[str, Case] = {
    # what overflows below a line, or before something that levels off
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x: 1 / (1 + exp(-x)), FAR),
    "one less": (lambda x: 1 / (1 + np.exp(x)), lambda x: 1 / (1 + exp(x)), FAR),
    "silu": (lambda x: x / (1 + np.exp(-x)), lambda x: x / (1 + exp(-x)), FAR),
    "sech": (lambda x: 1 / np.cosh(x), lambda x: 1 / cosh(x), FAR),
    "sech squared": (lambda x: 1 / np.cosh(x) ** 2, lambda x: cosh(x) ** -2, FAR),
    "power -1": (lambda x: np.cosh(x) ** -1, lambda x: 1 / cosh(x), FAR),
    "reciprocal": (lambda x: np.reciprocal(np.cosh(x)), lambda x: 1 / cosh(x), FAR),
    "two": (lambda x: 1 / (np.exp(x) + np.exp(-x)), lambda x: 1 / (exp(x) + exp(-x)), FAR),
    "tanh(exp)": (lambda x: np.tanh(np.exp(x)), lambda x: mpmath.tanh(exp(x)), (-40.0, 800.0)),
    "arctan(sinh)": (
        lambda x: np.arctan(np.sinh(x)), lambda x: mpmath.atan(mpmath.sinh(x)),
        (-800.0, 2.0, 800.0),
    ),
    "gumbel": (lambda x: np.exp(-np.exp(x)), lambda x: exp(-exp(x)), (-40.0, 2.0, 300.0, 800.0)),
    # slopes that would cancel
    "expm1": (np.expm1, mpmath.expm1, (0.0, 1e-200, -1e-8, -19.0, -40.0, -300.0, 300.0)),
    "arcsin": (np.arcsin, mpmath.asin, TO_ONE),
    "arccos": (np.arccos, mpmath.acos, TO_ONE),
    "arctanh": (np.arctanh, mpmath.atanh, TO_ONE),
    "logaddexp": (lambda x: np.logaddexp(0, x), lambda x: mpmath.log1p(exp(x)), FAR),
    "sg sigmoid": (sg.nn.functional.sigmoid, lambda x: 1 / (1 + exp(-x)), FAR),
    "hypot": (lambda x: np.hypot(x, 1.0), lambda x: mpmath.hypot(x, 1), HUGE),
    "hypot.reduce": (
        lambda x: np.hypot.reduce(np.stack([x, 0.5 * x, 1 + 0 * x])),
        lambda x: mpmath.sqrt(1.25 * x * x + 1), (1e200, -3.0, 1e-200),
    ),
    "lorentz": (lambda x: 1 / (1 + x * x), lambda x: 1 / (1 + x * x), FAR),
}  # fmt: skip


F, SMALL = sg.nn.functional, (1e-200, -1e-20, 1e-13, -1e-9, 1e-3)
KEPT: dict[str, Case] = {
    # second derivatives that vanish at 0, slopes that fall off: digits are kept all the same
    "sigmoid": (F.sigmoid, lambda x: 1 / (1 + exp(-x)), (*SMALL, 40.0, -300.0)),
    "logaddexp's slope": (
        lambda x: sg.jvp(lambda x: np.logaddexp(x, 0), (x,), (np.ones_like(x),))[1],
        lambda x: 1 / (1 + exp(-x)), (*SMALL, 40.0, -300.0),
    ),
    "silu": (F.silu, lambda x: x / (1 + exp(-x)), (*SMALL, -300.0)),
    "softsign": (F.softsign, lambda x: x / (1 + abs(x)), (1e8, -1e20, 1e90)),
    "tanhshrink": (F.tanhshrink, lambda x: x - mpmath.tanh(x), (1e-9, -1e-90, 2.0)),
    "mish": (F.mish, lambda x: x * mpmath.tanh(mpmath.log1p(exp(x))), (-300.0, 0.1, 25.0, 300.0)),
}  # fmt: skip


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """What overflows in the function itself warns."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def truth(function: Callable[[Any], Any], x: float, order: int, digits: int = 900) -> float:
    """A derivative by differences; 900 digits are enough for ``1 + exp(-1000)``."""
    with mpmath.workdps(digits):
        return float(mpmath.re(mpmath.diff(function, mpmath.mpf(x), order)))


def total(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: np.sum(function(x))


def moved(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: sg.jvp(function, (x,), (np.ones_like(x),))[1]


@pytest.mark.parametrize("name", CASES)
def test_both_modes_and_both_orders(name: str) -> None:
    compare(*CASES[name])


@pytest.mark.parametrize("name", KEPT)
def test_digits_are_kept(name: str) -> None:
    compare(*KEPT[name], relative=True)


def compare(
    function: Callable[[Any], Any],
    exact: Callable[[Any], Any],
    points: Sequence[float],
    digits: int = 900,
    relative: bool = False,
) -> None:
    """Both modes and both orders with mpmath, at each point: second derivatives relative to
    themselves, or to the first, too."""
    at = np.array(points)
    first = sg.grad(total(function))
    found = {
        (1, "reverse"): first(at),
        (1, "forward"): moved(function)(at),
        (2, "reverse over reverse"): sg.grad(total(first))(at),
        (2, "forward over forward"): moved(moved(function))(at),
        (2, "forward over reverse"): moved(first)(at),
    }
    for order in (1, 2):
        expected = np.array([truth(exact, x, order, digits) for x in points])
        loose = order == 2 and not relative
        least = 1e-200 + 1e-14 * np.abs(first(at)) if loose else 1e-300
        for (which, mode), result in found.items():
            if which == order:
                right = np.abs(result - expected) <= 1e-10 * np.abs(expected) + least
                assert np.all(right), (mode, at[~right], result[~right], expected[~right])


def special_cases() -> dict[str, Case]:
    special = pytest.importorskip("scipy.special")
    root, pi = mpmath.sqrt(2), mpmath.pi
    below = (-1e3, -40.0, -5.0, 0.0, 5.0, 25.0)

    def log_ndtr(x: Any) -> Any:
        return mpmath.log(mpmath.erfc(-x / root) / 2)

    def dawsn(x: Any) -> Any:
        return mpmath.sqrt(pi) / 2 * exp(-x * x) * mpmath.erfi(x)

    def kl_div(x: Any) -> Any:
        return x * mpmath.log(x) - x + 1

    def rise(x: Any) -> Any:
        return x * x * (mpmath.sqrt(1 + 1 / x**2) - 1)

    return {
        "log_ndtr": (special.log_ndtr, log_ndtr, below),
        "dawsn": (special.dawsn, dawsn, (0.0, 3.0, -10.0, 51.0)),
        "kl_div": (lambda x: special.kl_div(x, 1.0), kl_div, (1e-200, 0.3, 1 + 1e-9, 1e8)),
        "kl_div by the other": (
            lambda x: special.kl_div(0.5, x), lambda x: mpmath.log(0.5 / x) / 2 - 0.5 + x,
            (1e-100, 0.5 + 1e-9, 1e8),
        ),
        "pseudo_huber by its bend": (lambda x: special.pseudo_huber(x, 0.5),
            lambda x: x * x * (mpmath.sqrt(1 + 0.25 / x**2) - 1), (1e-100, 1e-9, 2.0, 1e8)),
        "pseudo_huber": (lambda x: special.pseudo_huber(x, 1.0), rise, (0.01, 0.5, 1e4)),
        "expit": (special.expit, lambda x: 1 / (1 + exp(-x)), FAR),
    }  # fmt: skip


DIGITS = {"dawsn": 100, "log_ndtr": 400}
"""Fewer where a function is dear and does not level off."""


@pytest.mark.parametrize(
    "name",
    [
        "log_ndtr", "dawsn", "kl_div", "kl_div by the other", "pseudo_huber",
        "pseudo_huber by its bend", "expit",
    ],
)  # fmt: skip
def test_functions_of_scipy(name: str) -> None:
    compare(*special_cases()[name], digits=DIGITS.get(name, 900))


CURVED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Sequence[float]]] = {
    "hypot": (lambda x: np.hypot(x, 1.0), lambda x: mpmath.hypot(x, 1), (1e-9, 3.0, -1e8, 1e100)),
    "arcsin": (np.arcsin, mpmath.asin, (1e-200, -1e-8, 0.5)),
    "arctanh": (np.arctanh, mpmath.atanh, (1e-200, -1e-8, 0.5)),
    "sinc": (np.sinc, lambda x: mpmath.sincpi(x), (0.25, 3.0, 1e8, -1e12 - 0.5)),
}  # fmt: skip


@pytest.mark.parametrize("name", CURVED)
def test_second_derivatives_do_not_cancel(name: str) -> None:
    function, exact, points = CURVED[name]
    at = np.array(points)
    expected = [truth(exact, x, 2) for x in points]
    for first in (sg.grad(total(function)), moved(function)):
        for second in (sg.grad(total(first)), moved(first)):
            np.testing.assert_allclose(second(at), expected, rtol=1e-9)


LEVEL = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "power -1": lambda x: np.cosh(x) ** -1,
    "reciprocal": lambda x: np.reciprocal(np.cosh(x)),
    "gumbel": lambda x: np.exp(-np.exp(-x)),
    "a share": lambda x: np.exp(x) / (np.exp(x) + np.exp(-x)),
    "told by the user": lambda x: np.where(np.isinf(np.exp(-x)), 0, 1 / (1 + np.exp(-x))),
}
STEEP = {
    "log": np.log,
    "log2": np.log2,
    "negative": lambda y: -np.log10(2 * y),
    "quotient": lambda y: 1 / y,
    "power": lambda y: y**-0.5,
}


@pytest.mark.parametrize("level", LEVEL)
@pytest.mark.parametrize("steep", STEEP)
def test_an_infinite_slope_of_what_has_underflowed_is_no_zero(
    level: str, steep: str
) -> None:
    """In both modes, and in second derivatives whatever the first one was; but what the user
    has masked stays a hard zero."""
    hard = level == "told by the user"

    def function(x: Any) -> Any:
        return STEEP[steep](LEVEL[level](x))

    at = np.array([-800.0])
    reverse = sg.grad(total(function))
    for first in (reverse, moved(function)):
        assert (first(at) == 0) == hard
    if steep in ("quotient", "power"):
        for first in (reverse, moved(function)):
            for second in (sg.grad(total(first)), moved(first)):
                assert (second(at) == 0) == hard


@pytest.mark.parametrize("scale", [1e130, 1e-130])
@pytest.mark.parametrize(
    "function",
    [
        np.linalg.norm,
        np.std,
        lambda x: np.sum(np.linalg.norm(x.reshape(3, 1), axis=1)),
        lambda x: np.linalg.norm(x, 2.2),
    ],
)
@pytest.mark.parametrize("outer", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("inner", [sg.jacfwd, sg.jacrev])
def test_second_derivatives_of_norms_have_no_third_powers(
    inner: Any, outer: Any, function: Any, scale: float
) -> None:
    """They scale like ``1 / x``, and over- and underflow only where that does."""
    x = np.array([3.0, 4.0, 1.0])
    second = outer(inner(function))
    np.testing.assert_allclose(scale * second(scale * x), second(x), rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("outer", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("inner", [sg.jacfwd, sg.jacrev])
def test_second_derivatives_of_quotients_have_no_squares_of_divisors(
    inner: Any, outer: Any
) -> None:
    """Which over- and underflow where the quotients do not."""
    x = np.array([3.0, -4.0, 1.0])
    second = outer(inner(lambda x: np.sum(x**3) / np.sum(x * x)))
    for scale in (1e80, 1e-80):
        np.testing.assert_allclose(scale * second(scale * x), second(x), rtol=1e-12)


INFINITE = np.array([np.inf, -np.inf, np.inf])


def levels() -> dict[str, Callable[[Any], Any]]:
    found: dict[str, Callable[[Any], Any]] = {
        "arctan": np.arctan,
        "arctan2": lambda x: np.arctan2(x, np.array([1.0, 2.0, -np.inf])),
        "arctan2 by the other": lambda x: np.arctan2(np.array([1.0, 2.0, np.inf]), x),
    }
    try:
        from scipy import special
    except ImportError:
        return found
    found["gammainc"] = lambda x: special.gammainc(2.5, np.abs(x))
    return {**found, "erf": special.erf, "erfc": special.erfc, "ndtr": special.ndtr}


@pytest.mark.parametrize("function", levels().values(), ids=levels())
def test_a_function_that_levels_off_is_level_at_infinity(function: Any) -> None:
    for first in (sg.grad(total(function)), moved(function)):
        assert not np.any(first(INFINITE))
        for second in (sg.grad(total(first)), moved(first)):
            assert not np.any(second(INFINITE))
