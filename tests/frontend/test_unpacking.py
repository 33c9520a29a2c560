"""Taking arrays of unknown length apart, and calls that always raise."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


def pair(x):
    a, b = x
    return a + 2 * b


def selected(x):
    a, b = x[x > 0]
    return a - b


def part(x):
    a, b = x[: x.shape[0] // 2]
    return a * b


def doubled(x):
    a, b, c, d = np.concatenate([x, x])
    return a * b + c * d


def on_one_side(x):
    if x.sum() > 4:
        a, b = x
        return a * b
    return x[0]


def rows(x):
    total = 0.0
    for a, b in x.reshape(-1, 3)[:, : x.shape[0] // 2]:
        total += a * b
    return total


@pytest.mark.parametrize("f", [pair, selected, part, doubled, on_one_side])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_the_length_is_python_s_business(f, n):
    alike(f, np.arange(n) + 1.0)


@pytest.mark.parametrize("n", [3, 6])
def test_rows_in_a_loop(n):
    alike(rows, np.arange(n) + 1.0)


def test_one_compiled_function_for_all_lengths():
    f = sg.compile(selected)
    assert f(np.array([1.0, -1.0, 3.0])) == -2.0
    with pytest.raises(ValueError, match=r"too many values to unpack \(expected 2\)"):
        f(np.array([1.0, 1.0, 3.0]))
    with pytest.raises(ValueError, match=r"not enough .* got 1") as caught:
        f(np.array([1.0, -1.0, -3.0]))
    assert "a, b = x[x > 0]" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("f", [pair, selected, part, doubled])
def test_gradients_ask_for_the_length_too(f):
    with pytest.raises(ValueError, match="values to unpack"):
        sg.grad(f)(np.arange(7) + 1.0)


def first_and_last(x):
    first, *_, last = x[x > 0]
    return first / last


def first(x):
    a, b, *_ = x
    return a - b


@pytest.mark.parametrize("f", [first, first_and_last])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_starred(f, n):
    alike(f, np.arange(n) + 1.0)


def rest(x):
    a, *others = np.exp(x)
    for i, b in enumerate(others):
        a = a * b + i
    return a


def both_ends(x):
    a, *others, b = x
    return a + b + others[0]


def mixed(a=0.5, b=1.5, c=2.0, *more):
    return a * b + c


def arguments(x):
    return mixed(*np.sin(x)) * mixed(*x[::-1])


def a_tuple(x):
    return mixed(*tuple(x)[1:])


def pairs(x):
    named = {k: v * 2 for k, v in zip("abc", x, strict=False)}
    return named["b"] * dict(zip("abc", x, strict=False))["a"]


def stacked(x):
    return np.stack([*x, 2 * x[0]]).sum()


@pytest.mark.parametrize("f", [rest, both_ends, arguments, a_tuple, pairs, stacked])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_elements_that_the_lengths_of_the_call_make_known(f, n):
    alike(f, np.arange(n) + 1.0)


@pytest.mark.parametrize("f", [rest, both_ends, arguments, a_tuple, pairs, stacked])
def test_their_gradients(f):
    check_grads(f, (np.array([0.3, 0.7, -0.4]),), order=2)


def rest_of_a_selection(x):
    a, *others, b = x[x > 0]
    return a + b + others[0]


def pairs_of_a_selection(x):
    return {k: 2 * v for k, v in zip("abc", x[x > 0], strict=False)}["a"]


@pytest.mark.parametrize(
    ("f", "word", "line"),
    [
        (rest_of_a_selection, r"x\[1:-1\]", "return a + b + others[0]"),
        (pairs_of_a_selection, "cannot be looped over", "return {k: 2 * v for"),
    ],
)
def test_what_data_decide_is_refused_where_it_is_read(f, word, line):
    with pytest.raises(UnsupportedSyntaxError, match=word) as caught:
        sg.compile(f)(np.ones(4))
    assert line in caught.value.span.text


def refuse(x):
    raise ValueError("never")


def in_an_expression(x, c):
    y = refuse(x) if c > 0 else x
    return y * 2


def in_both(x, c):
    return refuse(x) if c > 0 else refuse(c)


def after_and(x, c):
    if c > 0 and refuse(x) > 1:
        return x
    return x * 3


def in_a_test(x, c):
    while c > 0 and refuse(x):
        c = c - 1
    return c


def in_a_first_test(x, c):
    while refuse(x) > c:
        c = c - 1
    return c


@pytest.mark.parametrize(
    "f", [in_an_expression, in_both, after_and, in_a_test, in_a_first_test]
)
@pytest.mark.parametrize("c", [1.0, -1.0])
def test_a_call_that_always_raises(f, c):
    alike(f, 2.0, c)


def squares(x, least):
    found = []
    for v in x:
        if v > least:
            found.append(v * v)
    return found


def two(x, least):
    a, b = squares(x, least)
    return a - b


def ends(x, least):
    first, *between, last = squares(x, least)
    between.append(first)
    return last * sum(between)


def last_three(x, least):
    a, b, c = collections.deque(squares(x, least), maxlen=3)
    return a * b - c


@pytest.mark.parametrize("f", [two, ends, last_three])
def test_lists_whose_length_data_decides(f):
    x = np.array([1.0, -1.0, 2.0, -3.0, 4.0])
    for least in (0.0, 1.5, -2.0, 9.0):
        alike(f, x, least)
    check_grads(lambda x: f(x, 1.5 if f is two else 0.0), (x,), order=1)


def test_the_gradient_of_a_function_that_always_raises():
    with pytest.raises(ValueError, match="never"):
        sg.grad(refuse)(1.0)
    with pytest.raises(ValueError, match="never"):
        sg.compile(lambda x: sg.grad(refuse)(x) + 1)(1.0)


def test_lengths_that_must_be_equal_are_asked_of_the_arguments():
    def parts(x, y, n, m):
        return np.sum(x[:n] * y[:m])

    g = sg.grad(parts)
    np.testing.assert_array_equal(g(np.ones(3), np.full(4, 2.0), 2, 2), [2.0, 2.0, 0.0])
    with pytest.raises(ValueError, match="broadcast"):
        g(np.ones(3), np.ones(4), 2, 3)


def test_a_length_that_an_integer_makes_one():
    def scaled(x, y, n):
        return x[:n] * y

    f = sg.compile(scaled)
    for x, n in ((3, 3), (5, 1), (5, 3), (7, 1), (5, 2)):
        args = np.arange(x) + 1.0, np.ones(3) * 2, n
        if n == 2:
            with pytest.raises(ValueError, match="broadcast"):
                f(*args)
        else:
            np.testing.assert_array_equal(f(*args), scaled(*args))
