"""``x.flat``: read, stored into, looped over; ``z.real = ...``."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.2, 1.0, (2, 3))
W = np.random.default_rng(1).uniform(0.2, 1.0, 4)


def slices(x, w):
    x.flat[1:4] = w[0]
    x.flat[::2] *= 2.0
    return x * x


def whole(x, w):
    x.flat = w[:2]
    x.T.flat[3] = 2.0
    x[::-1].flat[:3] += w[1]
    return x * x


def read(x, w):
    total = 0.0
    for i, v in enumerate(x.T.flat):
        total += v * v * (i + 1)
    return total + len(x.flat) + np.sum(x.flat) * x.flat[-1] + max(x.flat)


def copies(x, w):
    y = x.flat[2:5]
    y[0] = 7.0
    x.flat[[0, 3]] *= 2
    x.flat[x.ravel() > 0.5] = 0.1
    return y * x.flat[1], x + np.array(x.flat[4])


def vector(x, w):
    w.flat[1] = x.flat[1] * w.flat[0]
    w.flat[[2, 3]] = x
    return w * w


def running(x, w):
    for i in range(-2, x.size - 2):
        x.flat[i] = np.sin(x.flat[i]) * x.flat[i - 4]
    return np.sum(x**2)


def parts(x, w):
    z = x + 1j * x
    z.real = 2 * w[:3]
    z.imag[0] = 3
    z.imag *= x
    return np.abs(z)


@pytest.mark.parametrize("f", [slices, whole, read, copies, vector, running, parts])
def test_as_in_numpy(f):
    alike(f, X, W)
    check_grads(f, (X, W), 1)


def test_a_store_of_one_entry_copies_nothing():
    source = sg.grad(running).lower(X, W).source
    assert "reshape" not in source
    assert source.count(".copy()") == 1  # the caller's array stays as it is
