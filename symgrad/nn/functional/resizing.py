"""Padding and interpolation of images and signals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._options import Array

PADDING: dict[str, Any] = {
    "constant": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "circular": "wrap",
}


def pad(x: Array, pad: Any, mode: str = "constant", value: float = 0.0) -> Array:
    """``x`` with more entries on both sides of its last axes.

    Args:
        x: any array.
        pad: (left, right, top, bottom, ...), a pair for each axis, the last axis first;
            entries are cut off where negative.
        mode: ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        value: the constant.

    Raises:
        ValueError: an unknown mode, or ``pad`` does not come in pairs.

    >>> F.pad(np.array([1.0, 2.0]), (1, 2))
    array([0., 1., 2., 0., 0.])
    """
    if mode not in PADDING:
        raise ValueError(f"mode must be one of {', '.join(PADDING)}, got {mode!r}")
    if len(pad) % 2 or len(pad) > 2 * x.ndim:
        raise ValueError(f"pad needs at most {x.ndim} pairs of numbers, got {pad}")
    axes = len(pad) // 2
    sides = [(pad[2 * k], pad[2 * k + 1]) for k in range(axes)][::-1]
    cut = [slice(max(-a, 0), b if b < 0 else None) for a, b in sides]
    x = x[(..., *cut)]
    widths = [(0, 0)] * (x.ndim - axes) + [(max(a, 0), max(b, 0)) for a, b in sides]
    if mode == "constant":
        return np.pad(x, widths, constant_values=value)
    return np.pad(x, widths, mode=PADDING[mode])


# -------------------------------------------------------------------------- interpolation
def _positions(n: Any, size: Any, step: Any, align_corners: bool) -> Array:
    """Where the entries of the result lie among the n that are given."""
    place = np.arange(size)
    if align_corners:
        return place * ((n - 1) / max(size - 1, 1))
    return (place + 0.5) * step - 0.5


def _nearest(x: Array, axis: int, size: Any, step: Any, exact: bool) -> Array:
    """Each entry of the result is an entry of ``x``."""
    n = x.shape[axis]
    where = np.floor((np.arange(size) + (0.5 if exact else 0)) * step)
    return np.take(x, np.minimum(where.astype(np.int64), n - 1), axis=axis)


def _tent(distance: Array) -> Array:
    return np.maximum(1 - np.abs(distance), 0)


def _cubic(distance: Array) -> Array:
    """Keys' kernel with a = -0.75 (Keys, 1981)."""
    d = np.abs(distance)
    near = (1.25 * d - 2.25) * d * d + 1
    far = ((-0.75 * d + 3.75) * d - 6) * d + 3
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _matrix(
    n: Any, size: Any, step: Any, align_corners: bool, kernel: Any, reach: int
) -> Array:
    """The weights (n, size) of the entries of an axis; beyond an edge its entry stands."""
    position = _positions(n, size, step, align_corners)
    first = np.floor(position)
    rows = np.expand_dims(np.arange(n), 1)
    weights = np.zeros((n, size))
    for k in range(1 - reach, reach + 1):
        at = np.clip(first + k, 0, n - 1)
        weights += (rows == at) * kernel(position - (first + k))
    return weights


def _resampled(
    x: Array, axis: int, size: Any, step: Any, mode: str, align_corners: bool
) -> Array:
    """One of the last two axes with another length."""
    if mode in ("nearest", "nearest-exact"):
        return _nearest(x, axis, size, step, mode == "nearest-exact")
    kernel, reach = (_cubic, 2) if mode == "bicubic" else (_tent, 1)
    matrix = _matrix(x.shape[axis], size, step, align_corners, kernel, reach)
    matrix = matrix.astype(x.dtype)
    return x @ matrix if axis == -1 else matrix.T @ x


MODES = {"nearest": 0, "nearest-exact": 0, "linear": 1, "bilinear": 2, "bicubic": 2}


def interpolate(
    x: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Array:
    """Signals (n, channels, length) or images (n, channels, height, width) of another size.

    Args:
        x: the signals or images.
        size: the lengths of the result; or else
        scale_factor: how much longer the axes become; one number, or one per axis.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"`` (signals), ``"bilinear"`` or
            ``"bicubic"`` (images).
        align_corners: whether the outermost entries stay where they are, rather than the
            outer edges of the image.

    Raises:
        ValueError: not exactly one of ``size`` and ``scale_factor``, or a mode that does not fit.

    >>> F.interpolate(np.array([[[1.0, 2.0]]]), scale_factor=2)
    array([[[1., 1., 2., 2.]]])
    """
    axes = x.ndim - 2
    if axes not in (1, 2):
        raise ValueError(f"interpolate needs rank 3 or 4, got {x.ndim}")
    if mode not in MODES or MODES[mode] not in (0, axes):
        raise ValueError(f"mode {mode!r} does not fit rank {x.ndim}")
    if (size is None) == (scale_factor is None):
        raise ValueError("give either size or scale_factor")
    if align_corners is not None and MODES[mode] == 0:
        raise ValueError(f"align_corners has no meaning for mode {mode!r}")
    given = scale_factor if size is None else size
    each = given if isinstance(given, tuple | list) else (given,) * axes
    if len(each) != axes:
        raise ValueError(f"{axes} lengths or scales are needed, got {given}")
    for axis, one in zip(range(-axes, 0), each, strict=True):
        n = x.shape[axis]
        length = math.floor(n * one) if size is None else one
        step = 1 / one if size is None else n / one
        x = _resampled(x, axis, length, step, mode, bool(align_corners))
    return x
