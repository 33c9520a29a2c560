"""Lists whose length is known at run time only."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(3).uniform(0.2, 1.0, 6)
M = np.random.default_rng(4).uniform(0.2, 1.0, (5, 3))


def under_a_condition(x):
    xs = []
    for v in x:
        if v > 0.5:
            xs.append(v * v)
    total = 0.0
    for v in xs:
        total += v * xs[0]
    return np.array(xs), total + len(xs) + max(xs) + sum(xs)


def several_appends(x):
    xs = []
    for v in x:
        xs.append(v)
        xs.append(v * x[0])
    return np.array(xs), xs[-1] * xs[0]


def a_stack(x):
    stack = []
    for v in x:
        stack.append(v)
        if len(stack) > 2:
            a = stack.pop()
            b = stack.pop()
            stack.append(a * b)
    return np.array(stack)


def until_it_is_empty(x):
    todo, n = [x[0]], 0
    while todo:
        v = todo.pop()
        n += 1
        if v < 1.0 and n < 20:
            todo.append(v * 1.5)
            todo.append(v * 1.7)
        else:
            x = x * v
    return x


def a_queue(x):
    queue = [x[0]]
    total = 0.0
    while len(queue) > 0 and total < 3:
        v = queue.pop(0)
        total = total + np.sin(v) + 0.1
        queue.append(v * 0.9)
        if v > 0.5:
            queue.append(v * 0.5)
    queue.append(total)
    return total * queue.pop(-2)


def reads_what_it_appended(x):
    xs = [1.0]
    while xs[-1] < 20:
        xs.append(xs[-1] * 1.7 + x[0])
    return np.array(xs), xs[1:-1], xs[::-1][0]


def changes_elements(x):
    xs = []
    for v in x:
        xs.append(v)
        if len(xs) > 1:
            xs[-1] = (xs[-1] - xs[-2]) * v
    for i in range(len(xs)):
        xs[i] = xs[i] * 2
    xs[0] += 1.0
    return np.array(xs)


def inserts(x):
    xs = []
    for v in x:
        if v > 0.4:
            xs.insert(0, v * v)
    xs.insert(1, x[1] * x[2])
    xs.reverse()
    return np.array(xs)


def rows(m):
    kept = []
    h = m[0]
    for row in m:
        h = np.tanh(h + row)
        if row[0] > 0.4:
            kept.append(h)
    return np.stack(kept), np.stack(kept, axis=1), np.vstack(kept), np.concatenate(kept)


def varying_rows(x):
    parts = []
    for i in range(1, len(x)):
        parts.append(x[:i] * i)
    total = 0.0
    for p in parts:
        total = total + np.sum(p**2) * p[0]
    return total, np.hstack(parts), np.concatenate(parts)


def pairs(x):
    trace, t, y = [], 0.0, x[0]
    while y < 10:
        trace.append((t, y))
        y = y * 1.3 + x[1]
        t = t + 0.1
    return sum(a * b for a, b in trace), trace[-1][1]


def comprehensions(x):
    xs = [v * 2 for v in x if v > 0.4]
    both = [a * b for a in x for b in x if a > b]
    added = xs + both
    added += [x[0]]
    added.extend(v * v for v in x)
    return np.array(added), np.mean(xs)


def _keep(xs, v):
    if v > 0.4:
        xs.append(v * v)


def by_a_helper(x):
    xs = []
    for v in x:
        _keep(xs, v)
    return np.array(xs)


def copies(x):
    xs = []
    for v in x:
        if v > 0.3:
            xs.append(v)
    ys = list(xs)
    ys.append(x[0] * x[1])
    zs = xs.copy()
    xs.append(2.5)
    zs.clear()
    return np.array(xs), np.array(ys), len(zs), len(ys)


def positions(x):
    found = []
    for i in range(len(x)):
        if x[i] > 0.5:
            found.append(i)
    return x[np.array(found)] ** 2


def filled_then_changed(x):
    xs = []
    for v in x:
        xs.append(v)
    xs.append(x[0] * 2)
    xs[0] = x[1] * x[2]
    return np.array(xs) * xs.pop()


def lists_of_lists(m):
    table = []
    for i in range(m.shape[0]):
        row = []
        for j in range(m.shape[1]):
            row.append(m[i, j] ** 2)
        table.append(row)
    return np.array(table), table[1][2] * table[-1][0], len(table[0])


def nested_comprehension(m):
    return np.array(
        [[m[i, j] * m[j, i % 3] for j in range(m.shape[1])] for i in range(m.shape[0])]
    )


def left_early(x):
    xs = []
    for v in x:
        if v > 0.9:
            break
        xs.append(v)
    if xs:
        return np.array(xs) * xs[0]
    return x


def known_rounds_stay_known(x):
    layers = []
    for k in range(3):
        layers.append(x * k)
    a, b, c = layers
    return a + b * c, layers


FUNCTIONS = [
    under_a_condition, several_appends, a_stack, until_it_is_empty, a_queue,
    reads_what_it_appended, changes_elements, inserts, rows, varying_rows, pairs,
    comprehensions, by_a_helper, copies, positions, filled_then_changed, lists_of_lists,
    nested_comprehension, left_early, known_rounds_stay_known,
]  # fmt: skip


TWICE = [under_a_condition, a_queue, changes_elements, varying_rows]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    x = M if f.__code__.co_varnames[0] == "m" else X
    alike(f, x)

    def loss(x):
        r = f(x)
        if isinstance(r, tuple):
            s = 0.0
            for one in r:
                if not isinstance(one, int | list):
                    s = s + np.sum(np.sin(one))
            return s
        return np.sum(np.sin(r))

    check_grads(loss, (x,), order=2 if f in TWICE else 1)


def test_a_loop_over_examples():
    batch = np.stack([X, X[::-1] * 0.9])

    def f(x):
        return under_a_condition(x)[1]

    assert np.allclose(sg.vmap(f)(batch), [f(x) for x in batch])


def beyond(x):
    xs = []
    for v in x:
        if v > 9:
            xs.append(v)
    return xs[0]


def empty(x):
    xs = []
    for v in x:
        if v > 9:
            xs.append(v * x)
    return np.stack(xs)


def first_round(x):
    xs = []
    for v in x:
        xs.append(xs[-1] + v)
    return xs[0]


@pytest.mark.parametrize(
    ("f", "error"), [(beyond, IndexError), (empty, ValueError), (first_round, IndexError)]
)
def test_raises_what_python_raises(f, error):
    with pytest.raises(error) as expected:
        f(X)
    with pytest.raises(error) as found:
        sg.compile(f)(X)
    assert str(found.value) == str(expected.value)


def of_kinds(x):
    xs = []
    for v in x:
        if v > 0.5:
            xs.append(v)
        else:
            xs.append(x)
    return len(xs)


def array_of_pairs(x):
    xs = [(v, v) for v in x if v > 0.5]
    return np.max(xs)


def of_static(x):
    xs = []
    for v in x:
        if v > 0.5:
            xs.append(None)
    return len(xs)


def by_a_float(x):
    xs = [v for v in x if v > 0.5]
    return xs[x[0]]


REFUSED = [
    (of_kinds, "changed in structure"),
    (array_of_pairs, "fill a list for each part"),
    (of_static, "what is known when compiling only"),
    (by_a_float, "whole numbers"),
]


@pytest.mark.parametrize(("f", "word"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
def test_refused(f, word):
    with pytest.raises(errors.SymgradError, match=word) as caught:
        sg.compile(f)(X)
    assert caught.value.filename == __file__
    assert "^" in str(caught.value)


def changed_afterwards(x):
    h, xs = x.copy(), []
    for i in range(len(x)):
        h[i] = h[i] * 2
        if i > 1:
            xs.append(h)
    return xs[0]


def changed_through_the_list(x):
    h, xs = x.copy(), []
    for v in x:
        if v > 0.1:
            xs.append(h)
    xs[0][0] = 5.0
    return h


@pytest.mark.parametrize("f", [changed_afterwards, changed_through_the_list])
def test_arrays_in_a_list_are_not_changed(f):
    with pytest.raises(errors.AliasError, match="append a copy of it") as caught:
        sg.compile(f)(X)
    assert caught.value.filename == __file__


NUMBERS = [2.0, np.float64(2.0), np.int64(2), 2, True, 1j, np.bool_(True), np.array(2.0)]


@pytest.mark.parametrize("items", [[1.0, 2.0], (1.0, 2.0)], ids=["list", "tuple"])
@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: type(n).__name__)
@pytest.mark.parametrize(
    "f",
    [lambda s, n: s * n, lambda s, n: n * s, lambda s, n: s + n, lambda s, n: s - n],
    ids=["times", "from the left", "plus", "minus"],
)
def test_a_sequence_beside_a_number(f, number, items):
    try:
        expected = f(items, number)
    except TypeError:
        with pytest.raises(
            errors.DTypeError, match=r"are no arrays; make one with np\.array"
        ):
            sg.compile(f)(items, number)
        return
    found = sg.compile(f)(items, number)
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)


def test_a_list_taken_for_an_array():
    with pytest.raises(TypeError, match=r"`\*\*` does not work on a list of 2 and 2"):
        sg.grad(lambda xs: np.sum(xs**2))([1.0, 2.0])
