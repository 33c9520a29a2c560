"""Calls with long lists in them are written over several lines."""

from __future__ import annotations

import numpy as np

import symgrad as sg
from symgrad.testing import check_grads


def stacked(s, t):
    longer = [s, t, s, s, t, t, s, t, s, t, s, s, s, t, t, s, s, t, s, t, s, t, s, t, s, t]
    joined = np.stack(longer, axis=1)
    return joined * 2


def test_a_long_list() -> None:
    s, t = np.arange(3.0), np.ones(3)
    compiled = sg.compile(stacked)
    assert np.array_equal(compiled(s, t), stacked(s, t))
    lines = compiled.source.splitlines()
    assert max(map(len, lines)) <= 88
    assert "    joined = np.stack([" in lines and "    ], axis=1)" in lines


def test_a_list_that_is_computed_is_spread() -> None:
    def f(x, q):
        total = 0.0
        for _ in range(q):
            for _ in range(q):
                if x[0] > 0:
                    pieces = []
                    for k in range(len(x)):
                        pieces.append(x[k] * x)
                    pieces.reverse()
                    total = total + np.sum(pieces[0] * pieces[1])
        return total

    source = sg.grad(f).lower(np.ones(4), 3).source
    assert "[::-1] = [\n" in source
    assert max(map(len, source.splitlines())) <= 88
    check_grads(f, (np.array([0.3, 0.2, -0.4]), 2))
