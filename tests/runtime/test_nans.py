"""``debug_nans``: the line and the operation in which the first nan or infinity arose."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import NonFiniteGradientError

X = np.array([1.0, 0.0, 4.0])


def quotient(x: Any, y: Any) -> Any:
    h = x * 2
    z = h / y
    return np.sum(z)


def root(x: Any) -> Any:
    y = np.sqrt(x)
    return np.sum(y * (y - 1))


def told(f: Any, *args: Any) -> NonFiniteGradientError:
    with (
        np.errstate(all="ignore"),
        sg.debug_nans(),
        pytest.raises(NonFiniteGradientError) as e,
    ):
        f(*args)
    return e.value


def test_in_the_forward_code() -> None:
    error = told(sg.compile(quotient), X, np.array([1.0, 0.0, 2.0]))
    assert (
        "`quotient`: the first nan arose in the forward code, in `divide(0.0, 0.0)` at [1]"
        in (str(error))
    )
    assert (
        "z = h / y" in str(error) and error.lineno == quotient.__code__.co_firstlineno + 2
    )


def test_in_the_backward() -> None:
    error = told(sg.grad(root), X)
    assert "arose in the backward code" in str(error)
    assert "y = np.sqrt(x)" in str(error) and "at [1], by the rule of `sqrt`" in str(error)
    error = told(sg.grad(lambda x: np.sum(np.sqrt(x) ** 1.0)), X)
    assert "by the rule of one of `sqrt`, `power`" in str(error)


def test_in_a_pullback() -> None:
    _, pullback = sg.vjp(root, X)
    error = told(pullback, 1.0)
    assert "`pullback of root`: the first" in str(error) and "y = np.sqrt(x)" in str(error)
    _, linear = sg.linearize(lambda x: np.sum(np.sqrt(x)), X)
    assert "`linear part of <lambda>`: the first" in str(told(linear, X + 1))
    with np.errstate(all="ignore"):
        assert not np.isfinite(pullback(1.0)[0]).all()
    with sg.debug_nans():
        assert np.isfinite(sg.vjp(root, X + 1)[1](1.0)[0]).all()


def test_in_a_loop() -> None:
    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            x = x - 1.0
            x = 1 / x
        return np.sum(x)

    error = told(sg.compile(f), np.array([2.0, 4.0]), 2)
    assert "the first infinity" in str(error) and "1 / x" in str(error)


def test_what_is_masked_does_not_count() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 0.0)), 0.0))

    with np.errstate(all="ignore"), sg.debug_nans():
        np.testing.assert_allclose(sg.grad(f)(X), [1.0, 0.0, 0.25])
    error = told(sg.compile(lambda x: np.log(x) * np.exp(x - x)), X)
    assert "the first infinity arose in the forward code, in `log(0.0)` at [1]" in str(
        error
    )


def test_of_an_argument() -> None:
    error = told(sg.compile(root), np.array([np.nan, 1.0]))
    assert str(error) == "`root`: the result is not finite since the argument `x` is not"
    weights = {"w": np.array([np.inf])}
    error = told(sg.grad(lambda p: np.sum(p["w"] ** 2)), weights)
    assert "since the argument `w` is not" in str(error)


def test_captured_arguments_by_keyword_and_draws() -> None:
    scale = np.array([0.0, 1.0])

    def f(x: Any, *, power: float, rng: Any) -> Any:
        noise = np.random.random(2) + rng.random(2)
        print("drawn")
        return np.sum((x + noise * 0) ** power / scale)

    compiled = sg.compile(f)
    state = np.random.get_state()
    error = told(lambda: compiled(X[:2], power=2.0, rng=np.random.default_rng(0)))
    assert "`divide(" in str(error)
    first = np.random.random()
    np.random.set_state(state)
    np.random.random(2)
    assert np.random.random() == first


def test_it_is_off_again_and_elsewhere() -> None:
    f = sg.compile(quotient)
    zero = np.zeros(3)
    with np.errstate(all="ignore"):
        with sg.debug_nans():
            found: list[Any] = []

            def elsewhere() -> None:
                with np.errstate(all="ignore"):
                    found.append(f(X, zero))

            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
            assert np.isnan(found[0])
            with sg.debug_nans(False):
                assert np.isnan(f(X, zero))
        assert np.isnan(f(X, zero))


def test_finite_results_are_what_they_are() -> None:
    with sg.debug_nans():
        np.testing.assert_allclose(sg.grad(root)(X + 1), 1 - 0.5 / np.sqrt(X + 1))
        x = X.copy()

        def change(x: Any) -> Any:
            x += 1
            return x

        sg.compile(change)(x)
        np.testing.assert_array_equal(x, X + 1)


def test_sums_on_the_same_line_are_no_cause() -> None:
    error = told(sg.grad(lambda x: 3 * np.sum(np.sqrt(x)) - x[1]), np.array([1.0, 0.0]))
    assert "at [1], by the rule of one of `sqrt`, `multiply`, which" in str(error)


def overflowing(x: Any) -> Any:
    for _ in range(4):
        x = np.exp(x * 10)
    return np.sum(x)


def test_memory_that_is_not_filled_yet_is_no_cause() -> None:
    slope = sg.grad(overflowing)
    with np.errstate(all="ignore"):
        for size in range(2, 12):
            x = np.linspace(0.1, 1.2, size)
            slope(x)
            with (
                pytest.raises(NonFiniteGradientError, match=r"in `exp\(") as caught,
                sg.debug_nans(),
            ):
                slope(x)
            assert "x = np.exp(x * 10)" in str(caught.value)
