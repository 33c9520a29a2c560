"""Medians and quantiles: NumPy's functions, differentiated through the entries they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError, UnsupportedFunctionError
from ..ir.expr import Expr, f, lift
from ..ir.indexing import FULL
from ..ir.types import ArrayType, ScalarType
from .composed import composed
from .elementwise import refuse
from .indexing import getitem
from .reductions import AXES, Axis, count
from .reshaping import ravel
from .rules.arguments import as_array, as_expr, axes_of
from .static import known, need_static
from .table import surface

INDEX = np.dtype(np.intp)
TIES = "follows the order that np.argsort gives"


# ----------------------------------------------------------------- the entries in order
def merged(x: Expr, axis: Axis) -> Expr:
    """The axes as one, the last."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    if len(axes) == 1:
        order = (*(a for a in range(x.ndim) if a not in axes), *axes)
        return x if order == tuple(range(x.ndim)) else f.transpose(x, axes=order)
    rest = tuple(a for a in range(x.ndim) if a not in axes)
    moved = f.transpose(x, axes=(*rest, *axes)) if rest else x
    return f.reshape(moved, *(x.length(a) for a in rest), count(x, axes))  # type: ignore[no-any-return]


def _picked(ordered: Expr, places: Expr) -> Expr:
    """The entries of the last axis at the places: counted anew for each row, if they are."""
    if places.ndim > 1:
        return f.take_along_axis(ordered, places, axis=ordered.ndim - 1)  # type: ignore[no-any-return]
    return getitem(ordered.builder, ordered, (Ellipsis, places))


# -------------------------------------------------------- where a quantile lies among them
def _between(alpha: float, beta: float) -> Callable[..., Any]:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


VIRTUAL: dict[str, Callable[..., Any]] = {
    "inverted_cdf": lambda n, q: n * q - 1,
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": lambda n, q: n * q - 1.5,
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _between(1 / 3, 1 / 3),
    "normal_unbiased": _between(3 / 8, 3 / 8),
    "lower": lambda n, q: (n - 1) * q,
    "higher": lambda n, q: (n - 1) * q,
    "midpoint": lambda n, q: (n - 1) * q,
    "nearest": lambda n, q: (n - 1) * q,
}
"""Per method: the place among n entries, counted from 0, that need not be whole."""

DISCRETE: dict[str, Callable[[Expr, Expr], Any]] = {
    "inverted_cdf": lambda at, low: f.where(f.equal(at, low), low, low + 1),
    "closest_observation": lambda at, low: f.where(
        f.logical_and(f.equal(at, low), f.equal(low % 2, 1)), low, low + 1
    ),
    "lower": lambda at, low: low,
    "higher": lambda at, low: f.ceil(at),
    "nearest": lambda at, low: f.rint(at),
}
"""Per method that picks one entry: its place."""

FIXED: dict[str, Callable[[Expr, Expr], Any]] = {
    "averaged_inverted_cdf": lambda at, low: f.where(f.equal(at, low), 0.5, 1.0),
    "midpoint": lambda at, low: f.where(f.equal(at, low), 0.0, 0.5),
}
"""Per method with a weight of the upper entry that is not the distance to the lower one."""


def _quantile(x: Expr, q: Expr, axis: Axis, keepdims: bool, method: str, nan: bool) -> Any:
    b, rows = x.builder, merged(x, axis)
    last = rows.ndim - 1
    result, single = _dtype(x, q), nan and not q.ndim
    n: Any = Expr(b, lift(b, rows.length(last)))
    if nan:
        # A rounded place matters where the method is not continuous in it.
        exact = method in DISCRETE or method in FIXED
        counts = np.dtype(float) if exact else np.zeros(0, result).real.dtype
        if isinstance(q.type, ArrayType) and q.dtype.kind == "f":
            counts = q.dtype
        n = f.sum(f.logical_not(f.isnan(rows)), axis=(last,), keepdims=True, dtype=counts)
    at = VIRTUAL[method](n, q)
    low = f.floor(at)

    def cast(value: Expr) -> Expr:
        if single and value.ndim:
            value = f.index(value, index=(*(FULL,) * last, 0))
        fits = isinstance(value.type, ScalarType) or value.dtype == result
        return value if fits else f.astype(value, dtype=result)

    def entry(place: Any) -> Any:
        inside = f.minimum(f.maximum(place, 0), n - 1)
        if not isinstance(inside.type, ScalarType):
            inside = f.astype(inside, dtype=INDEX)
        return cast(_picked(f.sort(rows, axis=last), inside))

    if method in DISCRETE:
        out = entry(DISCRETE[method](at, low))
    else:
        lower = entry(low)
        weight = cast(FIXED[method](at, low) if method in FIXED else at - low)
        out = lower + (entry(low + 1) - lower) * weight
    return placed(out, x.ndim, q.ndim, axis, keepdims)


def _dtype(x: Expr, q: Expr) -> np.dtype[Any]:
    if x.dtype.kind not in "fc":
        return np.dtype(float)
    weak = isinstance(q.type, ScalarType)
    return np.dtype(x.dtype if weak else np.promote_types(x.dtype, q.dtype))


def placed(out: Expr, ndim: int, levels: int, axis: Axis, keepdims: bool) -> Expr:
    """The axis of several levels first, reduced axes back if they are kept."""
    if levels and out.ndim > 1:
        out = f.transpose(out, axes=(out.ndim - 1, *range(out.ndim - 1)))
    if not keepdims:
        return out
    axes = range(ndim) if axis is None else axis
    return f.expand_dims(out, axes=tuple(a + levels for a in axes))  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------ entries
def _level(nan: bool, hundredth: bool) -> Callable[..., Any]:
    def by(x: Expr, q: Expr, axis: Axis, keepdims: bool, method: str) -> Any:
        return _quantile(x, q / 100 if hundredth else q, axis, keepdims, method, nan)

    return by


def _middle(nan: bool) -> Callable[..., Any]:
    def by(x: Expr, axis: Axis, keepdims: bool) -> Any:
        half = Expr(x.builder, x.builder.const(0.5))  # an even count: the mean of two
        return _quantile(x, half, axis, keepdims, "linear", nan)

    return by


_HIDDEN = {False: "", True: "; 0 to an entry that is nan"}
for _prefix, _nan in (("", False), ("nan", True)):
    for _name, _hundredth in (("quantile", False), ("percentile", True)):
        composed(
            _prefix + _name, "x q",
            f"np.{_prefix}{_name}(x, q, axis=axis, method=method, keepdims=keepdims)",
            _level(_nan, _hundredth), attrs={**AXES, "method": "linear"},
            batch="each", kink=TIES + _HIDDEN[_nan], as_given="q",
            doc="The entries below which the given parts lie.",
        )  # fmt: skip
    composed(
        f"{_prefix}median", "x", f"np.{_prefix}median(x, axis=axis, keepdims=keepdims)",
        _middle(_nan), attrs=AXES, kink=TIES + _HIDDEN[_nan],
        doc="The entry in the middle, or the mean of the two.",
    )  # fmt: skip


# ------------------------------------------------------------------------------ surfaces
def _reduced(x: Expr, axis: Any) -> Axis:
    axis = known(axis)
    axes = None if axis is None or not x.ndim else axes_of(axis, x.ndim)
    return None if axes is not None and sorted(axes) == list(range(x.ndim)) else axes


def _quantile_surface(name: str) -> Callable[..., Any]:
    def call(
        b: Any, a: Any, q: Any, axis: Any = None, out: Any = None,
        overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False,
        weights: Any = None, **options: Any,
    ) -> Any:  # fmt: skip
        refuse(f"np.{name}", options)
        x, level, method = as_array(b, a), as_expr(b, q), need_static(method)
        if level.ndim > 1:
            rest = (method, keepdims, weights)
            flat = call(b, x, ravel(b, level), axis, None, overwrite_input, *rest)
            return f.reshape(flat, *level.shape, *flat.shape[1:])
        if method not in VIRTUAL:
            raise UnsupportedFunctionError(f"np.{name} has no method {method!r}")
        if x.dtype.kind == "c":
            raise DTypeError(f"np.{name} takes real numbers, got {x.type}")
        attrs = {"axis": _reduced(x, axis), "keepdims": bool(need_static(keepdims))}
        if weights is not None:
            return _weighted(name, x, level, as_array(b, weights), method, attrs)
        return getattr(f, name)(x, level, method=method, **attrs)

    return call


def along_rows(x: Expr, weights: Expr, axis: Axis) -> Expr:
    """Weights of one axis, or of all entries, in the shape of ``x``."""
    if weights.ndim != x.ndim and axis is not None:
        shape = [1] * x.ndim
        shape[axis[0]] = -1
        weights = f.reshape(weights, *shape)
    return f.broadcast_to(weights, *x.shape)  # type: ignore[no-any-return]


def _weighted(
    name: str, x: Expr, q: Expr, weights: Expr, method: str, attrs: dict[str, Any]
) -> Any:
    if method != "inverted_cdf":
        raise UnsupportedFunctionError(
            f"np.{name} takes weights with method='inverted_cdf' only, not {method!r}"
        )
    axis = attrs["axis"]
    if weights.ndim != x.ndim and (weights.ndim != 1 or axis is None or len(axis) != 1):
        raise ShapeError(
            f"np.{name}: weights {weights.type} for {x.type}; give one axis, and a weight for "
            "each of its entries, or weights of the array's shape"
        )
    if name.startswith("nan"):  # NumPy's own fail on weights of one axis beside nan
        weights = along_rows(x, weights, axis)
    return getattr(f, f"{name}_weighted")(x, q, weights, **attrs)


def _median_surface(name: str) -> Callable[..., Any]:
    def call(
        b: Any, a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
        keepdims: Any = False,
    ) -> Any:  # fmt: skip
        x = as_array(b, a)
        kept = bool(need_static(keepdims))
        return getattr(f, name)(x, axis=_reduced(x, axis), keepdims=kept)

    return call


for _name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
    surface(getattr(np, _name))(_quantile_surface(_name))
for _name in ("median", "nanmedian"):
    surface(getattr(np, _name))(_median_surface(_name))

__all__ = ["TIES", "along_rows", "merged", "placed"]
