"""Normalisation by means and variances, and by norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._options import Array, axis_of


def _per_channel(values: Array, ndim: int) -> Array:
    """(channels,) such that it broadcasts with (n, channels, ...)."""
    return np.reshape(values, (-1, *(1,) * (ndim - 2))) if ndim > 2 else values


def _standardised(x: Array, axes: Any, eps: float) -> tuple[Array, Array, Array]:
    """``x`` with mean 0 and variance 1 along axes, and what these were."""
    mean = np.mean(x, axis=axes, keepdims=True)
    centred = x - mean
    var = np.mean(centred**2, axis=axes, keepdims=True)
    return centred / np.sqrt(var + eps), mean, var


def _scaled(x: Array, weight: Array, bias: Array) -> Array:
    if weight is not None:
        x = x * weight
    return x if bias is None else x + bias


def batch_norm(
    x: Array,
    running_mean: Array,
    running_var: Array,
    weight: Array = None,
    bias: Array = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Array:
    """Each channel with mean 0 and variance 1 over the batch (Ioffe and Szegedy, 2015).

    Args:
        x: (n, channels, ...).
        running_mean: (channels,), the mean used when not training; training moves it towards
            the batch's, in place. None: training only.
        running_var: (channels,), likewise the variance; the batch's unbiased one is used.
        weight: (channels,), a factor of the result.
        bias: (channels,), added to it.
        training: whether to use the batch's statistics.
        momentum: how far training moves the running ones.
        eps: added to variances.

    Raises:
        ValueError: one value per channel when training, or else no running statistics.

    >>> F.batch_norm(np.array([[0.0, 1.0], [2.0, 5.0]]), None, None, training=True)
    array([[-0.999995  , -0.99999875],
           [ 0.999995  ,  0.99999875]])
    """
    if weight is not None:
        weight = _per_channel(weight, x.ndim)
    if bias is not None:
        bias = _per_channel(bias, x.ndim)
    if not training:
        if running_mean is None or running_var is None:
            raise ValueError("running statistics are needed when not training")
        mean = _per_channel(running_mean, x.ndim)
        scale = 1 / np.sqrt(_per_channel(running_var, x.ndim) + eps)
        return _scaled(
            (x - mean) * (scale if weight is None else scale * weight), None, bias
        )
    if x.size == x.shape[1]:
        raise ValueError("more than one value per channel is needed when training")
    axes = (0, *range(2, x.ndim))
    out, mean, var = _standardised(x, axes, eps)
    if running_mean is not None:
        count = x.size // x.shape[1]
        moved = momentum * np.reshape(mean, -1)
        running_mean[...] = (1 - momentum) * running_mean + moved
        moved = momentum * (count / (count - 1)) * np.reshape(var, -1)
        running_var[...] = (1 - momentum) * running_var + moved
    return _scaled(out, weight, bias)


def instance_norm(
    x: Array,
    running_mean: Array = None,
    running_var: Array = None,
    weight: Array = None,
    bias: Array = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Array:
    """Each channel of each example with mean 0 and variance 1 (Ulyanov et al., 2016).

    The arguments are those of ``batch_norm``; ``use_input_stats=False`` uses the running
    statistics. Raises ValueError for one value per channel and example.

    >>> F.instance_norm(np.arange(4.0).reshape(1, 2, 2))
    array([[[-0.99998,  0.99998],
            [-0.99998,  0.99998]]])
    """
    if not use_input_stats:
        rest = (weight, bias, False, momentum, eps)
        return batch_norm(x, running_mean, running_var, *rest)
    if x.size == x.shape[0] * x.shape[1]:
        raise ValueError("more than one value per channel and example is needed")
    out, mean, var = _standardised(x, tuple(range(2, x.ndim)), eps)
    if running_mean is not None:
        count = x.size // (x.shape[0] * x.shape[1])
        mean = np.reshape(np.mean(mean, axis=0), -1)
        var = np.reshape(np.mean(var, axis=0), -1) * (count / (count - 1))
        running_mean[...] = (1 - momentum) * running_mean + momentum * mean
        running_var[...] = (1 - momentum) * running_var + momentum * var
    weight = None if weight is None else _per_channel(weight, x.ndim)
    return _scaled(out, weight, None if bias is None else _per_channel(bias, x.ndim))


def layer_norm(
    x: Array,
    normalized_shape: int | tuple[int, ...],
    weight: Array = None,
    bias: Array = None,
    eps: float = 1e-5,
) -> Array:
    """The last axes with mean 0 and variance 1 (Ba, Kiros and Hinton, 2016).

    Args:
        x: (..., *normalized_shape).
        normalized_shape: the lengths of the axes that are taken together.
        weight: a factor of the result, of this shape.
        bias: added to it, of this shape.
        eps: added to variances.

    Raises:
        ValueError: ``x`` does not end in this shape.

    >>> F.layer_norm(np.array([[0.0, 2.0]]), (2,))
    array([[-0.999995,  0.999995]])
    """
    shape = _ending(x, normalized_shape)
    out, _, _ = _standardised(x, tuple(range(-len(shape), 0)), eps)
    return _scaled(out, weight, bias)


def rms_norm(
    x: Array,
    normalized_shape: int | tuple[int, ...],
    weight: Array = None,
    eps: float | None = None,
) -> Array:
    """The last axes divided by their root mean square (Zhang and Sennrich, 2019).

    ``eps`` is by default the smallest step of the dtype at 1.

    >>> F.rms_norm(np.array([[3.0, 4.0]]), (2,))
    array([[0.84852814, 1.13137085]])
    """
    shape = _ending(x, normalized_shape)
    small = float(np.finfo(x.dtype).eps) if eps is None else eps
    square = np.mean(x**2, axis=tuple(range(-len(shape), 0)), keepdims=True)
    return _scaled(x / np.sqrt(square + small), weight, None)


def _ending(x: Array, normalized_shape: Any) -> tuple[int, ...]:
    """The shape as a tuple, after checking that ``x`` ends in it."""
    listed = (
        normalized_shape
        if isinstance(normalized_shape, tuple | list)
        else [normalized_shape]
    )
    shape = tuple(listed)
    if x.shape[x.ndim - len(shape) :] != shape:
        raise ValueError(f"an array of shape {x.shape} does not end in {shape}")
    return shape


def group_norm(
    x: Array, num_groups: int, weight: Array = None, bias: Array = None, eps: float = 1e-5
) -> Array:
    """Groups of channels of each example with mean 0 and variance 1 (Wu and He, 2018).

    Args:
        x: (n, channels, ...).
        num_groups: how many groups the channels make.
        weight: (channels,), a factor of the result.
        bias: (channels,), added to it.
        eps: added to variances.

    Raises:
        ValueError: the groups do not have equally many channels.

    >>> F.group_norm(np.arange(4.0).reshape(1, 4), 2)
    array([[-0.99998,  0.99998, -0.99998,  0.99998]])
    """
    if x.shape[1] % num_groups:
        raise ValueError(f"{x.shape[1]} channels do not make {num_groups} equal groups")
    groups = np.reshape(x, (x.shape[0], num_groups, -1))
    out = np.reshape(_standardised(groups, (2,), eps)[0], x.shape)
    weight = None if weight is None else _per_channel(weight, x.ndim)
    return _scaled(out, weight, None if bias is None else _per_channel(bias, x.ndim))


def normalize(
    x: Array, p: float = 2.0, dim: int = 1, eps: float = 1e-12, *, axis: int | None = None
) -> Array:
    """``x`` divided by its p-norms along ``dim`` (or ``axis``), or by ``eps`` if larger.

    >>> F.normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    norm = np.linalg.norm(x, ord=p, axis=axis_of(dim, axis), keepdims=True)
    return x / np.maximum(norm, eps)
