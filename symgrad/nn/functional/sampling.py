"""Random and integer things: dropout, embeddings, one-hot vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...runtime import stop_gradient
from ._options import Array


# ------------------------------------------------------------------------------- dropout
def check_probability(p: float) -> None:
    """Raises ValueError unless ``p`` is from 0 to 1."""
    if p < 0 or p > 1:
        raise ValueError(f"the probability of dropout must be from 0 to 1, got {p}")


def _kept(x: Array, shape: Any, p: float, generator: Any) -> Array:
    """``x / (1 - p)``, and 0 with probability ``p``, drawn for ``shape`` and broadcast."""
    if generator is None:
        draws = np.random.random_sample(shape)
    else:
        draws = generator.random(shape)
    return np.where(draws < p, 0, x) / (1 - p if p < 1 else 1)


def dropout(
    x: Array, p: float = 0.5, training: bool = True, *, generator: Any = None
) -> Array:
    """Entries dropped with probability ``p``, the others divided by ``1 - p``.

    Args:
        x: any array.
        p: the probability, from 0 to 1.
        training: if False, ``x`` is returned.
        generator: a NumPy ``Generator``; by default NumPy's global state is drawn from.

    Raises:
        ValueError: ``p`` is no probability.
    """
    check_probability(p)
    return _kept(x, x.shape, p, generator) if training else x


def dropout1d(
    x: Array, p: float = 0.5, training: bool = True, *, generator: Any = None
) -> Array:
    """``dropout`` of whole channels of signals (n, channels, length)."""
    check_probability(p)
    return _kept(x, (*x.shape[:-1], 1), p, generator) if training else x


def dropout2d(
    x: Array, p: float = 0.5, training: bool = True, *, generator: Any = None
) -> Array:
    """``dropout`` of whole channels of images (n, channels, height, width)."""
    check_probability(p)
    return _kept(x, (*x.shape[:-2], 1, 1), p, generator) if training else x


def alpha_dropout(
    x: Array, p: float = 0.5, training: bool = False, *, generator: Any = None
) -> Array:
    """Dropout to ``selu``'s lowest value that keeps mean 0 and variance 1."""
    check_probability(p)
    if not training or p == 0:
        return x
    low = -1.7580993408473766  # -scale * alpha of selu
    draws = (
        np.random.random_sample(x.shape) if generator is None else generator.random(x.shape)
    )
    scale = 1 / np.sqrt((1 - p) * (1 + p * low**2)) if p < 1 else 0.0
    return scale * (np.where(draws < p, low, x) - p * low)


# ------------------------------------------------------------------------------ indices
def embedding(x: Array, weight: Array, padding_idx: int | None = None) -> Array:
    """Rows of ``weight``.

    Args:
        x: integers from 0, any shape.
        weight: (rows, features).
        padding_idx: a row that gets no gradient.

    Raises:
        IndexError: an entry of ``x`` is no row of ``weight``.
    """
    if np.any((x < 0) | (x >= weight.shape[0])):
        raise IndexError("an index is not the number of a row of the embedding")
    rows = weight[x]
    if padding_idx is None:
        return rows
    place = padding_idx if padding_idx >= 0 else weight.shape[0] + padding_idx
    return np.where(np.expand_dims(x == place, -1), stop_gradient(rows), rows)


def one_hot(x: Array, num_classes: int = -1) -> Array:
    """Integer vectors with a single 1, at the places ``x``.

    ``num_classes=-1`` takes as many as needed. Raises IndexError for numbers outside.
    """
    count = np.max(x) + 1 if num_classes == -1 else num_classes
    if np.any((x < 0) | (x >= count)):
        raise IndexError("a number is outside of the classes")
    return (np.expand_dims(x, -1) == np.arange(count)).astype(np.int64)
