"""Adjoints that repeat a number are arrays where a loop changes them."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

X = np.array([0.3, -0.7, 1.1])


def relaxed(x, k):
    for _ in range(3):
        x = x + 0.1 * np.sin(x * k)
    return np.sum(x)


def scaled(x, k):
    for _ in range(3):
        x = 2 * x
    return np.sum(x * k)


def read_twice(x, k):
    y = x
    for _ in range(3):
        x = x + 0.1 * np.sin(x * k)
    return np.sum(x) + np.sum(y)


@pytest.mark.parametrize("f", [relaxed, scaled, read_twice], ids=lambda f: f.__name__)
def test_values(f):
    check_grads(f, (X, 0.4))


def test_changed_in_place():
    lines = sg.grad(relaxed).lower(X, 0.4).source.splitlines()
    code = [line.strip() for line in lines if "#" not in line]
    assert "g_x = np.ones(x.shape[0])" in code
    assert not any("broadcast_to" in line or "copy" in line for line in code)
    assert any(line.startswith("g_x += ") for line in code)


def test_what_others_read_stays_one_number():
    """A number repeated is not filled in where nothing changes it."""
    source = sg.grad(lambda x, w: np.sum(np.sum(x, axis=0) @ w)).lower(np.eye(3), X).source
    assert "np.ones" not in source
