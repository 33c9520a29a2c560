"""Ready-made iterations."""

from __future__ import annotations

import itertools
import operator
import typing

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


def positions(x):
    y = np.empty_like(x)
    for i, j in np.ndindex(*x.shape):
        y[i, j] = x[i, j] ** 2 * (i + j)
    for i in np.ndindex(x.shape[0]):
        y[i] += x[i].sum()
    for i in np.ndindex(x.shape):
        y[i] *= x[i]
    return y.sum()


def items(x):
    total = x[0, 0] * x[()][0, 1:2].sum()
    for (i, j), v in np.ndenumerate(x):
        total += v**2 * (i - 2 * j)
    return total + np.array([v * i[0] for i, v in np.ndenumerate(x)]).sum()


def pairs(x):
    rows = list(x)
    total = sum((b - a) ** 2 for a, b in itertools.pairwise(x[0]))
    for a, b in itertools.combinations(rows, 2):
        total = total + a * b
    for a, b in itertools.product(rows, repeat=2):
        total = total + a * b**2
    for a, b in itertools.zip_longest(rows, rows[1:], fillvalue=2.0):
        total = total - a * b
    return total.sum()


def strung(x):
    total = 0.0
    for row in itertools.chain(x, itertools.chain.from_iterable([x, x * 2])):
        total += (row**3).sum()
    for row in itertools.islice(x, 1):
        total += row[0]
    return total * len(list(itertools.repeat(0, 3)))


def accumulated(x):
    totals = list(itertools.accumulate(x[0]))
    products = list(itertools.accumulate(x[0], operator.mul, initial=2.0))
    powers = sum(itertools.starmap(lambda a, b: a * b**2, zip(x[0], x[1], strict=True)))
    return totals[-1] * products[-1] + typing.cast(float, powers)


ALL = [positions, items, pairs, strung, accumulated]
X = np.array([[1.0, 2.0, 0.5], [0.25, -1.0, 3.0]])


@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("x", [X, X[:, :1].copy(), X.T.copy()], ids=["2x3", "2x1", "3x2"])
def test_they_run_over_what_python_runs_over(f, x):
    alike(f, x)


@pytest.mark.parametrize("f", ALL)
def test_gradients_go_through_them(f):
    check_grads(f, (X,), order=2)


def test_positions_are_a_loop_in_the_generated_code():
    source = sg.compile(positions).lower(X).source
    assert source.count("for ") == 6  # three of them in comments
    assert "% n" in source and "//" in source


def taken(x):
    return sum(iter(x)) * next(iter(x))


@pytest.mark.parametrize(("f", "word"), [(taken, "iterated over")])
def test_refused(f, word):
    with pytest.raises(UnsupportedSyntaxError, match=word):
        sg.compile(f)(np.ones(3))


def layered(p, x, n):
    for i in range(n):
        x = np.tanh(x @ p[f"W{i}"] + p[f"b{i}"])
    return x.sum() * {f"k{len(x)}": 2.0}["k3"]


def test_texts_that_known_numbers_make_are_keys():
    rng = np.random.default_rng(0)
    p = {"W0": rng.normal(size=(2, 2)), "W1": np.eye(2), "b0": np.ones(2), "b1": np.ones(2)}
    check_grads(lambda p, x: layered(p, x, 2), (p, rng.normal(size=(3, 2))))
