"""Factors that do not change in a backward loop."""

import math
from itertools import takewhile

import numpy as np

import symgrad as sg
from symgrad.testing import check_grads


def recurrence(x, a, steps, dt):
    for t in range(steps):
        x = x + dt * (a - x**3 + math.sin(t * dt))
    return x


def loop_of(source):
    """The lines of the backward loop."""
    lines = source.partition("# backward")[2].splitlines()
    start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("for "))
    inside = takewhile(lambda line: line.startswith(" " * 8), lines[start + 1 :])
    return [line.strip() for line in inside if not line.lstrip().startswith("#")]


def test_a_scaled_sum_is_scaled_once():
    grad = sg.grad(recurrence, (0, 1))
    text = grad.lower(0.3, 0.5, 9, 0.01).source
    assert loop_of(text) == ["g_a += g_x", "g_x -= g_x * r * (x * x)"]
    assert "r = dt * 3" in text
    assert "g_a *= dt" in text
    check_grads(recurrence, (0.3, 0.5, 9, 0.01))


def test_of_arrays():
    def f(x, k, s, n):
        for _ in range(n):
            x = np.sin(x) + s * k
        return np.sum(x)

    args = (np.arange(3.0), np.array([0.5, -1.0, 2.0]), 0.7, 4)
    assert "g_k += g_x" in loop_of(sg.grad(f, (0, 1)).lower(*args).source)
    check_grads(f, args)


def test_single_precision_keeps_its_products():
    def f(x, k, s, n):
        for _ in range(n):
            x = np.sin(x) + s * k
        return np.sum(x)

    x = np.arange(3, dtype=np.float32)
    lines = loop_of(sg.grad(f, (0, 1)).lower(x, x, np.float32(0.7), 4).source)
    assert any("* s" in line or "s *" in line for line in lines)


def test_a_factor_that_changes_stays():
    def f(x, k, s, n):
        for i in range(n):
            x = np.sin(x) + s[i] * k
        return np.sum(x)

    args = (np.arange(3.0), np.array([0.5, -1.0, 2.0]), np.arange(1.0, 5.0), 4)
    assert "s[i]" in " ".join(loop_of(sg.grad(f, (0, 1)).lower(*args).source))
    check_grads(f, args)


def test_the_primal_keeps_its_bits():
    def f(x, s, n):
        total = 0.0
        for i in range(n):
            total = total + x[i] * s
        return total

    x = np.random.default_rng(0).standard_normal(50)
    assert sg.value_and_grad(f)(x, 0.1, 50)[0] == f(x, 0.1, 50)


def test_a_sum_of_nothing_is_zero_whatever_the_factor():
    def f(x, k, n):
        s = np.float64(1.0) / n
        for _ in range(n):
            x = np.sin(x) + s * k
        return np.sum(x)

    x, k = np.arange(3.0), np.array([0.5, -1.0, 2.0])
    check_grads(f, (x, k, 4))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(sg.grad(f, (0, 1))(x, k, 0)[1], np.zeros(3))


def test_a_sum_of_nothing_is_zero_whatever_the_caller_passes():
    def upward(x, k, s, n):
        for _ in range(n):
            x = np.sin(x) + s * k
        return np.sum(x)

    def by_steps(x, k, s, n):
        for i in range(0, n, 3):
            x = np.sin(x) + s * k * i
        return np.sum(x)

    x, k = np.arange(3.0), np.array([0.5, -1.0, 2.0])
    for f in (upward, by_steps):
        for s in (np.inf, np.nan, np.float64(np.inf)):
            np.testing.assert_array_equal(sg.grad(f, (0, 1))(x, k, s, 0)[1], np.zeros(3))
        check_grads(f, (x, k, 0.7, 4))
    assert sg.grad(recurrence, (0, 1))(0.3, 0.5, 0, math.inf) == (1.0, 0.0)


def test_a_sum_that_is_read_in_the_loop_stays_as_it_is():
    def integrated(gain, rate, n):
        x, total, cost = 0.0, 0.0, 0.0
        for _ in range(n):
            total += (1.0 - x) * 0.5
            x += gain + rate * total
            cost += x * x
        return cost

    lines = loop_of(sg.grad(integrated, (0, 1)).lower(0.3, 0.2, 3).source)
    assert any("* rate" in line for line in lines)
    check_grads(integrated, (0.3, 0.2, 3))


def test_in_derivatives_of_derivatives_too():
    def controlled(gains, n=3):
        x, total, cost = 0.0, 0.0, 0.0
        for _ in range(n):
            e = 1.0 - x
            total += e * 0.1
            x += 0.1 * (gains[0] * e + gains[1] * total)
            cost += (1.0 - x) ** 2
        return cost

    gains, d = np.array([1.0, 0.3]), np.array([0.4, -0.7])
    backward = sg.grad(lambda g: sg.grad(controlled)(g) @ d)(gains)
    np.testing.assert_allclose(backward, sg.jvp(sg.grad(controlled), (gains,), (d,))[1])
