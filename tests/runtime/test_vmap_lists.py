"""Lists and recursion under ``vmap``: the elements hold all examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([[0.3, 0.5, 0.7, 1.1], [1.0, 0.2, 0.4, 0.9], [0.6, 0.1, 1.2, 0.8]])


def read_and_replaced(x: Any, n: int) -> Any:
    xs = []
    for i in range(n):
        xs.append(x * i)
    xs[1] = np.sin(x)
    total = x
    for k in range(n):
        total = total + xs[k] * xs[k - 1]
    return np.sum(total * total)


def taken_off_and_put_in(x: Any, n: int) -> Any:
    xs = [x]
    for i in range(n):
        xs.append(x[i % 4] * xs[-1])
    total = 0.0
    while len(xs) > 1:
        total = total + np.sum(xs.pop() * xs[0])
        if len(xs) > 3:
            xs.insert(1, xs[2] * 2)
            xs.pop()
    return total


def stacked(x: Any, n: int) -> Any:
    xs = []
    for i in range(n):
        xs.append(np.cos(x * i))
    return np.sum(np.stack(xs) @ x) + np.sum(np.array([np.sum(v) for v in xs]) ** 2)


def of_numbers(x: Any, n: int) -> Any:
    xs = [x[0]]
    for i in range(n):
        xs.append(xs[-1] * x[i % 4] + 0.3)
    rest = xs[1:]
    del xs[0]
    return sum(rest) * xs[-1]


def of_rows(x: Any, n: int) -> Any:
    xs = list(np.outer(x, x))
    for i in range(n):
        xs.append(xs[i] * 2)
    return np.sum(np.stack(xs) ** 2)


def of_many_lengths(x: Any, n: int) -> Any:
    xs = []
    for i in range(n):
        xs.append(x[: i + 1] ** 2)
    return np.sum(np.cumsum(np.concatenate(xs)) * 0.1)


def halved(x: Any) -> Any:
    if len(x) < 2:
        return x * 2
    h = len(x) // 2
    return np.concatenate([halved(x[:h]) * 2, halved(x[h:]) ** 2])


def by_recursion(x: Any, n: int) -> Any:
    return np.sum(np.cos(halved(x) / n))


def of_some(x: Any, n: int) -> Any:
    """How many elements there are differs between examples."""
    xs = []
    for i in range(n):
        if x[i % 4] > 0.6:
            xs.append(x * i)
    total = np.sum(x)
    for v in xs:
        total = total * np.sum(np.sin(v))
    return total


LISTS = [
    read_and_replaced, taken_off_and_put_in, stacked, of_numbers, of_rows, of_many_lengths,
    by_recursion, of_some,
]  # fmt: skip


def each(f: Callable[[Any], Any]) -> Any:
    return np.stack([np.asarray(f(x)) for x in X])


@pytest.mark.parametrize("f", LISTS, ids=lambda f: f.__name__)
def test_lists(f: Callable[..., Any]) -> None:
    slope = sg.grad(f)
    wanted, slopes = each(lambda x: f(x, 4)), each(lambda x: slope(x, 4))
    np.testing.assert_allclose(sg.vmap(f, in_axes=(0, None))(X, 4), wanted, rtol=1e-12)
    np.testing.assert_allclose(sg.vmap(slope, in_axes=(0, None))(X, 4), slopes, rtol=1e-12)
    np.testing.assert_allclose(sg.jacfwd(f)(X[0], 4), slopes[0], rtol=1e-12)
    total = sg.grad(lambda rows: np.sum(sg.vmap(f, in_axes=(0, None))(rows, 4) ** 2))
    np.testing.assert_allclose(total(X), 2 * wanted[:, None] * slopes, rtol=1e-11)
    steps = [(slope(X[0] + e, 4) - slope(X[0] - e, 4)) / 2e-5 for e in 1e-5 * np.eye(4)]
    scale = {"rtol": 1e-5, "atol": 1e-5}
    np.testing.assert_allclose(sg.hessian(f)(X[0], 4), steps, **scale)
    np.testing.assert_allclose(sg.jacrev(slope)(X[0], 4), steps, **scale)


def quicksort(x: Any) -> Any:
    if len(x) <= 1:
        return x
    first, rest = x[0], x[1:]
    lower, upper = quicksort(rest[rest < first]), quicksort(rest[rest >= first])
    return np.concatenate([lower, x[:1], upper])


def test_quicksort() -> None:
    x = np.array([3.0, 1.0, 2.0, 5.0])
    moved = np.eye(4)[np.argsort(x)]
    assert np.array_equal(sg.jacrev(quicksort)(x), moved)
    assert np.array_equal(sg.jacfwd(quicksort)(x), moved)
    weights = np.arange(1.0, 5.0)
    found = sg.hessian(lambda x: np.sum(weights * quicksort(x) ** 2))(x)
    assert np.array_equal(found, 2 * np.diag(weights @ moved))
