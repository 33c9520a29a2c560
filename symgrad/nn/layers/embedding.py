"""Vectors for integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from .. import init
from ..functional.sampling import check_row
from ..module import Module
from ..parameter import Parameter

Array = Any


class Embedding(Module):
    """Rows of a matrix, by their numbers.

    Args:
        num_embeddings: rows.
        embedding_dim: the length of a row.
        padding_idx: a row that is 0 at first and gets no gradient.
        max_norm: rows that are longer get this length when they are asked for, in ``weight``.
        norm_type: of which norm, the sum of so many-th powers.
        scale_grad_by_freq: whether the gradient by a row is divided by how often it is asked for.
        dtype: of the matrix.
        generator: where its initial values come from, normal; by default NumPy's global state.

    Raises:
        ValueError: ``padding_idx`` is no row.
        IndexError: from the call, an entry is no row.

    >>> nn.Embedding(10, 4)(np.array([3, 3, 7])).shape
    (3, 4)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            check_row(padding_idx, num_embeddings)
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx, self.max_norm = padding_idx, max_norm
        self.norm_type, self.scale_grad_by_freq = norm_type, scale_grad_by_freq
        self.weight = Parameter(np.empty((num_embeddings, embedding_dim), np.dtype(dtype)))
        init.normal_(self.weight, generator=generator)
        if padding_idx is not None:
            self.weight.data[padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Array,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
    ) -> Embedding:
        """An embedding with the rows of a given matrix, which is not copied.

        Raises:
            ValueError: it is no matrix.
        """
        if embeddings.ndim != 2:
            raise ValueError(f"embeddings must have two axes, got shape {embeddings.shape}")
        rows, length = embeddings.shape
        rest: Any = (padding_idx, max_norm, norm_type, scale_grad_by_freq)
        made = cls(rows, length, *rest, dtype=embeddings.dtype)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, x: Array) -> Array:
        how = (self.max_norm, self.norm_type, self.scale_grad_by_freq)
        return F.embedding(x, self.weight, self.padding_idx, *how)

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        for name, usual in [
            ("padding_idx", None), ("max_norm", None), ("norm_type", 2.0),
            ("scale_grad_by_freq", False),
        ]:  # fmt: skip
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)
