"""Dropout: random zeros when training."""

from __future__ import annotations

from typing import Any

from .. import functional as F  # noqa: N812
from ..functional.sampling import check_probability
from ..module import Module

Array = Any


class Dropout(Module):
    """Entries dropped with probability ``p`` when training, the others divided by ``1 - p``.

    Args:
        p: the probability, from 0 to 1.
        inplace: accepted; it makes no difference.
        generator: a NumPy ``Generator``; by default NumPy's global state is drawn from.

    Raises:
        ValueError: ``p`` is no probability.

    >>> nn.Dropout(0.5).eval()(np.ones(3))
    array([1., 1., 1.])
    """

    def __init__(
        self, p: float = 0.5, inplace: bool = False, *, generator: Any = None
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.inplace, self.generator = p, inplace, generator

    def forward(self, x: Array) -> Array:
        return F.dropout(x, self.p, generator=self.generator) if self.training else x

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """``Dropout`` of whole channels of signals (n, channels, length).

    >>> nn.Dropout1d(0.5).eval()(np.ones((1, 2, 1)))
    array([[[1.],
            [1.]]])
    """

    def forward(self, x: Array) -> Array:
        return F.dropout1d(x, self.p, generator=self.generator) if self.training else x


class Dropout2d(Dropout):
    """``Dropout`` of whole channels of images (n, channels, height, width).

    >>> nn.Dropout2d(0.5).eval()(np.ones((1, 1, 1, 2)))
    array([[[[1., 1.]]]])
    """

    def forward(self, x: Array) -> Array:
        return F.dropout2d(x, self.p, generator=self.generator) if self.training else x


class AlphaDropout(Dropout):
    """Dropout to ``SELU``'s lowest value that keeps mean 0 and variance 1.

    >>> nn.AlphaDropout(0.5).eval()(np.ones(3))
    array([1., 1., 1.])
    """

    def forward(self, x: Array) -> Array:
        if not self.training:
            return x
        return F.alpha_dropout(x, self.p, True, generator=self.generator)
