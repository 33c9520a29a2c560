"""Calls that overwrite an argument: the new value they give."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.ops import MUTATORS

from .building import value

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2], [1.0, 0.0, 4.0]])
V = np.array([0.4, -1.3, 2.2])

CALLS: list[tuple[Any, Callable[..., Any], tuple[Any, ...]]] = [
    ("fill", lambda x, v: x.fill(v), (2.5,)),
    ("sort", lambda x: x.sort(), ()),
    ("sort", lambda x, axis: x.sort(axis), (0,)),
    (np.fill_diagonal, np.fill_diagonal, (V,)),
    (np.copyto, np.copyto, (V,)),
    (np.add.at, np.add.at, ([0, 0, 2], V)),
    (np.add.at, np.add.at, ((slice(None), [1, 1]), 1.0)),
    (np.subtract.at, np.subtract.at, ([0, 0], 1.0)),
    (np.put_along_axis, np.put_along_axis, (np.array([[1, 0, 2]]), -1.0, 0)),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_new_value(number: int) -> None:
    target, call, rest = CALLS[number]
    position, surface = MUTATORS[target]
    assert position == 0
    expected = A.copy()
    call(expected, *rest)
    got = value(lambda x: surface(x.builder, x, *rest), A)
    np.testing.assert_array_equal(got, expected)


def test_copyto_under_a_mask() -> None:
    expected = A.copy()
    np.copyto(expected, V, where=A > 0)
    got = value(lambda x: MUTATORS[np.copyto][1](x.builder, x, V, where=x > 0), A)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "number", [0.1, 3, 300, True, np.float32(0.1), np.uint8(7)], ids=str
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8"])
def test_numbers_beside_ufunc_at(dtype: str, number: Any) -> None:
    """Python's numbers are arrays to ``ufunc.at``, not weak; what is unsigned has no negative."""
    if np.dtype(dtype).kind == "i" and isinstance(number, float | np.floating):
        return  # refused: NumPy casts it to whole numbers without a word

    def f(x: Any, places: Any) -> Any:
        np.subtract.at(x, 0, number)
        np.add.at(x, places, number)
        np.subtract.at(x, places, number)
        np.add.at(x, slice(1, 4), number)
        return x

    x = np.linspace(-3, 9, 5).astype(dtype)
    expected = f(x.copy(), np.array([1, 1, 2]))
    np.testing.assert_array_equal(
        sg.compile(f)(x, np.array([1, 1, 2])), expected, strict=True
    )
