"""Chains of adjoints in loops ask once what does not count."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads


def limited_steps(p, rate):
    for t in range(1, 4):
        g = 2 * p + np.cos(p)
        n = np.linalg.norm(g)
        if n > 1:
            g = g / n
        p = p - rate * g / (np.sqrt(np.abs(p) / (1 - 0.9**t)) + 1e-8)
    return np.sum(p**2)


def random_walk(v, rate, rho):
    draw = np.random.default_rng(0)
    for _ in range(3):
        z = np.sqrt(1 - rho**2) * draw.standard_normal(3)
        v = v + rate * np.sqrt(np.maximum(v, 0)) * z
    return np.sum(v**2)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (limited_steps, (np.array([1.0, -2.0, 0.5]), 0.1)),
        (random_walk, (np.ones(3), 0.3, 0.2)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_chains_in_loops_have_one_mask(f, args):
    """Each asks once what does not count, and numbers that a round can have again are not kept."""
    check_grads(f, args)
    source = sg.grad(f, (0, 1)).lower(*args).source
    assert source.count("!= 0") <= 3
    assert ") != 0" not in source
    assert ".append(r" not in source and ".append(sqrt" not in source


def test_walks_that_a_limit_stops():
    """The root's slope is infinite where it is not selected, in a later round."""
    with np.errstate(all="ignore"):
        slopes = sg.grad(random_walk, (0, 1))(np.array([1.0, -1.0, 2.0]), 0.3, 0.2)
    assert np.all(np.isfinite(slopes[0])) and np.isfinite(slopes[1])
    assert slopes[0][1] == -2.0
