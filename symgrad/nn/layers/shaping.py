"""Layers that give arrays another shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..module import Module

Array = Any


def _place(axis: int, ndim: int) -> int:
    """``axis`` from the front; raises IndexError where there is none."""
    if not -ndim <= axis < ndim:
        raise IndexError(f"there is no axis {axis} in an array of {ndim} axes")
    return axis % ndim


class Flatten(Module):
    """Axes ``start_dim`` to ``end_dim`` as one.

    >>> nn.Flatten()(np.ones((5, 3, 2, 2))).shape
    (5, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Array) -> Array:
        start, end = _place(self.start_dim, x.ndim), _place(self.end_dim, x.ndim)
        return np.reshape(x, (*x.shape[:start], -1, *x.shape[end + 1 :]))

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Axis ``dim`` as several; one of the lengths may be -1.

    >>> nn.Unflatten(1, (3, -1))(np.ones((5, 12))).shape
    (5, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, x: Array) -> Array:
        axis = self.dim % x.ndim
        return np.reshape(
            x, (*x.shape[:axis], *self.unflattened_size, *x.shape[axis + 1 :])
        )

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
