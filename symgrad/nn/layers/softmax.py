"""Activation functions along an axis as modules."""

from __future__ import annotations

from typing import Any

from .. import functional as F  # noqa: N812
from ..module import Module

Array = Any


class _Along(Module):
    """Holds the axis."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GLU(_Along):
    """The first half along ``dim`` times ``sigmoid`` of the second.

    >>> nn.GLU()(np.array([[1.0, 2.0, 0.0, 0.0]]))
    array([[0.5, 1. ]])
    """

    def forward(self, x: Array) -> Array:
        return F.glu(x, self.dim)


class Softmax(_Along):
    """Exponentials that add up to 1 along ``dim``.

    >>> nn.Softmax(dim=1)(np.array([[0.0, 1.0, 2.0]]))
    array([[0.09003057, 0.24472847, 0.66524096]])
    """

    def forward(self, x: Array) -> Array:
        return F.softmax(x, self.dim)


class Softmin(_Along):
    """``Softmax`` of ``-x``.

    >>> nn.Softmin(dim=1)(np.array([[0.0, 1.0, 2.0]]))
    array([[0.66524096, 0.24472847, 0.09003057]])
    """

    def forward(self, x: Array) -> Array:
        return F.softmin(x, self.dim)


class LogSoftmax(_Along):
    """The logarithm of ``Softmax``.

    >>> nn.LogSoftmax(dim=1)(np.array([[0.0, 1.0, 2.0]]))
    array([[-2.40760596, -1.40760596, -0.40760596]])
    """

    def forward(self, x: Array) -> Array:
        return F.log_softmax(x, self.dim)
