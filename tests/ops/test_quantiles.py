"""Quantiles by every method; samples in the table have one of each kind."""

from typing import Any

import numpy as np
import pytest

import symgrad as sg
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


@pytest.mark.parametrize("weights", [None, np.ones(400)])
@pytest.mark.parametrize("level", [np.float16(0.9), np.float32(0.1)])
def test_a_level_of_less_precision_picks_the_entries_that_numpy_picks(
    level: Any, weights: Any
) -> None:
    """The place is counted in the level's dtype, and the gradient is what the value is made of."""
    x = np.linspace(-1.7, 2.3, 400)
    calls = [(f, "inverted_cdf", level) for f in (np.quantile, np.nanquantile)]
    if weights is None:
        calls = [(np.quantile, m, level) for m in ("linear", "nearest", "midpoint")]
        calls += [(np.nanpercentile, m, 100 * level) for m in ("hazen", "lower")]
    for function, method, at in calls:

        def value(
            x: Any, method: str = method, at: Any = at, function: Any = function
        ) -> Any:
            return function(x, at, method=method, weights=weights)

        np.testing.assert_allclose(sg.grad(value)(x) @ x, value(x), rtol=1e-6)
