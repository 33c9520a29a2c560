"""Sets of what is known when compiling: they change as in Python."""

import itertools

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([1.5, 2.5, 0.5, -1.2])


def visited(x):
    seen, order, graph = set(), [], {0: [1, 2], 1: [3], 2: [3], 3: []}

    def visit(n):
        if n in seen:
            return
        seen.add(n)
        for k in graph[n]:
            visit(k)
        order.append(n)

    visit(0)
    total = 0.0
    for n in order:
        total = total * 0.5 + x[n] ** 2
    return total


def remainders(x):
    seen = set()
    for i in range(len(x)):
        seen.add(i % 2)
    todo = {0, 1, 2}
    while todo:
        i = min(todo)
        todo.remove(i)
        x[i] *= i + len(seen)
    return x


def changed(x):
    a = {1, 2}
    b, c = a, a.copy()
    b.add(3)
    a.discard(1)
    a.discard(99)
    a.update([7, 8], (9,), {9})
    a.remove(7)
    a |= {11}
    a -= {2}
    c.clear()
    both = a.union([1]) & {1, 3, 8} - {8}
    return x * len(b), sorted(b), sorted(both), bool(c), (
        *(3 in b, 4 not in a, a is b, a == {3, 8, 9, 11}, a <= b, isinstance(c, set)),
        *(bool(a), a.issuperset({3}), a.isdisjoint(both), frozenset([1]) < {1, 2}, max(a) > 2),
    )  # fmt: skip


def without(x):
    s = {1}
    try:
        s.remove(5)
    except KeyError:
        return x * 2
    return x


@pytest.mark.parametrize("f", [visited, remainders, changed, without])
def test_they_change_as_in_python(f):
    alike(f, X)


def test_gradients_go_past_them():
    check_grads(visited, (X,), order=1)


def chosen(x):
    seen = set()
    if x[0] > 1:
        seen.add(1)
    return x


def of_values(x):
    seen = set()
    seen.add(x[0])
    return x


REFUSED = [
    (chosen, "changed in structure on one branch"),
    (of_values, "an element of a set has to be known"),
    (lambda x: [x * i for i in {1, 2}], "a set has no order"),
    (lambda x: x * {1, 2}.pop(), r"`.pop` of sets cannot"),
    (lambda x: x * sorted({1, 2}, key=lambda i: 0)[0], "elements of equal keys"),
]


@pytest.mark.parametrize(("f", "message"), REFUSED)
def test_what_hangs_on_data_or_order_is_refused(f, message):
    with pytest.raises(errors.SymgradError, match=message):
        sg.compile(f)(X)


def steps(x):
    points = [v for v in x if v > 0]
    total = sum((b - a) ** 2 for a, b in itertools.pairwise(points))
    for a, b in itertools.pairwise(x):
        total += a * b**2
    return total


def test_pairs_of_neighbours_are_loops():
    alike(steps, X)
    check_grads(steps, (X,), order=1)
    source = (
        sg.compile(lambda x: sum(a * b for a, b in itertools.pairwise(x))).lower(X).source
    )
    assert "for i in range(" in source
