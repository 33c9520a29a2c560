"""Normalisation layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from ..module import Module
from ._making import filled

Array = Any


def _scale_and_shift(
    module: Module, shape: Any, affine: bool, bias: bool, dtype: Any
) -> None:
    """Parameters ``weight`` and ``bias``, or None for what is not wanted."""
    module.register_parameter("weight", filled(shape, 1, dtype) if affine else None)
    made = filled(shape, 0, dtype) if affine and bias else None
    module.register_parameter("bias", made)


class _RunningNorm(Module):
    """What batch and instance norm share: running statistics."""

    num_batches_tracked: Array

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        bias: bool,
        dtype: Any,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps, self.momentum = eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        _scale_and_shift(self, num_features, affine, bias, dtype)
        kept = track_running_stats
        zeros, ones = np.zeros(num_features, dtype), np.ones(num_features, dtype)
        self.register_buffer("running_mean", zeros if kept else None)
        self.register_buffer("running_var", ones if kept else None)
        self.register_buffer(
            "num_batches_tracked", np.zeros((), np.int64) if kept else None
        )

    def reset_running_stats(self) -> None:
        """Forget the statistics."""
        if self.track_running_stats:
            self.running_mean[...] = 0
            self.running_var[...] = 1
            self.num_batches_tracked[...] = 0

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_RunningNorm):
    """Running statistics, and when to use them."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        bias: bool = True,
        dtype: Any = np.float32,
    ) -> None:
        rest: Any = (affine, track_running_stats, bias, dtype)
        super().__init__(num_features, eps, momentum, *rest)

    def _normalised(self, x: Array) -> Array:
        scale = (self.weight, self.bias)
        if self.running_mean is None or not self.training:
            rest: Any = (self.running_mean is None, 0.0, self.eps)
            return F.batch_norm(x, self.running_mean, self.running_var, *scale, *rest)
        self.num_batches_tracked[...] += 1
        momentum = self.momentum
        if momentum is None:
            momentum = 1 / self.num_batches_tracked.astype(self.running_mean.dtype)
        rest = (True, momentum, self.eps)
        return F.batch_norm(x, self.running_mean, self.running_var, *scale, *rest)


class BatchNorm1d(_BatchNorm):
    """``BatchNorm2d`` for batches (n, channels) or (n, channels, length).

    >>> nn.BatchNorm1d(2, dtype=float)(np.array([[0.0, 1.0], [2.0, 5.0]]))
    array([[-0.999995  , -0.99999875],
           [ 0.999995  ,  0.99999875]])
    """

    def forward(self, x: Array) -> Array:
        if x.ndim not in (2, 3):
            raise ValueError(f"BatchNorm1d needs rank 2 or 3, got {x.ndim}")
        return self._normalised(x)


class BatchNorm2d(_BatchNorm):
    """Each channel with mean 0 and variance 1 over a batch (n, channels, height,
    width).

    When training, the running statistics move towards those of the batch; after ``eval()``
    they are used instead. Freezing the parameters does not stop them: that takes ``eval()``.

    Args:
        num_features: channels.
        eps: added to variances.
        momentum: how far the running statistics move; None for their plain mean so far.
        affine: whether there are a weight and a bias.
        track_running_stats: without running statistics those of the batch are always used.
        bias: whether there is a bias, if there is a weight.
        dtype: of parameters and buffers.

    Raises:
        ValueError: from the call, for one value per channel when training.

    >>> nn.BatchNorm2d(3)(np.ones((2, 3, 4, 4), np.float32)).shape
    (2, 3, 4, 4)
    """

    def forward(self, x: Array) -> Array:
        if x.ndim != 4:
            raise ValueError(f"BatchNorm2d needs rank 4, got {x.ndim}")
        return self._normalised(x)


class InstanceNorm2d(_RunningNorm):
    """Each channel of each image with mean 0 and variance 1.

    The arguments are those of ``BatchNorm2d``; there are neither parameters nor running
    statistics unless asked for.

    >>> nn.InstanceNorm2d(3)(np.ones((2, 3, 4, 4), np.float32)).shape
    (2, 3, 4, 4)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        bias: bool = True,
        dtype: Any = np.float32,
    ) -> None:
        rest: Any = (affine, track_running_stats, bias, dtype)
        super().__init__(num_features, eps, momentum, *rest)

    def forward(self, x: Array) -> Array:
        if x.ndim != 4:
            raise ValueError(f"InstanceNorm2d needs rank 4, got {x.ndim}")
        own = self.training or self.running_mean is None
        rest: Any = (own, self.momentum, self.eps)
        return F.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, *rest
        )


class LayerNorm(Module):
    """The last axes with mean 0 and variance 1.

    Args:
        normalized_shape: their lengths; one integer or several.
        eps: added to variances.
        elementwise_affine: whether there is a weight, of this shape.
        bias: whether there is a bias too.
        dtype: of the parameters.

    >>> nn.LayerNorm(2, dtype=float)(np.array([[0.0, 2.0]]))
    array([[-0.999995,  0.999995]])
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype: Any = np.float32,
    ) -> None:
        super().__init__()
        one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        _scale_and_shift(self, self.normalized_shape, elementwise_affine, bias, dtype)

    def forward(self, x: Array) -> Array:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """The last axes divided by their root mean square; arguments as for ``LayerNorm``.

    >>> nn.RMSNorm(2, dtype=float)(np.array([[3.0, 4.0]]))
    array([[0.84852814, 1.13137085]])
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        dtype: Any = np.float32,
    ) -> None:
        super().__init__()
        one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        made = filled(self.normalized_shape, 1, dtype) if elementwise_affine else None
        self.register_parameter("weight", made)

    def forward(self, x: Array) -> Array:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Groups of channels of each example with mean 0 and variance 1.

    Args:
        num_groups: how many groups the channels make.
        num_channels: channels.
        eps: added to variances.
        affine: whether there are a weight and a bias.
        bias: whether there is a bias, if there is a weight.
        dtype: of the parameters.

    Raises:
        ValueError: the groups do not have equally many channels.

    >>> nn.GroupNorm(2, 4)(np.ones((2, 4, 3), np.float32)).shape
    (2, 4, 3)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        bias: bool = True,
        dtype: Any = np.float32,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"{num_channels} channels do not make {num_groups} equal groups"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        _scale_and_shift(self, num_channels, affine, bias, dtype)

    def forward(self, x: Array) -> Array:
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
