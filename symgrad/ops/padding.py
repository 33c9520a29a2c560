"""``np.pad`` beyond one value and repeated entries: ramps, statistics, values by side; and
``np.linspace`` between arrays."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr, f, lift
from ..ir.indexing import FULL, Slice
from ..ir.opdef import REQUIRED
from .composed import composed
from .indexing import getitem
from .joining import along, join
from .reshaping import broadcast_to
from .rules.arguments import as_array, dtype_of, integer, length_of
from .rules.emission import np_call
from .static import known, need_static

STATISTICS = {"maximum": "max", "minimum": "min", "mean": "mean", "median": "median"}


# -------------------------------------------------------------------- between two arrays
def _linspace(start: Expr, stop: Expr, num: Expr, endpoint: bool) -> Any:
    b, dtype = start.builder, np.result_type(start.dtype, stop.dtype, 0.0)
    first, last = (
        v if v.dtype == dtype else f.astype(v, dtype=dtype) for v in (start, stop)
    )
    ends = (b.const(0), num.value, b.const(1))
    counted = Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))
    steps = f.astype(counted, dtype=np.zeros(0, dtype).real.dtype)
    span = last - first
    if span.ndim:
        steps = f.expand_dims(steps, axes=tuple(range(1, span.ndim + 1)))
    gaps = f.maximum(num - 1, 1) if endpoint else num
    return first + steps / gaps * span


composed(
    "linspace_of", "start stop num", "np.linspace(start, stop, num, endpoint=endpoint)",
    _linspace, wrt="start stop", attrs={"endpoint": True},
    doc="Numbers at equal distances between the entries of two arrays, along the first axis.",
)  # fmt: skip


def linspace_of(b: Builder, start: Any, stop: Any, num: Any, endpoint: bool) -> Expr:
    """``np.linspace`` along the first axis."""
    ends = (as_array(b, start), as_array(b, stop), Expr(b, length_of(b, num)))
    return f.linspace_of(*ends, endpoint=endpoint)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------- padding
Pair = tuple[Any, Any]


def pairs(b: Builder, given: Any, ndim: int) -> list[Pair]:
    """One value, a pair for all axes, or a pair for each axis."""
    given = _listed(b, known(given))
    if not isinstance(given, list):
        return [(given, given)] * ndim
    if not any(isinstance(g, list) for g in given):
        return [_pair(given)] * ndim
    if len(given) not in (1, ndim) or not all(isinstance(g, list) for g in given):
        raise ShapeError(f"np.pad: one pair, or {ndim}, for {ndim} axes")
    rows = [_pair(g) for g in given]
    return rows * ndim if len(rows) == 1 else rows


def _listed(b: Builder, x: Any) -> Any:
    """Tuples and arrays as lists."""
    if isinstance(x, Expr) and x.ndim:
        x = [getitem(b, x, i) for i in range(need_static(x.length(0)))]
    if isinstance(x, np.ndarray):
        x = x.tolist()
    return [_listed(b, item) for item in x] if isinstance(x, tuple | list) else x


def _pair(values: list[Any]) -> Pair:
    if len(values) not in (1, 2):
        raise ShapeError(f"np.pad: one value or two for an axis, got {len(values)}")
    return values[0], values[-1]


def by_side(
    b: Builder, x: Expr, widths: list[Pair], mode: str, options: dict[str, Any]
) -> Expr:
    """Padding whose values are computed, one axis after the other as NumPy does it."""
    key = {"constant": "constant_values", "linear_ramp": "end_values"}.get(
        mode, "stat_length"
    )
    given = pairs(b, options.pop(key, None if key == "stat_length" else 0), x.ndim)
    if options:
        listed = ", ".join(f"{k}=" for k in options)
        raise UnsupportedFunctionError(f"np.pad with mode={mode!r} does not take {listed}")
    for axis, (width, value) in enumerate(zip(widths, given, strict=True)):
        parts = [x]
        for side in (0, 1):
            if known(width[side]) != 0:
                part = _side(b, x, axis, side, width[side], mode, value[side])
                parts.insert(0 if side == 0 else len(parts), part)
        x = join(b, parts, axis) if len(parts) > 1 else x
    return x


def _side(
    b: Builder, x: Expr, axis: int, side: int, width: Any, mode: str, value: Any
) -> Expr:
    count = Expr(b, length_of(b, width))
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    if mode == "constant":
        return _cast(broadcast_to(b, as_array(b, value), shape), x.dtype)
    edge = f.index(
        x, index=(*(FULL,) * axis, Slice(0, 1) if side == 0 else Slice(-1, None))
    )
    if mode == "linear_ramp":
        return _ramp(b, x, edge, axis, side, count, value)
    part = x
    if value is not None:
        n = integer(value, "stat_length")
        part = getitem(b, x, along(axis, slice(None, n) if side == 0 else slice(-n, None)))
    found = getattr(f, STATISTICS[mode])(part, axis=(axis,), keepdims=True)
    return broadcast_to(b, _cast(found, x.dtype), shape)  # type: ignore[no-any-return]


def _ramp(
    b: Builder, x: Expr, edge: Expr, axis: int, side: int, count: Expr, value: Any
) -> Expr:
    flat = f.squeeze(edge, axes=(axis,))
    end = _cast(as_array(b, value), x.dtype)
    ramp = linspace_of(b, end, flat, count, False)
    order = (*range(1, axis + 1), 0, *range(axis + 1, x.ndim))
    ramp = f.transpose(ramp, axes=order) if axis else ramp
    if side:
        ramp = getitem(b, ramp, along(axis, slice(None, None, -1)))
    if x.dtype.kind in "iu":
        ramp = f.floor(ramp)
    return _cast(ramp, x.dtype)


# --------------------------------------------------------- mirrors at points, not at lines
def _emit_turned(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    x, *widths = inputs
    pairs = [ast.Tuple(widths[i : i + 2]) for i in range(0, len(widths), 2)]
    width = pairs[0] if len(pairs) == 1 else ast.Tuple(list(pairs))
    options = {"mode": ast.Constant(attrs["mode"]), "reflect_type": ast.Constant("odd")}
    return np_call("pad", x, width, **options)


def _turned(x: Expr, widths: tuple[Expr, ...], mode: str) -> Expr:
    for axis in range(x.ndim):
        before, after = widths[2 * axis : 2 * axis + 2]
        if known(before) != 0 or known(after) != 0:
            x = _turned_axis(x, axis, before, after, mode)
    return x


def _turned_axis(x: Expr, axis: int, before: Expr, after: Expr, mode: str) -> Expr:
    b = x.builder
    n = Expr(b, lift(b, x.length(axis)))
    places = f.padded_places(n, before, after, mode=mode)
    padded = getitem(b, x, along(axis, places))
    if known(n) == 1:
        return padded  # one entry is repeated as it is
    bounds = ((-before).value, (n + after).value, b.const(1))
    at = Expr(b, b.op("arange", *bounds, dtype=np.dtype(np.intp)))
    copies = at // (n if mode == "symmetric" else n - 1)
    mirrored = copies % 2
    column = (-1, *(1,) * (x.ndim - 1 - axis))

    def spread(values: Expr) -> Expr:
        return f.astype(f.reshape(values, *column), dtype=x.dtype)  # type: ignore[no-any-return]

    first, last = (
        f.expand_dims(f.index(x, index=(*(FULL,) * axis, i)), axes=(axis,)) for i in (0, -1)
    )
    moved: Expr = spread(copies - mirrored) * (last - first) + spread(2 * mirrored) * last
    return moved + spread(1 - 2 * mirrored) * padded


composed(
    "pad_turned", "x *widths", _emit_turned, _turned, wrt="x", attrs={"mode": REQUIRED},
    batch="each", doc="x and its mirror images at points: np.pad with reflect_type='odd'.",
)  # fmt: skip


def _cast(x: Expr, dtype: Any) -> Expr:
    """``x`` in a dtype; whole numbers are rounded, as ``np.pad`` has it."""
    if x.dtype == dtype:
        return x
    if np.dtype(dtype).kind in "iu" and x.dtype.kind == "f":
        x = f.rint(x)
    return f.astype(x, dtype=dtype_of(dtype))  # type: ignore[no-any-return]


__all__ = ["STATISTICS", "by_side", "linspace_of"]
