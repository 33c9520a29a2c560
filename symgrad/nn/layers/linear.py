"""Linear layers, and what only changes shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from ..module import Module
from ._making import uniform

Array = Any


class Identity(Module):
    """Returns what it is given; any arguments are accepted and ignored.

    >>> nn.Identity()(np.array([-2.0, 0.5, 3.0]))
    array([-2. ,  0.5,  3. ])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, x: Array) -> Array:
        return x


class Linear(Module):
    """``x @ weight.T + bias``.

    Args:
        in_features: the length of the last axis of the input.
        out_features: that of the output.
        bias: whether there is one.
        dtype: of the parameters.
        generator: where their initial values come from, uniform within
            ``1 / sqrt(in_features)``; by default NumPy's global state.

    >>> nn.Linear(3, 2)(np.ones((5, 3), np.float32)).shape
    (5, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        bound = 1 / math.sqrt(in_features) if in_features else 0.0
        self.weight = uniform((out_features, in_features), bound, dtype, generator)
        self.register_parameter(
            "bias", uniform(out_features, bound, dtype, generator) if bias else None
        )

    def forward(self, x: Array) -> Array:
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Bilinear(Module):
    """``x1 @ weight[k] @ x2 + bias[k]`` for each of the ``out_features``.

    >>> nn.Bilinear(2, 3, 4)(np.ones((5, 2), np.float32), np.ones((5, 3), np.float32)).shape
    (5, 4)
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        bound = 1 / math.sqrt(in1_features)
        shape = (out_features, in1_features, in2_features)
        self.weight = uniform(shape, bound, dtype, generator)
        self.register_parameter(
            "bias", uniform(out_features, bound, dtype, generator) if bias else None
        )

    def forward(self, x1: Array, x2: Array) -> Array:
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
