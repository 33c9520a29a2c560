"""NumPy's functions that call the user's: written out here, and lowered like user code."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import collections
from typing import Any

import numpy as np

from ..table import Surfaces
from .containers import defaultdict, deque
from .loops import vectorized
from .methods import UFUNC_METHODS, reorderable
from .ordered import WRITTEN_ORDERED
from .series import PACKAGES, RUN_NOW, WRITTEN_SERIES


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


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """``np.nan_to_num`` in place."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        x[...] = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    return x


def raw_qr(a, mode):
    """``np.linalg.qr`` in mode raw: R, the vectors of the reflections below it, their scales."""
    x = np.asarray(a)
    x = x.astype(np.float64) if x.dtype.kind in "iub" else x
    rows, columns = np.arange(x.shape[-2]), np.arange(x.shape[-1])
    count = min(x.shape[-2], x.shape[-1])
    scales = np.zeros((*x.shape[:-2], count), x.dtype)
    for i in range(count):
        column, head = x[..., i], x[..., i, i][..., np.newaxis]
        rest = np.where(rows > i, column, 0)
        still = np.all(rest == 0, axis=-1, keepdims=True) & (np.imag(head) == 0)
        size = np.abs(np.where(rows >= i, column, 0))
        length = np.sqrt(np.sum(size**2, axis=-1, keepdims=True))
        end = np.where(still, head, np.where(np.real(head) >= 0, -length, length))
        scale = np.where(still, 0, (end - head) / np.where(still, 1, end))
        below = rest / np.where(still, 1, head - end)
        vector = (below + (rows == i))[..., np.newaxis]
        turned = np.conj(scale)[..., np.newaxis] * vector * (np.conj(vector).mT @ x)
        reduced = np.where(rows < i, column, np.where(rows == i, end, below))
        here = np.where(columns == i, reduced[..., np.newaxis], x)
        x = np.where(columns > i, x - turned, here)
        scales[..., i] = scale[..., 0]
    return x.mT, scales


WHEN_COMPILING: set[Any] = {*RUN_NOW, reorderable}
"""Functions of numbers and of functions, which are run when compiling."""

WRITTEN_FOR: dict[Any, tuple[str, int, Any, Any]] = {
    np.nan_to_num: ("copy", 1, False, nan_to_num),
    np.linalg.qr: ("mode", 1, "raw", raw_qr),
}
"""Functions with an op that are written out for one value of an option: its name and position, the
value."""

_LOADED = Surfaces()
_LOADED.waiting |= {
    "scipy.integrate": "..solvers.integrate",
    "scipy.optimize": "..solvers.optimize",
}
WRITTEN: dict[Any, Any] = _LOADED
"""By the library's function. Those of SciPy's solvers stand above the op table."""
WRITTEN |= WRITTEN_SERIES
WRITTEN |= WRITTEN_ORDERED
WRITTEN |= {
    np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes,
    np.fromfunction: fromfunction,
    np.polydiv: polydiv,
    np.vectorize: vectorized,
    collections.deque: deque,
    collections.defaultdict: defaultdict,
}

__all__ = [
    "PACKAGES",
    "UFUNC_METHODS",
    "WHEN_COMPILING",
    "WRITTEN",
    "WRITTEN_FOR",
    "vectorized",
]
