"""Parameters as one vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.errors import ShapeError
from symgrad.nn.utils import parameters_to_vector, vector_to_parameters


def two() -> list[nn.Parameter]:
    return [
        nn.Parameter(np.arange(6.0).reshape(2, 3).T),
        nn.Parameter(np.array(9.0, np.float32)),
    ]


def test_there_and_back() -> None:
    xs = two()
    vec = parameters_to_vector(xs)
    assert vec.tolist() == [0, 3, 1, 4, 2, 5, 9]
    arrays = [x.data for x in xs]
    vector_to_parameters(vec * 2, iter(xs))
    assert all(x.data is kept for x, kept in zip(xs, arrays, strict=True))
    assert xs[0].data.tolist() == [[0, 6], [2, 8], [4, 10]] and xs[1].data == 18
    assert xs[1].dtype == np.float32
    vec[0] = 99
    assert xs[0].data[0, 0] == 0


@pytest.mark.parametrize(
    ("error", "text", "vec"),
    [
        (ShapeError, r"shape \(6,\), the parameters 7 entries", np.ones(6)),
        (ShapeError, r"shape \(7, 1\)", np.ones((7, 1))),
        (TypeError, "entries of complex128", np.ones(7) * 1j),
        (TypeError, "has to be an array, not list", [1.0] * 7),
    ],
)
def test_a_vector_that_does_not_fit_changes_nothing(
    error: Any, text: str, vec: Any
) -> None:
    xs = two()
    with pytest.raises(error, match=text):
        vector_to_parameters(vec, xs)
    assert parameters_to_vector(xs).tolist() == [0, 3, 1, 4, 2, 5, 9]


def test_refused() -> None:
    with pytest.raises(ValueError, match="no parameters"):
        parameters_to_vector([])
    with pytest.raises(TypeError, match="not ndarray"):
        parameters_to_vector([np.ones(2)])  # type: ignore[list-item]
