"""Quantiles by every method; samples in the table have one of each kind."""

from typing import Any

import numpy as np
import pytest

from symgrad.ops.quantiles import VIRTUAL

from .building import surface
from .calls import check_derivatives

A = np.array([[0.3, -1.2, 2.4, 0.9], [-0.7, 1.9, -2.2, 3.1]])
HOLES = np.where([[0, 1, 0, 0], [0, 0, 1, 0]], np.nan, A)
LEVELS = np.array([0.13, 0.37, 0.71])


@pytest.mark.parametrize("method", sorted(VIRTUAL))
@pytest.mark.parametrize(
    ("name", "x", "scale"),
    [
        ("quantile", A, 1), ("percentile", A, 100),
        ("nanquantile", HOLES, 1), ("nanpercentile", HOLES, 100),
    ],
)  # fmt: skip
def test_method(name: str, x: Any, scale: float, method: str) -> None:
    function = surface(getattr(np, name))
    check_derivatives(
        lambda x, q: function(x, q, axis=1, method=method), x, scale * LEVELS, order=1
    )
