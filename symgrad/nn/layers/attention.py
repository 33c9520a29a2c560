"""Attention with several heads (Vaswani et al., 2017)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from .. import init
from ..functional.attention import attention_weights
from ..functional.sampling import check_probability
from ..module import Module
from ..parameter import Parameter
from ._making import filled
from .linear import Linear

Array = Any


class MultiheadAttention(Module):
    """Attention in ``num_heads`` subspaces.

    Args:
        embed_dim: features of queries and of the result.
        num_heads: in how many parts they are taken.
        dropout: the probability that a weight is dropped when training.
        bias: whether there are biases.
        add_bias_kv: whether there is one more source, which is learned.
        add_zero_attn: whether there is one more source, of zeros.
        kdim: features of the keys, by default ``embed_dim``.
        vdim: features of the values, by default ``embed_dim``.
        batch_first: whether arrays are (n, length, features) instead of (length, n, features).
        dtype: of the parameters.
        generator: where their initial values come from, and what dropout draws; by default
            NumPy's global state.

    Raises:
        ValueError: the heads are not equally large, or ``dropout`` is no probability.

    >>> x = np.ones((7, 2, 8), np.float32)
    >>> out, weights = nn.MultiheadAttention(8, 2)(x, x, x)
    >>> out.shape, weights.shape
    ((7, 2, 8), (2, 7, 7))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} features do not make {num_heads} equal heads")
        check_probability(dropout)
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.batch_first, self.generator = batch_first, generator
        self._drops = dropout > 0
        self._add_projections(dtype, generator)
        self.register_parameter(
            "in_proj_bias", filled(3 * embed_dim, 0, dtype) if bias else None
        )
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype, generator=generator)
        if bias:
            init.zeros_(self.out_proj.bias)
        self.add_zero_attn = add_zero_attn
        for name in ("bias_k", "bias_v"):
            made = Parameter(np.empty((1, 1, embed_dim), np.dtype(dtype)))
            if add_bias_kv:
                init.xavier_normal_(made, generator=generator)
            self.register_parameter(name, made if add_bias_kv else None)

    def _add_projections(self, dtype: Any, generator: Any) -> None:
        """One matrix for queries, keys and values, or three if their features differ."""
        n = self.embed_dim
        shapes: dict[str, tuple[int, int] | None] = {"in_proj_weight": (3 * n, n)}
        for kind in "qkv":
            shapes[f"{kind}_proj_weight"] = None
        if (self.kdim, self.vdim) != (n, n):
            shapes = {
                "in_proj_weight": None, "q_proj_weight": (n, n),
                "k_proj_weight": (n, self.kdim), "v_proj_weight": (n, self.vdim),
            }  # fmt: skip
        for name, shape in shapes.items():
            made = None if shape is None else Parameter(np.empty(shape, np.dtype(dtype)))
            if made is not None:
                init.xavier_uniform_(made, generator=generator)
            self.register_parameter(name, made)

    def forward(
        self,
        query: Array,
        key: Array,
        value: Array,
        key_padding_mask: Array = None,
        need_weights: bool = True,
        attn_mask: Array = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Array, Array]:
        """The result, and the weights (or None).

        Args:
            query: (targets, n, embed_dim); or without n, or n first if ``batch_first``.
            key: (sources, n, kdim), likewise.
            value: (sources, n, vdim), likewise.
            key_padding_mask: (n, sources): True for sources not to look at, or numbers that
                are added to the scores.
            need_weights: whether to return the weights.
            attn_mask: (targets, sources) or (n * num_heads, targets, sources): True where a
                target may not look, or numbers that are added.
            average_attn_weights: return their mean over the heads, (n, targets, sources),
                instead of (n, num_heads, targets, sources).
            is_causal: whether target i may look at sources 0 to i only.
        """
        single = query.ndim == 2
        if single:
            query, key, value = (np.expand_dims(a, 0) for a in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = np.expand_dims(key_padding_mask, 0)
        elif not self.batch_first:
            query, key, value = (np.swapaxes(a, 0, 1) for a in (query, key, value))
        q, k, v = (self._heads(a, i) for i, a in enumerate((query, key, value)))
        mask = self._mask(key_padding_mask, attn_mask, is_causal, q, k)
        if self.bias_k is not None:
            k, v = (_longer(a, b) for a, b in ((k, self.bias_k), (v, self.bias_v)))
            mask = _wider(mask)
        if self.add_zero_attn:
            nothing = np.zeros((1, 1, self.embed_dim), q.dtype)
            k, v = _longer(k, nothing), _longer(v, nothing)
            mask = _wider(mask)
        weights = attention_weights(q, k, mask)
        if self.training and self._drops:
            weights = F.dropout(weights, self.dropout, generator=self.generator)
        out = np.swapaxes(weights @ v, 1, 2)
        out = self.out_proj(np.reshape(out, (out.shape[0], out.shape[1], self.embed_dim)))
        if not self.batch_first and not single:
            out = np.swapaxes(out, 0, 1)
        shown = np.mean(weights, axis=1) if average_attn_weights else weights
        if single:
            out, shown = out[0], shown[0]
        return out, (shown if need_weights else None)

    def _heads(self, x: Array, which: int) -> Array:
        """Queries, keys or values: (n, heads, length, features of a head)."""
        part = slice(which * self.embed_dim, (which + 1) * self.embed_dim)
        if self.in_proj_weight is not None:
            weight = self.in_proj_weight[part]
        else:
            weight = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)[which]
        bias = None if self.in_proj_bias is None else self.in_proj_bias[part]
        projected = F.linear(x, weight, bias)
        size = self.embed_dim // self.num_heads
        shape = (x.shape[0], x.shape[1], self.num_heads, size)
        return np.swapaxes(np.reshape(projected, shape), 1, 2)

    def _mask(
        self, padding: Array, mask: Array, is_causal: bool, q: Array, k: Array
    ) -> Array:
        """What is added to the scores, or None."""
        added = None
        if is_causal and mask is None:
            mask = ~np.tri(q.shape[2], k.shape[2], dtype=bool)
        if mask is not None:
            added = _numbers(mask, q.dtype)
            if mask.ndim == 3:
                shape = (q.shape[0], self.num_heads, q.shape[2], k.shape[2])
                added = np.reshape(added, shape)
        if padding is not None:
            more = np.expand_dims(_numbers(padding, q.dtype), (1, 2))
            added = more if added is None else added + more
        return added


def _longer(x: Array, more: Array) -> Array:
    """Keys or values (n, heads, length, size) with the same one more for all."""
    n, heads, _, size = x.shape
    last = np.broadcast_to(np.reshape(more, (1, heads, 1, size)), (n, heads, 1, size))
    return np.concatenate([x, last], axis=2)


def _wider(mask: Array) -> Array:
    """A mask that lets everything look at one source more."""
    if mask is None:
        return None
    return np.concatenate([mask, np.zeros_like(mask[..., :1])], axis=-1)


def _numbers(mask: Array, dtype: Any) -> Array:
    """What is added to scores: -inf where a bool mask is True."""
    return np.where(mask, -np.inf, 0).astype(dtype) if mask.dtype == bool else mask
