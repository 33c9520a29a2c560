"""Stores into captured arrays: compiled code changes what the original would change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import AliasError, ShapeError, UnsupportedSyntaxError

X = np.array([1.0, 2.0, 3.0])


class Store:
    """What functions change from outside; a new one for each test."""

    def __init__(self) -> None:
        self.total = np.zeros(3)
        self.count = np.array(0)


def test_part_and_whole_and_rank_zero() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        s.total[1] = x[0]
        s.total += x
        s.total[...] = s.total * 2
        s.count[...] += 1
        return s.total[1] + s.count

    assert f(X) == 7.0
    np.testing.assert_array_equal(s.total, [2, 6, 6])
    assert f(X) == 2 * (1 + 2) + 2
    np.testing.assert_array_equal(s.total, [6, 6, 18])
    assert s.count == 2
    assert s.count.dtype == np.array(0).dtype


def test_rank_zero_is_changed_in_a_branch_and_in_a_loop() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        if x[0] > 0:
            s.count[...] = 5
        for v in x:
            if v > 1:
                s.count[()] += 1
        return s.count + 0

    assert f(X) == 7
    assert f(-X) == 7
    assert s.count == 7


def test_a_gradient_inside_stores_once() -> None:
    s = Store()

    def inner(x: Any) -> Any:
        s.total += x
        s.count[...] += 1
        return np.sum(x**2)

    @sg.compile
    def f(x: Any) -> Any:
        return sg.grad(inner)(x) + s.total

    np.testing.assert_array_equal(f(X), 3 * X)
    np.testing.assert_array_equal(s.total, X)
    assert s.count == 1


def test_a_gradient_function_changes_nothing() -> None:
    s = Store()

    def f(x: Any) -> Any:
        s.total[0] = x[0]
        return np.sum(s.total)

    with pytest.raises(AliasError, match="captured from outside") as caught:
        sg.grad(f)(X)
    assert caught.value.span is not None
    assert "s.total[0] = " in caught.value.span.text
    np.testing.assert_array_equal(s.total, 0)


def test_a_batch_is_refused() -> None:
    s = Store()

    def f(x: Any) -> Any:
        s.total[0] = x
        return x

    with pytest.raises(AliasError, match="captured from outside"):
        sg.vmap(f)(X)


def test_memory_that_is_an_argument_too_is_refused() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        s.total += 1.0
        return x * 2

    np.testing.assert_array_equal(f(X), 2 * X)
    with pytest.raises(AliasError, match="`f` stores into `total`, which shares memory"):
        f(s.total[:2])


def test_rank_zero_under_another_name_is_refused() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        before = s.count
        s.count[...] += 1
        return x + before

    with pytest.raises(AliasError, match="`count` is held under another name"):
        f(X)


def test_rank_zero_takes_one_number() -> None:
    s = Store()

    @sg.compile
    def index(x: Any) -> Any:
        s.count[0] = 1
        return x

    @sg.compile
    def shape(x: Any) -> Any:
        s.count[...] = x
        return x

    with pytest.raises(UnsupportedSyntaxError, match=r"`count\[\.\.\.\] = \.\.\.`"):
        index(X)
    with pytest.raises(ShapeError, match=r"of shape \(\) cannot hold"):
        shape(X)
