"""Functions that NumPy does not have, each of which is one op in compiled code.

Those of images take every option; ``symgrad.nn.functional`` has the forms that people call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops import activation, convolution, kernels
from ..ops.table import SURFACE

Array = Any
Pair = tuple[int, int]


def relu(x: Array) -> Array:
    """The positive part.

    >>> extend.relu(np.array([-2.0, 0.5, 3.0]))
    array([0. , 0.5, 3. ])
    """
    return np.maximum(x, 0)


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``, without overflow.

    >>> extend.sigmoid(np.array([-2.0, 0.5, 3.0]))
    array([0.11920292, 0.62245933, 0.95257413])
    """
    return kernels._sigmoid(x)


def erf(x: Array) -> Array:
    """The error function.

    >>> extend.erf(np.array([-2.0, 0.5, 3.0]))
    array([-0.99532227,  0.52049988,  0.99997791])
    """
    return kernels._erf(x)


def one_plus_erf(x: Array) -> Array:
    """``1 + erf(x)``, which keeps its digits where that is near 0.

    >>> extend.one_plus_erf(np.array([-2.0, 0.5, 3.0]))
    array([0.00467773, 1.52049988, 1.99997791])
    """
    return kernels._erf(x, 1)


def conv2d(
    x: Array,
    weight: Array,
    bias: Array,
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    groups: int,
) -> Array:
    """Cross-correlation of images (n, channels, height, width) with a weight (out,
    channels / groups, kh, kw), plus a bias (out,) or None.

    Raises:
        ValueError: shapes do not fit.

    >>> x, weight = np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2))
    >>> extend.conv2d(x, weight, None, (1, 1), (0, 0), (1, 1), 1)
    array([[[[4., 4.],
             [4., 4.]]]])
    """
    if x.shape[1] != weight.shape[1] * groups:
        raise ValueError(f"images {x.shape} and weight {weight.shape} differ in channels")
    for n, p, k, d in zip(x.shape[2:], padding, weight.shape[2:], dilation, strict=True):
        if n + 2 * p < d * (k - 1) + 1:
            raise ValueError(f"a kernel of {weight.shape} does not fit into {x.shape}")
    out = kernels._conv2d(x, weight, stride, padding, dilation, groups)
    return out if bias is None else out + np.expand_dims(bias, (1, 2))


def conv_transpose2d(
    x: Array,
    weight: Array,
    size: tuple[int, ...],
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    groups: int,
) -> Array:
    """The adjoint of ``conv2d`` for images of a height and width ``size``.

    >>> x, weight = np.ones((1, 1, 1, 1)), np.ones((1, 1, 2, 2))
    >>> extend.conv_transpose2d(x, weight, (2, 2), (1, 1), (0, 0), (1, 1), 1)
    array([[[[1., 1.],
             [1., 1.]]]])
    """
    shape = (x.shape[0], weight.shape[1] * groups, *size)
    return kernels._conv2d_input_grad(x, weight, shape, stride, padding, dilation, groups)


def avg_pool2d(x: Array, window: Pair, stride: Pair, padding: Pair) -> Array:
    """Means over windows of the last two axes, with zeros around.

    Raises:
        ValueError: the window does not fit.

    >>> extend.avg_pool2d(np.arange(4.0).reshape(2, 2), (2, 2), (2, 2), (0, 0))
    array([[1.5]])
    """
    check_windows(x, window, padding)
    return kernels._avg_pool2d(x, window, stride, padding)


def max_pool2d(x: Array, window: Pair, stride: Pair, padding: Pair) -> Array:
    """Maxima over windows of the last two axes, with minus infinity around.

    Raises:
        ValueError: the window does not fit.

    >>> extend.max_pool2d(np.arange(4.0).reshape(2, 2), (2, 2), (2, 2), (0, 0))
    array([[3.]])
    """
    check_windows(x, window, padding)
    return kernels._max_pool2d(x, window, stride, padding)


def check_windows(x: Array, window: Pair, around: Pair) -> None:
    """Whether windows of the last two axes fit, with ``around`` zeros on each side.

    Raises:
        ValueError: they do not.

    >>> extend.check_windows(np.ones((4, 4)), (2, 2), (1, 1))
    """
    if x.ndim < 2:
        raise ValueError(f"windows of two axes need an array that has them, not {x.shape}")
    for n, k, p in zip(x.shape[-2:], window, around, strict=True):
        if 2 * p > k:
            raise ValueError(f"padding {around} is more than half of the window {window}")
        if n + 2 * p < k:
            raise ValueError(f"a window of {window} does not fit into {x.shape}")


SURFACE |= {
    relu: activation.relu,
    sigmoid: activation.sigmoid,
    erf: activation.erf,
    one_plus_erf: activation.one_plus_erf,
    conv2d: convolution.conv2d,
    conv_transpose2d: convolution.conv_transpose2d,
    avg_pool2d: convolution.avg_pool2d,
    max_pool2d: convolution.max_pool2d,
}
