"""Variables that are of one kind on some ways and of another on others."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([0.5, -1.5, 2.0])


def precisions(x, c):
    y = x.astype(np.float32) if c > 0 else x
    z = y + 1
    if x[1] > c:
        z = z * 2
    return z, y, z.dtype


def whole(x, c):
    if x[0] > c:
        y = np.zeros(3, int)
    else:
        y = x * 2
    m = x > 0
    if x[0] > c:
        m = m * x
    return y + 1, m.sum(), y


def number_or_array(x, c):
    t = 0
    if x[0] > c:
        t = x
    s = 0.0
    for v in x:
        s = s + np.sum(t * v)
    while np.sum(t) < 3:
        t = t + 1
    return t * x, s


def ranks(x, c):
    y = x if x[0] > c else x[0]
    z = y if x[1] > 0 else 1
    return [np.sum(y * x), (y + 1, z)]


def containers(x, c):
    if x[0] > c:
        y = [x[0], 1]
        d = {"a": x}
    else:
        y = (x[1], 2, 3)
        d = {"b": x, "c": 1}
    return len(y), y[1] + y[0], d.get("a", 0)


def several(x, c):
    if x[0] > c:
        y = np.float32(x)
    elif x[1] > c:
        y = x
    else:
        y = "abc"
    return y if isinstance(y, str) else y * 2


def two_at_once(x, c):
    if x[0] > c:
        y, k = x, 1
    else:
        y, k = 2, x
    z = 1 if x[1] > c else x * 2
    return y + k, z * k


def functions(x, c):
    def pick(v):
        if v > c:
            return v * x, v
        return v**2

    p = pick(x[0])
    q = pick(x[1])
    p = p if isinstance(p, tuple) else (p, 1.0)
    return p, q


def closures(x, c):
    f = (lambda t: t * x) if x[2] > c else np.sin
    y = x if x[1] > c else np.float32(x)
    g = lambda t: t * y  # noqa: E731
    return f(x), g(x), g(np.float32(2))


def tried(x, c):
    y = x
    if x[0] > c:
        y = np.outer(x, x)
    try:
        z = y[2, 0]
    except IndexError:
        z = y[1]
    return z * x[1]


def stored(x, c):
    if x[0] > c:
        y, z = x.astype(np.float32), 1
    else:
        y, z = x, 2.5
    y[0] = 7
    y *= z
    return y, x


def in_a_loop(x, c):
    t, found = 0.0, []
    for v in x:
        if v > c:
            w = x * v
        else:
            w = v
        t = t + np.sum(w**2)
        found.append(np.sum(w))
    return t, np.array(found)


PROGRAMS = [
    *(precisions, whole, number_or_array, ranks, containers, several, two_at_once),
    *(functions, closures, tried, stored, in_a_loop),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_each_stays_what_it_is(f):
    for x in (X, -X):
        for c in (-2.5, 0.0, 1.0):
            alike(f, x, c)


def total(x):
    y = x[:2] * 3 if x[0] > 0 else x[0] * x[1]
    z = y * y + 1
    t = 0.0
    for v in x:
        w = x * v if v > 0 else v
        t = t + np.sum(w**2)
    return np.sum(z) * t


@pytest.mark.parametrize("x", [X, -X])
def test_gradients(x):
    check_grads(total, (x,))


def test_code_that_does_not_read_it_is_there_once():
    def f(x, c):
        y = x.astype(np.float32) if x[0] > c else x
        s = np.sum(np.sin(x)) * 2
        return s + y.sum()

    alike(f, X, 0.0)
    assert (
        sg.compile(f).lower(X, 0.0).source.count("np.sum(np.sin(x))") == 2
    )  # in a comment, too


def test_what_cannot_leave_a_branch_is_refused():
    def f(x):
        text = f"{x[0]}" if x[0] > x[1] else (n for n in x)
        print(text)

    with pytest.raises(UnsupportedSyntaxError, match="a text with runtime values in it"):
        sg.compile(f)(X)


def test_within_an_expression_it_is_refused():
    def pick(x, c):
        return x if x[0] > c else x[0]

    def f(x, c):
        return pick(x, c) * 2

    with pytest.raises(UnsupportedSyntaxError, match=r"an array .* and a float64 scalar"):
        sg.compile(f)(X, 0.0)

    def g(x, c):
        y = pick(x, c)
        return y * 2

    alike(g, X, 0.0)
