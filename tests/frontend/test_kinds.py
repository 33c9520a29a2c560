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


def carried(x, c):
    g, r, n = 0, x, 0
    for i in range(len(x)):
        if x[i] > c:
            g = 0.5 * g + x * x[i]
        elif i > 0:
            n = x[i]
    while np.ndim(r) > 0 and np.sum(r) > c:
        r = r[0] if x[2] > 0 or len(r) < 2 else r[1:]
    g = np.sum(g * x)
    return r, n + g


def states(x, c):
    best, z, s = None, np.zeros(3, np.float32), np.float32(0)
    for v in x:
        if v > c:
            best = (v, x * 2) if best is None else [best[0], x]
        else:
            z = z + x
            s = s * v
    return z, s, best if best is None else best[0] * 2


def back_and_forth(x, c):
    mode, s = "up", 0.0
    for v in x:
        if mode == "up":
            s = s + v
            mode = "down" if s > 0 else "up"
        elif mode == "down":
            s = s * v
            mode = "up"
    status = "running"
    while status == "running":
        s = s / 2
        if abs(s) < 0.1:
            status = "small"
        elif c > 0:
            status = "stopped"
    return s, mode, status


def of_a_list(x, c):
    last, found = 0, []
    for v in x:
        if v > c:
            last = v * x[:2]
        found.append(np.sum(last))
    return np.array(found)


def pick(x, c):
    return x if x[0] > c else x[0]


def in_expressions(x, c):
    s = np.sum(x) * np.sum(pick(x, c))
    y = np.zeros(3)
    y[:] = pick(x, c)
    s += sum([np.sum(pick(x * v, c)) for v in x])
    return s, y, {"a": 1.0, "b": 2.0}["a" if x[0] > c else "b"]


PROGRAMS = [
    *(carried, states, back_and_forth, of_a_list, in_expressions),
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


def rounds(x):
    g, s = 0, 0.0
    for v in x:
        if v > 0:
            g = g + x * v
        s = s + np.sum(g**2)
    return s * np.sum(pick(x, 1.0))


@pytest.mark.parametrize(("f", "x"), [(total, X), (total, -X), (rounds, X)])
def test_gradients(f, x):
    check_grads(f, (x,))


def test_what_a_kind_cannot_do_raises_when_it_is_done():
    def f(x, c):
        y, t = x, 0.0
        for v in x:
            if v > c and np.ndim(y):
                y = y[1]
            elif c > 1:
                t = t + y[0] + len(y)
        return t

    assert sg.compile(f)(X, 1.0) == 0
    for g in (f, sg.compile(f)):
        with pytest.raises(IndexError):
            g(X[::-1], 1.5)


def test_a_variable_of_four_kinds_around_a_loop_is_refused():
    def f(x):
        y = 0
        for i in range(len(x)):
            y = x if x[i] > 1 else np.outer(x, x) if x[i] > 0 else np.float32(x)
        return y

    with pytest.raises(UnsupportedSyntaxError, match=r"`y` is an array .* one value"):
        sg.compile(f)(X)


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
