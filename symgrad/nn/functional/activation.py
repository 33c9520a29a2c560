"""Activation functions. Where exponentials could overflow they are not computed."""

from __future__ import annotations

import math

import numpy as np

from ...ops import activation, kernels
from ...ops.table import SURFACE
from ._options import Array, axis_of


# ----------------------------------------------------------------------- piecewise linear
def relu(x: Array) -> Array:
    """``max(x, 0)``, with derivative 0 at 0."""
    return np.maximum(x, 0)


def relu6(x: Array) -> Array:
    """``min(relu(x), 6)``."""
    return np.clip(relu(x), 0, 6)


def leaky_relu(x: Array, negative_slope: float = 0.01) -> Array:
    """``x`` where positive, else ``negative_slope * x``."""
    return np.where(x > 0, x, negative_slope * x)


def prelu(x: Array, weight: Array) -> Array:
    """``leaky_relu`` with learned slopes: one, or one per channel (axis 1)."""
    if x.ndim > 2:
        weight = np.reshape(weight, (-1, *(1,) * (x.ndim - 2)))
    return np.where(x > 0, x, weight * x)


def hardtanh(x: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """``x`` clipped to the range; the derivative on a bound is 1."""
    return np.clip(x, min_val, max_val)


def hardsigmoid(x: Array) -> Array:
    """A line from 0 at -3 to 1 at 3, constant outside."""
    return np.clip(x / 6 + 0.5, 0, 1)


def hardswish(x: Array) -> Array:
    """``x * hardsigmoid(x)``."""
    return x * hardsigmoid(x)


def threshold(x: Array, threshold: float, value: float) -> Array:
    """``x`` where it is above the threshold, else ``value``."""
    return np.where(x > threshold, x, value)


def hardshrink(x: Array, lambd: float = 0.5) -> Array:
    """``x`` where it is further from 0 than ``lambd``, else 0."""
    return np.where(np.abs(x) > lambd, x, 0)


def softshrink(x: Array, lambd: float = 0.5) -> Array:
    """``x`` moved towards 0 by ``lambd``, and 0 in between."""
    return np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, 0))


# ----------------------------------------------------------------- sigmoid, tanh, softplus
def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``, without overflow."""
    return kernels._sigmoid(x)


def tanh(x: Array) -> Array:
    """The hyperbolic tangent."""
    return np.tanh(x)


def tanhshrink(x: Array) -> Array:
    """``x - tanh(x)``."""
    return x - np.tanh(x)


def softsign(x: Array) -> Array:
    """``x / (1 + abs(x))``."""
    return x / (1 + np.abs(x))


def softplus(x: Array, beta: float = 1.0, threshold: float | None = None) -> Array:
    """``log(1 + exp(beta x)) / beta``, without overflow.

    It needs no threshold; with one, it is ``x`` where ``beta x`` is above it.
    """
    smooth = np.logaddexp(x, 0) if beta == 1 else np.logaddexp(beta * x, 0) / beta
    return smooth if threshold is None else np.where(beta * x > threshold, x, smooth)


def logsigmoid(x: Array) -> Array:
    """The logarithm of ``sigmoid``, without underflow."""
    return -np.logaddexp(-x, 0)


def erf(x: Array) -> Array:
    """The error function."""
    return kernels._erf(x)


def gelu(x: Array, approximate: str = "none") -> Array:
    """``x`` times the normal distribution function; ``approximate="tanh"`` is quicker."""
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if approximate != "none":
        raise ValueError(f"approximate must be 'none' or 'tanh', got {approximate!r}")
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def silu(x: Array) -> Array:
    """``x * sigmoid(x)``."""
    return x * sigmoid(x)


def mish(x: Array) -> Array:
    """``x * tanh(softplus(x))``."""
    return x * np.tanh(softplus(x))


# ------------------------------------------------------------------------ exponential below 0
def elu(x: Array, alpha: float = 1.0) -> Array:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    low = np.where(x > 0, 0, x)
    return np.where(x > 0, x, alpha * np.expm1(low))


def celu(x: Array, alpha: float = 1.0) -> Array:
    """``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``."""
    low = np.where(x > 0, 0, x)
    return np.where(x > 0, x, alpha * np.expm1(low / alpha))


def selu(x: Array) -> Array:
    """``elu`` scaled so that mean 0 and variance 1 are kept (Klambauer et al., 2017)."""
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


# ------------------------------------------------------------------------- along an axis
def glu(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """The first half along ``dim`` times ``sigmoid`` of the second."""
    first, second = np.split(x, 2, axis_of(dim, axis))
    return first * sigmoid(second)


def softmax(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """Exponentials that add up to 1 along ``dim`` (or ``axis``)."""
    along = axis_of(dim, axis)
    e = np.exp(x - np.max(x, axis=along, keepdims=True))
    return e / np.sum(e, axis=along, keepdims=True)


def softmin(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """``softmax`` of ``-x``."""
    return softmax(-x, axis_of(dim, axis))


def log_softmax(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """The logarithm of ``softmax``, without underflow."""
    along = axis_of(dim, axis)
    shifted = x - np.max(x, axis=along, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=along, keepdims=True))


def logsumexp(
    x: Array, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Array:
    """``log(sum(exp(x)))``, without overflow."""
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


SURFACE[relu] = activation.relu
SURFACE[sigmoid] = activation.sigmoid
SURFACE[erf] = activation.erf
