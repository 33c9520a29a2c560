"""``strict=True``: a gradient that is zero for a reason is an error that says so."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ConstantOutputWarning, NotDifferentiableError

X = np.array([1.2, -0.5, 3.0])


def cast(x: Any) -> Any:
    return np.sum(x.astype(int) * 1.0)


def ordered(x: Any) -> Any:
    return np.sum(np.argsort(np.exp(x)) * 2.0)


def compared(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        if x[i] > 0:
            total = total + 1.0
    return total


def stopped(x: Any) -> Any:
    return np.sum(sg.stop_gradient(x) ** 2)


@pytest.mark.parametrize(
    ("fun", "words"),
    [
        (
            cast,
            r"does not depend smoothly on argument 0 \(`x`\): `astype` has no derivative",
        ),
        (ordered, r"`ordered` does not depend smoothly on .*: `argsort` has no derivative"),
        (compared, "does not depend smoothly on .*: `greater` has no derivative"),
        (stopped, "does not depend smoothly on .*: `stop_gradient` has no derivative"),
        (lambda x: 3.0, r"does not depend on argument 0 \(`x`\)"),
    ],
)
def test_refused(fun: Any, words: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantOutputWarning)
        np.testing.assert_array_equal(sg.grad(fun)(X), np.zeros(3))
    for kind in (sg.grad, sg.value_and_grad):
        with pytest.raises(NotDifferentiableError, match=words):
            kind(fun, strict=True)(X)


def constant(x: Any, y: Any) -> Any:
    total = 0.0
    for i in range(3):
        total = total + i
    return total


@pytest.mark.parametrize("argnums", [0, (0, 1)])
def test_a_constant_is_warned_of_at_the_function(argnums: Any) -> None:
    text = r"`constant` does not depend on (any of )?argument 0 \(`x`\)"
    with pytest.warns(ConstantOutputWarning, match=text) as caught:
        sg.grad(constant, argnums)(X, X)
    [warning] = caught
    place = constant.__code__
    assert (warning.filename, warning.lineno) == (place.co_filename, place.co_firstlineno)


def test_a_constant_among_others_is_not_warned_of() -> None:
    np.testing.assert_array_equal(sg.grad(lambda x, y: np.sum(y), (0, 1))(X, X)[0], 0 * X)
    np.testing.assert_array_equal(sg.grad(compared)(X), 0 * X)
    np.testing.assert_array_equal(sg.hvp(lambda x: np.sum(3 * x))(X, X), 0 * X)
    assert sg.grad(sg.grad(lambda x: 3 * x))(2.0) == 0.0


def test_the_line_is_named() -> None:
    with pytest.raises(NotDifferentiableError) as caught:
        sg.grad(cast, strict=True)(X)
    assert caught.value.lineno == cast.__code__.co_firstlineno + 1


def test_what_has_a_derivative_passes() -> None:
    def fun(x: Any, y: Any, n: int) -> Any:
        kept = []
        for i in range(n):
            if x[i] > 0:
                y = y * np.where(x > 1, x, np.round(x))
            kept.append(np.sum(y))
        while np.sum(y) > 1e3:
            y = y / 2
        return sum(kept) + np.sum(y)

    for strict in (False, True):
        found = sg.grad(fun, argnums=(0, 1), strict=strict)(X, X, 3)
        assert np.count_nonzero(found[0]) == 2
    with pytest.raises(NotDifferentiableError, match="argument 1"):
        sg.grad(lambda x, y: np.sum(x) + np.sign(y), argnums=(0, 1), strict=True)(X, 2.0)
