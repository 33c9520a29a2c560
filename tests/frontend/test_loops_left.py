"""Loops that are left, or whose rounds are cut short, on some ways of branches within branches."""

# ruff: noqa: RET507, RET508 (these ways of writing are what is tested)

from __future__ import annotations

import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads


def one_side_never_goes_on(s, n):
    total = 0.0
    for k in range(4):
        if k < n:
            if s > k * 0.3:
                continue
            break
        else:
            if s > 0.7:
                continue
            total += s
        total += 0.1
    return total


def neither_but_by_elif(s, n):
    total = 0.0
    for k in range(4):
        if k < n:
            if s > k * 0.3:
                continue
            else:
                break
        elif s > 0.7:
            continue
        total += 0.1 * s
    return total


def returned(s, n):
    total = 0.0
    k = 0
    while k < 4:
        k += 1
        if k > n:
            if s > k * 0.2:
                return total
            elif s > 0.3:
                break
            else:
                continue
        total += k * s
    return total * 2


def inner(s, n):
    total = 0.0
    for k in range(3):
        for j in range(3):
            if j < n:
                if s < 0.4:
                    continue
                break
            elif k == 1:
                continue
            total += s * j
        else:
            total += 1.0
    return total


def first_over(s, n):
    for k in range(4):
        if s * k > n + 0.1:
            return s**2 * k
    return s


def halved(s, n):
    step = 1.0
    while True:
        y = s - step * s**3
        if y * (n + 1) > 0.1:
            return y * math.exp(y)
        step *= 0.5


def converged(s, n):
    x = s + n
    for _ in range(60):
        dx = (x * x - s - n) / (2 * x)
        if abs(dx) < 1e-9:
            return x * s
        x -= dx
    raise ValueError("it does not converge")


def mixed(s, n):
    best, total = s, 0.0
    for k in range(5):
        if k == n:
            best = total * s
            break
        total += math.sin(s * k)
        if total > 1.5:
            continue
        best += total
    return best * total


FUNCTIONS = [
    one_side_never_goes_on,
    neither_but_by_elif,
    returned,
    inner,
    first_over,
    halved,
    converged,
    mixed,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_like_python(f):
    compiled = sg.compile(f)
    for n in (0, 1, 2, 4):
        for s in (0.9, 0.5, 0.2):
            assert compiled(s, n) == f(s, n), (s, n)
    check_grads(f, (0.5, 1), order=1)


def before_anything(x, n):
    total = 0.0
    for v in x:
        root = np.sqrt(v)
        if root < 0.5:
            break
        total += root * n
    else:
        total *= 2
    return total


def after_inner_rounds(x, n):
    total, k = x[0] * 0, 0
    while True:
        part = x[k] * 0
        for j in range(n):
            part += x[j] ** 2
        if k >= n:
            break
        k += 1
        total += part * np.sqrt(x[k])
    return total


def by_either_test(x, n):
    y = x[0]
    for i in range(len(x)):
        if i > n:
            break
        z = y * x[i]
        if z < 0.1:
            break
        y = z + x[i]
    return y


@pytest.mark.parametrize("f", [before_anything, after_inner_rounds, by_either_test])
def test_a_round_left_at_once_has_no_part_in_gradients(f):
    """Not even where what it has computed until then has an infinite slope."""
    x = np.array([0.9, 0.6, 0.7, 0.0])
    slope = sg.value_and_grad(f)
    for n in (1, 2):
        value, g_x = slope(x, n)
        assert value == f(x, n)
        moved = [f(x + step, n) - f(x - step, n) for step in 1e-6 * np.eye(3, 4)]
        np.testing.assert_allclose(g_x, [*np.divide(moved, 2e-6), 0.0], rtol=1e-7)
    value, g_x = slope(x.astype("float32"), 2)
    assert (value.dtype, g_x.dtype) == ("float32", "float32")
