"""Joining and splitting arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ir.builder import Builder
from ..ir.dims import Dimension, add
from ..ir.expr import Expr, f
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .indexing import getitem
from .reshaping import atleast_1d, atleast_2d, atleast_3d, ravel, reshape
from .rules import following as following
from .rules.arguments import as_array, axis_of, dtype_of, integer
from .rules.emission import np_call
from .static import known, need_static
from .table import linear, surface


# ------------------------------------------------------------------------------- types
def _parts(inputs: tuple[Value, ...]) -> list[ArrayType]:
    types = []
    for v in inputs:
        assert isinstance(v.type, ArrayType)
        types.append(v.type)
    return types


def _promoted(types: Sequence[ArrayType]) -> np.dtype[Any]:
    return np.result_type(*(t.dtype for t in types))


def _infer_concatenate(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    types = _parts(inputs)
    shape = list(types[0].shape)
    for t in types[1:]:
        if t.ndim != len(shape):
            raise ShapeError(f"arrays of ranks {len(shape)} and {t.ndim} cannot be joined")
        for i, n in enumerate(t.shape):
            if i == axis:
                shape[i] = add(shape[i], n)
            else:
                shape[i] = _same_length(dims, shape[i], n, types[0], t)
    return ArrayType(_promoted(types), tuple(shape))


def _infer_stack(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    types = _parts(inputs)
    shape = list(types[0].shape)
    for t in types[1:]:
        if t.ndim != len(shape):
            raise ShapeError(f"arrays of ranks {len(shape)} and {t.ndim} cannot be stacked")
        pairs = zip(shape, t.shape, strict=True)
        shape = [_same_length(dims, m, n, types[0], t) for m, n in pairs]
    return ArrayType(_promoted(types), (*shape[:axis], len(types), *shape[axis:]))


def _same_length(
    dims: Any, m: Dimension, n: Dimension, first: ArrayType, other: ArrayType
) -> Dimension:
    try:
        return dims.unify(m, n)  # type: ignore[no-any-return]
    except ShapeError:
        raise ShapeError(
            f"{first} and {other} cannot be joined: lengths {m} and {n}"
        ) from None


# ---------------------------------------------------------------------------- emission
def _emit_joined(name: str) -> Callable[..., ast.expr]:
    def emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
        more = {"axis": ast.Constant(attrs["axis"])} if attrs["axis"] else {}
        return np_call(name, ast.List(inputs), **more)

    return emit


# ------------------------------------------------------------------------------- rules
def along(axis: int, item: Any) -> tuple[Any, ...]:
    """The key that picks ``item`` on one axis."""
    return (*(slice(None),) * axis, item)


def _piece(g: Expr, xs: tuple[Expr, ...], position: int, axis: int) -> Expr:
    lengths = [x.length(axis) for x in xs[: position + 1]]
    start = sum(lengths[1:-1], lengths[0]) if position else None
    stop = sum(lengths[1:], lengths[0]) if position < len(xs) - 1 else None
    return getitem(g.builder, g, along(axis, slice(start, stop)))


linear(
    "concatenate",
    "*xs",
    _infer_concatenate,
    _emit_joined("concatenate"),
    attrs={"axis": REQUIRED},
    transpose={"xs": _piece},
    traits="joins allocates",
    follow=following.joined,
    doc="Arrays joined along an axis.",
)
linear(
    "stack",
    "*xs",
    _infer_stack,
    _emit_joined("stack"),
    attrs={"axis": REQUIRED},
    transpose={
        "xs": lambda g, position, axis: getitem(g.builder, g, along(axis, position))
    },
    traits="joins allocates",
    follow=following.stacked,
    doc="Arrays joined along a new axis.",
)


# --------------------------------------------------------------------------- the surface
def _listed(b: Builder, arrays: Any) -> list[Expr]:
    arrays = known(arrays)
    if isinstance(arrays, Expr):
        count = need_static(arrays.length(0))
        arrays = [getitem(b, arrays, i) for i in range(count)]
    if not len(arrays):
        raise ShapeError("at least one array is needed to join")
    return [as_array(b, x) for x in arrays]


def _cast(out: Expr, dtype: Any, casting: Any = "same_kind") -> Expr:
    wanted = out.dtype if dtype is None else dtype_of(dtype)
    rule = need_static(casting)
    if not np.can_cast(out.dtype, wanted, rule):
        raise DTypeError(f"{out.dtype} is not cast to {wanted} by the rule {rule!r}")
    return out if wanted == out.dtype else f.astype(out, dtype=wanted)


def join(b: Builder, arrays: Sequence[Expr], axis: int) -> Expr:
    """The op ``concatenate`` on arrays of rank 1 or more."""
    if any(not x.ndim for x in arrays):
        raise ShapeError("0-d arrays cannot be joined; np.stack or np.array can take them")
    return Expr(b, b.op("concatenate", *(x.value for x in arrays), axis=axis))


@surface(np.concatenate, np.concat)
def concatenate(
    b: Builder, arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None,
    casting: Any = "same_kind",
) -> Expr:  # fmt: skip
    """``np.concatenate``."""
    listed = _listed(b, arrays)
    if axis is None:
        return _cast(join(b, [ravel(b, x) for x in listed], 0), dtype, casting)
    place = axis_of(axis, listed[0].ndim) if listed[0].ndim else 0
    return _cast(join(b, listed, place), dtype, casting)


@surface(np.stack)
def stack(
    b: Builder, arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None,
    casting: Any = "same_kind",
) -> Expr:  # fmt: skip
    """``np.stack``."""
    listed = _listed(b, arrays)
    place = axis_of(axis, listed[0].ndim + 1)
    return _cast(
        Expr(b, b.op("stack", *(x.value for x in listed), axis=place)), dtype, casting
    )


@surface(np.vstack)
def vstack(b: Builder, tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Expr:
    """``np.vstack``."""
    return _cast(join(b, [atleast_2d(b, x) for x in _listed(b, tup)], 0), dtype, casting)


@surface(np.hstack)
def hstack(b: Builder, tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Expr:
    """``np.hstack``."""
    listed = [atleast_1d(b, x) for x in _listed(b, tup)]
    return _cast(join(b, listed, 0 if listed[0].ndim == 1 else 1), dtype, casting)


@surface(np.dstack)
def dstack(b: Builder, tup: Any) -> Expr:
    """``np.dstack``."""
    return join(b, [atleast_3d(b, x) for x in _listed(b, tup)], 2)


@surface(np.column_stack)
def column_stack(b: Builder, tup: Any) -> Expr:
    """``np.column_stack``."""
    listed = [atleast_1d(b, x) for x in _listed(b, tup)]
    columns = [f.expand_dims(x, axes=(1,)) if x.ndim == 1 else x for x in listed]
    return join(b, columns, 1)


@surface(np.append)
def append(b: Builder, arr: Any, values: Any, axis: Any = None) -> Expr:
    """``np.append``."""
    return concatenate(b, [arr, values], axis)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------- splits
def _pieces(b: Builder, x: Expr, bounds: Sequence[Any], axis: int) -> list[Expr]:
    ends = [None, *bounds, None]
    return [getitem(b, x, along(axis, slice(lo, hi))) for lo, hi in pairwise(ends)]


@surface(np.array_split)
def array_split(
    b: Builder, ary: Any, indices_or_sections: Any, axis: Any = 0
) -> list[Expr]:
    """``np.array_split``."""
    x = as_array(b, ary)
    place = axis_of(axis, x.ndim)
    cuts = known(indices_or_sections)
    if isinstance(cuts, np.ndarray):
        cuts = cuts.tolist()
    if isinstance(cuts, Expr) and cuts.ndim:
        cuts = [f.item(getitem(b, cuts, i), kind="int") for i in range(_count(cuts))]
    if isinstance(cuts, tuple | list):
        return _pieces(b, x, cuts, place)
    count = integer(cuts, "the number of sections")
    if count < 1:
        raise ShapeError(f"an axis cannot be split into {count} parts")
    each, more = divmod(need_static(x.length(place)), count)
    return _pieces(b, x, [i * each + min(i, more) for i in range(1, count)], place)


@surface(np.split)
def split(b: Builder, ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Expr]:
    """``np.split``."""
    x = as_array(b, ary)
    place = axis_of(axis, x.ndim)
    cuts = known(indices_or_sections)
    if isinstance(cuts, tuple | list | np.ndarray) or isinstance(cuts, Expr) and cuts.ndim:
        return array_split(b, x, cuts, place)  # type: ignore[no-any-return]
    count = integer(cuts, "the number of sections")
    n = x.length(place)
    if isinstance(n, int) and n % count:
        raise ShapeError(f"an axis of length {n} cannot be split into {count} equal parts")
    if isinstance(n, int):
        return _pieces(b, x, [i * (n // count) for i in range(1, count)], place)
    # NumPy's reshape refuses a length that does not divide, as np.split does.
    part = n // count  # not -1, which an empty array does not have
    whole = reshape(b, x, (*x.shape[:place], count, part, *x.shape[place + 1 :]))
    return [getitem(b, whole, along(place, i)) for i in range(count)]


def _count(x: Expr) -> int:
    return int(need_static(x.length(0)))


def _split_along(axis: Callable[[Expr], int], rank: int) -> Callable[..., Any]:
    def call(b: Builder, ary: Any, indices_or_sections: Any) -> Any:
        x = as_array(b, ary)
        if x.ndim < rank:
            raise ShapeError(f"an array of rank {rank} or more is needed, got {x.type}")
        return split(b, x, indices_or_sections, axis(x))

    return call


surface(np.hsplit)(_split_along(lambda x: 0 if x.ndim == 1 else 1, 1))
surface(np.vsplit)(_split_along(lambda x: 0, 2))
surface(np.dsplit)(_split_along(lambda x: 2, 3))
