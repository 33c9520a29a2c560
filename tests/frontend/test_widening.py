"""Lists that a loop fills, and that later loops and branches change or replace."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.2, 1.0, 5)


def filled(x):
    c = []
    for i in range(len(x)):
        c.append(np.sin(x[i]) * x)
    return c


def emptied(x):
    c = filled(x)
    total = 0.0
    while len(c) > 1:
        total = total * 0.5 + np.sum(c.pop() ** 2)
    return total + c[0][1]


def on_a_branch(x):
    c = [np.sin(v) for v in x]
    if x[0] > 0.1:
        c.append(x[1] * 2)
        c[0] = 3 * c[1]
    return np.sum(np.array(c) ** 2)


def swapped(x):
    c = [np.sin(v) for v in x]
    for i in range(1, len(x)):
        c[i] += c[i - 1] * c[i]
        if c[i] > c[i - 1]:
            c[i], c[i - 1] = c[i - 1], c[i]
    return c[-1] * c[0] ** 2


def merged(x):
    c = filled(x)
    while len(c) > 1:
        a, b = c.pop(), c.pop()
        c.append(a * b)
    return np.sum(c[0])


def in_a_helper(x):
    def shrink(c):
        while len(c) > 2:
            c.pop(0)

    c = filled(x)
    shrink(c)
    return np.sum(c[0] * c[1])


def replaced(x):
    c = [v * v for v in x]
    while len(c) > 1:
        c = [c[i] * c[i + 1] + x[i] for i in range(len(c) - 1)]
    return c[0]


def replaced_on_a_branch(x):
    c = [v * x for v in x]
    if x[0] > 0.1:
        c = [c[i] * c[i + 1] for i in range(len(c) - 1)]
    y = c[0]
    y[1] = 2.0
    return sum(np.sum(v) for v in c) + c[-1][0] * len(c)


def nested_loops(x):
    out = []
    for i in range(len(x)):
        for j in range(i):
            out.append(x[i] * x[j] + j)
        out.append(x[i])
    return np.sum(np.array(out) ** 2)


def begun_inside(x):
    total = 0.0
    for v in x:
        row = []
        for w in x:
            row.append(v * w)
        total = total + np.prod(np.array(row))
    return total


@pytest.mark.parametrize(
    "f",
    [
        emptied,
        on_a_branch,
        swapped,
        merged,
        in_a_helper,
        replaced,
        replaced_on_a_branch,
        nested_loops,
        begun_inside,
    ],
)
def test_as_in_python(f):
    alike(f, X)
    check_grads(f, (X,), 1)


def test_which_list_it_is_cannot_be_said():
    def f(x):
        c = [v * v for v in x]
        d = c
        if x[0] > 0.1:
            c = [v * 2 for v in x]
        c.append(x[0])
        return len(d)

    with pytest.raises(errors.AliasError, match="may or may not be the same object"):
        sg.compile(f)(X)


def test_a_list_on_one_way_and_a_tuple_on_the_other():
    def f(x):
        c = [v * v for v in x]
        if x[0] > 0.1:
            c = (x, x)
        return c[0]

    alike(f, X)
    alike(f, -X)
