"""Batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symgrad.errors import ShapeError
from symgrad.nn import DataLoader

X, Y = np.arange(7), np.arange(14.0).reshape(7, 2)


def test_batches_in_order() -> None:
    loader = DataLoader(X, 3)
    assert [batch.tolist() for batch in loader] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [batch.tolist() for batch in loader] == [[0, 1, 2], [3, 4, 5], [6]]
    assert len(loader) == 3


@pytest.mark.parametrize(("size", "batches"), [(3, 2), (7, 1), (8, 0), (1, 7)])
def test_the_last_small_batch_is_dropped(size: int, batches: int) -> None:
    loader = DataLoader(X, size, drop_last=True)
    found = list(loader)
    assert len(loader) == len(found) == batches
    assert all(len(batch) == size for batch in found)


def test_shuffled_alike_and_anew_in_every_pass() -> None:
    loader = DataLoader({"x": X, "y": Y}, 2, shuffle=np.random.default_rng(3))
    first, second = list(loader), list(loader)
    orders = [
        np.concatenate([batch["x"] for batch in batches]) for batches in (first, second)
    ]
    rng = np.random.default_rng(3)
    for order in orders:
        np.testing.assert_array_equal(order, rng.permutation(7))
    assert not np.array_equal(*orders)
    for batch in first:
        np.testing.assert_array_equal(batch["y"][:, 0], 2 * batch["x"])


def test_a_tuple_gives_tuples() -> None:
    x, y = next(iter(DataLoader((X, Y), np.int64(2))))
    assert x.tolist() == [0, 1] and y.shape == (2, 2)


@pytest.mark.parametrize(
    ("error", "text", "args", "options"),
    [
        (ValueError, "at least 1, not 0", (X, 0), {}),
        (TypeError, "batch_size is an int, not float", (X, 2.0), {}),
        (TypeError, "Generator or None, not bool", (X, 2), {"shuffle": True}),
        (TypeError, "not list", ([1, 2], 2), {}),
        (TypeError, "not list", ((X, [1, 2]), 2), {}),
        (TypeError, "not a number", (np.array(3), 2), {}),
        (ValueError, "no arrays", ((), 2), {}),
        (ShapeError, r"\[7, 6\]", ((X, Y[:6]), 2), {}),
    ],
)
def test_refused(error: Any, text: str, args: Any, options: Any) -> None:
    with pytest.raises(error, match=text):
        DataLoader(*args, **options)
