"""Second and third derivatives of whole programs, in mixed modes, against differences."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

X = np.array([0.72, 1.2, 0.35, 0.85])


def shrinking(x):
    y = x
    while y.shape[0] > 1:
        y = y[:-1] * y[1:]
    return y[0] + np.sum(x)


def stored(x):
    y = np.zeros(6)
    for i in range(6):
        y[i] = x[i % 4] * np.sin(i + x[(i + 1) % 4])
        if i > 1:
            y[i - 2] *= y[i]
    return np.sum(y**3)


def popped(x):
    stack = [x[0]]
    for i in range(3):
        a = stack.pop()
        stack.append(a * x[i + 1])
        stack.append(a + x[i])
    return stack[0] * stack[1] * stack[-1]


def buffers_swapped(x):
    u, v = x.copy(), np.zeros(4)
    for _ in range(3):
        v[1:-1] = u[1:-1] + 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:]) * u[1:-1]
        v[0], v[-1] = u[-1] ** 2, u[0]
        u, v = v, u
    return np.sum(u**2 * v)


def descent(x):
    z = x
    for _ in range(2):
        z = z - 0.1 * sg.grad(lambda t: np.sum(np.sin(t) * t * x))(z)
    return np.sum(z**2)


def broken_off(x):
    total = 0.0
    for i in range(10):
        total = total + x[i % 4] ** 2 * (i + 1)
        if total > 4:
            break
    else:
        total = total * 2
    return total * total


PROGRAMS = [shrinking, stored, popped, buffers_swapped, descent, broken_off]


def difference(f, x, v, step=1e-6):
    return (f(x + step * v) - f(x - step * v)) / (2 * step)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_third_order(f):
    v, w = np.array([0.3, -1.1, 0.7, 0.4]), np.array([1.2, 0.5, -0.8, 0.9])
    slope = sg.grad(f)
    curved = sg.compile(lambda x: sg.grad(lambda z: v @ slope(z))(x))
    assert np.allclose(curved(X), difference(slope, X, v), rtol=1e-6, atol=1e-6)
    assert np.allclose(sg.jvp(slope, (X,), (v,))[1], curved(X), rtol=1e-10)
    wanted = difference(curved, X, w)
    assert np.allclose(sg.jvp(curved, (X,), (w,))[1], wanted, rtol=1e-5, atol=1e-5)
    third = sg.grad(lambda x: v @ sg.jvp(slope, (x,), (w,))[1])
    assert np.allclose(third(X), wanted, rtol=1e-5, atol=1e-5)


@sg.custom_vjp
def cube(x):
    return x**3


cube.defvjp(lambda x: (x**3, x), lambda saved, g: (g * 3 * saved**2,))


def spread_of(x):
    return np.std(x)


def by_a_rule(x):
    return np.sum(cube(x) * x) * np.sum(cube(x[0]))


@pytest.mark.parametrize("f", [spread_of, by_a_rule], ids=lambda f: f.__name__)
def test_gradients_of_a_batch(f):
    """``vmap(grad)`` and ``grad`` of a ``vmap`` are the gradients row by row."""
    rows = np.stack([X, 1.01 * X + 0.005, 0.98 * X])
    wanted = np.stack([sg.grad(f)(row) for row in rows])
    assert np.allclose(sg.vmap(sg.grad(f))(rows), wanted, rtol=1e-12)
    of_all = sg.grad(lambda rows: np.sum(sg.vmap(f)(rows)))
    assert np.allclose(of_all(rows), wanted, rtol=1e-12)


def test_lengths_are_not_asked_of_what_a_branch_leaves_undefined():
    """A gradient that is kept for its length alone, and is made in one branch."""

    def loss(x, m, c):
        y = np.stack([x, x * x], axis=1)
        k = 0
        while k < 2:
            y = np.sin(y) @ c
            k += 1
        picked = [y[i, 0] if m[i] else x[i] for i in range(3)]
        return np.sum(np.stack(picked) ** 2)

    m, c = np.array([True, False, True]), np.array([[0.4, -1.3], [0.7, 0.2]])
    x = X[:3]
    gradient = sg.grad(loss)
    h = 1e-6
    steps = h * np.eye(3)
    differences = [(gradient(x + e, m, c) - gradient(x - e, m, c)) / (2 * h) for e in steps]
    assert np.allclose(sg.jacrev(gradient)(x, m, c), differences, atol=1e-7)
    turned = sg.grad(lambda x: np.sum(np.arange(1.0, 4.0) * gradient(x, m, c)))
    assert np.allclose(turned(x), np.arange(1.0, 4.0) @ differences, atol=1e-7)


def test_lists_that_only_stand_in_for_each_other():
    """Where nothing is kept, one undefined list stands for those of what is differentiated again
    and of what is not."""

    def f(v, s, q):
        i = -1
        while i < q - 2:
            i += 1
            if s > 30.0:
                pass
            else:
                for _ in range(3):
                    if i > 1:
                        return np.hypot(s, np.arctan(s) + 20.0)
                    v = np.sin(v)
                    if s > 0.9:
                        break
                else:
                    v = v * np.tanh(s)
        return np.sum(np.sin(v)) + s

    check_grads(f, (np.array([0.3]), 0.6, 3))
