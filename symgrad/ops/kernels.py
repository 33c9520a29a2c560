"""Functions that emitted code brings along, in plain NumPy.

They are written here as ordinary functions, so that they can be read, tested and called
uncompiled; ``text_of`` gives the source that goes into an emitted module.
"""

from __future__ import annotations

import ast
import inspect
import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Pair = tuple[int, int]


def text_of(*functions: Callable[..., Any]) -> str:
    """The functions' source without type hints."""
    return "\n\n\n".join(_texts(f.__module__)[f.__name__] for f in functions)


@cache
def _texts(module: str) -> dict[str, str]:
    """The source of each function in a file, without type hints."""
    text = inspect.getsource(sys.modules[module])
    lines = text.splitlines()
    nodes = ast.parse(text).body
    return {
        n.name: _without_hints(n, lines) for n in nodes if isinstance(n, ast.FunctionDef)
    }


def _without_hints(function: ast.FunctionDef, module: list[str]) -> str:
    first = function.lineno - 1
    lines = module[first : function.end_lineno]
    for arg in reversed(function.args.args):
        if arg.annotation is None or arg.annotation.end_col_offset is None:
            continue
        row, start = arg.lineno - 1 - first, arg.col_offset + len(arg.arg)
        rest = lines[row][arg.annotation.end_col_offset :]
        rest = "=" + rest[3:] if rest.startswith(" = ") else rest
        lines[row] = lines[row][:start] + rest
    row = function.body[0].lineno - 2 - first
    lines[row] = lines[row].partition(" -> ")[0].rstrip(":") + ":"
    return "\n".join(lines)


# --------------------------------------------------------------------------- elementwise
def _sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), without overflow and exact in relative terms."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e)[()] / (1 + e)


def _horner(x: Array, coefficients: tuple[float, ...]) -> Array:
    """A polynomial, from the highest power down."""
    out = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        out *= x
        out += c
    return out


def _erfc_far(x: Array) -> Array:
    """1 - erf(x) from 1 on: exp(-x**2) times a polynomial in (x - 2.5) / (x + 2.5)."""
    far = (
        4.360772148523173e-08, -1.9868963094980628e-07, 1.434677506145264e-07,
        4.5192551413737385e-07, 1.2675549938375793e-08, -1.8164122137815472e-06,
        -2.2788804452013215e-06, 7.55022560942996e-06, 1.8611763630757313e-05,
        -3.418130579970619e-05, -0.00012887699195989887, 0.00022838026403672264,
        0.000875915446344479, -0.0026423659574829742, -0.003993701165978048,
        0.0399225390753924, -0.125033052378824, 0.2517131932174514, -0.3717367339489734,
        0.2108063640611436,
    )  # fmt: skip
    x = np.minimum(x, 28)  # where it is 0 already
    out: Array = np.exp(-x * x) * _horner((x - 2.5) / (x + 2.5), far)
    return out


def _erf(x: Any, plus: int = 0) -> Any:
    """The error function, plus 0 or 1, exact in relative terms: x times a polynomial in x**2
    up to 1, from there 1 - _erfc_far(x)."""
    near = (
        -7.795898827002142e-10, 1.3720064546777686e-08, -1.6208483801871705e-07,
        1.6447424703317362e-06, -1.492473690741966e-05, 0.00012055294904839707,
        -0.0008548325975389692, 0.0052239776071164225, -0.02686617064323777,
        0.11283791670945006, -0.37612638903183543, 1.1283791670955126,
    )  # fmt: skip
    x = np.asarray(x)
    flat = x.astype(float).ravel()
    out = np.empty_like(flat)
    for start in range(0, flat.size, 8192):  # as much as stays in the cache
        z = flat[start : start + 8192]
        size = np.abs(z)
        part = plus + z * _horner(np.minimum(size, 1) ** 2, near)
        places = np.flatnonzero(size >= 1)
        rest = _erfc_far(size[places])
        part[places] = np.where(z[places] < 0, plus - 1 + rest, plus + 1 - rest)
        out[start : start + 8192] = part
    return out.reshape(x.shape).astype(np.result_type(x, np.float16))[()]


def _on_each(function: Any, x: Any, *more: Any) -> Any:
    """A function of one number on each entry."""
    return np.vectorize(lambda one: function(one, *more), otypes=[float])(x)[()]


def _polygamma(x: float, n: int) -> float:
    """Derivative number n of the digamma function: by recurrence to where its asymptotic series
    holds (Abramowitz and Stegun, 6.3.18, 6.4.6, 6.4.11)."""
    total = 0.0
    sign = -((-1.0) ** n) * math.factorial(n)
    while x < 15 + n:
        total += sign / x ** (n + 1)
        x += 1
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    if n == 0:
        series = math.log(x) - 0.5 / x
        for k, value in enumerate(bernoulli, 1):
            series -= value / (2 * k * x ** (2 * k))
        return total + series
    series = math.factorial(n - 1) / x**n + math.factorial(n) / (2 * x ** (n + 1))
    for k, value in enumerate(bernoulli, 1):
        factor = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        series += value * factor / x ** (2 * k + n)
    return total - (-1.0) ** n * series


# ------------------------------------------------------------------------------- indices
def _sum_rows(values: Array, indices: Array, length: int) -> Array:
    """Row k of the result is the sum of the rows of values whose index is k."""
    row = values.shape[indices.ndim :]
    width = math.prod(row)
    starts = indices.reshape(-1, 1).astype(np.intp) % max(length, 1) * width
    places = starts + np.arange(width)
    sums = np.bincount(places.ravel(), values.ravel(), length * width)
    return sums.reshape((length, *row)).astype(values.dtype, copy=False)


def _overlap_add(windows: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """The adjoint of sliding_window_view: each entry is added to where it was read."""
    out = np.zeros(shape, windows.dtype)
    for offset in np.ndindex(windows.shape[len(shape) :]):
        place = [slice(None)] * len(shape)
        for axis, start in zip(axes, offset, strict=True):
            place[axis] = slice(start, start + windows.shape[axis])
        out[tuple(place)] += windows[(..., *offset)]
    return out


# --------------------------------------------------------------------------- convolution
def _padded(x: Array, padding: Pair, fill: float = 0) -> Array:
    """x with padding rows above and below and padding columns on both sides."""
    top, left = padding
    if top == 0 and left == 0:
        return x
    height, width = x.shape[-2:]
    out = np.full((*x.shape[:-2], height + 2 * top, width + 2 * left), fill, x.dtype)
    out[..., top : top + height, left : left + width] = x
    return out


def _columns(
    x: Array, window: Pair, stride: Pair, padding: Pair, dilation: Pair, groups: int
) -> Array:
    """The windows of images as columns: (n, groups, window entries, places)."""
    x = _padded(x, padding)
    n, channels, height, width = x.shape
    rows = (height - dilation[0] * (window[0] - 1) - 1) // stride[0] + 1
    columns = (width - dilation[1] * (window[1] - 1) - 1) // stride[1] + 1
    out = np.empty((n, channels, *window, rows, columns), x.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            top, left = i * dilation[0], j * dilation[1]
            below, right = top + rows * stride[0], left + columns * stride[1]
            out[:, :, i, j] = x[:, :, top : below : stride[0], left : right : stride[1]]
    entries = channels // groups * window[0] * window[1]
    return out.reshape(n, groups, entries, rows * columns)


def _conv2d(
    x: Array,
    weight: Array,
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    groups: int = 1,
) -> Array:
    """Cross-correlation of images (n, channels, h, w), weight (outs, channels, kh, kw)."""
    outs, _, kh, kw = weight.shape
    height, width = x.shape[2] + 2 * padding[0], x.shape[3] + 2 * padding[1]
    rows = (height - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    columns = (width - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    patches = _columns(x, (kh, kw), stride, padding, dilation, groups)
    out = weight.reshape(groups, outs // groups, patches.shape[2]) @ patches
    return out.reshape(x.shape[0], outs, rows, columns)


def _conv2d_input_grad(
    g: Array,
    weight: Array,
    shape: tuple[int, ...],
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    groups: int = 1,
) -> Array:
    """The adjoint of _conv2d with respect to its images, which have the given shape."""
    n, channels, height, width = shape
    outs, _, kh, kw = weight.shape
    rows, columns = g.shape[2:]
    matrix = weight.reshape(groups, outs // groups, channels // groups * kh * kw)
    patches = matrix.mT @ g.reshape(n, groups, outs // groups, rows * columns)
    patches = patches.reshape(n, channels, kh, kw, rows, columns)
    out = np.zeros(
        (n, channels, height + 2 * padding[0], width + 2 * padding[1]), patches.dtype
    )
    for i in range(kh):
        for j in range(kw):
            top, left = i * dilation[0], j * dilation[1]
            below, right = top + rows * stride[0], left + columns * stride[1]
            place = out[:, :, top : below : stride[0], left : right : stride[1]]
            place += patches[:, :, i, j]
    return out[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width]


def _conv2d_weight_grad(
    g: Array,
    x: Array,
    shape: tuple[int, int, int, int],
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    groups: int = 1,
) -> Array:
    """The adjoint of _conv2d with respect to its weight, which has the given shape."""
    n, outs, rows, columns = g.shape
    patches = _columns(x, shape[2:], stride, padding, dilation, groups)
    parts = g.reshape(n, groups, outs // groups, rows * columns) @ patches.mT
    return parts.sum(axis=0).reshape(shape)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------- pooling
def _avg_pool2d(x: Array, window: Pair, stride: Pair, padding: Pair = (0, 0)) -> Array:
    """Means over windows of the last two axes; padding counts as zeros."""
    x = _padded(x, padding)
    rows = (x.shape[-2] - window[0]) // stride[0] + 1
    columns = (x.shape[-1] - window[1]) // stride[1] + 1
    out = np.zeros((*x.shape[:-2], rows, columns), x.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            below, right = i + rows * stride[0], j + columns * stride[1]
            out += x[..., i : below : stride[0], j : right : stride[1]]
    out *= 1 / (window[0] * window[1])
    return out


def _avg_pool2d_grad(
    g: Array, shape: tuple[int, ...], window: Pair, stride: Pair, padding: Pair = (0, 0)
) -> Array:
    """The adjoint of _avg_pool2d; shape is the image's."""
    (height, width), (rows, columns) = shape[-2:], g.shape[-2:]
    g = g * (1 / (window[0] * window[1]))
    size = (height + 2 * padding[0], width + 2 * padding[1])
    out = np.zeros(shape[:-2] + size, g.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            below, right = i + rows * stride[0], j + columns * stride[1]
            out[..., i : below : stride[0], j : right : stride[1]] += g
    return out[..., padding[0] : padding[0] + height, padding[1] : padding[1] + width]


def _max_pool2d(x: Array, window: Pair, stride: Pair, padding: Pair = (0, 0)) -> Array:
    """Maxima over windows of the last two axes."""
    x = _padded(x, padding, -np.inf)
    rows = (x.shape[-2] - window[0]) // stride[0] + 1
    columns = (x.shape[-1] - window[1]) // stride[1] + 1
    out = np.full((*x.shape[:-2], rows, columns), -np.inf, x.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            below, right = i + rows * stride[0], j + columns * stride[1]
            entries = x[..., i : below : stride[0], j : right : stride[1]]
            np.maximum(out, entries, out=out)
    return out


def _max_pool2d_places(
    x: Array, window: Pair, stride: Pair, padding: Pair = (0, 0)
) -> Array:
    """Where the first largest entry of each window lies in the flattened image."""
    (height, width), x = x.shape[-2:], _padded(x, padding, -np.inf)
    rows = (x.shape[-2] - window[0]) // stride[0] + 1
    columns = (x.shape[-1] - window[1]) // stride[1] + 1
    best = np.full((*x.shape[:-2], rows, columns), -np.inf, x.dtype)
    places = np.zeros(best.shape, np.intp)
    for i in range(window[0]):
        for j in range(window[1]):
            below, right = i + rows * stride[0], j + columns * stride[1]
            entries = x[..., i : below : stride[0], j : right : stride[1]]
            row = np.arange(rows) * stride[0] + i - padding[0]
            column = np.arange(columns) * stride[1] + j - padding[1]
            inside = (row >= 0) & (row < height)
            inside = inside[:, np.newaxis] & (column >= 0) & (column < width)
            better = (entries > best) | (entries != entries) & (best == best)
            better &= inside
            np.copyto(best, entries, where=better)
            np.copyto(places, row[:, np.newaxis] * width + column, where=better)
    return places


def _pool_gather(x: Array, places: Array) -> Array:
    """The entries of the flattened images at the given places."""
    flat = x.reshape((*x.shape[:-2], x.shape[-2] * x.shape[-1]))
    chosen = places.reshape((*places.shape[:-2], places.shape[-2] * places.shape[-1]))
    return np.take_along_axis(flat, chosen, -1).reshape(places.shape)


def _pool_scatter(g: Array, places: Array, shape: tuple[int, ...]) -> Array:
    """Images of zeros, g added at the places of each: the adjoint of _pool_gather."""
    count, size = math.prod(shape[:-2]), shape[-2] * shape[-1]
    starts = (np.arange(count) * size).reshape((*shape[:-2], 1, 1))
    sums = np.bincount((places + starts).ravel(), g.ravel(), count * size)
    return sums.reshape(shape).astype(g.dtype, copy=False)
