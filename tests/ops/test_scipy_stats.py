"""``scipy.stats``: densities of the common distributions, with location and scale."""

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError

from .building import gradient, surface, value
from .calls import Call, call, check, check_derivatives

stats = pytest.importorskip("scipy.stats")

X = np.array([[0.3, 1.2, 2.5], [0.7, 1.9, 2.2]])
U = X / 4
K = np.array([0, 3, 7])
MU = np.array([1.3, 2.4, 4.9])
V = np.array([0.4, -1.3, 2.2])
COV = np.array([[1.3, 0.2, 0.1], [0.2, 0.8, -0.3], [0.1, -0.3, 2.1]])
SHARES = np.array([0.2, 0.5, 0.3])
ONE, TWO = np.float64(0.7), np.float64(1.6)
N, M = stats.norm, stats.multivariate_normal
CALLS = [
    *(call(m, X) for m in (N.pdf, N.logpdf, N.cdf, N.logcdf, N.sf, N.logsf)),
    *(call(m, X, ONE, TWO) for m in (N.logpdf, N.cdf, N.logsf)), call(N.pdf, X, scale=2.0),
    *(call(m, X, MU) for m in (stats.t.logpdf, stats.gamma.pdf, stats.chi2.logpdf)),
    *(call(m, X, 3.5, ONE, TWO) for m in (stats.t.pdf, stats.t.cdf, stats.t.logcdf, stats.t.sf)),
    *(call(m, X + 1, 3.5, ONE, TWO) for m in (stats.gamma.cdf, stats.chi2.cdf, stats.chi2.pdf)),
    call(stats.gamma.logpdf, X, MU, scale=3.0), call(stats.gamma.sf, X, 2.5),
    call(stats.beta.logpdf, U, MU, TWO), call(stats.beta.pdf, U, 2.0, 3.0),
    call(stats.beta.cdf, U, 2.0, 3.0), call(stats.expon.logpdf, X, ONE / 9, TWO),
    *(call(m, K, MU) for m in (stats.poisson.logpmf, stats.poisson.pmf, stats.poisson.cdf)),
    call(M.logpdf, V, V / 2, COV), call(M.pdf, np.stack([V, V + 1]), V / 3, COV),
    call(M.logpdf, X, V, MU), call(M.logpdf, V, None, 2.0), call(M.entropy, V, COV),
    call(stats.dirichlet.logpdf, SHARES, MU), call(stats.dirichlet.pdf, SHARES, MU),
]  # fmt: skip


@pytest.mark.parametrize(
    "given", CALLS, ids=lambda c: f"{type(c.target.__self__).__name__} {c}"
)
def test_call(given: Call) -> None:
    simplex = given.target.__self__ is stats.dirichlet  # differences leave the simplex
    if not simplex:
        check(given)
        return
    function = given.of(surface(given.target))
    np.testing.assert_allclose(value(function, SHARES, MU), given.target(SHARES, MU))
    check_derivatives(function, SHARES, MU)


def test_outside_there_is_no_density_and_no_slope() -> None:
    for target, at in ((stats.gamma.logpdf, -1.0), (stats.beta.logpdf, 1.5)):
        args = (2.0, 3.0) if target == stats.beta.logpdf else (2.0,)
        one = lambda x, t=target, a=args: surface(t)(x, *a)  # noqa: E731
        assert value(one, np.float64(at)) == target(at, *args) == -np.inf
        assert gradient(one, np.float64(at)) == 0


def test_whole_numbers() -> None:
    """Their logarithms have half precision, their differences wrap around."""
    whole, wide = np.array([200, 3, 250], np.uint8), np.array([3, 90, 10], np.uint8)
    for target, args in (
        (N.pdf, (MU, V, whole)), (stats.gamma.pdf, (MU, MU, V[:1], whole)),
        (M.logpdf, (wide, V, np.diag(whole))), (M.logpdf, (wide, whole, COV)),
    ):  # fmt: skip
        np.testing.assert_allclose(value(surface(target), *args), target(*args), rtol=1e-12)


def test_refused() -> None:
    with pytest.raises(UnsupportedFunctionError, match="takes x, df, loc, scale"):
        value(lambda x: surface(stats.t.pdf)(x, 1, 2, 3, 4), X)
    with pytest.raises(UnsupportedFunctionError, match="allow_singular"):
        value(lambda x: surface(M.logpdf)(x, V, COV, allow_singular=True), V)


@pytest.mark.parametrize(
    ("density", "shape"),
    [(N.pdf, ()), (stats.t.logpdf, (3.3,)), (stats.beta.cdf, (2, 3)), (stats.poisson.pmf, (1.3,))],
)  # fmt: skip
def test_floats_of_less_precision_are_doubles_within(density: Any, shape: Any) -> None:
    """As in SciPy; gradients by them have their dtype."""
    single = [np.float32(v) for v in shape]
    at = np.float32(2) if density == stats.poisson.pmf else np.float32(0.3)
    found = sg.compile(lambda x, *more: density(x, *more))(at, *single)
    assert found.dtype == density(at, *single).dtype == np.float64
    assert found == pytest.approx(density(float(at), *map(float, single)), rel=1e-14)
    place = 1 if density == stats.poisson.pmf else 0
    slope = sg.grad(lambda *args: density(*args), argnums=place)
    exact = slope(float(at), *map(float, single))
    assert slope(at, *single) == pytest.approx(exact, rel=1.2e-7)
    assert slope(at, *single).dtype == np.float32


@pytest.mark.parametrize(
    ("density", "second"),
    [
        (lambda x: stats.gamma.pdf(x, 2.0), lambda x: np.exp(-x) * (x - 2)),
        (lambda x: stats.chi2.pdf(x, 4.0), lambda x: np.exp(-x / 2) * (x / 4 - 1) / 4),
        (lambda x: stats.beta.pdf(x, 2.0, 3.0), lambda x: 72 * x - 48),
    ],
)
def test_second_derivatives_of_densities_keep_their_digits(
    density: Any, second: Any
) -> None:
    x = np.array([1e-155, 1e-20, 1e-9, 0.3])
    once = sg.grad(lambda x: np.sum(density(x)))
    np.testing.assert_allclose(
        sg.grad(lambda x: np.sum(once(x)))(x), second(x), 1e-12, 1e-12
    )
    found = sg.jvp(once, (x,), (np.ones_like(x),))[1]
    np.testing.assert_allclose(found, second(x), 1e-12, 1e-12)


def test_densities_without_a_pole_at_the_end() -> None:
    slope = sg.grad(lambda x: np.sum(stats.gamma.pdf(x, 1.0) + stats.beta.pdf(x, 1.0, 2.0)))
    np.testing.assert_allclose(slope(np.array([0.0, 0.5])), [-3.0, -np.exp(-0.5) - 2])
