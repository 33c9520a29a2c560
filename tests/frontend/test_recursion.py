"""Functions that call themselves as often as the data asks for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.2, 1.0, 6)


def newton(x, a, tol):
    if abs(x * x - a) < tol:
        return x
    return newton(0.5 * (x + a / x), a, tol)


def at_the_end(x):
    return newton(x[0], x[1] * 3, tol=1e-9)


def adaptive(a, b, s):
    m = 0.5 * (a + b)
    if b - a < 0.2 * s:
        return math.sin(m * s) * (b - a)
    return adaptive(a, m, s) + adaptive(m, b, s)


def twice_in_a_line(x):
    return adaptive(0.0, 1.0, float(x[0]))


def power(x, e):
    if e < 0.5:
        return 1.0
    y = power(x, e - 1)
    return y * x


def before_the_end(x):
    return power(x[0], x[1] * 8)


def uneven(x, t):
    if x < t:
        return x * x
    left = uneven(x * 0.5, t)
    if left > 0.3:
        return left * x
    right = uneven(x * 0.4, t)
    return left + right * x


def in_branches(x):
    return uneven(x[0] * 4, x[1])


def damped(v, n):
    if np.sum(v) < 0.5:
        return v * n
    return damped(v * 0.6, n + 1.0) + v


def of_arrays(x):
    return damped(x, 0.0)


class Growth:
    def __init__(self):
        self.by = 2.0

    def until_large(self, x):
        if x > 3:
            return x
        return self.until_large(x * self.by) * 0.5


GROWTH = Growth()


def method(x):
    return GROWTH.until_large(x[0])


def collatz(n):
    if n == 1:
        return 0
    if n % 2 == 0:
        return 1 + collatz(n // 2)
    return 1 + collatz(3 * n + 1)


def of_ints(x):
    return x * collatz(int(x[0] * 10) + 20)


def inner_function(x):
    def inner(v, d):
        if v * d > 2:
            return v
        return inner(v + x[1], d) * d

    return inner(x[0], 1.1)


def halved(x, t=0.1):
    return x if x < t else halved(x * 0.5) + x


def defaults(x):
    return halved(x[0])


def bisected(f, a, b):
    m = 0.5 * (a + b)
    if b - a < 1e-6:
        return m
    if f(m) * f(a) < 0:
        return bisected(f, a, m)
    return bisected(f, m, b)


FUNCTIONS = [
    at_the_end, twice_in_a_line, before_the_end, in_branches, of_arrays, method, of_ints,
    inner_function, defaults,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    alike(f, X)
    check_grads(lambda x: np.sum(np.sin(f(x))), (X,), order=1)


def test_second_order():
    check_grads(in_branches, (X,))


def test_a_function_is_passed_on():
    alike(lambda x: bisected(lambda v: v**3 - x[0], 0.0, 2.0), X)


def in_a_loop(x):
    for i in range(3):
        if x > i:
            return in_a_loop(x - 1)
    return x


def not_all_given(x, t=None):
    return x if x < 0.1 else not_all_given(*[x * 0.5])


def in_a_lambda(x):
    if x < 0.1:
        return x
    return (lambda y: in_a_lambda(y) * 2)(x * 0.5)


def lazily(x):
    if x < 0.1:
        return True
    return x > 2 or lazily(x * 0.5)


def even(x):
    return x if x < 1 else odd(x - 1) * 2


def odd(x):
    return x * 3 if x < 1 else even(x - 1)


REFUSED = [
    (in_a_loop, "inside a loop"),
    (not_all_given, "calls itself more than"),
    (in_a_lambda, "may not be evaluated"),
    (lazily, "may not be evaluated"),
    (even, "functions that call each other"),
]


@pytest.mark.parametrize(("f", "word"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
def test_refused(f, word):
    with pytest.raises(errors.UnsupportedFunctionError, match=word) as caught:
        sg.compile(lambda x: f(x[0] * 5))(X)
    assert caught.value.filename == __file__
