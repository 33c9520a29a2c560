"""Methods of ufuncs that are loops: every index, dtypes that results have, ``out``, refusals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import SymgradError
from symgrad.testing import check_grads

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
MASK = np.array([[True, False, True], [False, True, True]])
INDICES: list[Any] = [
    MASK,
    [True, False],
    (0, slice(1, None)),
    (slice(None), [0, 0]),
    ([0, 0], [1, 1]),
    (..., 1),
    ...,
    [[0, 1], [1, 1]],
    1,
]


@pytest.mark.parametrize("number", range(len(INDICES)))
def test_at_takes_every_index(number: int) -> None:
    index = INDICES[number]

    def call(x: Any, v: Any) -> Any:
        y = x.copy()
        np.multiply.at(y, index, v)
        np.sin.at(y.T, (0, slice(1)))
        return y

    scale = np.float64(1.7)
    np.testing.assert_array_equal(sg.compile(call)(A, scale), call(A, scale))
    check_grads(call, (A, scale), order=1)


def test_at_reads_what_was_there_before() -> None:
    def call(x: Any) -> Any:
        y, k = x * 1.0, np.array([1, 2, 0, 1])
        np.multiply.at(y, [-1, 1, 1], y[1])
        np.multiply.at(k, k, 2)
        return y * k[1]

    np.testing.assert_array_equal(sg.compile(call)(A), call(A))
    check_grads(call, (A,), order=1)


WHOLE = np.array([[250, 10, 7], [5, 3, 2]], np.uint8)
OF_DATA: list[Callable[[Any], Any]] = [
    lambda n: np.divide.accumulate(n, 1),
    lambda n: np.hypot.accumulate(n),
    lambda n: np.logical_and.accumulate(n > 4),
    lambda n: np.add.reduceat(n, [0, 1], (1,)),
    lambda n: np.multiply.reduceat(n > 4, [0, 1]),
    lambda n: np.logical_or.reduceat(n, [0, 1]),
    lambda n: np.modf(n)[1],
    lambda n: np.divmod(n.tolist(), 3)[0],
]


@pytest.mark.parametrize("number", range(len(OF_DATA)))
def test_dtypes(number: int) -> None:
    got, expected = sg.compile(OF_DATA[number])(WHOLE), OF_DATA[number](WHOLE)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype


def written(x: Any) -> Any:
    sums, powers, running = np.zeros((2, 2)), np.zeros(2), np.zeros((2, 3))
    np.add.reduceat(x, [0, 1], 1, out=sums)
    np.power.reduce(np.abs(x), 1, out=(powers,))
    np.add.accumulate(x, 0, None, running)
    np.arctan2.accumulate(x + 3, 1, out=x)
    return sums * powers, running * x


def test_out() -> None:
    for got, expected in zip(sg.compile(written)(A.copy()), written(A.copy()), strict=True):
        np.testing.assert_array_equal(got, expected)
    check_grads(lambda x: written(x * 1.0), (A,), order=1)


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: np.subtract.reduce(x, axis=(0, 1)), "not reorderable"),
    (lambda x: np.divide.reduce(x, axis=None), "not reorderable"),
    (lambda x: np.arctan2.reduce(x, axis=None), "not reorderable"),
    (lambda x: np.add.accumulate(x, axis=None), "axis must be an integer"),
    (lambda x: np.hypot.accumulate(x, axis=None), "along one axis"),
    (lambda x: np.power.reduceat(x, [0], axis=(0, 1)), "along one axis"),
    (lambda x: np.power.reduce(x[:0]), "which has no identity"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused_as_numpy_does(number: int) -> None:
    function, message = REFUSED[number]
    with pytest.raises((TypeError, ValueError)):
        function(A)
    with pytest.raises((TypeError, ValueError), match=message):
        sg.compile(function)(A)


@pytest.mark.parametrize("name", ["prod", "cumprod"])
def test_complex_products_in_a_real_dtype_are_those_of_real_parts(name: str) -> None:
    def call(x: Any, y: Any) -> Any:
        return getattr(np, name)(x + 1j * y, dtype=float)

    with pytest.warns(np.exceptions.ComplexWarning):
        np.testing.assert_array_equal(sg.compile(call)(A, A**2), call(A, A**2))
    with pytest.warns(np.exceptions.ComplexWarning):
        check_grads(call, (A, A**2), order=1)
    with pytest.raises(SymgradError, match=r"real parts of the mean alone; write x\.real"):
        sg.compile(lambda x: np.var(x * 1j, dtype=float))(A)
