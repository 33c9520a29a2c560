"""Slices whose step, or whether there is a bound, is known at run time only."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.lowered import same
from tests.frontend.outcomes import alike

X = np.array([0.3, 1.2, -0.7, 2.3, 0.9, 1.1, -0.2])


def views(x):
    k = int(x[3])
    y = x.copy()
    v = y[::k]
    v += 1
    v[0] = x[1] * 2
    w = v[::-1]
    w *= x[0]
    return np.sum(y**2 * np.arange(7))


def stores(x):
    k = -int(x[3])
    y = np.zeros((4, 7))
    y[:, ::k] = np.sin(x)[::k] * x[::k] + np.arange(len(x[::k]))
    y[::-k, 5::k] += x[1]
    y[1::2][0] += x[0]
    return np.sum(y**3) + y[::k].T[0].sum()


def in_loops(x):
    k, total = int(x[3]), 0.0
    while k < 6:
        total = total + np.prod(x[1::k]) * k + np.max(x[:-1:k])
        k = k + 2
    for i in range(3):
        x[i::k] = x[i::k] * 2 + x[i]
    return total * np.sum(x)


def bounds(x):
    k = int(x[3])
    low = None if x[0] > 1 else 1
    return x[low::k].sum() + x[-1:low:-k].sum()


def sieve(x):
    n = int(x[3]) * 10
    prime = np.ones(n, bool)
    prime[:2] = False
    p = 2
    while p * p < n:
        if prime[p]:
            prime[p * p :: p] = False
        p += 1
    return np.flatnonzero(prime)


def caught(x):
    try:
        return x[:: int(x[3]) - 2].sum()
    except ValueError:
        return x[0] * 3


@pytest.mark.parametrize("f", [views, stores, in_loops, bounds, sieve, caught])
def test_like_python(f):
    compiled = sg.compile(f)
    for x in (X, X + 1, X - 0.9):
        mine, theirs = x.copy(), x.copy()
        same((compiled(mine), mine), (f(theirs), theirs))


@pytest.mark.parametrize("f", [views, stores, bounds])
def test_derivatives(f):
    check_grads(f, (X,), order=1)


def test_examples_with_steps_of_their_own():
    xs = np.stack([X, X + 1])
    np.testing.assert_allclose(sg.vmap(sg.grad(views))(xs), [sg.grad(views)(x) for x in xs])


def test_a_step_of_zero():
    alike(lambda x: x[:: int(x[0])], X)
