"""Lengths of 1 that are computed: only what they are computed from is fixed, not every length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ShapeError

ROW = np.array([[1.0, 2.0, 3.0]])


def every_fourth(x: Any) -> Any:
    return np.sum((x[:, ::4] + ROW) ** 2)


def batch(n: int, m: int) -> Any:
    return np.arange(1.0, 1 + n * m).reshape(n, m)


def test_other_lengths_stay_symbols() -> None:
    compiled = sg.grad(every_fourth)
    for n in (5, 7, 9):
        x = batch(n, 4)
        expected = np.zeros((n, 4))
        expected[:, 0] = np.sum(2 * (x[:, :1] + ROW), axis=1)
        np.testing.assert_allclose(compiled(x), expected)
    assert len(compiled.specializations) == 1
    assert sg.compile(every_fourth)(batch(3, 12)) == every_fourth(batch(3, 12))


@pytest.mark.parametrize("order", [(4, 12, 3), (12, 4, 3), (3, 12, 4)])
def test_each_length_in_any_order(order: tuple[int, ...]) -> None:
    compiled = sg.compile(every_fourth)
    for m in order * 2:
        for n in (2, 6):
            assert compiled(batch(n, m)) == pytest.approx(every_fourth(batch(n, m)))
    assert len(compiled.specializations) <= 3


def test_captured_arrays_and_nested_arguments() -> None:
    holder = {"w": np.ones((4, 3))}

    def f(p: Any) -> Any:
        return np.sum(p["x"] @ holder["w"][:, ::3] * np.ones((1, 2)))

    compiled = sg.compile(f)
    for n in (3, 5):
        p = {"x": batch(n, 4), "rest": (1, "text")}
        assert compiled(p) == f(p)
    assert len(compiled.specializations) == 1


def test_lengths_that_never_fit() -> None:
    with pytest.raises((ShapeError, ValueError), match=r"2|broadcast|equal"):
        sg.compile(every_fourth)(batch(3, 8))


def test_assumptions_that_contradict_each_other() -> None:
    def f(x: Any) -> Any:
        b = x * 2
        d = x
        for _ in [0, 1]:
            d = d * d[:1]
        e = 0.0
        for _ in [0, 1]:
            e = np.cumsum(e) * x
        return np.sum(np.ones(3) * b)

    x = np.array([1.5, 0.7, -0.3])
    np.testing.assert_array_equal(sg.hvp(f)(x, x), np.zeros(3))
    np.testing.assert_allclose(sg.jvp(f, (x,), (x,))[1], 2 * np.sum(x))
