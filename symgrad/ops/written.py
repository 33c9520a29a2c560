"""NumPy's functions that call the user's: written out here, and lowered like user code."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import types
from typing import Any

import numpy as np


def piecewise(x, condlist, funclist, *args, **kw):
    """``np.piecewise``."""
    x = np.asarray(x)
    if isinstance(condlist, list | tuple):
        conditions = condlist
    else:
        conditions = [condlist] if condlist.ndim == 1 else list(condlist)
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = rest | condition
        conditions = [*conditions, ~rest]
    out = np.zeros_like(x)
    for condition, f in zip(conditions, funclist, strict=True):
        if callable(f):
            out[condition] = f(x[condition], *args, **kw)
        else:
            out[condition] = f
    return out


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """``np.apply_along_axis``."""
    arr = np.asarray(arr)
    axis = axis % arr.ndim
    x = np.moveaxis(arr, axis, -1)
    rows = x.reshape(-1, x.shape[-1])
    first = np.asarray(func1d(rows[0], *args, **kwargs))
    out = np.empty((len(rows), *first.shape), first.dtype)
    out[0] = first
    for i in range(1, len(rows)):
        out[i] = func1d(rows[i], *args, **kwargs)
    found = out.reshape(x.shape[:-1] + first.shape)
    source = tuple(range(-first.ndim, 0))
    return np.moveaxis(found, source, tuple(range(axis, axis + first.ndim)))


def apply_over_axes(func, a, axes):
    """``np.apply_over_axes``."""
    value = np.asarray(a)
    for axis in axes if isinstance(axes, list | tuple) else (axes,):
        found = func(value, axis)
        value = found if found.ndim == value.ndim else np.expand_dims(found, axis)
    return value


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """``np.fromfunction``."""
    grids = np.indices(shape, dtype=dtype)
    return function(*[grids[i] for i in range(len(shape))], **kwargs)


def vectorized(function, dtype, *args):
    """A call of ``np.vectorize(function)``; ``dtype`` None: that of the first result."""
    arrays = np.broadcast_arrays(*args)
    flat = [a.ravel() for a in arrays]
    first = np.asarray(function(*[a[0] for a in flat]))
    out = np.empty(len(flat[0]), first.dtype if dtype is None else dtype)
    out[0] = first
    for i in range(1, len(flat[0])):
        out[i] = function(*[a[i] for a in flat])
    return out.reshape(arrays[0].shape)


WRITTEN: dict[Any, types.FunctionType] = {
    np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes,
    np.fromfunction: fromfunction,
}
WRITTEN[vectorized] = WRITTEN[np.vectorize] = vectorized
"""By NumPy's function."""

__all__ = ["WRITTEN", "vectorized"]
