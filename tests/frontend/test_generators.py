"""Generators: functions with ``yield``, run by the loops over them in Python's order."""

import itertools

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([1.5, 2.5, 0.5, -1.2])


def squares(v):
    for i in range(len(v)):
        yield v[i] * v[i]


def newton(x):
    y = x
    while True:
        yield y
        y = 0.5 * (y + x / y)


def looped(x):
    total, before = 0.0, 1.0
    for e in squares(x):
        if e < 1:
            continue
        total += e * before
        before = e
    for i, e in enumerate(squares(x), 1):
        if e > 6:
            break
        total = total + i * e
    else:
        total = total * 2
    for e in squares(x):
        change = e - total
    return total * change


def left(x):
    for k in range(2):
        for e in squares(x):
            if e > 3:
                return e * k + x
    return x


def nested(x):
    def both(v):
        yield from squares(v)
        got = yield v.sum()
        assert got is None
        if v[0] > 1:
            yield from v
        yield from [1.0, 2.0]
        for e in squares(v[:2]):
            if e > 3:
                return
            yield e

    total = 0.0
    for e in both(x):
        for d in squares(x[1:]):
            if d > e * 2:
                continue
            total += e * d
    return total


def folded(x):
    some = any(e > 1 for e in squares(x)), all(squares(x)), next(newton(x[0]))
    most = max(squares(x)), min(squares(x)), next(squares(x[:0]), x.sum())
    first, *rest = squares(x[:3])
    known = {i: e for i, e in enumerate(squares(x)) if i != 1}
    return sum(squares(x)), sum(e * i for i, e in enumerate(squares(x))), *some, *most, (
        first, sum(rest), known[2], [e * 2 for e in squares(x) if e > 1], tuple(squares(x))
    )  # fmt: skip


def strung(x):
    total = 0.0
    for i, (a, e) in enumerate(zip(x, squares(x), strict=False)):
        total += a * e * i
    for e, a in zip(squares(x), x[:2], strict=False):
        total += a * e * e
    parts = (
        *(itertools.islice(newton(x[0]), 3), itertools.islice(squares(x), 1, None, 2)),
        *(map(np.sin, squares(x)), filter(lambda e: e > 1, squares(x))),
        *(itertools.chain([x[0]], squares(x)), itertools.accumulate(squares(x))),
        *(itertools.takewhile(lambda e: e > 1, squares(x)), x),
        *(itertools.dropwhile(lambda e: e > 1, squares(x)), squares(x)),
        itertools.starmap(lambda a, b: (b - a) ** 2, itertools.pairwise(squares(x))),
    )
    for e in itertools.chain.from_iterable(parts):
        total = total * 0.75 + e
    return total


def endless(x):
    total = sum(i * v for i, v in zip(itertools.count(2), x, strict=False))
    weights = itertools.cycle([1.0, x[2]])
    total += sum(v * w for v, w in zip(x, weights, strict=False))
    total += sum(v * w for v, w in zip(x, itertools.repeat(x[1]), strict=False))
    for k in itertools.count():
        if k > 3 or x[k] < 0:
            break
        total += x[k] * k
    return total


def shared(x):
    """What either side stores is seen by the other."""
    sums = np.zeros_like(x)

    def filled(v):
        for i in range(len(v)):
            v[i] *= 2
            yield i
            v[i] += sums[i]

    for i in filled(x):
        sums[i] = x[i] ** 2
        x[i] += 1
    return sums.sum() + x


def raising(x):
    log = np.zeros(4)

    def watched(v):
        try:
            for e in v:
                try:
                    yield e
                except ValueError:
                    log[3] = 7.0
        finally:
            log[0] += 1

    try:
        for e in watched(x):
            log[1] += e
            if e < 1:
                raise ValueError("small")
    except ValueError:
        log[2] = log[0] * x[1]
    for e in (v * 2 for v in watched(x)):
        if e < 2:
            break
    log *= x[0]
    return log


class Path:
    def __init__(self, points):
        self.points = points

    def __iter__(self):
        for p in self.points:
            yield p * 2

    def steps(self):
        for a, b in itertools.pairwise(self):
            yield b - a


def methods(x):
    path = Path(x)
    total = sum(path)
    for step in path.steps():
        total = total * step + 1
    return total + sum(e * i for i, e in enumerate(path))


def tree(t):
    if isinstance(t, list):
        for branch in t:
            yield from tree(branch)
    else:
        yield t


def recursive(x):
    return sum(v * i for i, v in enumerate(tree([x[0], [x[1], [x[2] * x[3]]], x[0] ** 2])))


ALL = [looped, left, nested, folded, strung, endless, shared, raising, methods, recursive]


@pytest.mark.parametrize("f", ALL)
def test_they_do_what_python_does(f):
    alike(f, X)


@pytest.mark.parametrize(
    ("f", "order"), [(left, 2), (shared, 2), (raising, 1), (looped, 1)]
)
def test_gradients_go_through_them(f, order):
    check_grads(lambda x: np.sum(f(x * 1.0)), (X,), order=order)


def test_the_order_of_effects_is_pythons(capsys):
    def told(v):
        try:
            for e in v:
                print("yield", e)
                yield e
        finally:
            print("closed")

    def f(x):
        for i, e in enumerate(told(x)):
            print("body", i)
            if e < 1:
                break
        print("after", any(e > 2 for e in told(x)))
        for e, _ in zip(told(x), x[:1], strict=False):
            return e
        return None

    f(X)
    expected = capsys.readouterr().out
    sg.compile(f)(X)
    assert capsys.readouterr().out == expected


def test_a_generator_runs_once():
    def f(x):
        seen, g = 0.0, squares(x)
        for e in g:
            seen += e
        for e in g:
            seen += 100 * e
        return seen

    alike(f, X)


def test_they_are_loops_in_the_generated_code():
    source = sg.compile(lambda x: sum(squares(x))).lower(X).source
    assert "for i in range(x.shape[0]):\n" in source
    assert "if " not in source


def again(x):
    g = squares(x)
    return next(g) + next(g)


def after_an_error(x):
    g = squares(x)
    try:
        for e in g:
            if e < 1:
                raise ValueError
    except ValueError:
        return sum(g)
    return x


def within(x):
    g = squares(x)
    return [e + next(g) for e in g]


def side_by_side(x):
    return sum(a * b for a, b in zip(squares(x), squares(x), strict=False))


def closed_late(x):
    def finishing():
        try:
            yield from x
        finally:
            print("closed")

    g = finishing()
    return list(g)


def catches_all(x):
    def catching():
        for e in x:
            try:
                yield e
            except:  # noqa: E722
                print("closed")

    return sum(catching())


def endlessly(n):
    yield n
    if n > 1e-3:
        yield from endlessly(n / 2)


REFUSED = [
    (again, "may have been left before its end"),
    (after_an_error, "may have been left before its end"),
    (within, "this generator is running"),
    (side_by_side, "runs through one generator"),
    (closed_late, "is looped over where it is made, `for x in finishing"),
    (catches_all, "would catch that the generator is closed"),
    (squares, "the result holds a generator"),
    (lambda x: squares(x).send(None), "`.send` of generators cannot"),
    (lambda x: len(squares(x)), "'generator' has no len"),
    (lambda x: np.sum(squares(x)), "the generator `squares` cannot be passed"),
    (lambda x: sum(endlessly(x[0])), "`endlessly` calls itself more than 20 times"),
    (lambda x: list(itertools.zip_longest(x, squares(x))), "zip_longest does not run"),
]


@pytest.mark.parametrize(("f", "message"), REFUSED)
def test_what_cannot_be_compiled_is_refused_in_its_line(f, message):
    with pytest.raises(UnsupportedSyntaxError.__mro__[1], match=message) as caught:
        sg.compile(f)(X)
    assert caught.value.span is not None
