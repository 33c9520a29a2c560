"""``order="A"`` and ``order="K"``: entries as they lie in memory."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CallError, UnsupportedFunctionError
from symgrad.testing import check_grads

A = np.arange(6.0).reshape(2, 3) + 0.5
C = np.arange(24.0).reshape(2, 3, 4)
ARRAYS = [
    A, A.T, np.asfortranarray(A), A[:, ::2], A[::-1], A[:1], A[:, :1], C, C.T,
    C.transpose(1, 0, 2), C[:, ::-1].transpose(2, 0, 1), np.asfortranarray(C), C[:, :, 0],
]  # fmt: skip
READ: list[Callable[[Any], Any]] = [
    lambda x: x.ravel("K"),
    lambda x: x.ravel("A"),
    lambda x: x.flatten("K"),
    lambda x: np.ravel(x[1:], order="K"),
    lambda x: x.reshape(-1, order="A"),
    lambda x: np.reshape(x, -1, "A"),
    lambda x: (x.T * 2).ravel("K"),
    lambda x: x.copy(order="F").ravel("A"),
]


@pytest.mark.parametrize("number", range(len(READ)))
def test_entries_are_read_as_they_lie(number: int) -> None:
    compiled = sg.compile(READ[number])
    for x in ARRAYS:
        np.testing.assert_array_equal(compiled(x), READ[number](x))


COPIES: list[Callable[[Any], Any]] = [
    np.copy,
    np.array,
    lambda x: np.array(x, order="C"),
    lambda x: x.copy(order="K"),
    lambda x: x.astype(float),
    lambda x: np.copy(x.reshape(-1, 2, order="F")),
    lambda x: np.copy(x.T).ravel("K"),
]


@pytest.mark.parametrize("number", range(len(COPIES)))
def test_copies_lie_as_they_do_in_numpy(number: int) -> None:
    compiled = sg.compile(COPIES[number])
    for x in (A, A.T, C.transpose(1, 0, 2), np.asfortranarray(C)):
        found, expected = compiled(x), COPIES[number](x)
        np.testing.assert_array_equal(found, expected)
        assert found.strides == expected.strides


def test_derivatives() -> None:
    def weighted(x: Any) -> Any:
        return np.sum(x.T.ravel("K") * np.arange(6.0) ** 2)

    check_grads(weighted, (A,), order=1)
    straight = (np.arange(6.0) ** 2).reshape(3, 2).T
    np.testing.assert_array_equal(sg.grad(weighted)(np.asfortranarray(A)), straight)


def test_an_order_that_is_not_known_is_refused() -> None:
    with pytest.raises(UnsupportedFunctionError, match="not known when compiling"):
        sg.compile(lambda x: np.asfortranarray(x).ravel("A"))(A.T)
    with pytest.raises(ValueError, match="not permitted"):
        A.reshape(-1, order="K")
    with pytest.raises(CallError, match="takes no order='K'"):
        sg.compile(lambda x: x.reshape(-1, order="K"))(A)


def test_numpy_integers_are_known_when_compiling_where_that_is_needed() -> None:
    total = sg.compile(lambda x, axis: np.sum(x, axis=axis) * axis)
    for axis in (np.int64(1), np.int32(0), np.array(1), np.uint8(0), 1):
        np.testing.assert_array_equal(total(A, axis), np.sum(A, axis=int(axis)) * int(axis))
    spread = sg.compile(lambda x, d: np.std(x, ddof=d))
    for d in (np.float64(1.5), np.float32(0.5), np.int64(1)):
        assert spread(A, d) == np.std(A, ddof=d)
