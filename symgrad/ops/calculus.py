"""Differences, gradients, integrals, interpolation and phases along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.indexing import FULL, NEWAXIS, Slice
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .composed import composed
from .elementwise import resolve, weak
from .indexing import getitem
from .joining import join
from .reshaping import broadcast_to, ravel
from .rules.arguments import (
    as_array,
    as_expr,
    axes_of,
    axis_of,
    integer,
    lengths_of,
    single_axis_of,
)
from .static import need_static
from .table import SURFACE, op, surface


def _part(x: Expr, axis: int, start: int | None, stop: int | None) -> Expr:
    index = (*(FULL,) * axis, Slice(start, stop))
    return f.index(x, index=index)  # type: ignore[no-any-return]


def _along(x: Expr, axis: int, ndim: int) -> Expr:
    """A vector as an array of rank ``ndim`` that varies along one axis."""
    items = tuple(FULL if i == axis else NEWAXIS for i in range(ndim))
    return f.index(x, index=items) if ndim > 1 else x


def differences(x: Expr, axis: int) -> Expr:
    """``np.diff(x, axis=axis)``."""
    after, before = _part(x, axis, 1, None), _part(x, axis, None, -1)
    return f.not_equal(after, before) if x.dtype.kind == "b" else after - before


# --------------------------------------------------------------------------- differences
def _ends(b: Builder, x: Expr, end: Any, axis: int) -> list[Expr]:
    if end is None or end is np._NoValue:
        return []
    value = as_array(b, end)
    lengths = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return [value if value.ndim else broadcast_to(b, value, lengths)]


@surface(np.diff)
def diff(
    b: Builder, a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None
) -> Expr:
    """``np.diff``."""
    x, count = as_array(b, a), integer(n, "n")
    if count < 0:
        raise ShapeError(f"np.diff: n must not be negative, got {count}")
    if not count:
        return x
    place = axis_of(axis, x.ndim)
    parts = [*_ends(b, x, prepend, place), x, *_ends(b, x, append, place)]
    x = join(b, parts, place) if len(parts) > 1 else x
    for _ in range(count):
        x = differences(x, place)
    return x


@surface(np.ediff1d)
def ediff1d(b: Builder, ary: Any, to_end: Any = None, to_begin: Any = None) -> Expr:
    """``np.ediff1d``."""
    x = ravel(b, as_array(b, ary))
    ends = [[] if e is None else [ravel(b, as_array(b, e))] for e in (to_begin, to_end)]
    for name, end in zip(("to_begin", "to_end"), ends, strict=True):
        if end and not np.can_cast(end[0].dtype, x.dtype, "same_kind"):
            raise DTypeError(f"np.ediff1d: {name} is {end[0].dtype}, the array {x.dtype}")
    parts = [
        f.astype(e, dtype=x.dtype) if e.dtype != x.dtype else e for p in ends for e in p
    ]
    gaps = differences(x, 0)
    parts.insert(len(ends[0]), gaps)
    return join(b, parts, 0) if len(parts) > 1 else gaps


# ------------------------------------------------------------------------------ gradient
def _gradient(x: Expr, spacing: Expr, axis: int, edge_order: int) -> Expr:
    uniform, b = not spacing.ndim, x.builder
    gaps = spacing if uniform else differences(spacing, 0)

    def gap(i: int) -> Expr:
        return gaps if uniform else f.index(gaps, index=(i,))

    def at(i: int) -> Expr:
        return _part(x, axis, i, i + 1 if i != -1 else None)

    def end(first: int, second: int, third: int, d1: Expr, d2: Expr, sign: int) -> Any:
        if edge_order == 1:
            return sign * (at(second) - at(first)) / d1
        a = (2.0 * d1 + d2) / (d1 * (d1 + d2))
        c = d1 / (d2 * (d1 + d2))
        return sign * ((d1 + d2) / (d1 * d2) * at(second) - a * at(first) - c * at(third))

    before, after = _part(x, axis, None, -2), _part(x, axis, 2, None)
    if uniform:
        inner = (after - before) / (2.0 * gaps)
    else:
        d1, d2 = (_along(_part(gaps, 0, *p), axis, x.ndim) for p in ((None, -1), (1, None)))
        middle = _part(x, axis, 1, -1)
        inner = d1 * after / (d2 * (d1 + d2)) - d2 * before / (d1 * (d1 + d2))
        inner = inner + (d2 - d1) / (d1 * d2) * middle
    two = edge_order == 2
    first = end(0, 1, 2, gap(0), gap(1) if two else gap(0), 1)
    last = end(-1, -2, -3, gap(-1), gap(-2) if two else gap(-1), -1)
    return join(b, [first, inner, last], axis)


def _gradient_dtype(x: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    return x if x.kind in "fc" else np.dtype(float)


composed(
    "gradient", "x spacing", "np.gradient(x, spacing, axis=axis, edge_order=edge_order)",
    _gradient, attrs={"axis": REQUIRED, "edge_order": 1}, dtype=_gradient_dtype,
    doc="Central differences inside, one-sided ones at the ends of an axis.",
)  # fmt: skip


@surface(np.gradient)
def gradient(
    b: Builder, f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1
) -> Any:
    """``np.gradient``."""
    x = as_array(b, f)
    axes = tuple(range(x.ndim)) if axis is None else axes_of(axis, x.ndim)
    gaps = tuple(as_expr(b, d) for d in varargs or (1.0,))
    if len(gaps) == 1 and not gaps[0].ndim:
        gaps = gaps * len(axes)
    if len(gaps) != len(axes):
        raise ShapeError(f"np.gradient: {len(gaps)} spacings for {len(axes)} axes")
    order = integer(edge_order, "edge_order")
    if order not in (1, 2):
        raise UnsupportedFunctionError("np.gradient takes edge_order=1 or 2")
    found = tuple(
        Expr(b, b.op("gradient", x.value, d.value, axis=a, edge_order=order))
        for a, d in zip(axes, gaps, strict=True)
    )
    return found[0] if len(found) == 1 else found


# ----------------------------------------------------------------------------- integrals
@surface(np.trapezoid)
def trapezoid(b: Builder, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Expr:
    """``np.trapezoid``."""
    values = as_array(b, y)
    place = axis_of(axis, values.ndim)
    gaps = as_expr(b, dx)
    if x is not None:
        points = as_array(b, x)
        if points.ndim == 1:
            gaps = _along(differences(points, 0), place, values.ndim)
        else:
            gaps = differences(points, axis_of(axis, points.ndim))
    pairs = gaps * (_part(values, place, 1, None) + _part(values, place, None, -1)) / 2.0
    return f.sum(pairs, axis=(place,))  # type: ignore[no-any-return]


def _cumulative(name: str, running: Any, first: str) -> Any:
    def call(
        b: Builder, x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None,
        include_initial: Any = False,
    ) -> Expr:  # fmt: skip
        value = as_array(b, x)
        if axis is None and value.ndim > 1:
            raise ShapeError(f"np.{name} needs an axis for {value.type}")
        value = value if value.ndim else f.expand_dims(value, axes=(0,))
        place = single_axis_of(0 if axis is None else axis, value.ndim)
        total: Expr = SURFACE[running](b, value, place, dtype)
        if not need_static(include_initial):
            return total
        shape = (*total.shape[:place], 1, *total.shape[place + 1 :])
        start = b.op(first, *lengths_of(b, shape), dtype=total.dtype)
        return join(b, [Expr(b, start), total], place)

    return call


for _name, _running, _first in (
    ("cumulative_sum", np.cumsum, "zeros"),
    ("cumulative_prod", np.cumprod, "ones"),
):
    if hasattr(np, _name):  # from NumPy 2.1
        SURFACE[getattr(np, _name)] = _cumulative(_name, _running, _first)


# -------------------------------------------------------------------------------- phases
def _infer_unwrap(dims: Any, inputs: tuple[Value, ...], axis: int, **attrs: Any) -> Type:
    x, period = inputs[0].type, weak(inputs[1].type)
    assert isinstance(x, ArrayType)
    return ArrayType(resolve(np.add, (x.dtype, period)), x.shape)


def _turns(out: Expr, x: Expr, period: Expr) -> Any:
    return f.rint((out - x) / period)


op(
    "unwrap", "x period", _infer_unwrap,
    "np.unwrap(x, discont=discont, axis=axis, period=period)",
    attrs={"axis": REQUIRED, "discont": None},
    vjp={"x": lambda g: g, "period": lambda g, out, x, period: g * _turns(out, x, period)},
    jvp={"x": lambda t: t, "period": lambda t, out, x, period: t * _turns(out, x, period)},
    kink="the number of turns is constant", doc="Phases without jumps of a period.",
)  # fmt: skip


@surface(np.unwrap)
def unwrap(
    b: Builder, p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * np.pi
) -> Expr:
    """``np.unwrap``."""
    x, turn = as_array(b, p), as_expr(b, period)
    attrs = {"discont": need_static(discont), "axis": axis_of(axis, x.ndim)}
    return f.unwrap(x, turn, **attrs)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------- interpolation
def _interp(x: Expr, xp: Expr, fp: Expr, left: Expr | None, right: Expr | None) -> Any:
    b, last = x.builder, xp.length(0) - 1
    xp, fp = (
        v if v.dtype.kind in "fc" else f.astype(v, dtype=np.dtype(float)) for v in (xp, fp)
    )
    at = f.searchsorted(xp, x, side="right") - 1
    at = f.minimum(f.maximum(at, 0), last - 1)
    x0, y0 = getitem(b, xp, at), getitem(b, fp, at)
    x1, y1 = getitem(b, xp, at + 1), getitem(b, fp, at + 1)
    out = y0 + (y1 - y0) / (x1 - x0) * (x - x0)
    first, final = f.index(fp, index=(0,)), f.index(fp, index=(-1,))
    low, high = first if left is None else left, final if right is None else right
    out = f.where(f.less(x, f.index(xp, index=(0,))), low, out)
    out = f.where(f.greater(x, f.index(xp, index=(-1,))), high, out)
    return f.where(f.equal(x, f.index(xp, index=(-1,))), final, out)


def _interp_dtype(x: Any, xp: Any, fp: Any, *ends: Any) -> Any:
    return np.dtype(complex if fp.kind == "c" else float)


for _ends_given in ((), ("left",), ("right",), ("left", "right")):
    _more = "".join(f", {e}={e}" for e in _ends_given)

    def _by(x: Expr, xp: Expr, fp: Expr, left: Any = None, right: Any = None) -> Any:
        return _interp(x, xp, fp, left, right)

    composed(
        "_".join(("interp", *_ends_given)), f"x xp fp {' '.join(_ends_given)}",
        f"np.interp(x, xp, fp{_more})", _by, dtype=_interp_dtype,
        kink="at a point: the slope to its right",
        doc="Values between points, linear from one to the next.",
    )  # fmt: skip


@surface(np.interp)
def interp(
    b: Builder, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None,
    period: Any = None,
) -> Expr:  # fmt: skip
    """``np.interp``."""
    at, points, values = (as_array(b, v) for v in (x, xp, fp))
    if points.ndim != 1 or values.ndim != 1:
        raise ShapeError("np.interp needs points and values with one axis")
    given: dict[str, Any] = {"left": left, "right": right}
    if period is not None:
        given, turn = {}, f.absolute(as_expr(b, period))
        nonzero = f.not_equal(turn, 0).value
        b.op(
            "require",
            nonzero,
            error="ValueError",
            args=("period must be a non-zero value",),
        )
        at, points = at % turn, points % turn
        order = f.argsort(points, axis=0)
        points, values = getitem(b, points, order), getitem(b, values, order)
        last, first = (_part(points, 0, *p) for p in ((-1, None), (0, 1)))
        points = join(b, [last - turn, points, first + turn], 0)
        values = join(b, [_part(values, 0, -1, None), values, _part(values, 0, 0, 1)], 0)
    ends = {k: as_expr(b, v) for k, v in given.items() if v is not None}
    name = "_".join(("interp", *ends))
    return getattr(f, name)(at, points, values, *ends.values())  # type: ignore[no-any-return]
