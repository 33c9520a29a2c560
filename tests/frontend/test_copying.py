"""``copy.copy`` and ``copy.deepcopy``: what is shared afterwards, and what is not."""

from __future__ import annotations

import copy
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([0.3, 0.6, 0.9])
Pair = namedtuple("Pair", "a b")


@dataclass
class State:
    x: np.ndarray
    t: float = 0.0


def deep(x):
    s = {"a": x, "b": [x, x * 2], "c": (x[0], "text", None), "p": Pair(x, 1)}
    t = copy.deepcopy(s)
    t["a"][0] = 9.0
    t["b"].append(x)
    return t["a"] + s["b"][0], t["b"][0], len(s["b"]), t["p"], t["c"][1:]


def shallow(x):
    s = [x, [x * 2]]
    t, u = copy.copy(s), copy.copy(x)
    t[0][0] = 5.0
    t[1].append(x)
    t.append(1)
    u[1] = 7.0
    return s[0], len(s), len(s[1]), u


def of_objects(x):
    s = State(x)
    t, u = copy.copy(s), copy.deepcopy(s)
    t.t, u.t = 1.0, 2.0
    t.x[1] = 4.0
    u.x[2] = 8.0
    return s.t, t.t, u.t, s.x, u.x


def rolled_back(x):
    best, states = State(x.copy()), []
    for k in range(3):
        trial = copy.deepcopy(best)
        trial.x *= 1.1 + 0.1 * k
        trial.t += k
        states.append(trial.x.sum())
        best = trial
    return best.x * best.t + sum(states)


@pytest.mark.parametrize("f", [deep, shallow, of_objects, rolled_back])
def test_like_python(f):
    alike(f, X)


def test_derivatives():
    check_grads(lambda x: np.sum(rolled_back(x) ** 2), (X,))


def test_an_argument():
    def f(params):
        mine = copy.deepcopy(params)
        mine["w"] *= 2
        mine["new"] = 1.0
        return np.sum(mine["w"]) + params["w"][0] * len(mine)

    alike(f, {"w": X})


class Own:
    def __init__(self, x):
        self.x = x

    def __copy__(self):
        return Own(self.x + 1)


def test_objects_that_say_how():
    with pytest.raises(UnsupportedFunctionError, match="copy the parts"):
        sg.compile(lambda x: copy.copy(Own(x)).x)(X)
