"""Sets of numbers: entries are picked, so gradients go to where they came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._arguments import as_array
from .cumulative import flipped
from .elementwise import refuse
from .indexing import getitem
from .joining import join
from .reshaping import ravel
from .static import need_static
from .table import SURFACE, nondiff, surface

INDEX = np.dtype(np.intp)


def _infer_parts(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    shape = inputs[0].type.shape  # type: ignore[union-attr]
    once = ArrayType(INDEX, (dims.fresh("count"),))
    return once, ArrayType(INDEX, shape), once


nondiff(
    "unique_parts", "x", _infer_parts,
    "np.unique(x, return_index=True, return_inverse=True, return_counts=True)[1:]",
    traits="allocates",
    doc="Where each distinct entry comes first, which of them each entry is, how often.",
)  # fmt: skip


class Unique(NamedTuple):
    """What ``np.unique_all`` gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class Inverse(NamedTuple):
    """What ``np.unique_inverse`` gives."""

    values: Any
    inverse_indices: Any


class Counts(NamedTuple):
    """What ``np.unique_counts`` gives."""

    values: Any
    counts: Any


def _parts(b: Builder, ar: Any) -> Unique:
    x = as_array(b, ar)
    first, inverse, counts = f.unique_parts(x)
    return Unique(getitem(b, ravel(b, x), first), first, inverse, counts)


@surface(np.unique)
def unique(
    b: Builder, ar: Any, return_index: Any = False, return_inverse: Any = False,
    return_counts: Any = False, axis: Any = None, *, equal_nan: Any = True, sorted: Any = True,
) -> Any:  # fmt: skip
    """``np.unique`` of all entries."""
    refuse(
        "np.unique", {"equal_nan": equal_nan, "sorted": sorted}, equal_nan=True, sorted=True
    )
    x = as_array(b, ar)
    if axis is not None and (x.ndim != 1 or need_static(axis) not in (0, -1)):
        raise UnsupportedFunctionError("np.unique along an axis is not supported")
    wanted = [bool(need_static(w)) for w in (return_index, return_inverse, return_counts)]
    if any(wanted):
        found = _parts(b, x)
        more = (part for part, w in zip(found[1:], wanted, strict=True) if w)
        return (found.values, *more)
    if x.dtype.kind in "biu":
        return f.unique(x)
    return getitem(b, ravel(b, x), f.unique_places(x))


def _all(b: Builder, x: Any) -> Unique:
    return _parts(b, x)


def _inverse(b: Builder, x: Any) -> Inverse:
    found = _parts(b, x)
    return Inverse(found.values, found.inverse_indices)


def _counts(b: Builder, x: Any) -> Counts:
    found = _parts(b, x)
    return Counts(found.values, found.counts)


SURFACE[np.unique_all], SURFACE[np.unique_inverse] = _all, _inverse
SURFACE[np.unique_counts], SURFACE[np.unique_values] = _counts, unique


# ------------------------------------------------------------------------ set operations
@surface(np.union1d)
def union1d(b: Builder, ar1: Any, ar2: Any) -> Any:
    """``np.union1d``."""
    return unique(b, join(b, [ravel(b, as_array(b, x)) for x in (ar1, ar2)], 0))


def _chosen(invert: bool) -> Callable[..., Any]:
    def call(b: Any, ar1: Any, ar2: Any, assume_unique: Any = False, **options: Any) -> Any:
        refuse("a set operation", options, return_indices=False)
        x = ravel(b, as_array(b, ar1))
        x = x if need_static(assume_unique) else unique(b, x)
        return getitem(b, x, SURFACE[np.isin](b, x, ar2, invert=invert))

    return call


SURFACE[np.intersect1d] = _chosen(invert=False)
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
    """``np.trim_zeros`` of one axis."""
    x, sides = as_array(b, filt), str(need_static(trim)).lower()
    if x.ndim != 1:
        raise UnsupportedFunctionError("np.trim_zeros is supported for one axis")
    full = f.not_equal(x, 0)
    kept: list[Expr] = []
    if "f" in sides:
        kept.append(f.greater(f.cumsum(full, axis=0), 0))
    if "b" in sides:
        kept.append(f.greater(flipped(f.cumsum(flipped(full, 0), axis=0), 0), 0))
    if not kept:
        return x
    return getitem(b, x, kept[0] if len(kept) == 1 else f.logical_and(*kept))
