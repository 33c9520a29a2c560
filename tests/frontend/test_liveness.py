"""What is not read any more is in nobody's way."""

from __future__ import annotations

import numpy as np

from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


def parts_of_one_branch(x):
    v = x * 1.5
    for i in range(len(x)):
        if v[i] > 0.4:
            v[0], v[1] = v[1], v[0]
        else:
            parts = {"u": v, "p": 2.0}
            parts["u"] = parts["u"] * 0.5
            v[2] += sum(np.sum(parts[name]) for name in parts)
    return np.sum(v * x)


def test_a_generator_that_is_run_through_at_once():
    x = np.random.default_rng(0).uniform(0.0, 1.0, 5)
    alike(parts_of_one_branch, x)
    check_grads(parts_of_one_branch, (x,), 1)
