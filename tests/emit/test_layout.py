"""Calls with long lists in them are written over several lines."""

from __future__ import annotations

import numpy as np

import symgrad as sg


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
