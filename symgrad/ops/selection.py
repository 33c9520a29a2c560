"""Picking entries: take, sort, nonzero, searchsorted and their like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DTypeError, OptionError, ShapeError
from ..ir.builder import Builder
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .indexing import getitem, setitem, spread_at
from .joining import along
from .keys import parse
from .reshaping import ravel
from .rules import batching as batching
from .rules.arguments import as_array, as_expr, axis_of, length_of
from .static import known, need_static
from .table import linear, method, mutator, nondiff, op, surface

INDEX = np.dtype(np.intp)


# ------------------------------------------------------------------------------- types
def _places_like(position: int) -> Any:
    """Indices in the shape of one of the inputs."""
    return lambda dims, inputs, **attrs: ArrayType(INDEX, inputs[position].type.shape)


def _infer_same(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return inputs[0].type


def _infer_along(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    x, places = inputs[0].type, inputs[1].type
    assert isinstance(x, ArrayType) and isinstance(places, ArrayType)
    if x.ndim != places.ndim:
        raise ShapeError(f"np.take_along_axis: {places} and {x} differ in rank")
    pairs = enumerate(zip(x.shape, places.shape, strict=True))
    shape = tuple(n if i == axis else dims.broadcast(m, n) for i, (m, n) in pairs)
    return ArrayType(x.dtype, shape)


def _infer_flatnonzero(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return ArrayType(INDEX, (dims.fresh("count"),))


def _infer_nonzero(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = ArrayType(INDEX, (dims.fresh("count"),))
    return (t,) * inputs[0].type.ndim  # type: ignore[union-attr]


def _infer_argwhere(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(INDEX, (dims.fresh("count"), inputs[0].type.ndim))  # type: ignore[union-attr]


def _infer_unique(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(inputs[0].type.dtype, (dims.fresh("count"),))  # type: ignore[union-attr]


def _infer_sums(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.float64), (dims.fresh("count"),))


# ------------------------------------------------------------------------------- rules
def along_axis_key(x: Expr, places: Expr, axis: int) -> tuple[Any, ...]:
    """The key for which ``x[key]`` is ``np.take_along_axis(x, places, axis)``."""
    b = x.builder
    key: list[Any] = []
    for i in range(x.ndim):
        if i == axis:
            key.append(places)
            continue
        ends = (b.const(0), lift(b, x.length(i)), b.const(1))
        count = Expr(b, b.op("arange", *ends, dtype=INDEX))
        others = tuple(j for j in range(x.ndim) if j != i)
        key.append(f.expand_dims(count, axes=others) if others else count)
    return tuple(key)


def _scatter_along(
    acc: Expr, g: Expr, x: Expr, places: Expr, axis: int, once: bool | None = None
) -> Expr:
    b = acc.builder
    index, operands = parse(b, acc, along_axis_key(x, places, axis))
    return spread_at(acc, g, tuple(Expr(b, o) for o in operands), index, once)


def _unsort(acc: Expr, g: Expr, x: Expr, axis: int, kind: Any) -> Expr:
    order = f.argsort(x, axis=axis, kind=kind)
    return _scatter_along(acc, g, x, order, axis, once=True)


def _sorted_alike(t: Expr, x: Expr, axis: int, kind: Any) -> Any:
    return f.take_along_axis(t, f.argsort(x, axis=axis, kind=kind), axis=axis)


linear(
    "take_along_axis",
    "x places",
    _infer_along,
    "np.take_along_axis(x, places, axis)",
    attrs={"axis": REQUIRED},
    transpose={
        "x": lambda acc, g, x, places, axis: _scatter_along(acc, g, x, places, axis)
    },
    traits="moves allocates",
    doc="The entry that each index names on one axis.",
)
op(
    "sort", "x", _infer_same, "np.sort(x, axis=axis, kind=kind)", traits="allocates",
    attrs={"axis": REQUIRED, "kind": None}, vjp={"x": _unsort}, jvp={"x": _sorted_alike},
    kink="ties follow the order that np.argsort gives",
    doc="The entries along an axis in ascending order.",
)  # fmt: skip
nondiff(
    "argsort", "x", _places_like(0), "np.argsort(x, axis=axis, kind=kind)",
    attrs={"axis": REQUIRED, "kind": None}, traits="allocates distinct",
    doc="The order that sorts.",
)  # fmt: skip
nondiff(
    "nonzero", "x", _infer_nonzero, "np.nonzero(x)", traits="allocates distinct",
    doc="Where entries are not zero: one index array for each of several axes.",
)  # fmt: skip
nondiff(
    "flatnonzero", "x", _infer_flatnonzero, "np.flatnonzero(x)", traits="allocates distinct",
    doc="Where entries are not zero, counted through the flattened array.",
)  # fmt: skip
nondiff(
    "argwhere", "x", _infer_argwhere, "np.argwhere(x)", traits="allocates",
    doc="Where entries are not zero, one row of indices for each.",
)  # fmt: skip
nondiff(
    "searchsorted", "a v", _places_like(1), "np.searchsorted(a, v, side=side)",
    attrs={"side": "left"}, traits="allocates", batch=batching.searchsorted,
    doc="Where to insert v so that a stays sorted.",
)  # fmt: skip
nondiff(
    "unique_places", "x", _infer_flatnonzero, "np.unique(x, return_index=True)[1]",
    traits="allocates distinct", doc="Where each distinct entry comes first, by its size.",
)  # fmt: skip
nondiff(
    "unique", "x", _infer_unique, "np.unique(x)", traits="allocates",
    doc="The distinct integers in an array, ascending.",
)  # fmt: skip
nondiff(
    "bin_counts", "x minlength", _infer_flatnonzero, "np.bincount(x, minlength=minlength)",
    traits="allocates", doc="How often each number occurs.",
)  # fmt: skip
linear(
    "bin_sums", "x weights minlength", _infer_sums, "np.bincount(x, weights, minlength)",
    transpose={"weights": lambda g, x: getitem(g.builder, g, x)},
    traits="allocates", doc="The sum of the weights that belong to each number.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
def bounded(b: Builder, places: Any, n: Any, mode: Any) -> Any:
    """Positions as ``mode`` has those that are out of bounds."""
    mode = need_static(mode)
    if mode == "raise":
        return places
    if mode not in ("wrap", "clip"):
        raise DTypeError(f"mode={mode!r} is none of raise, wrap, clip")
    index = as_array(b, places)
    return index % n if mode == "wrap" else f.minimum(f.maximum(index, 0), n - 1)


def _as_places(b: Builder, indices: Any) -> Any:
    """Truth counts as 0 and 1 here, it does not select."""
    indices = known(indices)
    if isinstance(indices, tuple | list):
        indices = as_array(b, indices) if len(indices) else np.zeros(0, INDEX)
    if getattr(indices, "dtype", None) == np.bool_:
        return f.astype(as_array(b, indices), dtype=INDEX)
    return indices


@surface(np.take)
@method("take")
def take(
    b: Builder, a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise"
) -> Expr:
    """``np.take``."""
    x, indices = as_array(b, a), _as_places(b, indices)
    if axis is None:
        return getitem(b, ravel(b, x), bounded(b, indices, x.size, mode))
    place = axis_of(axis, x.ndim)
    return getitem(b, x, along(place, bounded(b, indices, x.length(place), mode)))


@surface(np.take_along_axis)
def take_along_axis(b: Builder, arr: Any, indices: Any, axis: Any = -1) -> Expr:
    """``np.take_along_axis``."""
    x, places = as_array(b, arr), as_array(b, indices)
    if axis is None:
        return getitem(b, ravel(b, x), places)
    if places.dtype.kind not in "iu":
        raise DTypeError(f"np.take_along_axis needs integer indices, got {places.type}")
    return f.take_along_axis(x, places, axis=axis_of(axis, x.ndim))  # type: ignore[no-any-return]


def refuse_fields(order: Any) -> None:
    """Refuse an order of fields: there are none.

    Raises:
        OptionError: in NumPy's words.
    """
    if order is not None:
        raise OptionError("Cannot specify order when the array has no fields.")


@surface(np.sort)
def sort(
    b: Builder, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **rest: Any
) -> Expr:
    """``np.sort``."""
    refuse_fields(order)
    x = as_array(b, a)
    x, axis = (ravel(b, x), 0) if axis is None else (x, axis_of(axis, x.ndim))
    return f.sort(x, axis=axis, kind=need_static(kind))  # type: ignore[no-any-return]


@mutator("sort")
def _sort(b: Builder, x: Expr, axis: Any = -1, kind: Any = None, **rest: Any) -> Expr:
    if axis is None:
        raise DTypeError("an array is sorted in place along one axis, not axis=None")
    return sort(b, x, axis, kind, **rest)  # type: ignore[no-any-return]


@surface(np.argsort)
@method("argsort")
def argsort(
    b: Builder, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **rest: Any
) -> Expr:
    """``np.argsort``."""
    refuse_fields(order)
    x, axis = as_array(b, a), known(axis)
    x = ravel(b, x) if axis is None or not x.ndim else x
    axis = axis_of(0 if axis is None else axis, x.ndim)
    return f.argsort(x, axis=axis, kind=need_static(kind))  # type: ignore[no-any-return]


@surface(np.nonzero)
@method("nonzero")
def nonzero(b: Builder, a: Any) -> tuple[Expr, ...]:
    """``np.nonzero``."""
    x = as_array(b, a)
    if not x.ndim:
        raise ShapeError("np.nonzero of a 0-d array")
    return (f.flatnonzero(x),) if x.ndim == 1 else f.nonzero(x)


@surface(np.flatnonzero)
def flatnonzero(b: Builder, a: Any) -> Expr:
    """``np.flatnonzero``."""
    return f.flatnonzero(as_array(b, a))  # type: ignore[no-any-return]


@surface(np.argwhere)
def argwhere(b: Builder, a: Any) -> Expr:
    """``np.argwhere``."""
    return f.argwhere(as_array(b, a))  # type: ignore[no-any-return]


@surface(np.compress)
def compress(b: Builder, condition: Any, a: Any, axis: Any = None) -> Expr:
    """``np.compress``."""
    return take(b, a, f.flatnonzero(as_array(b, condition)), axis)  # type: ignore[no-any-return]


@method("compress")
def _compress(b: Builder, x: Expr, condition: Any, axis: Any = None) -> Expr:
    return compress(b, condition, x, axis)  # type: ignore[no-any-return]


@surface(np.extract)
def extract(b: Builder, condition: Any, arr: Any) -> Expr:
    """``np.extract``."""
    places = f.flatnonzero(ravel(b, as_array(b, condition)))
    return getitem(b, ravel(b, as_array(b, arr)), places)


@surface(np.searchsorted)
def searchsorted(
    b: Builder, a: Any, v: Any, side: Any = "left", sorter: Any = None
) -> Expr:
    """``np.searchsorted``."""
    table = as_array(b, a)
    if sorter is not None:
        table = getitem(b, table, sorter)
    return f.searchsorted(table, as_array(b, v), side=need_static(side))  # type: ignore[no-any-return]


@method("searchsorted")
def _searchsorted(
    b: Builder, x: Expr, v: Any, side: Any = "left", sorter: Any = None
) -> Expr:
    return searchsorted(b, x, v, side, sorter)  # type: ignore[no-any-return]


@surface(np.bincount)
def bincount(b: Builder, x: Any, weights: Any = None, minlength: Any = 0) -> Expr:
    """``np.bincount``."""
    x = known(x)
    x = np.zeros(0, INDEX) if isinstance(x, tuple | list) and not len(x) else x
    places, least = as_array(b, x), Expr(b, length_of(b, minlength))
    if places.ndim != 1 or places.dtype.kind not in "biu":
        raise DTypeError(f"np.bincount needs integers in one axis, got {places.type}")
    if places.dtype.kind == "b":  # as an index it would be a mask
        places = f.astype(places, dtype=INDEX)
    if weights is None:
        return f.bin_counts(places, least)  # type: ignore[no-any-return]
    return f.bin_sums(places, as_array(b, weights), least)  # type: ignore[no-any-return]


@surface(np.ix_)
def ix_(b: Builder, *args: Any) -> tuple[Expr, ...]:
    """``np.ix_``."""
    grids = []
    for i, part in enumerate(args):
        x = as_expr(b, part)
        if x.ndim != 1:
            raise ShapeError(f"np.ix_ needs arrays with one axis, got {x.type}")
        places = f.flatnonzero(x) if x.dtype.kind == "b" else x
        others = tuple(j for j in range(len(args)) if j != i)
        grids.append(f.expand_dims(places, axes=others) if others else places)
    return tuple(grids)


@mutator(np.put_along_axis)
def put_along_axis(
    b: Builder, arr: Expr, indices: Any, values: Any, axis: Any = None
) -> Expr:
    """``np.put_along_axis``."""
    key = along_axis_key(arr, as_array(b, indices), axis_of(axis, arr.ndim))
    return setitem(b, arr, key, values)
