"""Both modes, first and second order, through every kind of control flow and storage."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

RNG = np.random.default_rng(7)
X = RNG.uniform(0.3, 1.2, 5)
Y = RNG.uniform(-1.0, 1.0, 5)
M = RNG.uniform(-1.0, 1.0, (4, 5))


def same_input_twice(x):
    return np.sum(x * x * np.sin(x) + x**3)


def broadcast_both_ways(a, b):
    return np.sum(np.tanh(a[:, np.newaxis] * b) * b)


def unused_input(x, y):
    return np.sum(x)


def carried_array(x, c, n):
    for _ in range(n):
        x = x + c * np.sin(x)
    return np.sum(np.tanh(x))


def carried_scalar(x, a, n):
    for i in range(n):
        x = x + 0.1 * (a - x**3 + math.sin(i * 0.1))
    return x


def accumulated(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2 * np.sin(x[0])
    return total


def overwritten_before_use(x, n):
    y = np.zeros_like(x)
    for i in range(n):
        y = x * (i + 1.0)
    return np.sum(y * x)


def stepped_ranges(x):
    y = np.zeros(12)
    for i in range(1, 10, 3):
        y[i] = np.exp(x[1]) * i
    for i in range(9, 0, -2):
        y[i] += y[i - 1] * x[2]
    return np.sum(y * y)


def descending(x):
    y = x.copy()
    for i in range(len(x) - 2, -1, -1):
        y[i] = np.sin(y[i + 1]) * x[i]
    return np.sum(y**2)


def zero_rounds(x, n):
    y = np.sin(x)
    for _ in range(n):
        y = np.exp(y) * x
    return np.sum(y)


def triangular(a):
    n = a.shape[0]
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += a[i, j] * np.sin(a[j, i])
    return s


def nested_stores(x):
    y = x.copy()
    for i in range(3):
        for j in range(i + 1):
            y[j] = y[j] * np.cos(y[i]) + 0.1
    return np.sum(y**2)


def until_small(x, target):
    while np.sum((x - target) ** 2) > 0.1:
        if x[0] > 0.5:
            x = x - 0.3 * np.sin(x - target)
        else:
            x = 0.5 * (x + target)
    return np.sum(x * x)


def newton(a):
    x = a
    k = 0
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
        k += 1
    return x


def leaves_early(x, limit):
    s = 0.0
    for i in range(len(x)):
        s = s + np.exp(x[i])
        if s > limit:
            break
    return s * s


def skips(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.6:
            continue
        s = s + x[i] ** 3
    return s


def returns_early(x):
    if np.sum(x) > 100.0:
        return np.sum(x) * 2.0
    for i in range(len(x)):
        if x[i] > 0.8:
            return np.sin(x[i]) * np.sum(x)
    return np.sum(np.cos(x))


def branches(x, y):
    if np.sum(x) > 0:
        z = np.sin(x) * y
        z = z * z
    else:
        z = y
    return np.sum(np.exp(z) * x)


def branch_in_loop(x):
    s = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > 0.7:
            s = s + np.sin(x) * x[i]
        else:
            s = s * np.exp(-x[i])
    return np.sum(s)


def slices_in_place(u, c, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1, 1:-1] += c * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )
    return 0.5 * np.sum(u**2)


def view_written(x):
    y = x.copy()
    top = y[1:4]
    top *= np.sin(top)
    y[2] = y[1] * y[3]
    return np.sum(y**2)


def slices_by_an_int(x, n):
    return np.sum(x[:n] * x[n : 2 * n]) + np.sum(x[:n] * 2)


def mask_of_unknown_count(x, a):
    y = x[x > 0.5]
    return np.sum(y[:, np.newaxis] * a * y.mean())


def gather(x, i):
    return np.sum(np.exp(x[i]) * x[i[0]])


def masked(x):
    return np.sum(np.where(x > 0.7, x**2, np.sin(x)))


def dictionary(params, x):
    h = np.tanh(x * params["scale"] + params["shift"][0])
    return np.sum(h**2)


def inner_gradient(x, y):
    g = sg.grad(lambda v: np.sum(np.sin(v) * y))(x)
    return np.sum(g**2)


def inner_gradient_of_a_loop(x, y):
    def energy(v):
        s = 0.0
        for i in range(len(v)):
            s = s + np.sin(v[i]) * v[0]
        return s

    g = sg.grad(energy)(x)
    return np.sum(g * g * y)


def inner_gradient_in_a_loop(x):
    for _ in range(3):
        x = x - 0.1 * sg.grad(lambda v: np.sum(v**4 - v**2))(x)
    return np.sum(x)


CASES = [
    (same_input_twice, (X,)),
    (broadcast_both_ways, (X, Y)),
    (unused_input, (X, Y)),
    (carried_array, (X, Y, 3)),
    (carried_scalar, (0.3, 0.5, 4)),
    (accumulated, (X,)),
    (overwritten_before_use, (X, 3)),
    (overwritten_before_use, (X, 0)),
    (stepped_ranges, (X,)),
    (descending, (X,)),
    (zero_rounds, (X, 0)),
    (zero_rounds, (X, 2)),
    (triangular, (M[:, :4].copy(),)),
    (nested_stores, (X,)),
    (until_small, (X + 0.5, Y)),
    (newton, (2.0,)),
    (leaves_early, (X, 4.0)),
    (leaves_early, (X, 400.0)),
    (skips, (X,)),
    (returns_early, (X,)),
    (returns_early, (X / 10,)),
    (branches, (X, Y)),
    (branches, (-X, Y)),
    (branch_in_loop, (X,)),
    (slices_in_place, (M, 0.1 * M[:2, :3], 3)),
    (view_written, (X,)),
    (slices_by_an_int, (X, 0)),
    (slices_by_an_int, (X, 1)),
    (slices_by_an_int, (X, 2)),
    (mask_of_unknown_count, (X, Y)),
    (mask_of_unknown_count, (X * 0.7, Y)),
    (gather, (X, np.array([0, 2, 2, 4]))),
    (masked, (X,)),
    (dictionary, ({"scale": X, "shift": [Y, X]}, Y)),
    (inner_gradient, (X, Y)),
    (inner_gradient_of_a_loop, (X, Y)),
    (inner_gradient_in_a_loop, (X,)),
]


@pytest.mark.parametrize(("fun", "args"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_derivatives(fun, args):
    check_grads(fun, args)
