"""``nonlocal``: inner functions that assign variables of those around them."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.lowered import same
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


def counting(x):
    n, last, seen = 0, None, "no"

    def loss(y):
        nonlocal n, last, seen
        n, seen = n + 1, "yes"
        last = y.sum()
        if y[0] > 0:
            n += 1
        return np.sum(y**3) * n

    for _ in range(2):
        x = x - 0.1 * sg.grad(loss)(x)
    slope = sg.jvp(loss, (x,), (x,))[1]
    bent = np.sum(sg.hessian(loss)(x))
    return last**2 + n * slope + bent + (seen == "yes")


def test_functions_that_are_differentiated_inside():
    alike(counting, V)
    check_grads(counting, (V,), order=1, modes=["rev"])


def test_arrays_are_returned_instead():
    def f(x):
        kept = x

        def loss(y):
            nonlocal kept
            kept = y * 2
            return np.sum(y**2)

        return sg.grad(loss)(x) + kept

    with pytest.raises(UnsupportedSyntaxError, match=r"`kept` .* becomes an array"):
        sg.compile(f)(V)


def outside():
    n, total, array = 0, 0.0, V

    def f(x):
        nonlocal n, total, array

        def step(v):
            nonlocal total
            if v > 0:
                total = total + float(v)

        n += 1
        for v in x:
            step(v)
        array = x * 2
        return np.sum(x**2) * read() + total

    def read():
        return n

    return f, lambda: (n, total, array)


@pytest.mark.parametrize(
    "make", [sg.compile, sg.grad, sg.value_and_grad], ids=lambda m: m.__name__
)
def test_variables_of_functions_that_are_not_compiled(make):
    (f, read), (g, expected) = outside(), outside()
    compiled = make(f)
    for x in (V, -V):
        found, value = compiled(x), g(x)
        if make is sg.compile:
            same(found, value)
        same(read(), expected())


def test_not_assigned_where_the_code_raises():
    n = 0

    def f(x):
        nonlocal n
        n += 1
        if x[0] > 0:
            raise ValueError("positive")
        n += 1
        return x

    for made in (f, sg.compile(f)):
        n = 0
        with pytest.raises(ValueError, match="positive"):
            made(V)
        assert n == 1


def test_what_cannot_be_done_to_variables_outside():
    n = 0

    def deleted(x):
        nonlocal n
        del n
        return x

    def of_many(x):
        nonlocal n
        n = n + 1
        return x

    with pytest.raises(
        UnsupportedSyntaxError, match="belongs to a function that is not compiled"
    ):
        sg.compile(deleted)(V)
    with pytest.raises(UnsupportedSyntaxError, match="`n` cannot be assigned"):
        sg.vmap(of_many)(V)
    n = 1
