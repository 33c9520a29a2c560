"""Activation functions. Where exponentials could overflow they are not computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import custom_jvp, extend
from ...extend import one_plus_erf, relu
from ._options import Array, axis_of, floating


# ----------------------------------------------------------------------- piecewise linear
def relu6(x: Array) -> Array:
    """``min(relu(x), 6)``.

    >>> F.relu6(np.array([-2.0, 0.5, 3.0]))
    array([0. , 0.5, 3. ])
    """
    return np.clip(relu(x), 0, 6)


def leaky_relu(x: Array, negative_slope: float = 0.01) -> Array:
    """``x`` where positive, else ``negative_slope * x``.

    >>> F.leaky_relu(np.array([-2.0, 0.5, 3.0]))
    array([-0.02,  0.5 ,  3.  ])
    """
    return np.where(x > 0, x, negative_slope * x)


def prelu(x: Array, weight: Array) -> Array:
    """``leaky_relu`` with learned slopes: one, or one per channel (axis 1).

    >>> F.prelu(np.array([-2.0, 0.5, 3.0]), np.array([0.25]))
    array([-0.5,  0.5,  3. ])
    """
    if x.ndim > 2:
        weight = np.reshape(weight, (-1, *(1,) * (x.ndim - 2)))
    return np.where(x > 0, x, weight * x)


def hardtanh(x: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """``x`` clipped to the range; the derivative on a bound is 1.

    >>> F.hardtanh(np.array([-2.0, 0.5, 3.0]))
    array([-1. ,  0.5,  1. ])
    """
    return np.clip(x, min_val, max_val)


def hardsigmoid(x: Array) -> Array:
    """A line from 0 at -3 to 1 at 3, constant outside.

    >>> F.hardsigmoid(np.array([-2.0, 0.5, 3.0]))
    array([0.16666667, 0.58333333, 1.        ])
    """
    return np.clip(x / 6 + 0.5, 0, 1)


def hardswish(x: Array) -> Array:
    """``x * hardsigmoid(x)``.

    >>> F.hardswish(np.array([-2.0, 0.5, 3.0]))
    array([-0.33333333,  0.29166667,  3.        ])
    """
    return x * hardsigmoid(x)


def threshold(x: Array, threshold: float, value: float) -> Array:
    """``x`` where it is above the threshold, else ``value``.

    >>> F.threshold(np.array([-2.0, 0.5, 3.0]), 1.0, 0.0)
    array([0., 0., 3.])
    """
    return np.where(x > threshold, x, value)


def hardshrink(x: Array, lambd: float = 0.5) -> Array:
    """``x`` where it is further from 0 than ``lambd``, else 0.

    >>> F.hardshrink(np.array([-2.0, 0.5, 3.0]))
    array([-2.,  0.,  3.])
    """
    return np.where(np.abs(x) > lambd, x, 0)


def softshrink(x: Array, lambd: float = 0.5) -> Array:
    """``x`` moved towards 0 by ``lambd``, and 0 in between.

    >>> F.softshrink(np.array([-2.0, 0.5, 3.0]))
    array([-1.5,  0. ,  2.5])
    """
    return np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, 0))


# ----------------------------------------------------------------- sigmoid, tanh, softplus
def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``, without overflow.

    >>> F.sigmoid(np.array([-2.0, 0.5, 3.0]))
    array([0.11920292, 0.62245933, 0.95257413])
    """
    return extend.sigmoid(floating(x))


def tanh(x: Array) -> Array:
    """The hyperbolic tangent.

    >>> F.tanh(np.array([-2.0, 0.5, 3.0]))
    array([-0.96402758,  0.46211716,  0.99505475])
    """
    return np.tanh(x)


def tanhshrink(x: Array) -> Array:
    """``x - tanh(x)``.

    >>> F.tanhshrink(np.array([-2.0, 0.5, 3.0]))
    array([-1.03597242,  0.03788284,  2.00494525])
    """
    return _tanhshrink(x)


@custom_jvp
def _tanhshrink(x: Array) -> Array:
    return x - np.tanh(x)


_tanhshrink.defjvps(lambda t, out, x: t * np.tanh(x) ** 2)  # 1 - tanh's slope cancels at 0


def softsign(x: Array) -> Array:
    """``x / (1 + abs(x))``.

    >>> F.softsign(np.array([-2.0, 0.5, 3.0]))
    array([-0.66666667,  0.33333333,  0.75      ])
    """
    return x / (1 + np.abs(x)) if np.iscomplexobj(x) else _softsign(x)


@custom_jvp
def _softsign(x: Array) -> Array:
    return x / (1 + np.abs(x))


_softsign.defjvps(lambda t, out, x: t / (1 + np.abs(x)) ** 2)  # a quotient's slope cancels


def softplus(x: Array, beta: float = 1.0, threshold: float | None = None) -> Array:
    """``log(1 + exp(beta x)) / beta``, without overflow.

    It needs no threshold; with one, it is ``x`` where ``beta x`` is above it.

    >>> F.softplus(np.array([-2.0, 0.5, 3.0]))
    array([0.12692801, 0.97407698, 3.04858735])
    """
    x = floating(x)
    smooth = np.logaddexp(x, 0) if beta == 1 else np.logaddexp(beta * x, 0) / beta
    return smooth if threshold is None else np.where(beta * x > threshold, x, smooth)


def logsigmoid(x: Array) -> Array:
    """The logarithm of ``sigmoid``, without underflow.

    >>> F.logsigmoid(np.array([-2.0, 0.5, 3.0]))
    array([-2.12692801, -0.47407698, -0.04858735])
    """
    return -np.logaddexp(-floating(x), 0)


def gelu(x: Array, approximate: str = "none") -> Array:
    """``x`` times the normal distribution function; ``approximate="tanh"`` is the
    formula of that name, whose slope is right to the last bit of 1, so 0 below -8.

    >>> F.gelu(np.array([-2.0, 0.5, 3.0]))
    array([-0.04550026,  0.34573123,  2.99595031])
    """
    if approximate == "tanh":
        z = np.clip(x, -10, 10)  # beyond, tanh is -1 and 1, and the cube may overflow
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * z * (1 + 0.044715 * z**2)))
    if approximate != "none":
        raise ValueError(f"approximate must be 'none' or 'tanh', got {approximate!r}")
    return 0.5 * x * one_plus_erf(x / math.sqrt(2))


def silu(x: Array) -> Array:
    """``x * sigmoid(x)``.

    >>> F.silu(np.array([-2.0, 0.5, 3.0]))
    array([-0.23840584,  0.31122967,  2.85772238])
    """
    return x * sigmoid(x)


def mish(x: Array) -> Array:
    """``x * tanh(softplus(x))``.

    >>> F.mish(np.array([-2.0, 0.5, 3.0]))
    array([-0.25250148,  0.37524521,  2.986535  ])
    """
    return x * _gate(floating(x))


@custom_jvp
def _gate(x: Array) -> Array:
    """``tanh(softplus(x))``."""
    return np.tanh(np.logaddexp(x, 0))


@_gate.defjvp
def _(primals: Any, tangents: Any) -> Any:
    """1 - tanh(u)**2 cancels far out, where its parts do not."""
    [x], [t] = primals, tangents
    rest = sigmoid(-x)  # exp(-u)
    rise = 2 * rest / (1 + rest * rest)
    return _gate(x), t * (sigmoid(x) * rise * rise)


# ------------------------------------------------------------------------ exponential below 0
def elu(x: Array, alpha: float = 1.0) -> Array:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``.

    >>> F.elu(np.array([-2.0, 0.5, 3.0]))
    array([-0.86466472,  0.5       ,  3.        ])
    """
    low = np.where(x > 0, 0, x)
    return np.where(x > 0, x, alpha * np.expm1(low))


def celu(x: Array, alpha: float = 1.0) -> Array:
    """``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``.

    >>> F.celu(np.array([-2.0, 0.5, 3.0]))
    array([-0.86466472,  0.5       ,  3.        ])
    """
    low = np.where(x > 0, 0, x)
    return np.where(x > 0, x, alpha * np.expm1(low / alpha))


def selu(x: Array) -> Array:
    """``elu`` scaled so that mean 0 and variance 1 are kept (Klambauer et al., 2017).

    >>> F.selu(np.array([-2.0, 0.5, 3.0]))
    array([-1.52016647,  0.52535049,  3.15210296])
    """
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


# ------------------------------------------------------------------------- along an axis
def glu(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """The first half along ``dim`` times ``sigmoid`` of the second.

    >>> F.glu(np.array([[1.0, 2.0, 0.0, 0.0]]))
    array([[0.5, 1. ]])
    """
    first, second = np.split(x, 2, axis_of(dim, axis))
    return first * sigmoid(second)


def softmax(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """Exponentials that add up to 1 along ``dim`` (or ``axis``).

    >>> F.softmax(np.array([[0.0, 1.0, 2.0]]), 1)
    array([[0.09003057, 0.24472847, 0.66524096]])
    """
    along, x = axis_of(dim, axis), floating(x)
    e = np.exp(x - np.max(x, axis=along, keepdims=True))
    return e / np.sum(e, axis=along, keepdims=True)


def softmin(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """``softmax`` of ``-x``.

    >>> F.softmin(np.array([[0.0, 1.0, 2.0]]), 1)
    array([[0.66524096, 0.24472847, 0.09003057]])
    """
    return softmax(-floating(x), axis_of(dim, axis))


def log_softmax(x: Array, dim: int = -1, *, axis: int | None = None) -> Array:
    """The logarithm of ``softmax``, without underflow.

    >>> F.log_softmax(np.array([[0.0, 1.0, 2.0]]), 1)
    array([[-2.40760596, -1.40760596, -0.40760596]])
    """
    along, x = axis_of(dim, axis), floating(x)
    shifted = x - np.max(x, axis=along, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=along, keepdims=True))


def logsumexp(
    x: Array, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Array:
    """``log(sum(exp(x)))``, without overflow.

    >>> F.logsumexp(np.array([[1000.0, 1000.0]]), 1)
    array([1000.69314718])
    """
    x = floating(x)
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)
