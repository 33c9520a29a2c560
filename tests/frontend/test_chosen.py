"""``max`` and ``min`` with ``key`` and ``default``, ``next``, ``filter`` and ``sorted`` of what is
known at run time only; lists indexed by such numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(3).uniform(0.2, 1.4, 9)
CASES = [X, X[:1], np.array([0.7, 0.3, 0.7, 0.3, 1.2]), np.full(3, 5.0), np.zeros(0)]


def by_key(x):
    i = max(range(len(x)), key=lambda k: x[k])
    j = min(range(len(x)), key=lambda k: abs(x[k] - 0.7))
    return x[i] * x[j] * 2, max(x, key=lambda v: -((v - 0.6) ** 2))


def of_arguments(x):
    return max(x[0], x[-1], key=lambda v: -v * v)


def by_default(x):
    some = [v * v for v in x if v > 0.5]
    return max(some, default=np.float64(0)), min(x, default=np.float64(9))


def by_key_and_default(x):
    return max((v for v in x if v > 1), key=lambda v: -v, default=np.float64(2.0))


def of_some(x):
    return max(v * 3 for v in x if v > 0.4)


def next_one(x):
    i = next(i for i, v in enumerate(x) if v > 0.6)
    return x[i] * next((v for v in x if v > 6), np.float64(2.0)) + i


def next_of_what_is_known(x):
    return x[0] * next(k for k in (3, 1, 2) if k * x[0] > 1)


def filtered(x):
    large = list(filter(lambda v: v > 0.6, x))
    return np.array(large) * len(large), sum(filter(None, x * 1.0), np.float64(0))


def in_order(x):
    down = sorted(x, reverse=True)
    places = sorted(range(len(x)), key=lambda i: x[i])
    back = sorted(range(len(x)), key=lambda i: -x[i], reverse=True)
    return down, sorted(x), places, back


def of_a_known_number(x):
    a, b, c = sorted([x[0], x[-1] * 2, x[0] * x[0]])
    return a + 2 * b + 3 * c


def pairs_in_order(x):
    pairs = sorted(zip(x, range(len(x)), strict=True))
    return [a * (1 + b) for a, b in pairs]


def pivots(a):
    a = np.outer(a, a) + np.diag(a)
    for k in range(len(a)):
        p = max(range(k, len(a)), key=lambda i: abs(a[i, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
        a[k + 1 :] *= 0.5
    return np.sum(a)


CHOSEN = [
    by_key, of_arguments, by_default, by_key_and_default, of_some, next_one,
    next_of_what_is_known, filtered, in_order, of_a_known_number, pairs_in_order, pivots,
]  # fmt: skip


@pytest.mark.parametrize("f", CHOSEN, ids=lambda f: f.__name__)
def test_like_python(f: Callable[..., Any]):
    for x in CASES:
        alike(f, x)


@pytest.mark.parametrize(
    "f",
    [by_key, by_default, of_some, next_one, pairs_in_order, pivots],
    ids=lambda f: f.__name__,
)
def test_gradients(f: Callable[..., Any]):
    def loss(x):
        found = f(x)
        total = 0.0
        for part in found if isinstance(found, tuple | list) else (found,):
            total += part * part
        return total

    check_grads(loss, (X,), order=1)


def test_next_runs_through_one_for():
    def nested(x):
        return next(a * b for a in x for b in x)

    with pytest.raises(UnsupportedSyntaxError, match=r"next.. runs through one `for`"):
        sg.compile(nested)(X)


# --------------------------------------------------------- positions known at run time only
def read(x):
    weights, total, k = [x[0], 2.0 * x[1], x[2] ** 2], 0.0, 0
    for v in x:
        total += weights[k] * v
        if v > 0.7:
            k = (k + 1) % 3
    return total


def of_constants(x):
    table, total = (1.0, 4.0, 6.0), 0.0
    for v in x:
        total += table[int(v * 2)] * v
    return total


def changed(x):
    counts = [0.0, 0.0, 0.0]
    for v in x:
        counts[int(v * 2)] += v
    return counts[0] + counts[1] * 2 + counts[2] * 3


def begun_with_a_number(x):
    mu, z = [0.0], [1.0]
    for i in range(1, len(x) - 1):
        mu.append((x[i + 1] - x[i]) / (4 + mu[i - 1]))
        z.append(x[i] * mu[i] - z[i - 1])
    return np.array(z)


def filled_with_python_numbers(x):
    xs = [0.0] * len(x)
    xs[1:3] = [x[0], x[1]]
    xs[-1] = x[2]
    return np.array(xs)


POSITIONS = [read, of_constants, changed, begun_with_a_number, filled_with_python_numbers]


@pytest.mark.parametrize("f", POSITIONS, ids=lambda f: f.__name__)
def test_positions(f: Callable[..., Any]):
    alike(f, X)
    check_grads(lambda x: np.sum(f(x) ** 2), (X,), order=1)


def test_out_of_range():
    for f in (of_constants, changed):
        with pytest.raises(IndexError):
            sg.compile(f)(X * 9)


def test_lists_of_different_things():
    def f(x):
        xs, k, total = [1.0, x, "text"], 0, 0.0
        for v in x:
            total += np.sum(xs[k])
            if v > 0.7:
                k += 1
        return total

    small = np.array([0.1, 0.2, 0.9, 0.3])
    alike(f, small)
    check_grads(f, (small,), order=1)
    with pytest.raises(TypeError):
        sg.compile(f)(X)
