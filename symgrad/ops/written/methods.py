"""Methods of ufuncs, as loops: what has an op is faster."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any

import numpy as np


def reorderable(ufunc):
    """Whether entries may be taken in any order, so that there may be several axes."""
    try:
        ufunc.reduce(np.ones((1, 1), ufunc.types[0][0]), axis=(0, 1))
    except (TypeError, ValueError):
        return False
    return True


def _kind(ufunc, x, dtype):
    """The dtype of results: sums and products of small integers have large ones."""
    if dtype is not None:
        return dtype
    if ufunc is np.add or ufunc is np.multiply:
        return np.sum(x[:1]).dtype
    return ufunc(x[:1], x[:1]).dtype


def _into(out, found):
    """What is found, in ``out`` if there is one."""
    if out is None:
        return found
    [target] = out if isinstance(out, tuple) else (out,)
    target[...] = found
    return target


def _only(axis):
    """The axis, which may stand in a tuple."""
    if axis is None or isinstance(axis, tuple) and len(axis) != 1:
        raise ValueError("accumulate and reduceat go along one axis")
    return axis[0] if isinstance(axis, tuple) else axis


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    """``ufunc.accumulate``."""
    axis = _only(axis)
    x = np.moveaxis(np.asarray(array, dtype), axis, 0)
    found = x.astype(_kind(ufunc, x, dtype))
    for i in range(1, len(x)):
        found[i] = ufunc(found[i - 1], x[i])
    return _into(out, np.moveaxis(found, 0, axis))


def _in_front(x, axes):
    """These axes as one, the first."""
    moved = np.moveaxis(x, axes, tuple(range(len(axes))))
    return moved.reshape(-1, *moved.shape[len(axes) :])


def reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    """``ufunc.reduce``."""
    x = np.asarray(array, dtype)
    if axis is None:
        axes = tuple(range(x.ndim))
    else:
        axes = axis if isinstance(axis, tuple) else (axis,)
    if x.ndim == 0 and axes in ((0,), (-1,)):
        axes = ()
    if len(axes) > 1 and not reorderable(ufunc):
        raise ValueError("this ufunc is not reorderable, so it reduces one axis at most")
    rows, begin = _in_front(x, axes), ufunc.identity if initial is None else initial
    if where is True and initial is None:
        if ufunc.identity is None and len(rows) == 0:
            raise ValueError("zero-size array to a reduction which has no identity")
        found, first = rows[0], 1
    elif begin is None:
        raise ValueError("a reduction without identity needs initial= beside where=")
    else:
        kind = ufunc(rows[:0], rows[:0]).dtype
        found, first = np.full(rows.shape[1:], begin, kind), 0
    if where is True:
        for i in range(first, len(rows)):
            found = ufunc(found, rows[i])
    else:
        kept = _in_front(np.broadcast_to(where, x.shape), axes)
        for i in range(first, len(rows)):
            found = np.where(kept[i], ufunc(found, rows[i]), found)
    return _into(out, np.expand_dims(found, axes) if keepdims else found)


def reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    """``ufunc.reduceat``."""
    axis = _only(axis)
    x = np.moveaxis(np.asarray(array, dtype), axis, 0)
    starts = np.asarray(indices)
    found = np.empty((len(starts), *x.shape[1:]), _kind(ufunc, x, dtype))
    for i in range(len(starts)):
        start = starts[i]
        stop = starts[i + 1] if i + 1 < len(starts) else len(x)
        found[i] = x[start]
        for k in range(start + 1, stop):
            found[i] = ufunc(found[i], x[k])
    return _into(out, np.moveaxis(found, 0, axis))


def at(ufunc, a, indices, *b):
    """``ufunc.at``: repeated indices in turn. What is read lies apart from what is written, also
    where it is a part of it."""
    if isinstance(indices, slice | tuple) or indices is ... or indices is None:
        _at_entries(ufunc, a, indices, *b)
        return
    places = np.array(indices)
    if places.ndim != 1 or places.dtype.kind == "b":
        _at_entries(ufunc, a, indices, *b)
    elif len(b) == 0:
        for i in range(len(places)):
            a[places[i]] = ufunc(a[places[i]])
    else:
        values = np.broadcast_to(np.array(b[0]), places.shape + a.shape[1:])
        for i in range(len(places)):
            a[places[i]] = ufunc(a[places[i]], values[i])


def _at_entries(ufunc, a, indices, *b):
    """``ufunc.at`` of any index, one entry after the other."""
    places = np.arange(a.size).reshape(a.shape)[indices]
    order, flat = np.ravel(places), a.reshape(-1).copy()
    if len(b) == 0:
        for i in range(len(order)):
            flat[order[i]] = ufunc(flat[order[i]])
    else:
        values = np.ravel(np.broadcast_to(b[0], places.shape))
        for i in range(len(order)):
            flat[order[i]] = ufunc(flat[order[i]], values[i])
    a[...] = flat.reshape(a.shape)


UFUNC_METHODS: dict[str, Any] = {
    "accumulate": accumulate,
    "reduce": reduce,
    "reduceat": reduceat,
    "at": at,
}
"""By the method's name; the ufunc comes first."""
