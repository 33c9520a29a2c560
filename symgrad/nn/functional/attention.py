"""Attention (Vaswani et al., 2017)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._options import Array
from .activation import softmax
from .sampling import dropout


def attention_weights(
    query: Array,
    key: Array,
    attn_mask: Array = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Array:
    """``softmax(query @ key.T * scale)`` with what is masked out at 0.

    A query that may look nowhere gets weights of 0.
    """
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ np.swapaxes(key, -1, -2) * factor
    if is_causal:
        if attn_mask is not None:
            raise ValueError("give either attn_mask or is_causal, not both")
        attn_mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
    if attn_mask is None:
        return softmax(scores)
    if attn_mask.dtype == bool:
        scores = np.where(attn_mask, scores, -np.inf)
    else:
        scores = scores + attn_mask
    top = np.max(scores, axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = np.sum(e, axis=-1, keepdims=True)
    return e / np.where(total > 0, total, 1)


def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    generator: Any = None,
) -> Array:
    """Means of ``value``, weighted by how well ``key`` fits ``query``.

    Args:
        query: (..., targets, features).
        key: (..., sources, features).
        value: (..., sources, features of the result).
        attn_mask: (..., targets, sources): bool, True where a target may look; or numbers
            that are added to the scores.
        dropout_p: the probability that a weight is dropped.
        is_causal: whether target i may look at sources 0 to i only.
        scale: a factor of the scores, by default ``1 / sqrt(features)``.
        generator: where random numbers come from, by default NumPy's global state.

    Raises:
        ValueError: ``attn_mask`` and ``is_causal`` are both given, or ``dropout_p`` is no
            probability.

    >>> F.scaled_dot_product_attention(np.zeros((1, 2, 3)), np.ones((1, 4, 3)), np.ones((1, 4, 2)))
    array([[[1., 1.],
            [1., 1.]]])
    """
    weights = attention_weights(query, key, attn_mask, is_causal, scale)
    if dropout_p != 0:
        weights = dropout(weights, dropout_p, True, generator=generator)
    return weights @ value
