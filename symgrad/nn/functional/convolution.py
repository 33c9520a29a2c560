"""Linear maps: ``linear``, convolutions and their transposes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import extend
from ._options import Array, Pair, pair


def linear(x: Array, weight: Array, bias: Array = None) -> Array:
    """``x @ weight.T + bias``; ``weight`` is (out, in).

    >>> F.linear(np.ones((1, 2)), np.ones((3, 2)), np.zeros(3))
    array([[2., 2., 2.]])
    """
    out = x @ weight.T
    return out if bias is None else out + bias


def bilinear(x1: Array, x2: Array, weight: Array, bias: Array = None) -> Array:
    """``x1 @ weight[k] @ x2`` for each k; ``weight`` is (out, in1, in2).

    >>> F.bilinear(np.ones((1, 2)), np.ones((1, 2)), np.ones((3, 2, 2)))
    array([[4., 4., 4.]])
    """
    out = np.einsum("...i,kij,...j->...k", x1, weight, x2)
    return out if bias is None else out + bias


# --------------------------------------------------------------------------- convolution
def _for_same(
    x: Array, weight: Array, stride: tuple[int, int], dilation: tuple[int, int]
) -> Array:
    """Images padded with zeros such that their size stays; one more below and right."""
    if stride[0] != 1 or stride[1] != 1:
        raise ValueError("padding='same' needs stride 1")
    height = dilation[0] * (weight.shape[2] - 1)
    width = dilation[1] * (weight.shape[3] - 1)
    above, left = height // 2, width // 2
    return np.pad(x, ((0, 0), (0, 0), (above, height - above), (left, width - left)))


def conv2d(
    x: Array,
    weight: Array,
    bias: Array = None,
    stride: Pair = 1,
    padding: Pair | str = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation of images with a weight.

    Args:
        x: (n, channels, height, width), or (channels, height, width).
        weight: (out, channels / groups, kh, kw).
        bias: (out,).
        stride: the distance of the windows; one integer or two.
        padding: rows and columns of zeros on each side, ``"valid"`` (none) or ``"same"`` (the
            size stays; stride 1).
        dilation: the distance of the entries of a window.
        groups: the channels are taken in so many groups, each with its share of the outputs.

    Raises:
        ValueError: an argument is out of range, or shapes do not fit.

    >>> F.conv2d(np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2)))
    array([[[[4., 4.],
             [4., 4.]]]])
    """
    if weight.ndim != 4 or x.ndim not in (3, 4):
        raise ValueError(f"conv2d needs rank 4 twice, got {x.ndim} and {weight.ndim}")
    if x.ndim == 3:
        x = np.expand_dims(x, 0)
        return conv2d(x, weight, bias, stride, padding, dilation, groups)[0]
    step, spread = pair(stride, "stride"), pair(dilation, "dilation")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(
                f"padding must be integers, 'same' or 'valid', got {padding!r}"
            )
        if padding == "same":
            x = _for_same(x, weight, step, spread)
        padding = 0
    return extend.conv2d(x, weight, bias, step, pair(padding, "padding"), spread, groups)


def _single(x: Any, what: str) -> Any:
    """One integer, which may stand in a tuple."""
    if isinstance(x, tuple | list):
        if len(x) != 1:
            raise ValueError(f"{what} must be one integer, got {x}")
        return x[0]
    return x


def conv1d(
    x: Array,
    weight: Array,
    bias: Array = None,
    stride: int | tuple[int] = 1,
    padding: int | tuple[int] | str = 0,
    dilation: int | tuple[int] = 1,
    groups: int = 1,
) -> Array:
    """``conv2d`` of signals (n, channels, length), ``weight`` (out, channels / groups, k).

    >>> F.conv1d(np.arange(5.0).reshape(1, 1, 5), np.ones((1, 1, 3)))
    array([[[3., 6., 9.]]])
    """
    if weight.ndim != 3 or x.ndim not in (2, 3):
        raise ValueError(f"conv1d needs rank 3 twice, got {x.ndim} and {weight.ndim}")
    around = padding if isinstance(padding, str) else (0, _single(padding, "padding"))
    step, spread = _single(stride, "stride"), _single(dilation, "dilation")
    images, kernel = np.expand_dims(x, -2), np.expand_dims(weight, -2)
    out = conv2d(images, kernel, bias, (1, step), around, (1, spread), groups)
    return np.squeeze(out, -2)


# -------------------------------------------------------------------------- its transpose
def _transposed_size(
    x: Array, weight: Array, stride: Any, padding: Any, more: Any, dilation: Any
) -> tuple[int, ...]:
    """Height and width of what conv_transpose2d returns."""
    return tuple(
        (x.shape[2 + i] - 1) * stride[i]
        - 2 * padding[i]
        + dilation[i] * (weight.shape[2 + i] - 1)
        + more[i]
        + 1
        for i in range(2)
    )


def _with_more_rows(
    x: Array,
    weight: Array,
    stride: Any,
    padding: Any,
    more: Any,
    dilation: Any,
    groups: Any,
) -> Array:
    """conv_transpose2d whose result is so large that more windows would fit than ``x`` has
    entries: ``conv2d`` of it has another size than ``x``, so the rest comes afterwards."""
    none = (0, 0)
    size = _transposed_size(x, weight, stride, none, none, dilation)
    out = extend.conv_transpose2d(x, weight, size, stride, none, dilation, groups)
    out = np.pad(out, ((0, 0), (0, 0), (0, more[0]), (0, more[1])))
    top, left = padding
    return out[:, :, top : out.shape[2] - top, left : out.shape[3] - left]


def conv_transpose2d(
    x: Array,
    weight: Array,
    bias: Array = None,
    stride: Pair = 1,
    padding: Pair = 0,
    output_padding: Pair = 0,
    groups: int = 1,
    dilation: Pair = 1,
) -> Array:
    """The adjoint of ``conv2d`` with respect to its images.

    Args:
        x: (n, channels, height, width), or (channels, height, width).
        weight: (channels, out / groups, kh, kw).
        bias: (out,).
        stride: the distance of the windows in the result.
        padding: rows and columns that are cut off on each side.
        output_padding: rows and columns more, below and right; smaller than ``stride`` or
            ``dilation``.
        groups: as for ``conv2d``.
        dilation: as for ``conv2d``.

    Raises:
        ValueError: an argument is out of range, or shapes do not fit.

    >>> F.conv_transpose2d(np.ones((1, 1, 1, 1)), np.ones((1, 1, 2, 2)))
    array([[[[1., 1.],
             [1., 1.]]]])
    """
    if weight.ndim != 4 or x.ndim not in (3, 4):
        raise ValueError(
            f"conv_transpose2d needs rank 4 twice, got {x.ndim}, {weight.ndim}"
        )
    if x.ndim == 3:
        x = np.expand_dims(x, 0)
        rest = (weight, bias, stride, padding, output_padding, groups, dilation)
        return conv_transpose2d(x, *rest)[0]
    if x.shape[1] != weight.shape[0]:
        raise ValueError(f"images {x.shape} and weight {weight.shape} differ in channels")
    step, spread = pair(stride, "stride"), pair(dilation, "dilation")
    around, more = pair(padding, "padding"), pair(output_padding, "output_padding")
    for m, s, d in zip(more, step, spread, strict=True):
        if m >= max(s, d):
            raise ValueError(
                f"output_padding {more} must be smaller than stride {step} or dilation {spread}"
            )
    if more[0] >= step[0] or more[1] >= step[1]:
        out = _with_more_rows(x, weight, step, around, more, spread, groups)
    else:
        size = _transposed_size(x, weight, step, around, more, spread)
        out = extend.conv_transpose2d(x, weight, size, step, around, spread, groups)
    return out if bias is None else out + np.expand_dims(bias, (1, 2))


def conv_transpose1d(
    x: Array,
    weight: Array,
    bias: Array = None,
    stride: int | tuple[int] = 1,
    padding: int | tuple[int] = 0,
    output_padding: int | tuple[int] = 0,
    groups: int = 1,
    dilation: int | tuple[int] = 1,
) -> Array:
    """``conv_transpose2d`` of signals, ``weight`` (channels, out / groups, k).

    >>> F.conv_transpose1d(np.ones((1, 1, 2)), np.ones((1, 1, 3)))
    array([[[1., 2., 2., 1.]]])
    """
    if weight.ndim != 3 or x.ndim not in (2, 3):
        raise ValueError(
            f"conv_transpose1d needs rank 3 twice, got {x.ndim}, {weight.ndim}"
        )
    out = conv_transpose2d(
        np.expand_dims(x, -2),
        np.expand_dims(weight, -2),
        bias,
        (1, _single(stride, "stride")),
        (0, _single(padding, "padding")),
        (0, _single(output_padding, "output_padding")),
        groups,
        (1, _single(dilation, "dilation")),
    )
    return np.squeeze(out, -2)
