"""Whether a function compiles does not depend on how deep it is called."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import symgrad as sg


def again(x):
    for i in range(3):
        if x > i:
            return again(x - 1) * 2
    return x


def endless(x, f):
    return f(x, f)


def below(calls, f, *args):
    return f(*args) if calls == 0 else below(calls - 1, f, *args)


@pytest.mark.parametrize("calls", [0, 200, 400])
def test_called_from_deep_down(calls):
    limit = sys.getrecursionlimit()
    compiled = sg.compile(lambda x: again(float(x[0]) * 4))
    x = np.array([0.3, 0.5])
    assert below(calls, compiled, x) == again(float(x[0]) * 4)
    assert sys.getrecursionlimit() == limit


def test_calls_without_an_end_end():
    with pytest.raises(sg.errors.SymgradError):
        below(100, sg.compile(lambda x: endless(x, endless)), np.ones(3))
