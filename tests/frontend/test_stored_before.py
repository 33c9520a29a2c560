"""What has been stored into the caller's arrays when something is raised is there, as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.outcomes import alike

X, SINGULAR = np.array([0.7, 0.4, 0.2]), np.ones((2, 2))


def stored_then_raised(x, c):
    if c > 0:
        x[0] = 3.0
        raise ValueError("a")
    return x


def stored_twice(x, c):
    x[0] = 1.0
    if x[1] > c:
        raise ValueError("b")
    x[0] = 2.0
    return x


def stored_around_numpy(x, a):
    x[0] = 1.0
    b = np.linalg.inv(a)
    x[0] = b[0, 0]
    return x


def all_of_it(x, a):
    x[:] = 3.0
    y = 1 / a
    x[:] = y
    return x


def in_a_loop(x, k):
    for i in range(len(x)):
        x[i] = 1.0
        if i == k:
            raise IndexError(f"{i}")
        x[i] = 2.0
    return x


def asserted(x, a):
    x *= 2
    if a > 0:
        x += 1
        if x[0] < 100:
            raise AssertionError("small")
    return x


def in_a_call(x, a):
    def g(v, k):
        v[1] = k
        if a < 0:
            v[2] = k * 2
            raise KeyError("k")
        v[1] += 1

    x[0] = 5.0
    g(x, 3)
    x[0] = 6.0
    return x


def with_a_copy(x, a):
    y = x.copy()
    x[0] = a
    if y[1] > 0.3:
        y[0] = 2
        x[:] = y
        raise ValueError("z")
    x[1] = 4
    return y


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (stored_then_raised, (X, 1.0)),
        (stored_then_raised, (X, -1.0)),
        (stored_twice, (X, 0.0)),
        (stored_twice, (X, 1.0)),
        (stored_around_numpy, (X, SINGULAR)),
        (stored_around_numpy, (X, np.eye(2))),
        (all_of_it, (X, 0.0)),
        (in_a_loop, (X, 1)),
        (in_a_loop, (X, 9)),
        (asserted, (X, 1.0)),
        (in_a_call, (X, 1.0)),
        (in_a_call, (X, -1.0)),
        (with_a_copy, (X, 1.0)),
        (with_a_copy, (-X, 1.0)),
    ],
)
def test_like_numpy(f, args):
    alike(f, *args)
