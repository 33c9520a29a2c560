"""Pooling: means and maxima over windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import extend
from ._options import Array, Pair, pair


# ------------------------------------------------------------------------------- pooling
def _missing(n: int, window: int, step: int, around: int) -> int:
    """Rows that the last window lacks if a window may begin wherever there is an entry."""
    count = -(-(n + 2 * around - window) // step) + 1
    if (count - 1) * step >= n + around:
        count -= 1
    return max((count - 1) * step + window - n - 2 * around, 0)


def _extended(x: Array, window: Any, step: Any, around: Any, fill: float) -> Array:
    """Padded on both sides, and below and right as far as ``ceil_mode`` needs it."""
    (top, left), (height, width) = around, x.shape[-2:]
    below = top + _missing(height, window[0], step[0], top)
    right = left + _missing(width, window[1], step[1], left)
    sides = (*((0, 0),) * (x.ndim - 2), (top, below), (left, right))
    return np.pad(x, sides, constant_values=fill)


def max_pool2d(
    x: Array,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Maxima over windows of the last two axes.

    The derivative goes to the first largest entry of each (where entries are ``dilation``
    apart: to all of the largest, in equal shares).

    Args:
        x: (..., height, width).
        kernel_size: height and width of the windows; one integer or two.
        stride: their distance; by default they lie side by side.
        padding: rows and columns on each side which are never the largest.
        dilation: the distance of the entries of a window.
        ceil_mode: also windows that reach beyond the edge.
        return_indices: return a pair, whose second are the positions of the maxima in the
            flattened image, as ``max_unpool2d`` takes them.

    Raises:
        ValueError: padding by more than half a window, or no window fits.

    >>> F.max_pool2d(np.arange(16.0).reshape(1, 1, 4, 4), 2)
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    window = pair(kernel_size, "kernel_size")
    step = window if stride is None else pair(stride, "stride")
    around, spread = pair(padding, "padding"), pair(dilation, "dilation")
    if return_indices:
        found = max_pool2d(x, window, step, around, spread, ceil_mode)
        return found, _positions(x, window, step, around, spread, ceil_mode)
    dense = spread[0] == 1 and spread[1] == 1
    if dense and not ceil_mode:
        return extend.max_pool2d(x, window, step, around)
    for k, p in zip(window, around, strict=True):
        if 2 * p > k:
            raise ValueError(f"padding {around} is more than half of the window {window}")
    reach = _reach(window, spread)
    x = _padded(x, reach, step, around, ceil_mode, -np.inf)
    if dense:
        return extend.max_pool2d(x, window, step, (0, 0))
    return np.max(_windows(x, reach, step, spread), axis=(-2, -1))


def _reach(window: Any, spread: Any) -> tuple[int, int]:
    """Height and width of what a window with gaps covers."""
    return (spread[0] * (window[0] - 1) + 1, spread[1] * (window[1] - 1) + 1)


def _padded(x: Array, reach: Any, step: Any, around: Any, ceil: bool, fill: float) -> Array:
    if ceil:
        return _extended(x, reach, step, around, fill)
    sides = ((around[0],) * 2, (around[1],) * 2)
    return np.pad(x, (*((0, 0),) * (x.ndim - 2), *sides), constant_values=fill)


def _windows(x: Array, reach: Any, step: Any, spread: Any) -> Array:
    """The windows of the last two axes, as two axes more."""
    views = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(-2, -1))
    return views[..., :: step[0], :: step[1], :: spread[0], :: spread[1]]


def _positions(
    x: Array, window: Any, step: Any, around: Any, spread: Any, ceil: bool
) -> Array:
    """Where in the flattened image the first largest entry of each window is."""
    height, width = x.shape[-2:]
    reach = _reach(window, spread)
    place = np.reshape(np.arange(height * width), (height, width))
    place = _padded(place, reach, step, around, ceil, -1)
    x = _padded(x, reach, step, around, ceil, -np.inf)
    size = window[0] * window[1]
    own = _windows(place, reach, step, spread)
    own = np.reshape(own, (own.shape[0], own.shape[1], size))
    views = _windows(x, reach, step, spread)
    first = np.argmax(np.reshape(views, (*views.shape[:-2], size)), axis=-1)
    rows = np.expand_dims(np.arange(own.shape[0]), 1)
    return own[rows, np.arange(own.shape[1]), first]


def max_unpool2d(
    x: Array,
    indices: Array,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    output_size: Any = None,
) -> Array:
    """Images that are 0 but where ``max_pool2d`` found its maxima: there they are ``x``.

    Args:
        x: (..., height, width), such as what ``max_pool2d`` returned.
        indices: the positions that it returned.
        kernel_size: of the windows there; one integer or two, as what follows.
        stride: their distance.
        padding: rows and columns on each side there.
        output_size: lengths of the result, of which the last two count; by default what the
            others tell.

    >>> h, places = F.max_pool2d(np.arange(16.0).reshape(1, 1, 4, 4), 2, return_indices=True)
    >>> F.max_unpool2d(h, places, 2)
    array([[[[ 0.,  0.,  0.,  0.],
             [ 0.,  5.,  0.,  7.],
             [ 0.,  0.,  0.,  0.],
             [ 0., 13.,  0., 15.]]]])
    """
    window = pair(kernel_size, "kernel_size")
    step = window if stride is None else pair(stride, "stride")
    around = pair(padding, "padding")
    if output_size is None:
        sizes = zip(x.shape[-2:], step, around, window, strict=True)
        output_size = [(n - 1) * s - 2 * p + k for n, s, p, k in sizes]
    height, width = output_size[-2:]
    count = x.shape[-2] * x.shape[-1]
    flat, places = np.reshape(x, (-1, count)), np.reshape(indices, (-1, count))
    out = np.zeros((flat.shape[0], height * width), x.dtype)
    out[np.expand_dims(np.arange(flat.shape[0]), 1), places] = flat
    return np.reshape(out, (*x.shape[:-2], height, width))


def avg_pool2d(
    x: Array,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Means over windows of the last two axes.

    Args:
        x: (..., height, width).
        kernel_size: height and width of the windows; one integer or two.
        stride: their distance; by default they lie side by side.
        padding: rows and columns of zeros on each side.
        ceil_mode: also windows that reach beyond the edge.
        count_include_pad: whether the zeros of ``padding`` count.
        divisor_override: what sums are divided by instead of the number of entries.

    Raises:
        ValueError: padding by more than half a window, or no window fits.

    >>> F.avg_pool2d(np.arange(16.0).reshape(1, 1, 4, 4), 2)
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]])
    """
    window = pair(kernel_size, "kernel_size")
    step = window if stride is None else pair(stride, "stride")
    around = pair(padding, "padding")
    if divisor_override == 0:
        raise ValueError("divisor_override must not be 0")
    shape = x.shape[-2:]
    if ceil_mode:
        extend.check_windows(x, window, around)
        x = _extended(x, window, step, around, 0)
        out = extend.avg_pool2d(x, window, step, (0, 0))
    else:
        out = extend.avg_pool2d(x, window, step, around)
    if divisor_override is not None:
        return out * (window[0] * window[1] / divisor_override)
    if ceil_mode or not count_include_pad:
        return out / _counted(shape, window, step, around, ceil_mode, count_include_pad, x)
    return out


def _counted(
    shape: Any, window: Any, step: Any, around: Any, ceil: bool, pads: bool, like: Array
) -> Array:
    """The share of each window that counts."""
    ones = np.ones(shape, like.dtype)
    ones = np.pad(
        ones, ((around[0],) * 2, (around[1],) * 2), constant_values=1 if pads else 0
    )
    if ceil:
        more = tuple(
            _missing(n, k, s, p)
            for n, k, s, p in zip(shape, window, step, around, strict=True)
        )
        ones = np.pad(ones, ((0, more[0]), (0, more[1])))
    return extend.avg_pool2d(ones, window, step, (0, 0))


def max_pool1d(
    x: Array,
    kernel_size: int,
    stride: int | None = None,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """``max_pool2d`` along the last axis.

    >>> F.max_pool1d(np.arange(6.0).reshape(1, 1, 6), 2)
    array([[[1., 3., 5.]]])
    """
    step = kernel_size if stride is None else stride
    rest = ((1, kernel_size), (1, step), (0, padding), (1, dilation), ceil_mode)
    found = max_pool2d(np.expand_dims(x, -2), *rest, return_indices)
    if return_indices:
        return np.squeeze(found[0], -2), np.squeeze(found[1], -2)
    return np.squeeze(found, -2)


def avg_pool1d(
    x: Array,
    kernel_size: int,
    stride: int | None = None,
    padding: int = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    """``avg_pool2d`` along the last axis.

    >>> F.avg_pool1d(np.arange(6.0).reshape(1, 1, 6), 2)
    array([[[0.5, 2.5, 4.5]]])
    """
    step = kernel_size if stride is None else stride
    rest = ((1, kernel_size), (1, step), (0, padding), ceil_mode, count_include_pad)
    return np.squeeze(avg_pool2d(np.expand_dims(x, -2), *rest), -2)


# ------------------------------------------------------------------------- to a given size
def _averaging(n: Any, size: int, dtype: Any) -> Array:
    """The matrix (n, size) whose columns are the means over equal shares of an axis."""
    place = np.arange(size)
    start, stop = place * n // size, -(-(place + 1) * n // size)
    row = np.expand_dims(np.arange(n), 1)
    return (((row >= start) & (row < stop)) / (stop - start)).astype(dtype)


def adaptive_avg_pool1d(x: Array, output_size: int) -> Array:
    """Means over ``output_size`` shares of the last axis.

    >>> F.adaptive_avg_pool1d(np.arange(6.0).reshape(1, 1, 6), 2)
    array([[[1., 4.]]])
    """
    if output_size == 1:
        return np.mean(x, axis=-1, keepdims=True)
    return x @ _averaging(x.shape[-1], output_size, x.dtype)


def adaptive_avg_pool2d(
    x: Array, output_size: int | tuple[int | None, int | None] | None
) -> Array:
    """Means over equal shares of the last two axes, which overlap if they have to.

    Args:
        x: (..., height, width).
        output_size: height and width of the result; one integer or two, None for the
            length there is.

    Raises:
        ValueError: ``output_size`` is neither one nor two.

    >>> F.adaptive_avg_pool2d(np.arange(16.0).reshape(1, 1, 4, 4), 2)
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]])
    """
    height, width = pair(output_size, "output_size")
    if height == 1 and width == 1:
        return np.mean(x, axis=(-2, -1), keepdims=True)
    if width is not None:
        x = adaptive_avg_pool1d(x, width)
    if height is None:
        return x
    return _averaging(x.shape[-2], height, x.dtype).T @ x
