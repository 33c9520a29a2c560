"""Derivatives compute with floats: NumPy takes a sum of masks for "or", small ints wrap around,
functions of them have half precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([200, 100, 3, 250], np.uint8)
Y = np.array([100, 200, 255, 10], np.uint8)
A = np.array([0.1, 0.2, 0.3, 0.4])
M = np.array([[1.0, 2.0], [3.0, 5.0]])
POINTS = np.array([0, 100, 150, 255], np.uint8)

FUNCTIONS: list[Callable[[Any, Any, Any], Any]] = [
    lambda a, x, y: np.sum(x * a + y * a),
    lambda a, x, y: np.sum((x * a) * a + (y * a) * a),
    lambda a, x, y: np.sum(x * a - y * a),
    lambda a, x, y: np.sum((x * a) * y),
    lambda a, x, y: np.sum((x * a) * x),
    lambda a, x, y: np.sum((x * a) * (y * a) * (x * a)),
]


def agree(f: Callable[..., Any], a: Any, *data: np.ndarray[Any, Any]) -> None:
    doubles = [x.astype(float) for x in data]
    for transform in (sg.grad, sg.jacfwd, sg.hessian):
        got, expected = transform(f)(a, *data), transform(f)(a, *doubles)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("k", range(len(FUNCTIONS)))
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.uint64, np.float16])
def test_as_with_doubles(k: int, dtype: type) -> None:
    f = FUNCTIONS[k]
    x, y = (X > 150, Y > 50) if dtype is bool else (X.astype(dtype), Y.astype(dtype))
    for a in (A,) if dtype is np.float16 else (A, 0.7):
        agree(f, a, x, y)


RULES: list[tuple[Callable[..., Any], Any, tuple[Any, ...]]] = [
    (lambda a, x: np.sum(x**a), A, (X,)),
    (lambda a, y: np.sum(np.interp(600 * a, POINTS, y) ** 2), A, (Y,)),
    (lambda a, x, y: np.sum(np.interp(600 * a, x, y) ** 2), A, (POINTS, Y)),
    (lambda a, x: np.sum(np.interp(a, [0, 1, 2, 3], x)), A, (X > 150,)),
    (lambda a, x: np.var(x, mean=a, keepdims=True)[0] ** 2, A[:1], (X,)),
    (lambda a, x: np.std(x, mean=a, keepdims=True, where=x > 5)[0], A[:1], (X,)),
    (lambda a, x: np.var(x, mean=a, keepdims=True)[0] ** 2, A[:1], (X.astype(np.float16),)),
    (lambda a, x: np.sum((x * a) * x), A, (np.array([5_000_000_000]),)),
    (
        lambda a, x: np.sum(np.einsum("ij,jk,kl->il", a, x, x, optimize=True) ** 2),
        M,
        (np.ones((2, 2), bool),),
    ),
]  # fmt: skip
"""NumPy computes all of these with floats."""


@pytest.mark.parametrize("k", range(len(RULES)))
def test_rules_read_data_as_floats(k: int) -> None:
    f, a, data = RULES[k]
    np.testing.assert_allclose(sg.compile(f)(a, *data), f(a, *data), rtol=0)
    agree(f, a, *data)


MODULAR: list[Callable[..., Any]] = [
    lambda a, v: a * -v,
    lambda a, v: a / -v + 2.0 * a * -v,
    lambda a, v: a * (-v @ -v) - a @ -v,
    lambda a, v: a**2 * -(v - 120),
    lambda a, v: a - -v,
    lambda a, v: (v * 3) * a + (v * 5) * a,
]


@pytest.mark.parametrize("k", range(len(MODULAR)))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint32])
def test_what_the_code_computes_in_whole_numbers_wraps_around(k: int, dtype: type) -> None:
    f, x = MODULAR[k], X.astype(dtype)
    for a in (A, np.array([1, 500, -2, 7])):
        np.testing.assert_array_equal(sg.compile(f)(a, x), f(a, x))
    _, tangent = sg.jvp(lambda a: f(a, x), (A,), (np.ones(4),))
    _, pull = sg.vjp(lambda a: f(a, x), A)
    slope = (f(A + 1, x) - f(A - 1, x)) / 2  # exact: none is more than a square
    np.testing.assert_allclose(tangent, slope, rtol=1e-6)
    np.testing.assert_allclose(np.sum(pull(np.ones(4))[0]), np.sum(slope), rtol=1e-6)


def test_truth_values_have_no_sign_but_products() -> None:
    x = X > 150
    np.testing.assert_array_equal(sg.compile(lambda x: x * -1)(x), x * -1)
    np.testing.assert_array_equal(sg.grad(lambda a: np.sum(a * (x * -1)))(A), x * -1.0)


@pytest.mark.parametrize("number", [np.uint8(200), np.int8(-128), np.bool_(True)])
def test_scalars_are_read_as_floats(number: Any) -> None:
    def f(a: Any, x: Any) -> Any:
        return np.sum(x * a * x + x * a * number + number * a + np.exp(a) ** number)

    agree(f, A, number)


def test_complex_data_of_less_precision_stay_complex() -> None:
    z = np.array([1 + 2j, 3 - 1j, 0.5j, 2], np.complex64)

    def f(a: Any, z: Any) -> Any:
        return np.sum(np.abs(z * a * z) ** 2 + np.real(np.exp(a) * z))

    for transform in (sg.grad, sg.jacfwd, sg.hessian):
        got, due = transform(f)(A, z), transform(f)(A, z.astype(complex))
        np.testing.assert_allclose(got, due, rtol=1e-6, atol=1e-6)


def test_single_precision_stays() -> None:
    gradient = sg.grad(lambda a, x: np.sum(a**x + np.arctan2(a, x)))
    lowered = gradient.lower(A.astype(np.float32), np.array([1, 0, 1, 1], np.int8))
    assert "float64" not in lowered.source
    for dtype in (np.int8, bool):
        x = np.array([1, 0, 1, 1], dtype)
        assert gradient(A.astype(np.float32), x).dtype == np.float32
