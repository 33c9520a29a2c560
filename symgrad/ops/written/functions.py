"""NumPy's functions that call the user's: written out here, and lowered like user code."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any

import numpy as np

from ..table import Surfaces
from .series import PACKAGES, WHEN_COMPILING, WRITTEN_SERIES


def piecewise(x, condlist, funclist, *args, **kw):
    """``np.piecewise``."""
    if np.ndim(x) == 0:
        whole = [np.reshape(c, (1,)) for c in condlist]
        return piecewise(np.reshape(x, (1,)), whole, funclist, *args, **kw)[0]
    x = np.asarray(x)
    if isinstance(condlist, list | tuple):
        conditions = condlist
    else:
        conditions = [condlist] if condlist.ndim == 1 else list(condlist)
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError("np.piecewise: as many functions as conditions, or one more")
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
    if not -arr.ndim <= axis < arr.ndim:
        raise ValueError("np.apply_along_axis: the axis is out of bounds")
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


def polydiv(u, v):
    """``np.polydiv``."""
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    rest = u.astype((u[0] + v[0]).dtype)
    quotient = np.zeros(max(m - n + 1, 1), rest.dtype)
    for k in range(m - n + 1):
        d = scale * rest[k]
        quotient[k] = d
        rest[k : k + n + 1] -= d * v
    first = 0
    while first < len(rest) - 1 and np.allclose(rest[first], 0, rtol=1e-14):
        first += 1
    return quotient, rest[first:]


# --------------------------------------------------------------------- methods of ufuncs
def accumulate(ufunc, array, axis=0, dtype=None):
    """``ufunc.accumulate``."""
    x = np.moveaxis(np.asarray(array, dtype), axis, 0)
    out = x.copy()
    for i in range(1, len(x)):
        out[i] = ufunc(out[i - 1], x[i])
    return np.moveaxis(out, 0, axis)


def reduce(ufunc, array, axis=0, dtype=None, keepdims=False):
    """``ufunc.reduce``."""
    x = np.asarray(array, dtype)
    if axis is None:
        axes = tuple(range(x.ndim))
    else:
        axes = axis if isinstance(axis, tuple) else (axis,)
    out = x
    for a in sorted([a % x.ndim for a in axes], reverse=True):
        rows = np.moveaxis(out, a, 0)
        out = rows[0]
        for i in range(1, len(rows)):
            out = ufunc(out, rows[i])
    return np.expand_dims(out, axes) if keepdims else out


def reduceat(ufunc, array, indices, axis=0, dtype=None):
    """``ufunc.reduceat``."""
    x = np.moveaxis(np.asarray(array, dtype), axis, 0)
    starts = np.asarray(indices)
    out = np.empty((len(starts), *x.shape[1:]), x.dtype)
    for i in range(len(starts)):
        start = starts[i]
        stop = starts[i + 1] if i + 1 < len(starts) else len(x)
        out[i] = x[start]
        for k in range(start + 1, stop):
            out[i] = ufunc(out[i], x[k])
    return np.moveaxis(out, 0, axis)


def at(ufunc, a, indices, *b):
    """``ufunc.at``: repeated indices in turn."""
    places = np.asarray(indices)
    if len(b) == 0:
        for i in range(len(places)):
            a[places[i]] = ufunc(a[places[i]])
    else:
        values = np.broadcast_to(b[0], places.shape + a.shape[1:])
        for i in range(len(places)):
            a[places[i]] = ufunc(a[places[i]], values[i])


UFUNC_METHODS: dict[str, Any] = {
    "accumulate": accumulate,
    "reduce": reduce,
    "reduceat": reduceat,
    "at": at,
}
"""By the method's name; the ufunc comes first. Loops: what has an op is faster."""

_LOADED = Surfaces()
_LOADED.waiting |= {
    "scipy.integrate": "..solvers.integrate",
    "scipy.optimize": "..solvers.optimize",
}
WRITTEN: dict[Any, Any] = _LOADED
"""By the library's function. Those of SciPy's solvers stand above the op table."""
WRITTEN |= WRITTEN_SERIES
WRITTEN |= {
    np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes,
    np.fromfunction: fromfunction,
    np.polydiv: polydiv,
    np.vectorize: vectorized,
    vectorized: vectorized,
}

__all__ = ["PACKAGES", "UFUNC_METHODS", "WHEN_COMPILING", "WRITTEN", "vectorized"]
