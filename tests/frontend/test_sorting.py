"""``sorted``: the order is found when compiling where it can be, else by the running code."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([0.3, -0.4, 1.2, 0.9])


def items_of_a_dict(x):
    out = {"b": x.sum(), "a": x.prod(), "c": 2.0}
    return sum(v * (i + 1) for i, (_, v) in enumerate(sorted(out.items())))


def names_first(x):
    (_, p), (_, q) = sorted(zip(["q", "p"], x[:2], strict=True), reverse=True)
    return p * 2 + q


def best_two(x):
    order = sorted(range(len(x)), key=lambda i: -x[i])[:2]
    return sum(x[i] * (k + 1) for k, i in enumerate(order))


def positions(x):
    chosen = np.argpartition(-x, 2)[:2]
    return sum(x[i] / (1 + rank) for rank, i in enumerate(sorted(chosen.tolist())))


def by_an_argument(x, a, b):
    first, second = sorted([(a, x[0]), (b, x[1])], key=lambda pair: pair[0])
    return first[1] * 3 + second[1]


@pytest.mark.parametrize("f", [items_of_a_dict, names_first, best_two, positions])
def test_sorted(f):
    assert sg.compile(f)(X) == f(X)
    check_grads(f, (X,))


def test_integers_of_the_call_decide():
    f = sg.compile(by_an_argument)
    for a, b in ((1, 2), (2, 1), (2, 2)):
        assert f(X, a, b) == by_an_argument(X, a, b)


def smallest_pair(x):
    best = (np.inf, -1)
    for i in range(len(x)):
        best = min(best, (x[i] ** 2, i))
    return best


def largest_of_pairs(x):
    return *max([x[2], 2, x[1]], [x[2], 2, x[0]]), min((v > 0, v) for v in x)


@pytest.mark.parametrize("f", [smallest_pair, largest_of_pairs])
def test_the_smallest_of_tuples_is_decided_by_the_first_that_differ(f):
    x = np.array([2.5, -3.0, 0.7])
    alike(f, x)
    check_grads(lambda x: f(x)[0] * 2.0, (x,))
