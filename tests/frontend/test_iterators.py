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


def advanced(x):
    """A position that loops, ``next`` and functions share."""
    it = iter(x)

    def skip():
        return next(it) * 2

    total = next(it)
    for e in it:
        if e < 1:
            break
        total += e
    else:
        total = -total
    total = total * 0.5 + skip()
    for e in it:
        total += 10 * e
    return total, next(it, 5.0), next(it, x[0]), sum(iter(x)), next(iter(x))


def paired(x):
    total, it, pairs = 0.0, iter(x), iter(x)
    for e in it:
        total += e * next(it, 2.0)
    for a, b in zip(pairs, pairs, strict=False):
        total = total * a + b
    known = iter([1.0, x[1], x[0]])
    weights, it = iter(x[::-1]), iter(x)
    for v in x[:2]:
        total += v * next(known) * (next(it) if v > 2 else 1.0)
    for v, w in zip(weights, known, strict=False):
        total += w * v
    for w, v in zip(weights, it, strict=False):
        total += 100 * v * w
    return total


def passed_on(x):
    """How far an iterator is, is seen where its elements go, and where the loop is left."""

    def every(it):
        yield from it

    total, it = 0.0, iter(x)
    for e in every(it):
        total += e * next(it)
    it = iter(x)
    for e in every(it):
        if e > 2:
            break
    total += 10 * next(it)
    it = iter(x)
    try:
        for e in it:
            total += 1.0 / int(e > 1)
    except ZeroDivisionError:
        total += 100 * next(it)
    return total


def exhausted(x):
    it = iter(x)
    try:
        while True:
            last = next(it)
    except StopIteration:
        it = iter(x)
        while (v := next(it, None)) is not None:
            if v < 1:
                return v * x
        return x
    return last


def too_far(x):
    it = iter(x[:1])
    return next(it) + next(it)


class Down:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Kept:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def objects(x):
    down, calls = Down(3), []

    def called():
        calls.append(x[len(calls)])
        return len(calls)

    total = next(down) * sum(x[i] for i in down) + sum(Kept(x))
    for e in Kept(x):
        total += e * e
    return total + sum(x[i] for i in iter(called, 3)) * len(calls)


def lazy(x):
    """Generator expressions that have names run when, and as often as, something loops."""
    k = 2

    def twice(them):
        return sum(them) + 10 * sum(them)

    g = (v * k for v in x if v > 0)
    k = 3
    total = sum(g) + 100 * sum(g) + twice(v * v for v in x)
    changed = x * 1.0
    g = (v for v in changed)
    changed[0] = 7.0
    return total * next(g), x[0] in (v for v in x), 3 in (i for i in range(3))


@pytest.mark.parametrize(
    "f", [advanced, paired, passed_on, exhausted, too_far, objects, lazy]
)
def test_iterators_move_on_as_in_python(f):
    alike(f, np.array([1.5, 2.5, 0.5, 1.25]))


def test_gradients_go_through_iterators():
    def f(x):
        it = iter(x)
        total = next(it)
        for e in it:
            if e < 1:
                break
            total += e**2
        return total * sum(it)

    check_grads(f, (np.array([1.5, 2.5, 0.5, 1.25]),), order=2)


def test_loops_over_the_rest_count_on():
    def f(x):
        it = iter(x)
        best = next(it)
        for v in it:
            best = max(best, v)
        return best

    source = sg.compile(f).lower(np.ones(3)).source
    assert "for i in range(1, x.shape[0]):" in source


def test_next_needs_an_iterator():
    with pytest.raises(UnsupportedSyntaxError, match="takes an iterator or") as caught:
        sg.compile(lambda x: next(x))(np.ones(3))
    assert "next(x)" in caught.value.span.text


@pytest.mark.parametrize(
    "made", [lambda: (v for v in (1.0, 2.0)), lambda: iter([1.0, 2.0])]
)
def test_iterators_from_outside_are_left_alone(made):
    outside = made()
    with pytest.raises(UnsupportedSyntaxError, match="is used up by looking at it"):
        sg.compile(lambda x: sum(x * v for v in outside))(2.0)
    assert list(outside) == [1.0, 2.0]


def test_iterators_are_not_returned():
    with pytest.raises(UnsupportedSyntaxError, match="the result holds an iterator"):
        sg.compile(lambda x: iter(x))(np.ones(3))


def layered(p, x, n):
    for i in range(n):
        x = np.tanh(x @ p[f"W{i}"] + p[f"b{i}"])
    return x.sum() * {f"k{len(x)}": 2.0}["k3"]


def test_texts_that_known_numbers_make_are_keys():
    rng = np.random.default_rng(0)
    p = {"W0": rng.normal(size=(2, 2)), "W1": np.eye(2), "b0": np.ones(2), "b1": np.ones(2)}
    check_grads(lambda p, x: layered(p, x, 2), (p, rng.normal(size=(3, 2))))
