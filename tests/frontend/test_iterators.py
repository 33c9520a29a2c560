"""Ready-made iterations."""

from __future__ import annotations

import itertools
import operator
import typing

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import SymgradError, UnsupportedSyntaxError
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


def double(v):
    return v * 2


def used_up(x):
    """What is run through once only, held in variables."""
    known = [x[0], 2.0, 3.0]
    made = [
        *(enumerate(x), enumerate(known, 5), zip(x, known), zip(known, known)),  # noqa: B905
        *(reversed(x), reversed(known), map(double, known), map(operator.mul, x, known)),
        *(filter(lambda v: v > 1, x), np.ndenumerate(x), np.ndindex(2)),
        *(itertools.chain(known, known), itertools.islice(known, 2)),
        *(itertools.pairwise(known), itertools.repeat(x[0], 2)),
        itertools.product(known, known),
    ]
    twice = []
    for z in made:
        n = 0
        for _ in z:
            n += 1
        for _ in z:
            n += 100
        twice.append((n, len(list(z)), iter(z) is z))
    return twice


def left(x):
    """They go on where a loop has left them."""
    known, total = [x[0], 2.0, 3.0], 0.0
    z, e, r = zip(known, [1, 2, 3], strict=True), enumerate(x), reversed(x)
    k = map(float, known)
    for _, n in z:
        if n == 2:
            break
    for i, v in e:
        total += i * v
        if v > 2:
            break
    for i, v in e:
        total += 100 * i * v
    first, *others = r
    return (
        total,
        list(z),
        first,
        others,
        r in [r],
        next(k),
        2.0 in map(int, known),
        tuple(k),
    )


def called_late(x):
    """The functions of ``map`` and ``filter`` are called where an element is asked for."""
    seen, total = [0.0], 0.0

    def plus(v):
        seen.append(v)
        return v + len(seen) * seen[0]

    m = map(plus, [1.0, x[0], 3.0])
    total = len(seen) + next(m) * len(seen)
    for v in m:
        seen[0] += 1
        total += v
    for v in filter(lambda v: v > seen[0], [1.0, 2.5, 3.0]):
        seen[0] += 2
        total += v
    return total, [v * seen[0] for v in map(plus, x)], max(map(plus, [1.0, 2.0]))


def growing(x):
    """A list that is changed in a loop over it."""
    found, seen = [x[0], 2.0, 3.0], []
    for v in found:
        seen.append(v)
        if len(found) < 6:
            found.append(v * 10)
    for i, v in enumerate(found):
        seen.append(v * i)
        if i < 3:
            del found[-1]
    for v in reversed(found):
        found.append(v)
        found[0] = 5.0
    return seen, found, [found.append(v) for v in found if len(found) < 7]


def grown_by_data(xs):
    for v in xs:
        if v < 8:
            xs.append(v * 2)


def grown_dict(x):
    d = {"a": x[0], "b": x[1]}
    for k in d:
        d[k * 2] = x[0]
    return d


def stored_ahead(x):
    """An element of an array is read when its round begins."""
    seen = {}
    for i, v in zip(range(3), x, strict=False):
        seen[f"n{i}"] = v * 2
        x[2] += 1
    return seen


@pytest.mark.parametrize(
    "f",
    [
        *(advanced, paired, passed_on, exhausted, too_far, objects, lazy),
        *(used_up, left, called_late, growing, grown_dict, stored_ahead),
    ],
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


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: len(zip(x, x, strict=True)), "'zip' has no len"),
        (lambda x: len(map(abs, x)), "'map' has no len"),
        (lambda x: list(reversed(enumerate(x))), "'enumerate' object is not reversible"),
        (lambda x: [x.append(v) for v in x], "still growing after 10000 rounds"),
        (grown_by_data, "whether this list grows in the loop over it is known at run time"),
    ],
)
def test_what_iterators_cannot_do_is_said(f, words):
    with pytest.raises((TypeError, SyntaxError), match=words):
        sg.compile(f)([1.0, 2.0])


def test_what_is_run_through_where_it_is_made_is_a_plain_loop():
    def f(x, y):
        return sum(a * b for a, b in zip(x, map(abs, y), strict=False))

    source = sg.compile(f).lower(np.ones(3), np.ones(3)).source
    assert "while" not in source and source.count("for i in range(") == 1


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


OF_ARRAYS = [
    lambda x: np.sin(v for v in x),
    lambda x: np.sum(v for v in x),
    lambda x: np.array(v for v in x),
    lambda x: np.stack(v for v in x),
    lambda x: x.dot(v for v in x),
    lambda x: np.asarray(map(abs, x)),
]


@pytest.mark.parametrize("f", OF_ARRAYS)
def test_numpy_does_not_run_through_generators(f):
    with pytest.raises(SymgradError, match=r"single object|iterator cannot be"):
        sg.compile(f)(np.ones(3))
