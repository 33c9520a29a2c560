"""Arrays of rank 0 are not changed in place by code that stands for ``x = x + y``."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg

X = np.full(3, 0.3)


def renamed(x, w):
    t = w
    for i in range(len(x)):
        t = t - x[i] * w
    return t * w


def itself(x, w):
    for v in x:
        w = w - v * w
    return w * w


def kept(x, w):
    hist = []
    for v in x:
        hist.append(w)
        w = w * v
    return np.sum(np.stack(hist)) + w


def chosen(x, w):
    t = np.where(x[0] > 0, w, 1.0)
    u = t
    for v in x:
        t = t - v
    return t * u


def reshaped(x, w):
    t = x[1:2].reshape(())
    u = t
    for v in x:
        t = t + v * w
    return t * u


@pytest.mark.parametrize("f", [renamed, itself, kept, chosen, reshaped])
@pytest.mark.parametrize("make", [np.array, np.float64, float])
def test_as_in_numpy(f, make):
    x, w = X.copy(), make(1.3)
    assert sg.compile(f)(x, w) == f(X, 1.3)
    grad = sg.grad(f, 1)(x, w)
    assert w == 1.3
    assert np.array_equal(x, X)
    eps = 1e-6
    slope = (f(X, np.float64(1.3 + eps)) - f(X, np.float64(1.3 - eps))) / (2 * eps)
    assert abs(grad - slope) < 1e-8


def test_an_entry_is_read_before_it_is_changed():
    def f(x):
        t = x[1:2].reshape(())
        u = [t * 2]
        x[1] = 5.0
        return u[0] + x[1]

    x = np.array([1.0, 2.0, 3.0])
    assert sg.compile(f)(x) == 9.0
    assert x[1] == 5.0


def test_the_adjoint_of_an_entry_is_read_before_it_is_cleared():
    def f(x, y):
        w = x + 1.0
        y[:, None][1] = w[-1]
        y.reshape(1, 3)[0, 2:] = np.asarray(w[0])
        return np.sum(np.sin(y)) + np.sum(np.sin(w))

    x, y = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.1, 0.6])
    expected = np.cos(x + 1.0) + np.cos(x[[0, 2]] + 1.0)[[0, 0, 1]] * [1.0, 0.0, 1.0]
    grads = sg.grad(f, (0, 1))(x, y)
    assert np.allclose(grads[0], expected)
    assert np.allclose(grads[1], [np.cos(0.4), 0.0, 0.0])


def test_a_captured_weight():
    w = np.array(1.3)

    def loss(x):
        top, total = x[0], 1.0
        for i in range(1, len(x)):
            total = total + np.exp(x[i] - top)
        return (top + np.log(total)) * w

    x = np.array([0.2, 0.5, 0.3])
    expected = 1.3 * np.exp(x) / np.sum(np.exp(x))
    for _ in range(2):
        assert np.allclose(sg.grad(loss)(x), expected)
    assert w == 1.3


def test_numbers_are_counted_in_place():
    def f(x):
        total = 0.0
        for v in x:
            total = total + v * v
        return total

    assert "total += " in sg.compile(f).lower(X).source
