"""Numbers held in captured containers, where they have to be known when compiling."""

from __future__ import annotations

import numpy as np

import symgrad as sg

ARGNUMS = (0, 1)
SHAPE = [2, 3]


def weighted(x, y):
    return np.sum(x**2 * y)


def products(x, y):
    g_x, g_y = sg.grad(weighted, ARGNUMS)(x, y)
    return np.sum(g_x * g_y)


def reshaped(x):
    return np.sum(np.reshape(x, SHAPE)[0] ** 2)


def test_argnums_in_a_captured_tuple():
    x, y = np.array([0.5, 2.0]), np.array([3.0, -1.0])
    np.testing.assert_allclose(sg.grad(products)(x, y), 6 * x**2 * y)


def test_a_change_of_the_captured_numbers_is_seen():
    x = np.arange(6.0)
    np.testing.assert_array_equal(sg.grad(reshaped)(x), [0, 2, 4, 0, 0, 0])
    SHAPE[:] = [3, 2]
    try:
        np.testing.assert_array_equal(sg.grad(reshaped)(x), [0, 2, 0, 0, 0, 0])
    finally:
        SHAPE[:] = [2, 3]
