"""Functions as values: made in loops, chosen on branches, called afterwards."""

import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


def made_in_a_loop(x, n):
    for i in range(n):
        f = lambda y: y * (i + 1) + x  # noqa: E731, B023
    return f(x)


def with_defaults(x, n):
    for i in range(n):

        def f(y, k=i * x, *, s=x):
            return y * k + s

    return f(x)


def made_by_another(x, n):
    def make(k):
        def twice(y):
            return y * k

        return twice

    f = make(1.0)
    for i in range(n):
        f = make(f(i * x + 1))
    return f(x)


def in_while(x, n):
    while x < 10 * n:

        def f(y, z=x):
            return y * z

        x = x * 2
    return f(x)


def chosen(x, n):
    f = math.sin if x > 1 else lambda t: t * x
    for i in range(n):
        x = f(x)
        f = math.cos if i % 2 else f
    return f(x)


def chosen_twice(x, n):
    if x > 1:
        f = math.exp if n > 1 else math.tan
    elif x > 0.5:
        f = math.cos
    else:
        f = math.tan
    return f(x) * f(x * 0.5)


def static(x, n):
    for _ in range(n):
        mode, k = "double", 2
        x = x * 1.1
    return x * k if mode == "double" else x


FUNCTIONS = [
    made_in_a_loop, with_defaults, made_by_another, in_while, chosen, chosen_twice, static
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("x", [0.3, 0.7, 1.4])
def test_values_and_slopes(f, n, x):
    alike(f, x, n)
    try:
        f(x, n)
    except UnboundLocalError:
        return
    check_grads(lambda x: f(x, n), (x,), order=1)


def test_chosen_ufuncs():
    def f(x):
        g = np.add if x[0] > 0 else np.multiply
        return g(x, 2.0).sum()

    for x in (np.array([1.0, 3.0]), np.array([-1.0, 3.0])):
        alike(f, x)
    np.testing.assert_array_equal(sg.grad(f)(np.array([-1.0, 3.0])), [2.0, 2.0])
