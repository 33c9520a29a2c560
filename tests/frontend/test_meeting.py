"""Python's numbers that meet NumPy's at a branch or in a loop stay what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([1.5, 0.25, 3.5])


def chosen(x: Any, n: int) -> Any:
    s = 0.1
    if n > 1:
        s = x[1]
    return s * 1.1 + 3, s, np.full(2, s), np.float32(s) / 3, abs(s), max(s, 0.1)


def summed(x: Any, n: int) -> Any:
    total = 2
    for i in range(n):
        total = total * x[i]
    return total / 3, np.tanh(total), np.array([np.float64(total), 1.0])


def found(x: Any, n: int) -> Any:
    best = 2
    for v in x[:n]:
        if v < best:
            best = v
    return best * 0.1, best


def ternary(x: Any, n: int) -> Any:
    return np.tanh(1 if n > 1 else x[1]) * x, (2j - (2 if n else x[0])) * x[1]


def mixed(x: Any, n: int) -> Any:
    s = np.float64(0.1) if n > 1 else x[0]
    return s * 1.1, x * s


def whole(x: Any, n: int) -> Any:
    s = 1 if n > 1 else 0.1
    return s, np.full(2, s), s * x, s / 3, float(s)


PROGRAMS: list[Callable[[Any, int], Any]] = [chosen, summed, found, ternary, whole, mixed]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 2])
def test_bits_and_types(f: Callable[[Any, int], Any], dtype: type, n: int) -> None:
    x = X.astype(dtype)
    got, expected = sg.compile(f)(x, n), f(x, n)
    if not isinstance(expected, tuple):
        got, expected = (got,), (expected,)
    for ours, theirs in zip(got, expected, strict=True):
        assert type(ours) is type(theirs)
        np.testing.assert_array_equal(ours, theirs)
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype


@pytest.mark.parametrize("f", PROGRAMS[:5])
@pytest.mark.parametrize("n", [0, 2])
def test_gradients(f: Callable[[Any, int], Any], n: int) -> None:
    def loss(x: Any, n: int) -> Any:
        parts = f(x, n)
        return sum(
            np.sum(abs(p) ** 2) for p in (parts if isinstance(parts, tuple) else [parts])
        )

    check_grads(lambda x: loss(x, n), (X,), order=2)
    grad = sg.grad(loss)(X.astype(np.float32), n)
    assert grad.dtype == np.float32
    np.testing.assert_allclose(grad, sg.grad(loss)(X, n), rtol=1e-5)


def test_the_code_has_pythons_number() -> None:
    assert "total = 2\n" in sg.compile(summed).lower(X, 2).source


def precisions(x: Any, y: Any) -> Any:
    s = x[0]
    if np.sum(y) > 1:
        s = y[1]
    total = x[1]
    for v in y:
        total = total + v
    return s * 1.1, x * s, np.full(2, s), total * x


@pytest.mark.parametrize("scale", [0.1, 1.0])
def test_scalars_of_two_precisions(scale: float) -> None:
    x, y = X.astype(np.float32), scale * X
    for ours, theirs in zip(sg.compile(precisions)(x, y), precisions(x, y), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)

    def loss(x: Any, y: Any) -> Any:
        return sum(np.sum(p**2) for p in precisions(x, y))

    check_grads(loss, (X, y), order=2)
    grads = sg.grad(loss, (0, 1))
    for single, double in zip(grads(x, y), grads(X, y), strict=True):
        np.testing.assert_allclose(single, double, rtol=1e-5)


def filled(x: Any, n: int) -> Any:
    t = np.full(3, 2 if np.sum(x) > n else x[0])
    u = np.tanh(t) * 2
    return u, 1 + t, np.broadcast_to(2 if np.sum(x) > n else x[0], 3) * x


def beside(x: Any, n: int) -> Any:
    for v in x:
        if v > n:
            return v
    return sg.grad(np.sin)(float(x[0])) * np.float64(0.1)


def listed(x: Any, n: int) -> Any:
    kept = []
    for i in range(n // 50 + 3):
        kept.append((x[0] if i % 2 == 0 else 0.1) * 1.0)
    return np.sum(kept.pop()), np.sum(kept.pop()), np.sum(np.array(kept))


@pytest.mark.parametrize("f", [filled, beside, listed])
@pytest.mark.parametrize("n", [0, 100])
def test_arrays_of_such_numbers(f: Callable[[Any, int], Any], n: int) -> None:
    x = X.astype(np.float32)
    got, expected = sg.compile(f)(x, n), f(x, n)
    for ours, theirs in zip(np.atleast_1d(got), np.atleast_1d(expected), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype


def made_floats(x, s, q):
    z = 2 if q > 2 else s
    t = np.full((3,), z) * 1.0
    t *= x
    return z / 1, z * 1.0, z**1.0, z * -1.0, np.full(2, z) / 1, t


@pytest.mark.parametrize("q", [1, 3])
def test_operations_that_make_floats_of_whole_numbers_stay(q):
    alike(made_floats, np.array([0.5, 0.25, 1.5]), 0.3, q)


def left_where_it_is_certain(x: Any, n: int) -> Any:
    s = float(n)
    t = s
    if s > 2 or n <= 1:
        if min(2, n) <= 3:
            return s * 0.5
        t = s
    elif n > 1:
        if x[0] > 0:
            t -= x[0]
        else:
            return s
    return t + x[1]


def test_what_is_never_read_is_not_converted() -> None:
    for n in (0, 1, 2, 3):
        alike(left_where_it_is_certain, X, n)
        alike(left_where_it_is_certain, -X, n)
