"""Random and integer things: dropout, embeddings, one-hot vectors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import custom_jvp, no_grad, stop_gradient
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

    >>> F.dropout(np.ones(3), 0.5, training=False)
    array([1., 1., 1.])
    >>> F.dropout(np.ones(4), 0.5, generator=np.random.default_rng(0))
    array([2., 0., 0., 0.])
    """
    check_probability(p)
    return _kept(x, x.shape, p, generator) if training else x


def dropout1d(
    x: Array, p: float = 0.5, training: bool = True, *, generator: Any = None
) -> Array:
    """``dropout`` of whole channels of signals (n, channels, length).

    >>> F.dropout1d(np.ones((1, 2, 1)), training=False)
    array([[[1.],
            [1.]]])
    """
    check_probability(p)
    return _kept(x, (*x.shape[:-1], 1), p, generator) if training else x


def dropout2d(
    x: Array, p: float = 0.5, training: bool = True, *, generator: Any = None
) -> Array:
    """``dropout`` of whole channels of images (n, channels, height, width).

    >>> F.dropout2d(np.ones((1, 1, 1, 2)), training=False)
    array([[[[1., 1.]]]])
    """
    check_probability(p)
    return _kept(x, (*x.shape[:-2], 1, 1), p, generator) if training else x


def alpha_dropout(
    x: Array, p: float = 0.5, training: bool = False, *, generator: Any = None
) -> Array:
    """Dropout to ``selu``'s lowest value that keeps mean 0 and variance 1.

    >>> F.alpha_dropout(np.ones(3), training=False)
    array([1., 1., 1.])
    """
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
def embedding(
    x: Array,
    weight: Array,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Array:
    """Rows of ``weight``.

    Args:
        x: integers from 0, any shape.
        weight: (rows, features).
        padding_idx: a row that gets no gradient.
        max_norm: the rows asked for that are longer get this length first, in ``weight``
            itself; gradients are those by the new rows.
        norm_type: of which norm, the sum of so many-th powers.
        scale_grad_by_freq: whether the gradient by a row is divided by how often it is in ``x``.

    Raises:
        IndexError: an entry of ``x`` is no row of ``weight``.
        ValueError: ``padding_idx`` is no row.

    >>> F.embedding(np.array([1, 0]), np.eye(2))
    array([[0., 1.],
           [1., 0.]])
    """
    if np.any((x < 0) | (x >= weight.shape[0])):
        raise IndexError("an index is not the number of a row of the embedding")
    if padding_idx is not None:
        check_row(padding_idx, weight.shape[0])
    held = weight
    if max_norm is not None:
        held = _limited(weight, x, float(max_norm), float(norm_type))
        with no_grad():
            weight[...] = held
    rows = held[x]
    if scale_grad_by_freq:
        rows = _shared_out(rows, x, weight.shape[0])
    if padding_idx is None:
        return rows
    place = padding_idx if padding_idx >= 0 else weight.shape[0] + padding_idx
    return np.where(np.expand_dims(x == place, -1), stop_gradient(rows), rows)


def check_row(padding_idx: int, rows: int) -> None:
    """Raises ValueError unless there is a row of that number, from the end if negative."""
    if padding_idx < -rows or padding_idx >= rows:
        raise ValueError(f"padding_idx {padding_idx} is none of {rows} rows")


def _limited_rows(weight: Array, x: Array, max_norm: float, norm_type: float) -> Array:
    """``weight`` with the rows ``x`` at most ``max_norm`` long."""
    rows = weight[x]
    norms = np.linalg.norm(rows, norm_type, axis=-1, keepdims=True)
    found = weight.copy()
    found[x] = np.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)
    return found


_limited = custom_jvp(_limited_rows, nondiff_argnums=(1, 2, 3))


@_limited.defjvp
def _(x: Array, max_norm: float, norm_type: float, primals: Any, tangents: Any) -> Any:
    return _limited_rows(primals[0], x, max_norm, norm_type), tangents[0]


@partial(custom_jvp, nondiff_argnums=(1, 2))
def _shared_out(rows: Array, x: Array, count: int) -> Array:
    """``rows``, whose gradients are divided by how often their numbers ``x`` are there."""
    return rows


@_shared_out.defjvp
def _(x: Array, count: int, primals: Any, tangents: Any) -> Any:
    often = np.bincount(np.ravel(x), minlength=count)[x]
    return primals[0], tangents[0] / np.expand_dims(often, -1).astype(tangents[0].dtype)


def one_hot(x: Array, num_classes: int = -1) -> Array:
    """Integer vectors with a single 1, at the places ``x``.

    ``num_classes=-1`` takes as many as needed. Raises IndexError for numbers outside.

    >>> F.one_hot(np.array([0, 2]), 3)
    array([[1, 0, 0],
           [0, 0, 1]])
    """
    count = np.max(x) + 1 if num_classes == -1 else num_classes
    if np.any((x < 0) | (x >= count)):
        raise IndexError("a number is outside of the classes")
    return (np.expand_dims(x, -1) == np.arange(count)).astype(np.int64)
