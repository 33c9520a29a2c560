"""Checks of lengths go where NumPy makes them, and stay where it does not."""

import numpy as np

import symgrad as sg

A, X = np.arange(12.0).reshape(3, 4), np.array([1.0, -2.0, 3.0, 4.0])


def weighted(a, x, y):
    return np.sum(a[:, x > 0] @ x[y > 0])


def test_the_operation_checks():
    text = sg.compile(weighted).lower(A, X, X).source
    assert "@" in text
    assert "raise" not in text


def test_the_gradient_does_without_the_operation():
    text = sg.grad(weighted).lower(A, X, X).source
    assert not [line for line in text.splitlines() if "@" in line and "#" not in line]
    assert text.count("raise ValueError('lengths do not fit together')") == 1


def test_asserts_of_the_user_stay():
    def f(x, y):
        assert x.shape[0] == y.shape[0]
        return x + y

    assert "AssertionError" in sg.compile(f).lower(X, X).source
