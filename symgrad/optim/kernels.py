"""The array operations that updates are made of: in place, and without new arrays.

Each rounds after every operation, in the order of PyTorch's portable CPU kernels, so that
updates agree with it to the last bit. (Where the processor fuses multiply and add, PyTorch itself
rounds differently from one machine to the next; NumPy never fuses.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
COUNT = 2


class Scratch:
    """Working arrays that are made once and lent for one parameter at a time."""

    __slots__ = ("_flat", "_views")

    def __init__(self) -> None:
        self._flat: dict[np.dtype[Any], Array] = {}
        self._views: dict[tuple[tuple[int, ...], np.dtype[Any]], tuple[Array, Array]] = {}

    def like(self, x: Array) -> tuple[Array, Array]:
        """Two arrays of the shape and dtype of ``x``, with anything in them."""
        key = (x.shape, x.dtype)
        if key not in self._views:
            self._reserve(x.dtype, x.size)
            a, b = self._flat[x.dtype]
            self._views[key] = (a[: x.size].reshape(x.shape), b[: x.size].reshape(x.shape))
        return self._views[key]

    def _reserve(self, dtype: np.dtype[Any], size: int) -> None:
        if dtype in self._flat and self._flat[dtype].shape[1] >= size:
            return
        self._flat[dtype] = np.empty((COUNT, size), dtype)
        self._views = {key: views for key, views in self._views.items() if key[1] != dtype}


def add_scaled(x: Array, y: Array, scale: float, work: Array) -> None:
    """x += scale * y."""
    np.multiply(y, scale, out=work)
    np.add(x, work, out=x)


def add_product(x: Array, y: Array, z: Array, scale: float, work: Array) -> None:
    """x += scale * y * z, from left to right."""
    np.multiply(y, scale, out=work)
    np.multiply(work, z, out=work)
    np.add(x, work, out=x)


def add_quotient(x: Array, y: Array, z: Array, scale: float, work: Array) -> None:
    """x += scale * y / z, from left to right; ``work`` may be ``y``."""
    np.multiply(y, scale, out=work)
    np.divide(work, z, out=work)
    np.add(x, work, out=x)


def move_towards(x: Array, y: Array, weight: float, work: Array) -> None:
    """x = (1 - weight) * x + weight * y, measured from the nearer of the two."""
    np.subtract(y, x, out=work)
    if abs(weight) < 0.5:
        np.multiply(work, weight, out=work)
        np.add(x, work, out=x)
    else:
        np.multiply(work, 1 - weight, out=work)
        np.subtract(y, work, out=x)


def descent(g: Array, x: Array, weight_decay: float, maximize: bool, work: Array) -> Array:
    """The gradient to go down along: turned round to maximize, plus ``weight_decay * x``.

    It is ``g`` itself where neither is asked for, else it stands in ``work``.
    """
    if weight_decay == 0:
        return np.negative(g, out=work) if maximize else g
    np.multiply(x, weight_decay, out=work)
    return np.subtract(work, g, out=work) if maximize else np.add(g, work, out=work)
