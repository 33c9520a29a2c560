"""``nonlocal``: inner functions that assign variables of those around them."""

import numpy as np
import pytest

from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

V = np.array([0.5, -1.5, 2.0, 0.25])


def accumulated(x):
    total, count = 0.0, 0

    def add(v):
        nonlocal total, count
        if v < 0:
            return
        total += v * v
        count = count + 1

    for v in x:
        add(v)
    return total * count


def counter(x):
    def make(start):
        value = start

        def step(by):
            nonlocal value
            value = value * 0.5 + by
            return value

        return step

    one, two = make(x[0]), make(0.0)
    seen = 0.0
    for i in range(4):
        seen += one(x[i]) * two(i * x[1])
    return seen + one(1.0) - two(2.0)


def deeper(x):
    best = x[0]

    def outer(v):
        def inner(w):
            nonlocal best
            if w > best:
                best = w

        inner(v * 0.5)
        inner(v)

    i = 0
    while i < len(x):
        outer(x[i])
        i += 1
    return best * best


def on_a_branch(x):
    def set_it():
        nonlocal y
        y = x[0] * 3

    y = x[1]
    if x[2] > 1:
        set_it()
    return y


def in_expressions(x):
    n = 0.0

    def bump():
        nonlocal n
        n += x[0]
        return n

    values = [bump() for _ in range(3)]
    return sum(values) + (bump() if x[1] > 0 else n)


@pytest.mark.parametrize(
    "f",
    [accumulated, counter, deeper, on_a_branch, in_expressions],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("x", [V, -V], ids=["", "negative"])
def test_values_and_slopes(f, x):
    alike(f, x)
    check_grads(f, (x,), order=1)
