"""Derivatives do not add or multiply masks and small ints, which NumPy takes for "or" or wraps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([200, 100, 3, 250], np.uint8)
Y = np.array([100, 200, 255, 10], np.uint8)
A = np.array([0.1, 0.2, 0.3, 0.4])

FUNCTIONS: list[Callable[[Any, Any, Any], Any]] = [
    lambda a, x, y: np.sum(x * a + y * a),
    lambda a, x, y: np.sum((x * a) * a + (y * a) * a),
    lambda a, x, y: np.sum(x * a - y * a),
    lambda a, x, y: np.sum((x * a) * y),
    lambda a, x, y: np.sum((x * a) * x),
    lambda a, x, y: np.sum((x * a) * (y * a) * (x * a)),
]


@pytest.mark.parametrize("k", range(len(FUNCTIONS)))
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.uint64])
def test_as_with_doubles(k: int, dtype: type) -> None:
    f = FUNCTIONS[k]
    x, y = (X > 150, Y > 50) if dtype is bool else (X.astype(dtype), Y.astype(dtype))
    doubles = x.astype(float), y.astype(float)
    for a in (A, 0.7):
        for transform in (sg.grad, sg.jacfwd, sg.hessian):
            np.testing.assert_allclose(transform(f)(a, x, y), transform(f)(a, *doubles))
