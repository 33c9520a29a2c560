"""Loops carry arrays in the shape that they work on them in."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.3, 1.3, 12)


def on_branches(x):
    y = np.zeros(len(x) * 2)
    z = y.reshape(2, -1)
    for i in range(len(x)):
        z[0, i] = x[i] ** 2
        if x[i] > 0.5:
            z[1, i] = x[i] ** 3
    return y


def nested(x):
    y = np.zeros((3, 4))
    flat = y.ravel()
    for i in range(12):
        flat[i] = x[i]
        for j in range(i):
            flat[i] += flat[j] * 0.1
    return y


def while_it_is_small(x):
    y = x.copy()
    z = y.reshape(-1, 2)
    i = 0
    while z[i, 0] < 1.2 and i < len(z) - 1:
        z[i + 1] = z[i] * z[i + 1] * y[0] + 0.1
        i += 1
    return y, z


def left_early(x):
    y = x * 2.0
    z = y.reshape(2, -1)
    for i in range(6):
        if x[i] > 0.6:
            z[0, i] = x[i]
            continue
        if x[i] < 0.1:
            break
        z[1, i] = z[0, i] * 2
    return z.T @ z


def in_two_shapes(x):
    y = x.copy()
    for i in range(3):
        y.reshape(2, -1)[0] *= 1.5
        y[1] += y[0]
        y.reshape(-1, 2)[i % 2] += 1
    return y


def made_anew(x):
    y = x.reshape(3, 4)
    for _ in range(3):
        y = np.tanh(y.ravel() * 2).reshape(3, 4)
    return y


FUNCTIONS = [on_branches, nested, while_it_is_small, left_early, in_two_shapes, made_anew]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_like_numpy(f):
    alike(f, X)

    def loss(x):
        found = f(x)
        total = 0.0
        for part in found if isinstance(found, tuple) else (found,):
            total += np.sum(np.sin(part) * np.arange(part.size).reshape(part.shape))
        return total

    check_grads(loss, (X,), order=1)


@pytest.mark.parametrize("f", [on_branches, nested, left_early], ids=lambda f: f.__name__)
def test_nothing_is_copied(f):
    source = sg.compile(f).lower(X).source
    assert "copy" not in source
    assert source.count("reshape") <= 3
