"""Partitions, running extremes, rows of powers, and entries taken out or put between others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.dims import add
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from .composed import composed
from .elementwise import PYTHON, refuse
from .indexing import getitem
from .joining import along, concatenate, join
from .reshaping import broadcast_to, moveaxis, ravel
from .rules.arguments import (
    as_array,
    as_expr,
    axis_of,
    length_of,
    lengths_of,
    single_axis_of,
)
from .rules.infer import same
from .selection import _scatter_along, refuse_fields
from .static import known, need_static
from .table import SURFACE, mutator, nondiff, op, surface

INDEX = np.dtype(np.intp)


# ----------------------------------------------------------------------------- partition
def _rank(x: Expr, axis: int) -> Expr:
    return f.argsort(x, axis=axis)  # type: ignore[no-any-return]


def _partition_vjp(acc: Expr, g: Expr, out: Expr, x: Expr, axis: int) -> Any:
    """The k-th smallest entry of x went to where the k-th smallest entry of out is."""
    ordered = f.take_along_axis(g, _rank(out, axis), axis=axis)
    return _scatter_along(acc, ordered, x, _rank(x, axis), axis, once=True)


def _partition_jvp(t: Expr, out: Expr, x: Expr, axis: int) -> Any:
    ordered = f.take_along_axis(t, _rank(x, axis), axis=axis)
    return f.take_along_axis(ordered, _rank(_rank(out, axis), axis), axis=axis)


op(
    "partition", "x", same, "np.partition(x, kth, axis=axis)",
    attrs={"kth": REQUIRED, "axis": REQUIRED}, vjp={"x": _partition_vjp},
    jvp={"x": _partition_jvp}, traits="allocates",
    kink="ties follow the order that np.argsort gives",
    doc="The k-th entry in its place, smaller ones before it, larger ones after.",
)  # fmt: skip


@surface(np.partition)
def partition(
    b: Builder,
    a: Any,
    kth: Any,
    axis: Any = -1,
    kind: Any = "introselect",
    order: Any = None,
) -> Any:
    """``np.partition``."""
    refuse("np.partition", {"kind": kind}, kind="introselect")
    refuse_fields(order)
    x, axis = as_array(b, a), known(axis)
    x, place = (ravel(b, x), 0) if axis is None else (x, axis_of(axis, x.ndim))
    places = need_static(kth)
    listed = isinstance(places, tuple | list | np.ndarray)
    return f.partition(
        x, kth=tuple(map(int, places)) if listed else int(places), axis=place
    )


@mutator("partition")
def _partition(b: Builder, x: Expr, kth: Any, axis: Any = -1, **options: Any) -> Any:
    return partition(b, x, kth, axis, **options)


@surface(np.sort_complex)
def sort_complex(b: Builder, a: Any) -> Any:
    """``np.sort_complex``."""
    x = as_array(b, a)
    ordered = f.sort(x, axis=x.ndim - 1)
    if x.dtype.kind == "c":
        return ordered
    small = x.dtype.itemsize <= 2 and x.dtype.kind in "iu"
    return f.astype(ordered, dtype=np.dtype(np.complex64 if small else np.complex128))


# ------------------------------------------------------------------------ running extremes
def _running(name: str) -> Any:
    def by(x: Expr, axis: int) -> Any:
        b = x.builder
        ends = (b.const(0), lift(b, x.length(axis)), b.const(1))
        count = Expr(b, b.op("arange", *ends, dtype=INDEX))
        others = tuple(i for i in range(x.ndim) if i != axis)
        steps = f.expand_dims(count, axes=others) if others else count
        set_here = f.equal(x, getattr(f, name)(x, axis=axis))
        return f.take_along_axis(
            x, f.running_maximum(f.where(set_here, steps, 0), axis=axis), axis=axis
        )

    return by


for _name in ("maximum", "minimum"):
    composed(
        f"running_{_name}", "x", f"np.{_name}.accumulate(x, axis=axis)",
        _running(f"running_{_name}"), attrs={"axis": REQUIRED},
        infer=lambda dims, inputs, axis: inputs[0].type,
        kink="of equal entries the latest", doc=f"The {_name} so far along an axis.",
    )  # fmt: skip

    def _accumulate(
        b: Any, array: Any, axis: Any = 0, dtype: Any = None, _n: str = _name
    ) -> Any:
        x = as_array(b, array)
        if dtype is not None:
            x = f.astype(x, dtype=np.dtype(need_static(dtype)))
        return getattr(f, f"running_{_n}")(x, axis=single_axis_of(axis, x.ndim))

    SURFACE[getattr(np, _name).accumulate] = _accumulate


# -------------------------------------------------------------------------------- vander
def _vander(x: Expr, n: Expr, increasing: bool) -> Any:
    b = x.builder
    ends = (b.const(0), n.value, b.const(1))
    steps = Expr(b, b.op("arange", *ends, dtype=INDEX))
    powers = steps if increasing else n - 1 - steps
    return f.power(f.expand_dims(x, axes=(1,)), powers)


composed("vander", "x n", "np.vander(x, n, increasing=increasing)", _vander, wrt="x",
         attrs={"increasing": False}, doc="The powers of each entry in a row.")  # fmt: skip


@surface(np.vander)
def vander(b: Builder, x: Any, N: Any = None, increasing: Any = False) -> Any:
    """``np.vander``."""
    base = as_array(b, x)
    if base.ndim != 1:
        raise ShapeError(f"np.vander needs an array with one axis, got {base.type}")
    count = Expr(b, length_of(b, base.length(0) if N is None else N))
    return f.vander(base, count, increasing=bool(need_static(increasing)))


# ------------------------------------------------------------------ taken out, put between
def _infer_kept(dims: Any, inputs: tuple[Value, ...]) -> Type:
    n, gone = inputs
    one = isinstance(gone.type, ArrayType) and not gone.type.shape or gone.type.ndim == 0  # type: ignore[union-attr]
    if one and n.dim is not None:
        return ArrayType(INDEX, (add(dims.canonical(n.dim), -1),))
    return ArrayType(INDEX, (dims.fresh("count"),))


nondiff("kept_places", "n gone", _infer_kept, "np.delete(np.arange(n), gone)",
        traits="allocates distinct places",
        doc="Positions without those that are deleted.")  # fmt: skip


def _infer_mixed(dims: Any, inputs: tuple[Value, ...]) -> Type:
    n, _, count = inputs
    length = add(dims.canonical(n.dim), dims.canonical(count.dim))
    return ArrayType(INDEX, (length,))


nondiff(
    "mixed_places", "n before count", _infer_mixed,
    "np.insert(np.arange(n), before, np.arange(n, n + count))", traits="allocates distinct",
    doc="Positions in an array and in what is inserted, which follows it, in their new order.",
)  # fmt: skip


def _flat(b: Builder, arr: Any, axis: Any) -> tuple[Expr, int]:
    x, axis = as_array(b, arr), known(axis)
    if axis is None:
        return ravel(b, x), 0
    return x, axis_of(axis, x.ndim)


def _places(b: Builder, n: Any, obj: Any) -> Expr:
    """Positions given as numbers or as a slice."""
    if isinstance(obj, slice):
        ends = (b.const(0), lift(b, n), b.const(1))
        return getitem(b, Expr(b, b.op("arange", *ends, dtype=INDEX)), obj)
    places = known(obj)
    if isinstance(places, tuple | list) and not len(places):
        places = np.zeros(0, INDEX)
    return as_expr(b, places)


@surface(np.delete)
def delete(b: Builder, arr: Any, obj: Any, axis: Any = None) -> Any:
    """``np.delete``."""
    x, place = _flat(b, arr, axis)
    n = x.length(place)
    gone = _places(b, n, obj)
    kept = b.op("kept_places", lift(b, n), gone.value)
    return getitem(b, x, along(place, Expr(b, kept)))


@surface(np.insert)
def insert(b: Builder, arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """``np.insert``."""
    x, place = _flat(b, arr, axis)
    n, new = x.length(place), as_array(b, values)
    before = _places(b, n, obj)
    if before.ndim == 0 and new.ndim == x.ndim - 1 and x.ndim > 1:
        new = f.expand_dims(new, axes=(place,))
    elif before.ndim == 0 and x.ndim > 1:
        new = moveaxis(b, new, 0, place) if new.ndim == x.ndim else new
    several = before.length(0) if before.ndim else 1
    count = new.length(place) if before.ndim == 0 and new.ndim == x.ndim else several
    spread = broadcast_to(b, new, (*x.shape[:place], count, *x.shape[place + 1 :]))
    if spread.dtype != x.dtype:
        spread = f.astype(spread, dtype=x.dtype)
    inputs = (lift(b, n), before.value, lift(b, count))
    order = Expr(b, b.op("mixed_places", *inputs))
    return getitem(b, join(b, [x, spread], place), along(place, order))


@surface(np.resize)
def resize(b: Builder, a: Any, new_shape: Any) -> Any:
    """``np.resize``."""
    x, lengths = ravel(b, as_array(b, a)), [Expr(b, n) for n in lengths_of(b, new_shape)]
    total: Any = 1
    for n in lengths:
        total = n * total
    if known(x.length(0)) == 0:
        return Expr(b, b.op("zeros", *(lift(b, n) for n in lengths), dtype=x.dtype))
    ends = (b.const(0), lift(b, total), b.const(1))
    steps = Expr(b, b.op("arange", *ends, dtype=INDEX))
    return f.reshape(getitem(b, x, steps % x.length(0)), *lengths)


@surface(*[u for u in [getattr(np, "unstack", None)] if u is not None])
def unstack(b: Builder, x: Any, /, *, axis: Any = 0) -> Any:
    """``np.unstack``."""
    value = as_array(b, x)
    place = known(axis)
    place = tuple(place) if isinstance(place, list) else place
    place = single_axis_of(place, value.ndim)
    count = need_static(value.length(place))
    return tuple(getitem(b, value, along(place, i)) for i in range(count))


# ------------------------------------------------------------------------- blocks, r_, c_
@surface(np.block)
def block(b: Builder, arrays: Any) -> Any:
    """``np.block``."""
    depth = _depth(arrays)
    if any(isinstance(part, tuple) for part in (arrays, *_leaves(arrays))):
        raise DTypeError("np.block takes lists of blocks, not tuples")
    rank = max(depth, *(as_expr(b, leaf).ndim for leaf in _leaves(arrays)))
    return _block(b, arrays, rank, depth)


def _depth(x: Any) -> int:
    return 1 + _depth(x[0]) if isinstance(x, list) else 0


def _leaves(x: Any) -> list[Any]:
    return [leaf for item in x for leaf in _leaves(item)] if isinstance(x, list) else [x]


def _block(b: Builder, x: Any, rank: int, depth: int) -> Expr:
    if not isinstance(x, list):
        value = as_array(b, x)
        missing = tuple(range(rank - value.ndim))
        return f.expand_dims(value, axes=missing) if missing else value
    if not x:
        raise ShapeError("np.block: a list of blocks is empty")
    return join(b, [_block(b, item, rank, depth - 1) for item in x], rank - depth)


def _joined(axis: int, rank: int, place: int) -> Any:
    """``np.r_`` and ``np.c_``: how they join, if a text in front does not say otherwise.

    Args:
        axis: which axis parts are joined along.
        rank: how many axes a part has at least.
        place: where the axes of a part of lower rank go; -1 for the last ones.
    """

    def call(b: Builder, key: Any) -> Any:
        parts = list(key) if isinstance(key, tuple) else [key]
        how = (axis, rank, place)
        if isinstance(parts[0], str):
            how = _directive(parts.pop(0), how)
        return concatenate(
            b, [_part(b, p, *how[1:]) for p in _strengthened(b, parts)], how[0]
        )

    return call


def _strengthened(b: Builder, parts: list[Any]) -> list[Any]:
    """Python's numbers in the dtype that they have beside arrays."""
    values = [p if isinstance(p, slice) else as_expr(b, p) for p in parts]
    strong = [v.dtype for v in values if isinstance(v, Expr) and v.ndim]
    if not strong:
        return values
    return [
        f.asarray(v, dtype=np.result_type(*strong, PYTHON.get(v.type.kind, bool)(0)))
        if isinstance(v, Expr) and isinstance(v.type, ScalarType)
        else v
        for v in values
    ]


def _directive(text: str, default: tuple[int, int, int]) -> tuple[int, int, int]:
    try:
        numbers = [int(n) for n in text.split(",")]
    except ValueError:
        raise UnsupportedFunctionError(
            f"{text!r} would make an np.matrix, which is deprecated: arrays have two axes too"
        ) from None
    axis, rank, place = (*numbers, *default[len(numbers) :])
    return axis, rank, place


def _part(b: Builder, item: Any, rank: int, place: int) -> Expr:
    x = _range(b, item) if isinstance(item, slice) else as_array(b, item)
    more = rank - x.ndim
    if more <= 0:
        return x
    first = place if place >= 0 else place + more + 1
    if not x.ndim or place == -1:
        first = more
    axes = tuple(i for i in range(rank) if not first <= i < first + x.ndim)
    return f.expand_dims(x, axes=axes)  # type: ignore[no-any-return]


def _range(b: Builder, item: slice) -> Any:
    start, step = (0 if item.start is None else item.start), known(item.step)
    if isinstance(step, complex):
        return SURFACE[np.linspace](b, start, item.stop, int(abs(step)))
    return SURFACE[np.arange](b, start, item.stop, 1 if step is None else step)


SURFACE[np.r_] = _joined(0, 1, -1)
SURFACE[np.c_] = _joined(-1, 2, 0)
