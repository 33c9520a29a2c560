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
