"""Moving and repeating entries: flip, roll, rot90, tile, repeat, pad, meshgrid."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.dims import add, multiply
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .indexing import getitem
from .joining import along
from .padding import STATISTICS, by_side, pairs
from .reshaping import broadcast_lengths, broadcast_to, permute, ravel
from .rules import batching as batching
from .rules import following as following
from .rules.arguments import (
    as_array,
    as_expr,
    axes_of,
    axis_of,
    dtype_of,
    integer,
    length_of,
    lengths_of,
)
from .rules.emission import np_call, shape_tuple
from .rules.infer import as_dimension, same
from .static import known, need_static
from .table import linear, method, nondiff, surface

REVERSED = slice(None, None, -1)


# ------------------------------------------------------------------------------- types
def _array(value: Value) -> ArrayType:
    assert isinstance(value.type, ArrayType)
    return value.type


def _infer_tile(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t, reps = _array(inputs[0]), [as_dimension(dims, v) for v in inputs[1:]]
    pairs = zip(t.shape, reps, strict=True)
    return ArrayType(t.dtype, tuple(multiply(n, r) for n, r in pairs))


def _infer_repeat(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    t, count = _array(inputs[0]), as_dimension(dims, inputs[1])
    shape = [multiply(n, count) if i == axis else n for i, n in enumerate(t.shape)]
    return ArrayType(t.dtype, tuple(shape))


def _infer_places(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return ArrayType(np.dtype(np.intp), (dims.fresh("count"),))


def _infer_padded_places(dims: Any, inputs: tuple[Value, ...], mode: str) -> Type:
    n, before, after = (as_dimension(dims, v) for v in inputs)
    return ArrayType(np.dtype(np.intp), (add(n, add(before, after)),))


def _infer_pad(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t, widths = _array(inputs[0]), [as_dimension(dims, v) for v in inputs[2:]]
    shape = (add(n, add(*widths[2 * i : 2 * i + 2])) for i, n in enumerate(t.shape))
    return ArrayType(t.dtype, tuple(shape))


# ---------------------------------------------------------------------------- emission
def _emit_tile(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return np_call("tile", inputs[0], shape_tuple(inputs[1:]))


def _emit_roll(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    axes = shape_tuple([ast.Constant(a) for a in attrs["axes"]])
    return np_call("roll", inputs[0], shape_tuple(inputs[1:]), axis=axes)


def _emit_pad(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    x, value, *widths = inputs
    pairs: list[ast.expr] = [ast.Tuple(widths[i : i + 2]) for i in range(0, len(widths), 2)]
    zero = isinstance(value, ast.Constant) and value.value == 0
    more = {} if zero else {"constant_values": value}
    return np_call("pad", x, pairs[0] if len(pairs) == 1 else ast.Tuple(pairs), **more)


def _emit_padded_places(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    n, before, after = inputs
    mode = ast.Constant(attrs["mode"])
    return np_call("pad", np_call("arange", n), ast.Tuple([before, after]), mode=mode)


# ------------------------------------------------------------------------------- rules
def _untile(g: Expr, x: Expr, reps: tuple[Expr, ...]) -> Expr:
    lengths: list[Any] = []
    for r, n in zip(reps, x.shape, strict=True):
        lengths += [r, n]
    split = f.reshape(g, *lengths)
    return f.sum(split, axis=tuple(range(0, 2 * x.ndim, 2)))  # type: ignore[no-any-return]


def _unrepeat(g: Expr, x: Expr, count: Expr, axis: int) -> Expr:
    lengths = [*x.shape[: axis + 1], count, *x.shape[axis + 1 :]]
    return f.sum(f.reshape(g, *lengths), axis=(axis + 1,))  # type: ignore[no-any-return]


def _inside(g: Expr, x: Expr, widths: tuple[Expr, ...]) -> Expr:
    """The part of a padded array that ``x`` fills."""
    key = []
    for i in range(x.ndim):
        before, after = (known(w) for w in widths[2 * i : 2 * i + 2])
        if isinstance(after, int):
            stop = -after if after else None
        else:
            stop = before + x.length(i)
        key.append(slice(before, stop))
    return getitem(g.builder, g, tuple(key))


linear(
    "tile",
    "x *reps",
    _infer_tile,
    _emit_tile,
    transpose={"x": _untile},
    traits="moves allocates",
    batch=batching.tile,
    doc="The whole array repeated along each axis.",
)
linear(
    "repeat",
    "x count",
    _infer_repeat,
    "np.repeat(x, count, axis=axis)",
    attrs={"axis": REQUIRED},
    transpose={"x": _unrepeat},
    traits="moves allocates",
    doc="Each entry repeated along an axis.",
)
linear(
    "roll",
    "x *shifts",
    same,
    _emit_roll,
    attrs={"axes": REQUIRED},
    transpose={"x": lambda g, shifts, axes: f.roll(g, *(-s for s in shifts), axes=axes)},
    traits="moves allocates",
    follow=following.rolled,
    doc="Entries shifted along axes, those pushed out coming in at the other end.",
)
linear(
    "pad",
    "x value *widths",
    _infer_pad,
    _emit_pad,
    transpose={
        "x": lambda g, x, widths: _inside(g, x, widths),
        "value": lambda g, x, widths: f.sum(g) - f.sum(_inside(g, x, widths)),
    },
    traits="allocates",
    batch=batching.pad,
    follow=following.padded,
    doc="x in a frame of one value; widths before and after each axis.",
)
nondiff(
    "padded_places", "n before after", _infer_padded_places, _emit_padded_places,
    attrs={"mode": REQUIRED}, traits="allocates",
    doc="Which entries of an axis a padded axis repeats.",
)  # fmt: skip
nondiff(
    "repeated_places", "n repeats", _infer_places, "np.repeat(np.arange(n), repeats)",
    traits="allocates", doc="Which entries of an axis come in turn, each repeated as told.",
)  # fmt: skip


# --------------------------------------------------------------------- flips and rotations
@surface(np.flip)
def flip(b: Builder, m: Any, axis: Any = None) -> Expr:
    """``np.flip``."""
    x = as_array(b, m)
    axes = range(x.ndim) if axis is None else axes_of(axis, x.ndim)
    return getitem(
        b, x, tuple(REVERSED if i in axes else slice(None) for i in range(x.ndim))
    )


@surface(np.flipud)
def flipud(b: Builder, m: Any) -> Expr:
    """``np.flipud``."""
    return flip(b, m, 0)  # type: ignore[no-any-return]


@surface(np.fliplr)
def fliplr(b: Builder, m: Any) -> Expr:
    """``np.fliplr``."""
    return flip(b, m, 1)  # type: ignore[no-any-return]


@surface(np.rot90)
def rot90(b: Builder, m: Any, k: Any = 1, axes: Any = (0, 1)) -> Expr:
    """``np.rot90``."""
    x = as_array(b, m)
    i, j = axes_of(axes, x.ndim)
    turns = integer(k, "k") % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(b, x, (i, j))  # type: ignore[no-any-return]
    order = list(range(x.ndim))
    order[i], order[j] = j, i
    if turns == 1:
        return permute(flip(b, x, j), order)
    return flip(b, permute(x, order), j)  # type: ignore[no-any-return]


@surface(np.roll)
def roll(b: Builder, a: Any, shift: Any, axis: Any = None) -> Expr:
    """``np.roll``."""
    x = as_array(b, a)
    if axis is None:
        flat = roll(b, ravel(b, x), shift, 0)
        return flat if x.ndim == 1 else f.reshape(flat, *x.shape)  # type: ignore[no-any-return]
    listed = known(axis) if isinstance(known(axis), tuple | list) else (axis,)
    axes, shifts = tuple(axis_of(a, x.ndim) for a in listed), lengths_of(b, shift)
    count = max(len(axes), len(shifts))
    axes, shifts = axes * (count // len(axes)), shifts * (count // len(shifts))
    return Expr(b, b.op("roll", x.value, *shifts, axes=axes))


# -------------------------------------------------------------------------- repetitions
@surface(np.tile)
def tile(b: Builder, A: Any, reps: Any) -> Expr:
    """``np.tile``."""
    x, counts = as_array(b, A), lengths_of(b, reps)
    if len(counts) > x.ndim:
        x = f.expand_dims(x, axes=tuple(range(len(counts) - x.ndim)))
    counts = [b.const(1)] * (x.ndim - len(counts)) + counts
    return Expr(b, b.op("tile", x.value, *counts))


@surface(np.repeat)
@method("repeat")
def repeat(b: Builder, a: Any, repeats: Any, axis: Any = None) -> Expr:
    """``np.repeat``."""
    x = as_array(b, a)
    x, place = (ravel(b, x), 0) if axis is None else (x, axis_of(axis, x.ndim))
    counts = as_expr(b, repeats)
    if not counts.ndim:
        return Expr(b, b.op("repeat", x.value, length_of(b, repeats), axis=place))
    places = b.op("repeated_places", lift(b, x.length(place)), counts.value)
    return getitem(b, x, along(place, Expr(b, places)))


# ------------------------------------------------------------------------------ padding
def _widths(b: Builder, width: Any, ndim: int) -> list[tuple[Any, Any]]:
    """``pad_width`` as a pair for each axis."""
    width = known(width)
    if not isinstance(width, dict):
        return pairs(b, width, ndim)
    given = {axis_of(a, ndim): pairs(b, w, 1)[0] for a, w in width.items()}
    return [given.get(i, (0, 0)) for i in range(ndim)]


REPEATED = ("constant", "empty", "edge", "reflect", "symmetric", "wrap")
COMPUTED = ("linear_ramp", *STATISTICS)


def _is_one(value: Any) -> bool:
    return not isinstance(value, tuple | list) and not getattr(value, "ndim", 0)


@surface(np.pad)
def pad(
    b: Builder, array: Any, pad_width: Any, mode: Any = "constant", **options: Any
) -> Expr:
    """``np.pad``."""
    x, mode = as_array(b, array), need_static(mode)
    if not x.ndim:
        return x
    widths = _widths(b, pad_width, x.ndim)
    value = known(options.get("constant_values", 0))
    if mode == "constant" and not _is_one(value) or mode in COMPUTED:
        return by_side(b, x, widths, mode, dict(options))
    if mode == "constant":
        options.pop("constant_values", None)
    odd = False
    if mode in ("reflect", "symmetric"):
        odd = _is_odd(options.pop("reflect_type", "even"))
    if options or mode not in REPEATED:
        told = "".join(f", {k}=..." for k in options)
        raise UnsupportedFunctionError(f"np.pad with mode={mode!r}{told} is not supported")
    flat = [length_of(b, w) for pair in widths for w in pair]
    if odd:
        return Expr(b, b.op("pad_turned", x.value, *flat, mode=mode))
    if mode in ("constant", "empty"):
        return Expr(b, b.op("pad", x.value, as_expr(b, value).value, *flat))
    for axis, (before, after) in enumerate(widths):
        if before == 0 == after:
            continue
        ends = [length_of(b, n) for n in (x.length(axis), before, after)]
        places = Expr(b, b.op("padded_places", *ends, mode=mode))
        x = getitem(b, x, along(axis, places))
    return x


def _is_odd(kind: Any) -> bool:
    kind = need_static(kind)
    if kind not in ("even", "odd"):
        raise UnsupportedFunctionError(
            f"np.pad: reflect_type={kind!r} is none of even, odd"
        )
    return bool(kind == "odd")


# -------------------------------------------------------------------------------- grids
@surface(np.meshgrid)
def meshgrid(
    b: Builder, *xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy"
) -> tuple[Expr, ...]:
    """``np.meshgrid``."""
    order = list(range(len(xi)))
    if need_static(indexing) not in ("xy", "ij"):
        raise ShapeError(f"np.meshgrid: indexing={indexing!r} is none of xy, ij")
    if need_static(indexing) == "xy" and len(xi) > 1:
        order[:2] = [1, 0]
    grids = []
    for place, x in zip(order, xi, strict=True):
        flat = ravel(b, as_array(b, x))
        others = tuple(i for i in range(len(xi)) if i != place)
        grids.append(f.expand_dims(flat, axes=others) if others else flat)
    if need_static(sparse):
        return tuple(grids)
    return tuple(_spread(b, grids, need_static(copy)))


def _spread(b: Builder, grids: Sequence[Expr], copy: bool) -> list[Expr]:
    lengths = broadcast_lengths(b, grids)
    spread = [broadcast_to(b, g, lengths) for g in grids]
    return [f.copy(s) for s in spread] if copy else spread


@surface(np.indices)
def indices(b: Builder, dimensions: Any, dtype: Any = int, sparse: Any = False) -> Any:
    """``np.indices``."""
    lengths = lengths_of(b, dimensions)
    counts = []
    for n in lengths:
        counts.append(
            Expr(b, b.op("arange", b.const(0), n, b.const(1), dtype=dtype_of(dtype)))
        )
    grids = meshgrid(b, *counts, copy=False, sparse=sparse, indexing="ij")
    if need_static(sparse):
        return grids
    return Expr(b, b.op("stack", *(g.value for g in grids), axis=0))
