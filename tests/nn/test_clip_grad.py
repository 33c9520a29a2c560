"""Clipping: by the total norm, by value; what is refused before anything changes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad import SymgradWarning, nn
from symgrad.errors import NonFiniteGradientError
from symgrad.nn.utils import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)


def parameter(*g: float, dtype: Any = np.float64) -> nn.Parameter:
    x = nn.Parameter(np.zeros(len(g), dtype))
    x.grad = np.array(g, dtype)
    return x


def gradients(*parameters: nn.Parameter) -> list[list[float]]:
    return [[] if x.grad is None else x.grad.tolist() for x in parameters]


def test_r01_above_and_below_the_limit() -> None:
    a, b, without = parameter(3, 0), parameter(0, 4), nn.Parameter(np.ones(2))
    kept = a.grad
    assert clip_grad_norm_([a, without, b], 10) == 5
    assert gradients(a, b) == [[3, 0], [0, 4]]
    assert clip_grad_norm_([a, without, b], 1) == 5
    np.testing.assert_allclose(gradients(a, b), [[0.6, 0], [0, 0.8]], rtol=1e-6)
    assert a.grad is kept and without.grad is None


def test_the_factor_is_formed_first() -> None:
    x = parameter(3, 4, 12)
    clip_grad_norm_(x, 1)
    assert gradients(x) == [[v * (1 / (13 + 1e-6)) for v in (3, 4, 12)]]
    assert np.linalg.norm(gradients(x)) < 1


def test_r01_zero_gradients_stay_zero_and_nothing_warns() -> None:
    x = parameter(0, 0)
    with np.errstate(all="raise"):
        assert clip_grad_norm_(x, 1) == 0
    assert gradients(x) == [[0, 0]]


@pytest.mark.parametrize("bad", [math.inf, math.nan])
def test_r01_what_is_not_finite(bad: float) -> None:
    a, b = parameter(1, 2), parameter(bad, 1)
    b.name = "b"
    with pytest.raises(NonFiniteGradientError, match=f"is {bad}.*is 'b'"):
        clip_grad_norm_([a, b], 1, error_if_nonfinite=True)
    assert gradients(a) == [[1, 2]]
    total = clip_grad_norm_([a, b], 1)
    assert not np.isfinite(total)
    assert math.isnan(gradients(b)[0][0])
    np.testing.assert_array_equal(gradients(a), [[0, 0] if bad == math.inf else [bad, bad]])


def test_a_parameter_that_is_there_twice_counts_once() -> None:
    x = parameter(3, 4)
    assert clip_grad_norm_([x, x], 2.5) == 5
    np.testing.assert_allclose(gradients(x), [[1.5, 2]], rtol=1e-6)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (1, 9), (2, np.sqrt(33)), (3, np.cbrt(1 + 8 + 64 + 8)), (math.inf, 4), ("inf", 4),
        (-math.inf, 1), (-1, 1 / (1 + 1 / 2 + 1 / 4 + 1 / 2)), (0.5, None), (0, 2), ("2", None),
    ],
)  # fmt: skip
def test_norm_types(order: Any, expected: float | None) -> None:
    x, y = np.array([1.0, -2.0]), np.array([[4.0], [2.0]])
    if expected is None:
        p = float(order)
        expected = float(np.sum(np.abs([1, 2, 4, 2]) ** p) ** (1 / p))
    if order in (2, "2"):
        x, y = x * np.sqrt(33 / 25), y * np.sqrt(33 / 25)
        expected = np.sqrt(33)
    assert get_total_norm([x, y], order) == pytest.approx(expected)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_squares_out_of_range(scale: float) -> None:
    x = parameter(3 * scale, 4 * scale)
    assert clip_grad_norm_(x, 1, error_if_nonfinite=True) == pytest.approx(5 * scale)
    assert get_total_norm([x.data + scale, x.data + scale]) == pytest.approx(2 * scale)


def test_the_total_has_the_gradients_dtype() -> None:
    narrow = parameter(3, 4, dtype=np.float32)
    total = clip_grad_norm_(narrow, 1)
    assert type(total) is np.float32 and narrow.grad is not None
    assert narrow.grad.dtype == np.float32
    assert type(get_total_norm([np.ones(1, np.float32), np.ones(1)])) is np.float64
    assert type(get_total_norm(np.array([3, 4]))) is np.float64
    half = np.full(300, 200, np.float16)
    assert get_total_norm(half) == np.float16(200 * np.sqrt(300))
    assert get_total_norm(np.array([3 + 4j])) == 5


def test_nothing_to_clip() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clip_grad_norm_([], 1) == 0
        assert clip_grad_norm_(nn.Parameter(np.ones(2)), 1) == 0
        assert clip_grad_norm_(parameter(), 1) == 0
    with pytest.warns(SymgradWarning, match="nothing left"):
        assert clip_grad_norm_((x for x in ()), 1) == 0


def test_a_limit_of_zero() -> None:
    x = parameter(3, 4)
    clip_grad_norm_(x, 0)
    assert gradients(x) == [[0, 0]]


def test_with_a_norm_known_already() -> None:
    x, y = parameter(3, 4), parameter(6, 8)
    clip_grads_with_norm_([x], 1, get_total_norm([x.grad]))  # type: ignore[list-item]
    clip_grads_with_norm_(y, 2, 10.0)
    np.testing.assert_allclose(gradients(x), [[0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(gradients(y), [[1.2, 1.6]], rtol=1e-6)


def test_by_value() -> None:
    x, y = parameter(-3, 0.5, math.nan, math.inf), nn.Parameter(np.ones(1))
    kept = x.grad
    assert clip_grad_value_([x, y], 2) is None  # type: ignore[func-returns-value]
    assert x.grad is kept
    np.testing.assert_array_equal(gradients(x), [[-2, 0.5, math.nan, 2]])


X = parameter(3, 4)
REFUSED: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (ValueError, "max_norm has to be at least 0, not -1", lambda: clip_grad_norm_(X, -1)),
    (
        ValueError,
        "max_norm has to be at least 0, not nan",
        lambda: clip_grad_norm_(X, math.nan),
    ),
    (ValueError, "max_norm", lambda: clip_grads_with_norm_(X, -1, 5.0)),
    (ValueError, "clip_value has to be at least 0", lambda: clip_grad_value_(X, -1)),
    (ValueError, "could not convert", lambda: clip_grad_norm_(X, 1, "fro")),
    (ValueError, "no norm", lambda: clip_grad_norm_(X, 1, math.nan)),
    (TypeError, r"module\.parameters", lambda: clip_grad_norm_([X, X.grad], 1)),  # type: ignore[list-item]
    (TypeError, "not ndarray", lambda: clip_grad_value_([X.grad], 1)),  # type: ignore[list-item]
    (TypeError, "of arrays, not of Parameter", lambda: get_total_norm([X])),  # type: ignore[list-item]
    (
        NonFiniteGradientError,
        "norm is inf",
        lambda: get_total_norm([np.array([np.inf])], 2, True),
    ),
]


@pytest.mark.parametrize(("error", "text", "call"), REFUSED)
def test_refused_and_unchanged(error: Any, text: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=text):
        call()
    assert gradients(X) == [[3, 4]]


def test_the_sum_may_be_what_overflows() -> None:
    x = parameter(1.5e308, 1.5e308)
    with pytest.raises(NonFiniteGradientError, match="it is their sum that overflows"):
        clip_grad_norm_(x, 1, norm_type=1, error_if_nonfinite=True)
