"""``scipy.special``: calls of more than one ufunc, complex numbers, no holomorphic functions."""

from typing import Any

import numpy as np
import pytest

import symgrad as sg

from .building import gradient, surface
from .calls import Call, call, check

special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")

X = np.array([[0.3, 1.2, 2.5], [0.7, 1.9, 2.2]])
S = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
ZEROS = np.array([[1.0, 0.0, 2.0], [0.5, 0.0, 0.0]])
CALLS = [
    call(special.logsumexp, S, 1, X), call(special.logsumexp, S, b=ZEROS, axis=1),
    call(special.logsumexp, S, b=S, return_sign=True),
    call(special.logsumexp, S, 0, return_sign=True, keepdims=True),
    call(special.comb, X + 3, X), call(special.comb, X + 3, 2, repetition=True),
    call(special.comb, X, 2, repetition=True), call(special.comb, X, 0, repetition=True),
    call(special.factorial, X), call(special.multigammaln, X + 2, 3),
    call(special.lambertw, X + 0.5j), call(special.zeta, 3, X),
    call(special.eval_legendre, 3, S / 3), call(special.polygamma, [0, 1, 2], X),
    call(special.kl_div, X, X + 1e-9),
]  # fmt: skip


@pytest.mark.parametrize("given", CALLS, ids=str)
def test_call(given: Call) -> None:
    check(given)


def test_values_are_scipys_to_the_last_bit() -> None:
    def several(x):  # type: ignore[no-untyped-def]
        total = special.logsumexp(x, 1, x * x)
        return (
            special.multigammaln(x, 3),
            special.polygamma(2, x),
            total,
            special.zeta(3, x),
        )

    for got, expected in zip(sg.compile(several)(X + 2), several(X + 2), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_exact_numbers_are_known_when_compiling() -> None:
    def exact(x):  # type: ignore[no-untyped-def]
        return x * special.comb(5, 2, exact=True) + special.factorial(4)

    assert sg.compile(exact)(1.5) == exact(1.5) == 39


def test_a_weight_of_zero_and_nothing_else() -> None:
    rest = np.array([-np.inf, 1.0])
    got = gradient(lambda x: surface(special.logsumexp)(x, b=np.array([0.0, 2.0])), rest)
    np.testing.assert_allclose(got, [0, 1])


@pytest.mark.parametrize("name", ["ive", "jve", "yve"])
@pytest.mark.parametrize("at", [1.3 - 0.4j, -0.7 + 0.2j])
def test_factors_that_are_not_holomorphic(name: str, at: complex) -> None:
    function = getattr(special, name)
    weight = 0.3 - 1.1j

    def one(z):  # type: ignore[no-untyped-def]
        return np.real(weight * function(1.5, z))

    step = 1e-6
    expected = sum(
        turn * (one(at + turn * step) - one(at - turn * step)) / (2 * step)
        for turn in (1, 1j)
    )
    np.testing.assert_allclose(sg.grad(one)(at), expected, rtol=1e-7)
    for turn in (1.0, 1j):
        _, along = sg.jvp(one, (at,), (turn,))
        np.testing.assert_allclose(along, np.real(np.conj(expected) * turn), rtol=1e-7)


def test_logarithms_of_a_literal_zero_are_infinite_instead_of_raising() -> None:
    for f in (
        lambda x: np.sum(special.xlogy(x, 0)),
        lambda x: np.sum(special.xlog1py(x, -1)),
    ):
        assert sg.grad(f)(np.array([0.0, 2.0])).tolist() == [-np.inf, -np.inf]


def test_the_reciprocal_of_gamma_is_smooth_at_its_zeros() -> None:
    """There ``digamma`` has poles."""
    mpmath = pytest.importorskip("mpmath")
    at = np.array([0.0, -1.0, -2.0, -7.0, -20.0, 1e-9, -1 + 1e-9, -3.5, 0.3, 1.0, 4.5])
    first = sg.grad(lambda x: np.sum(special.rgamma(x)))
    second = sg.grad(lambda x: np.sum(first(x)))
    for order, found in ((1, first(at)), (2, second(at))):
        expected = [float(mpmath.diff(mpmath.rgamma, x, order)) for x in at]
        np.testing.assert_allclose(found, expected, rtol=1e-8)


FAR: dict[str, Any] = {
    "betaln": (lambda x: special.betaln(x, 1e-9), lambda m, x: m.log(m.beta(x, 1e-9)), (0.3, 1e9)),
    "betaln, b": (lambda x: special.betaln(2, x), lambda m, x: m.log(m.beta(2, x)), (1e-9, 1e9)),
    "beta": (lambda x: special.beta(x, 1e-9), lambda m, x: m.beta(x, 1e-9), (3, 1e9)),
    "poch": (lambda x: special.poch(x, 1e-9), lambda m, x: m.rf(x, 1e-9), (3, 1e9)),
    "binom": (lambda x: special.binom(x, 0.5), lambda m, x: m.binomial(x, 0.5), (3, 1e9)),
    "pseudo_huber": (
        lambda x: special.pseudo_huber(1.0, x), lambda m, x: m.sqrt(1 + x * x), (0.3, 1e6),
    ),
    "inv_boxcox": (lambda x: special.inv_boxcox(x, 0.0), lambda m, x: m.exp(x), (-1e3, 2)),
    "inv_boxcox1p": (lambda x: special.inv_boxcox1p(x, 0.0), lambda m, x: m.exp(x), (-30, 2)),
    "density of t": (
        lambda x: stats.t.logpdf(0.7, x),
        lambda m, x: -m.log(m.beta(x / 2, 0.5) * m.sqrt(x) * (1 + 0.7**2 / x) ** ((x + 1) / 2)),
        (3, 1e6),
    ),
    "stdtr": (
        lambda x: special.stdtr(1e12, x), lambda m, x: m.erfc(-x / m.sqrt(2)) / 2, (-3, 0.5),
    ),
    "k1e": (special.k1e, lambda m, x: m.besselk(1, x) * m.exp(x), (1e5,)),
    "kve": (lambda x: special.kve(2.5, x), lambda m, x: m.besselk(2.5, x) * m.exp(x), (3, 1e6)),
    "i1e": (special.i1e, lambda m, x: m.besseli(1, x) * m.exp(-x), (3, 1e5)),
    "ive": (lambda x: special.ive(2.5, x), lambda m, x: m.besseli(2.5, x) * m.exp(-x), (3, 1e6)),
}  # fmt: skip


@pytest.mark.parametrize("name", FAR)
def test_slopes_that_are_small_differences_do_not_cancel(name: str) -> None:
    """To second order, against mpmath."""
    function, exact, points = FAR[name]
    mpmath = pytest.importorskip("mpmath")
    at = np.array(points, float)
    first = sg.grad(lambda x: np.sum(function(x)))
    second = sg.grad(lambda x: np.sum(first(x)))
    moved = sg.jvp(function, (at,), (np.ones_like(at),))[1]
    with mpmath.workdps(50):
        slopes, curvatures = (
            [float(mpmath.diff(lambda y: exact(mpmath, y), mpmath.mpf(x), n)) for x in at]
            for n in (1, 2)
        )
    np.testing.assert_allclose(first(at), slopes, rtol=1e-9)
    np.testing.assert_allclose(moved, slopes, rtol=1e-9)
    np.testing.assert_allclose(second(at), curvatures, rtol=1e-7)


POLYNOMIALS = {
    "chebyt": (), "chebyu": (), "legendre": (), "laguerre": (), "hermite": (),
    "gegenbauer": (2,), "genlaguerre": (1,), "jacobi": (1, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", ["gamma", "loggamma", "rgamma", "digamma"])
def test_gamma_functions_of_complex_numbers_to_second_order(name: str) -> None:
    mpmath = pytest.importorskip("mpmath")
    function, exact = getattr(special, name), getattr(mpmath, name)
    slope = sg.grad(lambda z: np.sum(function(z)), holomorphic=True)
    second = sg.grad(lambda z: np.sum(slope(z)), holomorphic=True)
    at = np.array([0.3 + 0.7j, -2.4 + 0.1j, 20 - 3j, -30.2 + 4j])
    moved = sg.jvp(slope, (at,), (np.ones(4, complex),))[1]
    with mpmath.workdps(60):
        expected = [complex(mpmath.diff(exact, mpmath.mpc(z), 2)) for z in at]
    np.testing.assert_allclose(second(at), expected, rtol=1e-10)
    np.testing.assert_allclose(moved, expected, rtol=1e-10)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_third_derivatives_of_polynomials_of_low_degree_are_zero(name: str) -> None:
    """Also of complex numbers, where SciPy takes them."""
    degrees = np.array([0, 1, 2])

    def values(x):  # type: ignore[no-untyped-def]
        return getattr(special, f"eval_{name}")(degrees, *POLYNOMIALS[name], x)

    def moved(of):  # type: ignore[no-untyped-def]
        return lambda x: sg.jvp(of, (x,), (np.ones_like(x),))[1]

    for x in (np.full(3, 0.3), np.full(3, 0.3 + 0.2j)):
        if name == "hermite" and np.iscomplexobj(x):
            continue
        np.testing.assert_array_equal(moved(moved(moved(values)))(x), np.zeros(3))
