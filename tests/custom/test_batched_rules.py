"""A rule of the user's under vmap is applied to each example."""

from __future__ import annotations

import numpy as np

import symgrad as sg


@sg.custom_vjp
def scaled_sine(x, y):
    return np.sin(x) * np.sum(y)


def _forward(x, y):
    return scaled_sine(x, y), (x, y)


def _backward(saved, g):
    # twice the true slope, so that the rule can be told from the derivative
    x, y = saved
    return 2 * g * np.cos(x) * np.sum(y), 2 * g * np.sin(x) * np.ones_like(y)


scaled_sine.defvjp(_forward, _backward)
X = np.array([0.3, -0.7, 1.1])
Y = np.arange(12.0).reshape(3, 4)


def test_values():
    np.testing.assert_array_equal(sg.vmap(scaled_sine)(X, Y), np.sin(X) * Y.sum(axis=1))


def test_gradients_of_what_examples_have_and_of_what_they_share():
    def loss(x, y):
        return np.sum(sg.vmap(scaled_sine, in_axes=(0, None))(x, y) ** 2)

    g_x, g_y = sg.grad(loss, (0, 1))(X, Y[0])
    total = Y[0].sum()
    np.testing.assert_allclose(g_x, 4 * np.sin(X) * np.cos(X) * total**2)
    np.testing.assert_allclose(g_y, np.full(4, 4 * np.sum(np.sin(X) ** 2) * total))


def test_an_argument_that_no_example_changes():
    def loss(x, y):
        return np.sum(sg.vmap(lambda v: v * scaled_sine(0.5, y))(x))

    np.testing.assert_allclose(sg.grad(loss)(X, Y[0]), np.full(3, np.sin(0.5) * Y[0].sum()))
