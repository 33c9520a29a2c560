"""Third derivatives where a rule is written by hand: closed forms hold at every order."""

from __future__ import annotations

from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

import symgrad as sg

RNG = np.random.default_rng(6)


def mixed(a: Any, directions: list[Any]) -> float:
    """The derivative of det along directions: a coefficient of a polynomial, from its values
    at roots of unity."""
    n = len(a) + 1
    roots = np.exp(2j * np.pi * np.arange(n) / n)
    total = 0
    for zs in product(roots, repeat=len(directions)):
        moved = a + sum(z * d for z, d in zip(zs, directions, strict=True))
        total += np.linalg.det(moved) / np.prod(zs)
    return float(total.real / n ** len(directions))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_det_of_a_singular_matrix(size: int) -> None:
    a = RNG.standard_normal((size, size))
    a[-1], a[:, 1] = a[0], a[:, 0]
    t, u, v = directions = list(RNG.standard_normal((3, size, size)))

    def along(x: Any) -> Any:
        return sg.jvp(lambda y: sg.jvp(np.linalg.det, (y,), (t,))[1], (x,), (u,))[1]

    assert along(a) == pytest.approx(mixed(a, directions[:2]), rel=1e-10, abs=1e-12)
    found = np.sum(sg.grad(along)(a) * v)
    assert found == pytest.approx(mixed(a, directions), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("x", [1e-9, 1e-4, 0.02, 1.5, -3.0])
def test_bessel_function_near_zero(x: float) -> None:
    third = sg.grad(sg.grad(sg.grad(lambda x: np.i0(x))))
    exact = mpmath.diff(lambda z: mpmath.besseli(0, z), x, 3)
    assert third(x) == pytest.approx(float(exact), rel=1e-9, abs=1e-15)
