"""Sets of numbers: entries are picked, so gradients go to where they came from."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .cumulative import flipped
from .indexing import getitem
from .joining import join
from .reshaping import ravel
from .rules.arguments import as_array, axes_of, axis_of
from .static import need_static
from .table import SURFACE, nondiff, surface

INDEX = np.dtype(np.intp)


def _infer_parts(
    dims: Any, inputs: tuple[Value, ...], axis: int | None, equal_nan: bool
) -> tuple[Type, ...]:
    shape = inputs[0].type.shape  # type: ignore[union-attr]
    once = ArrayType(INDEX, (dims.fresh("count"),))
    return once, ArrayType(INDEX, shape if axis is None else (shape[axis],)), once


nondiff(
    "unique_parts", "x", _infer_parts,
    "np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis, "
    "equal_nan=equal_nan)[1:]",
    attrs={"axis": None, "equal_nan": True}, traits="allocates",
    doc="Where each distinct entry or part along an axis is first, which each is, how often.",
)  # fmt: skip


_UNIQUE = (np.unique_all, np.unique_inverse, np.unique_counts)
_KINDS: Any = [type(function(np.zeros(1))) for function in _UNIQUE]
Unique, Inverse, Counts = _KINDS


def _parts(b: Builder, ar: Any, axis: Any = None, equal_nan: Any = True) -> Any:
    x, place = as_array(b, ar), need_static(axis)
    place = None if place is None else axis_of(place, x.ndim)
    first, inverse, counts = f.unique_parts(
        x, axis=place, equal_nan=bool(need_static(equal_nan))
    )
    if place is None:
        values = getitem(b, ravel(b, x), first)
    else:
        values = getitem(b, x, (*[slice(None)] * place, first))
    return Unique(values, first, inverse, counts)


@surface(np.unique)
def unique(
    b: Builder, ar: Any, return_index: Any = False, return_inverse: Any = False,
    return_counts: Any = False, axis: Any = None, *, equal_nan: Any = True, sorted: Any = True,
) -> Any:  # fmt: skip
    """``np.unique``; sorted in any case."""
    x = as_array(b, ar)
    wanted = [bool(need_static(w)) for w in (return_index, return_inverse, return_counts)]
    if any(wanted) or axis is not None or not need_static(equal_nan):
        found = _parts(b, x, axis, equal_nan)
        more = (part for part, w in zip(found[1:], wanted, strict=True) if w)
        return (found.values, *more) if any(wanted) else found.values
    if x.dtype.kind in "biu":
        return f.unique(x)
    return getitem(b, ravel(b, x), f.unique_places(x))


def _inverse(b: Builder, x: Any) -> Any:
    found = _parts(b, x, equal_nan=False)
    return Inverse(found.values, found.inverse_indices)


def _counts(b: Builder, x: Any) -> Any:
    found = _parts(b, x, equal_nan=False)
    return Counts(found.values, found.counts)


SURFACE[np.unique_all] = lambda b, x: _parts(b, x, equal_nan=False)
SURFACE[np.unique_inverse], SURFACE[np.unique_counts] = _inverse, _counts
SURFACE[np.unique_values] = lambda b, x: unique(b, x, equal_nan=False)


# ------------------------------------------------------------------------ set operations
@surface(np.union1d)
def union1d(b: Builder, ar1: Any, ar2: Any) -> Any:
    """``np.union1d``."""
    return unique(b, join(b, [ravel(b, as_array(b, x)) for x in (ar1, ar2)], 0))


def _chosen(invert: bool) -> Callable[..., Any]:
    def call(b: Any, ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
        x = ravel(b, as_array(b, ar1))
        x = x if need_static(assume_unique) else unique(b, x)
        return getitem(b, x, SURFACE[np.isin](b, x, ar2, invert=invert))

    return call


def _common(b: Builder, ar1: Any, ar2: Any) -> tuple[Expr, Expr, Expr]:
    """What both have, and where it comes first in each."""
    first, other = _parts(b, ar1), _parts(b, ar2)
    isin = SURFACE[np.isin]
    here, there = isin(b, first.values, ar2), isin(b, other.values, ar1)
    return (
        getitem(b, first.values, here),
        getitem(b, first.indices, here),
        getitem(b, other.indices, there),
    )


@surface(np.intersect1d)
def intersect1d(
    b: Builder, ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False
) -> Any:
    """``np.intersect1d``."""
    if need_static(return_indices):
        return _common(b, ar1, ar2)
    return unique(b, _chosen(invert=False)(b, ar1, ar2))


SURFACE[np.setdiff1d] = _chosen(invert=True)


@surface(np.setxor1d)
def setxor1d(b: Builder, ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """``np.setxor1d``."""
    only = _chosen(invert=True)
    parts = [only(b, x, y, assume_unique) for x, y in ((ar1, ar2), (ar2, ar1))]
    return f.sort(join(b, parts, 0), axis=0)


# -------------------------------------------------------------------------------- trimming
@surface(np.trim_zeros)
def trim_zeros(b: Builder, filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    """``np.trim_zeros``."""
    x, sides = as_array(b, filt), str(need_static(trim)).lower()
    axis = need_static(axis)
    full = f.not_equal(x, 0)
    for place in range(x.ndim) if axis is None else axes_of(axis, x.ndim):
        others = tuple(i for i in range(x.ndim) if i != place)
        kept = _between(f.any(full, axis=others) if others else full, sides)
        if kept is not None:
            x = getitem(b, x, (*[slice(None)] * place, kept))
    return x


def _between(full: Expr, sides: str) -> Expr | None:
    """What lies after the first entry that is full, and before the last."""
    kept: list[Expr] = []
    if "f" in sides:
        kept.append(f.greater(f.cumsum(full, axis=0), 0))
    if "b" in sides:
        kept.append(f.greater(flipped(f.cumsum(flipped(full, 0), axis=0), 0), 0))
    return functools.reduce(f.logical_and, kept) if kept else None
