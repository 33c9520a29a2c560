"""What has to be known when compiling and is one of a few values that the running code tells:
axes, modes, orders, shapes, types, functions, positions."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.lowered import same
from tests.frontend.outcomes import alike

M = np.arange(12.0).reshape(3, 4) + 0.5
POINTS = (M, M + 1.2, M - 2)


def axes(x):
    axis = 0 if x[0, 0] > 1 else 1
    s = x.sum(axis=axis)
    m = s.max()
    if axis == 0:
        m = m * 2
    return np.sum(s**2) * m + np.max(np.flip(x, 1 - axis), axis=[0, 1][int(x[0, 1] > 1)])[0]


def axes_or_none(x):
    axis = None
    if x[0, 0] > 1:
        axis = 0
    return np.sum(np.sum(x, axis=axis) ** 2) + x.mean(axis=axis).ndim


def bounds_or_none(x):
    low = x[0, 1] if x[0, 0] > 1 else None
    weights = x[0] if x[0, 0] > 0 else None
    return np.sum(np.clip(x, low, 5.0)) * np.average(x[1], weights=weights)


def in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        r = np.cumsum(x, axis=0 if x[i, 0] > 4 else -1)
        total += r[-1, 0] * r[0, -1]
    return total


def changed_in_a_loop(x):
    axis, v = 0, x[0, 0]
    while v < 1:
        v = v + 1.5
        axis = 1 - axis
    return np.sum(x, axis=axis)[0] ** 2


def by_remainder(x):
    p = (1, 2, np.inf)[int(x[0, 2]) % 3]
    return np.linalg.norm(x[0], p) + np.linalg.norm(x, axis=int(x[0, 2]) % 2)[0]


def ranks(x):
    m = x.mean(axis=1, keepdims=bool(x[0, 0] > 1))
    y = x.reshape([(2, 6), (6, 2), (12,)][int(x[0, 0])])
    return np.sum(m**2) * m.ndim + np.sum(y[0] ** 2)


def texts(x):
    k = int(x[0, 0] > 1)
    name, power = {0: ("sum", 1), 1: ("max", 2)}[int(x[0, 1] > 2)]
    v = x.sum() if name == "sum" else x.max()
    r = np.convolve(x[0], x[1, :2], mode=["same", "full", "valid"][k])
    return np.sum(r**2) * v**power, "abc"[k], ["x", "y", "z"][k - 1], (x, 1.0)[1 - k]


def types(x):
    y = x.astype(np.float32 if x[0, 0] > 1 else np.float64)
    return y * 2, np.zeros(2, dtype=int if x[0, 0] > 1 else complex)


def functions(x):
    k = int(x[0, 0])
    fs = [np.sin, lambda a: a * x[0, 1], np.square]
    return np.sum(fs[k](x)) + sum(fs[k](v) for v in x[0]) * {0: np.exp, 1: np.cos}[k % 2](
        x[1, 0]
    )


def caught(x):
    try:
        return np.sum(x, axis=0 if x[0, 0] > 1 else 5)[0]
    except ValueError:
        return x[0, 0] * 3


NUMBERS = [
    axes,
    axes_or_none,
    bounds_or_none,
    in_a_loop,
    changed_in_a_loop,
    by_remainder,
    ranks,
    functions,
    caught,
]


@pytest.mark.parametrize("f", [*NUMBERS, texts, types], ids=lambda f: f.__name__)
def test_code_for_each(f):
    compiled = sg.compile(f)
    for x in POINTS:
        same(compiled(x), f(x))


@pytest.mark.parametrize("f", NUMBERS, ids=lambda f: f.__name__)
def test_derivatives(f):
    check_grads(f, (POINTS[1],), order=1)


def test_one_branch_for_what_belongs_together():
    compiled = sg.compile(axes_or_none)
    compiled(M)
    assert compiled.source.count("if axis_given:") == 1


def test_positions_that_are_not_there():
    def f(x):
        return ("a", x, 2.0)[int(x[0, 0])]

    for x in (M, M + 3, M - 4.6, M - 1.6):
        alike(f, x)


def test_what_may_be_too_much():
    def f(x):
        return np.sum(x, axis=int(x[0, 0]))

    with pytest.raises(UnsupportedSyntaxError, match="known at run time only is needed"):
        sg.compile(f)(M)
