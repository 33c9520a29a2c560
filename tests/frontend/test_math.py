"""``math`` and ``cmath`` in compiled code: Python's results, types and errors, and slopes."""

import cmath
import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

V = np.array([0.5, -1.5, 2.0, 0.25])


def gammas(x):
    return math.gamma(x) + math.lgamma(x + 1.0) + math.erfc(x)


def of_arrays(v):
    return (
        math.fsum(v) + math.dist(v, v[::-1] + 1) + math.hypot(*v) + math.hypot(v[0], v[1])
    )


def sums(x):
    return math.fsum([0.1 * x] * 10) + math.fsum(x * i for i in range(10))


def parts(x):
    mantissa, exponent = math.frexp(x)
    return mantissa * 2 + exponent, math.ulp(x), math.modf(x)


def whole(n, k):
    return (
        math.gcd(n, k, 27),
        math.lcm(n, k, 4),
        math.gcd(),
        math.perm(n, 2),
        math.comb(n, k),
    )


def by_polar(x, y):
    z = complex(x, y)
    r, phi = cmath.polar(z)
    w = cmath.rect(r * x, phi + y)
    return abs(cmath.exp(w)) + cmath.phase(z) + abs(cmath.log(z, 3) - w.conjugate())


@pytest.mark.parametrize("x", [0.7, 2.5, -0.5, 0, -1, 200.0, True, np.float32(0.3)])
def test_gammas(x):
    alike(gammas, x)


def test_exact_sums():
    alike(sums, 1.0)
    alike(lambda v: math.fsum(v), np.array([1e16, 1.0, -1e16, 0.1]))
    alike(lambda v: math.fsum(v), np.zeros(0))


@pytest.mark.parametrize("x", [2.7, -0.3, 0.0])
def test_parts(x):
    alike(parts, x)


def test_sequences_and_whole_numbers():
    alike(of_arrays, V)
    alike(whole, 12, 5)


@pytest.mark.parametrize("z", [1 + 2j, -0.3 - 0.2j, 0.4, 2])
@pytest.mark.parametrize(
    "name", ["sqrt", "log", "log10", "acosh", "atanh", "tan", "asin", "isnan"]
)
def test_complex(name, z):
    function = getattr(cmath, name)
    alike(lambda z: function(z), z)


def test_complex_errors():
    alike(lambda z: cmath.log(z), 0j)
    alike(lambda z: cmath.exp(z), 1000 + 0j)


def test_slopes():
    check_grads(gammas, (1.3,))
    check_grads(gammas, (-0.6,), order=1)
    check_grads(of_arrays, (V,))
    check_grads(by_polar, (0.7, 0.4))
    check_grads(lambda x: math.frexp(x)[0], (2.7,))


def test_slopes_at_a_known_point():
    euler = 0.57721566490153286
    assert abs(sg.grad(lambda x: math.lgamma(x))(1.0) + euler) < 1e-14
    assert abs(sg.grad(sg.grad(lambda x: math.lgamma(x)))(1.0) - math.pi**2 / 6) < 1e-13
