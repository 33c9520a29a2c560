"""Vectors for integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from .. import init
from ..module import Module
from ..parameter import Parameter

Array = Any


class Embedding(Module):
    """Rows of a matrix, by their numbers.

    Args:
        num_embeddings: rows.
        embedding_dim: the length of a row.
        padding_idx: a row that is 0 at first and gets no gradient.
        dtype: of the matrix.
        generator: where its initial values come from, normal; by default NumPy's global state.

    Raises:
        ValueError: ``padding_idx`` is no row.
        IndexError: from the call, an entry is no row.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ValueError(
                    f"padding_idx {padding_idx} is none of {num_embeddings} rows"
                )
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        self.weight = Parameter(np.empty((num_embeddings, embedding_dim), np.dtype(dtype)))
        init.normal_(self.weight, generator=generator)
        if padding_idx is not None:
            self.weight.data[padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Array, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        """An embedding with the rows of a given matrix, which is not copied.

        Raises:
            ValueError: it is no matrix.
        """
        if embeddings.ndim != 2:
            raise ValueError(f"embeddings must have two axes, got shape {embeddings.shape}")
        rows, length = embeddings.shape
        made = cls(rows, length, padding_idx, dtype=embeddings.dtype)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, x: Array) -> Array:
        return F.embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        pads = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{pads}"
