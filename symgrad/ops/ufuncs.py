"""Methods of ufuncs: ``np.add.outer``, ``np.maximum.reduce``, ``np.add.accumulate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ir.expr import Expr, f
from ..ir.indexing import FULL, NEWAXIS, Slice
from ..ir.opdef import REQUIRED
from .composed import composed
from .elementwise import with_options
from .reductions import Axis
from .reshaping import moveaxis
from .rules.arguments import as_array, axes_of, dtype_of, single_axis_of, strict_axes_of
from .static import known, need_static
from .table import SURFACE
from .written.methods import reorderable

Axes = tuple[int, ...]

REDUCTIONS: dict[Any, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
RUNNING: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def _outer(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(b: Any, x: Any, y: Any, **options: Any) -> Any:
        first, second = as_array(b, x), as_array(b, y)
        if second.ndim and first.ndim:
            items = (FULL,) * first.ndim + (NEWAXIS,) * second.ndim
            first = f.index(first, index=items)
        return SURFACE[ufunc](b, first, second, **options)

    return call


def _with_axes(ufunc: Any, surface: Callable[..., Any]) -> Callable[..., Any]:
    """A product's surface with what says which axes the vectors and matrices lie along."""

    def call(
        b: Any, *args: Any, axes: Any = None, axis: Any = None, keepdims: Any = False,
        **rest: Any,
    ) -> Any:  # fmt: skip
        axes, axis, keepdims = (need_static(x) for x in (axes, axis, keepdims))
        if axes is None and axis is None and not keepdims:
            return surface(b, *args, **rest)
        if (axis is not None or keepdims) and not ufunc.signature.endswith("->()"):
            raise DTypeError(f"np.{ufunc.__name__} has no single axis: write axes=")
        if axes is None:
            axes = [-1 if axis is None else axis] * ufunc.nin
        places = [a if isinstance(a, tuple | list) else (a,) for a in axes]
        moved = [
            moveaxis(b, as_array(b, x), tuple(p), tuple(range(-len(p), 0)))
            for x, p in zip(args, places, strict=False)
        ]
        out = surface(b, *moved, **rest)
        kept = places[0] if keepdims and len(places) == ufunc.nin else ()
        if kept:
            return f.expand_dims(out, axes=axes_of(kept, out.ndim + 1))
        last = tuple(places[ufunc.nin]) if len(places) > ufunc.nin else ()
        return moveaxis(b, out, tuple(range(-len(last), 0)), last) if last else out

    return call


def _reduce(function: Any) -> Callable[..., Any]:
    def call(b: Any, array: Any, axis: Any = 0, dtype: Any = None, **options: Any) -> Expr:
        if dtype is not None:
            options["dtype"] = dtype
        return SURFACE[function](b, array, axis, **options)  # type: ignore[no-any-return]

    return call


def _accumulate(function: Any) -> Callable[..., Any]:
    def call(b: Any, array: Any, axis: Any = 0, dtype: Any = None) -> Expr:
        x = as_array(b, array)
        return SURFACE[function](b, x, single_axis_of(axis, x.ndim), dtype)  # type: ignore[no-any-return]

    return call


for _ufunc in [u for u in SURFACE if isinstance(u, np.ufunc)]:
    if _ufunc.signature is not None:
        SURFACE[_ufunc] = _with_axes(_ufunc, SURFACE[_ufunc])
    if not hasattr(SURFACE[_ufunc], "__wrapped__"):  # written by hand
        SURFACE[_ufunc] = with_options(_ufunc, f"np.{_ufunc.__name__}", SURFACE[_ufunc])
    if _ufunc.nin == 2:
        SURFACE[_ufunc.outer] = _outer(_ufunc)
for _ufunc, _function in REDUCTIONS.items():
    SURFACE[_ufunc.reduce] = _reduce(_function)
for _ufunc, _function in RUNNING.items():
    SURFACE[_ufunc.accumulate] = _accumulate(_function)


# ------------------------------------------------------------- reductions by other ufuncs
def _but_first(combine: str, gather: str) -> Callable[..., Any]:
    """The first entry less the sum of the others, or divided by their product."""

    def by(x: Expr, axis: Axis, keepdims: bool) -> Any:
        [place] = range(x.ndim) if axis is None else axis
        first = f.index(x, index=(*(FULL,) * place, Slice(None, 1)))
        rest = f.index(x, index=(*(FULL,) * place, Slice(1, None)))
        others = getattr(f, gather)(rest, axis=(place,), keepdims=True)
        out = getattr(f, combine)(first, others)
        return out if keepdims else f.squeeze(out, axes=(place,))

    return by


def _present(name: str, worst: float) -> Callable[..., Any]:
    def by(x: Expr, axis: Axis, keepdims: bool) -> Any:
        clean = f.where(f.isnan(x), worst, x)
        return getattr(f, name)(clean, axis=axis, keepdims=keepdims)

    return by


_OTHER: dict[str, Callable[..., Any]] = {
    "subtract": _but_first("subtract", "sum"),
    "divide": _but_first("divide", "prod"),
    "fmax": _present("max", -np.inf),
    "fmin": _present("min", np.inf),
}


def _reduced_axes(axis: Any, ndim: int) -> Axes:
    if not ndim:
        strict_axes_of(0 if axis is None else axis, 1)
        return ()
    return tuple(range(ndim)) if known(axis) is None else strict_axes_of(axis, ndim)


def _reduced(name: str) -> Callable[..., Any]:
    def call(
        b: Any, array: Any, axis: Any = 0, dtype: Any = None, keepdims: Any = False
    ) -> Any:
        x = as_array(b, array)
        if dtype is not None:
            x = f.astype(x, dtype=dtype_of(dtype))
        axes = _reduced_axes(axis, x.ndim)
        if len(axes) != 1 and not reorderable(getattr(np, name)):  # type: ignore[no-untyped-call]
            if not axes:
                return x
            raise ShapeError(f"np.{name} goes along one axis: it is not reorderable")
        return getattr(f, f"{name}_reduce")(
            x, axis=axes, keepdims=bool(need_static(keepdims))
        )

    return call


for _ufunc in (np.logaddexp, np.logaddexp2, np.hypot):
    SURFACE[_ufunc.reduce] = _reduced(_ufunc.__name__)
for _name, _by in _OTHER.items():
    composed(
        f"{_name}_reduce", "x", f"np.{_name}.reduce(x, axis=axis, keepdims=keepdims)", _by,
        attrs={"axis": REQUIRED, "keepdims": False}, doc=f"np.{_name} over axes.",
    )  # fmt: skip
    SURFACE[getattr(np, _name).reduce] = _reduced(_name)
