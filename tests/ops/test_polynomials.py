"""Polynomials and ``np.geomspace``."""

import numpy as np
import pytest

from symgrad.errors import ShapeError

from .building import gradient, surface, value
from .calls import Call, call, check, check_derivatives

P = np.array([0.7, -1.2, 2.4, 0.5])
R = np.array([1.3, 0.4])
X = np.array([[0.3, -1.2, 2.1], [-0.7, 0.9, 1.4]])
Z = np.array([1.3 - 0.2j, 0.6 + 0.8j, -1.5 - 0.4j])
C = np.array([[0.3, -1.2], [0.7, 0.9], [1.1, -0.4]])
CALLS = [
    call(np.polyval, P, X), call(np.polyval, P, np.float64(0.0)), call(np.polyval, P + 1j, Z),
    call(np.polyval, [2, 0, 1], X), call(np.polyval, P[:1], X),
    *(call(t, P, R) for t in (np.polyadd, np.polysub, np.polymul)), call(np.polyadd, R, P),
    call(np.polysub, P, P[::-1].copy()), call(np.polymul, Z, P),
    call(np.polyder, P), call(np.polyder, P, 2), call(np.polyder, Z, 3), call(np.polyder, R, 2),
    call(np.polyint, P), call(np.polyint, P, 2), call(np.polyint, P, 2, [1.5, 2.5]),
    call(np.poly, P), call(np.poly, Z), call(np.poly, C @ C.T + np.diag([1.0, 2.0, 3.0])),
    call(np.polyfit, P, np.cos(P), 2), call(np.polyfit, P, np.stack([P, P**2], 1), 1),
    call(np.polyfit, P, np.sin(P), 1, w=[1.0, 2.0, 1.5, 0.5]),
    call(np.geomspace, np.float64(0.5), np.float64(7.0), 6),
    call(np.geomspace, np.float64(-0.5), np.float64(-7.0), 5, endpoint=False),
]  # fmt: skip


@pytest.mark.parametrize("given", CALLS, ids=str)
def test_call(given: Call) -> None:
    check(given)


def test_roots_are_complex_whatever_they_are() -> None:
    for p in (P, np.array([1.0, -3.0, 2.0]), Z):
        got = value(surface(np.roots), p)
        assert got.dtype == np.complex128
        np.testing.assert_allclose(got, np.roots(p))
        check_derivatives(surface(np.roots), p)


def test_leading_zeros_do_not_make_roots() -> None:
    p = np.array([0.0, 1.0, -3.0, 2.0])
    g = gradient(lambda x: surface(np.max)(surface(np.real)(surface(np.roots)(x))), p)
    np.testing.assert_allclose(g, [-8, -4, -2, -1], atol=1e-12)


def test_refused() -> None:
    with pytest.raises(ShapeError, match="coefficients along one axis"):
        value(lambda x: surface(np.polyval)(x, 1.0), X)
