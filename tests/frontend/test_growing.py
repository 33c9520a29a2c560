"""Lists that a loop fills, as arrays made once."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).normal(size=(5, 3))
W = np.random.default_rng(1).normal(size=(3, 3))


def rnn(x, w):
    h = np.zeros(3)
    hs = []
    for row in x:
        h = np.tanh(h @ w + row)
        hs.append(h)
    return np.stack(hs)


def scalars(x, w):
    xs = []
    for i in range(1, len(x)):
        xs.append(x[i, 0] * i)
    return np.array(xs), len(xs), xs[-1], xs[0] + w[0, 0]


def python_numbers(x, w):
    xs = []
    for i in range(len(x)):
        xs.append(i * 0.5)
    return xs[2] * x.astype(np.float32), np.mean(xs), sum(xs), [xs[1], 3]


def looped(x, w):
    xs, ys = [], []
    for row in x:
        xs.append(row * 2)
        ys.append(row[0])
    total = 0.0
    for a, b in zip(xs, ys, strict=True):
        total = total + a @ a * b
    return total, sum(v * v for v in ys), max(ys)


def nested(x, w):
    out = []
    for a in x:
        inner = []
        for b in x:
            inner.append(a @ b)
        out.append(np.stack(inner) * 2)
    return np.stack(out, axis=1)


def types_settle(x, w):
    s = 0
    xs = []
    for row in x:
        s = s + row[0]
        xs.append(s)
    return np.array(xs)


def rows_of_the_argument(x, w):
    xs = []
    for row in x:
        xs.append(row)
    y = np.stack(xs)
    y[0] = 7.0
    return y, xs[0], x


@pytest.mark.parametrize(
    "f",
    [rnn, scalars, python_numbers, looped, nested, types_settle, rows_of_the_argument],
)
@pytest.mark.parametrize("n", [3, 5])
def test_alike(f, n):
    alike(f, X[:n], W)


def test_gradients():
    check_grads(lambda x, w: np.sum(rnn(x, w) ** 2), (X, W))
    check_grads(lambda x, w: np.sum(nested(x, w) ** 2), (X, W))
    check_grads(lambda x, w: looped(x, w)[0], (X, W))


def test_the_code():
    source = sg.compile(rnn).lower(X, W).source
    assert "hs = np.empty((" in source
    assert "hs[i] = h" in source
    assert len({sg.compile(rnn).lower(X[:n], W).source for n in (2, 5)}) == 1


def test_nothing_to_stack():
    alike(rnn, X[:0], W)


def changed_later(x, w):
    y = np.zeros(3)
    xs = []
    for row in x:
        y += row
        xs.append(y)
    return np.stack(xs)


def changed_in_next_round(x, w):
    y = x[0] * 1
    xs = []
    for row in x:
        y[0] = 5.0
        y = y * row
        xs.append(y)
    return np.stack(xs)


def changed_after(x, w):
    xs = []
    for row in x:
        xs.append(row)
    x[0] = 1.0
    return np.stack(xs)


def changed_as_a_part(x, w):
    h, xs = x * 2, []
    for i in range(len(x)):
        xs.append((h, i))
        h += w
    return xs


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (changed_later, r"append a copy of it \(`xs.append\(x.copy\(\)\)`\)"),
        (changed_in_next_round, "append a copy of it"),
        (changed_as_a_part, "append a copy of it"),
        (changed_after, "may or may not"),
    ],
)
def test_what_was_appended_is_not_changed(f, words):
    with pytest.raises(errors.AliasError, match=words) as caught:
        sg.compile(f)(X.copy(), W)
    assert caught.value.filename == __file__


def test_stacked_along_another_axis_in_c_order():
    def f(x, y):
        c = []
        for i in range(len(x)):
            c.append(np.sin(x[i]) * x)
        whole = np.stack(c, axis=-1)
        return np.sum(whole * y), whole

    for seed in range(5):
        x, y = np.random.default_rng(seed).uniform(0.1, 1.0, (2, 13))
        total, whole = sg.compile(f)(x, y)
        expected = f(x, y)
        assert total == expected[0]
        assert whole.strides == expected[1].strides
