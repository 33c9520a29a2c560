# ruff: noqa: B007, B905, RET504
"""Branches and loops on runtime values, compared with Python on inputs that take every way."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.lowered import check, lowered

X = np.arange(6.0).reshape(3, 2) / 7 - 0.3
V = np.array([0.5, -1.5, 2.0, 0.25])


# ------------------------------------------------------------------------------ branches
def branch(x, s):
    if s > 0:
        y = x * 2
        t = 1.0
    elif s < -1:
        y = x - 1
        t = 2.0
    else:
        y = x.copy()
        t = s
    return y * t


def early(x, s):
    if s > 1:
        return x + 1
    y = x * 3
    if s > 0:
        return y
    y -= 1
    return y * 2


def mixed(x, s):
    y = x + 1
    if s > 0:
        if s > 1:
            return y * 5
        y = y + 2
    y = y * 3
    return y


def ternary(x, s):
    k = 2.0 if s > 0 else 3.0
    return x * k, (x if s > 0 else x + 1)


def boolean(x, s):
    a = s > 0 and x[0, 0] < 0
    b = s > 1 or x[0, 0] > 0
    c = 0 < s < 1
    return 1.0 if a or not b else 2.0, c


def guarded(x, n):
    if n < len(x) and x[n, 0] > -10:
        return x[n, 0]
    return -1.0


def pairs(x, s):
    if s > 0:
        p = (x, 1)
    else:
        p = (x + 1, 2)
    a, b = p
    return a * b


def stores(x, s):
    y = x.copy()
    v = y[0]
    if s > 0:
        y[1] = 7.0
    else:
        v[...] = 3.0
    return y + v


def temporaries(x, s):
    if s > 0:
        tmp = np.sum(x)
        r = tmp * 2
    else:
        tmp = x * 2
        r = np.sum(tmp)
    return r


BRANCHES = [branch, early, mixed, ternary, boolean, pairs, stores, temporaries]


@pytest.mark.parametrize("s", [-2.0, -0.5, 0.5, 2.0])
@pytest.mark.parametrize("f", BRANCHES, ids=lambda f: f.__name__)
def test_branches(f, s):
    check(f, X, s)


@pytest.mark.parametrize("n", [0, 2, 7])
def test_the_right_side_of_and_is_not_run_in_vain(n):
    check(guarded, X, n, types=False)


# --------------------------------------------------------------------------------- loops
def total(x, n):
    s = 0
    for i in range(n):
        s += x[i % 3, 0]
    return s * 2.0


def rows(x, n):
    s = np.zeros(2)
    for row in x:
        s = s + row * n
    return s


def numbered(x, n):
    s = np.zeros(2)
    for i, row in enumerate(x, 1):
        s = s + i * row
    for a, b in zip(x, x[::-1]):
        s = s * a - b
    for i in reversed(range(n)):
        s = s / (i + 1)
    for row in reversed(x):
        s = s * 0.5 + row
    return s


def breaks(x, n):
    s = 0.0
    for i in range(n):
        if i == 2:
            continue
        if s > 1.0:
            break
        s += 0.4
    else:
        s = s + 100
    return s


def finds(x, n):
    for i in range(n):
        if x[i % 3, 1] > 0:
            return i, x[i % 3]
    return -1, x[0] * 0


def nested(x, n):
    y = x.copy()
    c = 0.0
    for i in range(len(x)):
        for j in range(n):
            if j > i:
                break
            y[i, j % 2] += i * 0.1
            c = c + y[i, 0]
    return y, c


def stepped(x, n):
    s = 1.5
    for i in range(n, 0, -2):
        s = s * i
    return s


def unrolled(x, n):
    weights = [x, x + 1, x * 2]
    names = ("a", "b")
    y = x
    for k in range(3):
        y = y * weights[k]
    for name in names:
        y = y + len(name)
    for w, k in zip(weights, (1, 2, 3)):
        if w[0, 0] > 10:
            break
        y = y - w * k
    return y


def collected(x, n):
    ys = []
    for i in range(2):
        ys.append(x * i)
    return ys, [v + 1 for v in ys]


def last_value(x, n):
    for i in range(n):
        t = i * 2
    return t


def swapped(x, n):
    a, b = x, x * 2
    for _ in range(n):
        a, b = b, a + b
    return a, b


def rebinds(x, n):
    y = x
    for i in range(n):
        y = y - 0.1 * y
        y[0] = 0.0
        y += 1
    return y


LOOPS = [
    total,
    rows,
    numbered,
    breaks,
    finds,
    nested,
    stepped,
    unrolled,
    collected,
    swapped,
]
LOOPS += [last_value, rebinds]


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
def test_loops(f, n):
    check(f, X, n, types=f is not stepped)


def test_a_loop_without_rounds():
    check(total, X, 0, types=False)
    check(breaks, X, 0)
    check(finds, X, 0, types=False)


# --------------------------------------------------------------------------------- while
def relax(x, target, tol):
    steps = 0
    while np.max(np.abs(x - target)) > tol:
        if x[0] > 0:
            x = x - 0.1 * np.sin(x - target)
        else:
            x = 0.5 * (x + target)
        steps += 1
    return np.sum(x * x), steps


def newton(x, target, tol):
    r = 1.0
    while True:
        new = 0.5 * (r + 2.0 / r)
        if abs(new - r) < tol:
            return new
        r = new


def countdown(x, target, tol):
    n, s = 5, 0.0
    while n:
        n -= 1
        if n == 3:
            continue
        s += n
    else:
        s += 0.5
    return s


def static_while(x, target, tol):
    layers, i = [x, x + 1], 0
    y = x
    while i < len(layers):
        y = y * layers[i]
        i += 1
    return y


@pytest.mark.parametrize(
    "f", [relax, newton, countdown, static_while], ids=lambda f: f.__name__
)
def test_while(f):
    check(f, V, V * 0.5 + 0.1, 0.05)


def test_loops_stay_loops():
    for f in (total, rows, nested):
        found, _ = lowered(f, X, 4)
        assert "for" in [op.name for op in found.function.block.ops], f
    found, _ = lowered(relax, V, V, 0.1)
    assert "while" in [op.name for op in found.function.block.ops]
