"""Functions for neural networks, in plain NumPy: they run uncompiled, and compile.

Images have channels first, (n, channels, height, width); names and arguments are PyTorch's,
with ``axis`` for its ``dim``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ops import activation, convolution, kernels
from ..ops.table import SURFACE

Array = Any
Pair = int | tuple[int, int]


def _pair(x: Pair) -> tuple[int, int]:
    return (x, x) if isinstance(x, int) else (x[0], x[1])


# ----------------------------------------------------------------- convolution, pooling
def conv2d(
    x: Array,
    weight: Array,
    bias: Array = None,
    stride: Pair = 1,
    padding: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation of images with ``weight`` (out, channels / groups, kh, kw)."""
    sizes = (_pair(stride), _pair(padding), _pair(dilation))
    out = kernels._conv2d(x, weight, *sizes, groups)
    return out if bias is None else out + np.expand_dims(bias, (1, 2))


def avg_pool2d(
    x: Array, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0
) -> Array:
    """Means over windows; zeros that pad count."""
    window = _pair(kernel_size)
    step = window if stride is None else _pair(stride)
    return kernels._avg_pool2d(x, window, step, _pair(padding))


def max_pool2d(
    x: Array, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0
) -> Array:
    """Maxima over windows. The derivative goes to the first largest entry of each."""
    window = _pair(kernel_size)
    step = window if stride is None else _pair(stride)
    return kernels._max_pool2d(x, window, step, _pair(padding))


# ---------------------------------------------------------------------------- activations
def relu(x: Array) -> Array:
    """``max(x, 0)``, with derivative 0 at 0."""
    return np.maximum(x, 0)


def leaky_relu(x: Array, negative_slope: float = 0.01) -> Array:
    """``x`` where positive, else ``negative_slope * x``."""
    return np.where(x > 0, x, negative_slope * x)


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``, without overflow."""
    return kernels._sigmoid(x)


def erf(x: Array) -> Array:
    """The error function."""
    return kernels._erf(x)


def softplus(x: Array, beta: float = 1.0) -> Array:
    """``log(1 + exp(beta x)) / beta``, without overflow."""
    return np.logaddexp(x, 0) if beta == 1 else np.logaddexp(beta * x, 0) / beta


def gelu(x: Array, approximate: str = "none") -> Array:
    """``x`` times the normal distribution function; ``approximate="tanh"`` is quicker."""
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def silu(x: Array) -> Array:
    """``x * sigmoid(x)``."""
    return x * sigmoid(x)


def softmax(x: Array, axis: int = -1) -> Array:
    """Exponentials that add up to 1 along ``axis``."""
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: int = -1) -> Array:
    """The logarithm of ``softmax``, without underflow."""
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def logsumexp(
    x: Array, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Array:
    """``log(sum(exp(x)))``, without overflow."""
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


# -------------------------------------------------------------------------------- losses
def _reduced(losses: Array, reduction: str) -> Array:
    if reduction == "mean":
        return np.mean(losses)
    return np.sum(losses) if reduction == "sum" else losses


def cross_entropy(logits: Array, labels: Array, reduction: str = "mean") -> Array:
    """Minus the log-probability of ``labels`` (class numbers) under ``softmax(logits)``.

    Args:
        logits: (n, classes).
        labels: (n,) class numbers, or (n, classes) probabilities.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
    """
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    if labels.ndim == 2:
        weight = np.sum(labels, axis=1)
        return _reduced(weight * log_norm - np.sum(labels * shifted, axis=1), reduction)
    return _reduced(log_norm - shifted[np.arange(len(labels)), labels], reduction)


def mse_loss(x: Array, target: Array, reduction: str = "mean") -> Array:
    """The mean (or sum, or array) of squared differences."""
    return _reduced((x - target) ** 2, reduction)


def linear(x: Array, weight: Array, bias: Array = None) -> Array:
    """``x @ weight.T + bias``; ``weight`` is (out, in)."""
    out = x @ weight.T
    return out if bias is None else out + bias


SURFACE[conv2d] = convolution.conv2d
SURFACE[avg_pool2d] = convolution.avg_pool2d
SURFACE[max_pool2d] = convolution.max_pool2d
SURFACE[relu] = activation.relu
SURFACE[sigmoid] = activation.sigmoid
SURFACE[erf] = activation.erf

__all__ = [
    "avg_pool2d",
    "conv2d",
    "cross_entropy",
    "erf",
    "gelu",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsumexp",
    "max_pool2d",
    "mse_loss",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
]
