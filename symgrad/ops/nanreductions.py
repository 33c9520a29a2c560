"""Reductions that leave nan out: NumPy's own functions, whose derivative is a hard zero at nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from .composed import composed
from .reductions import (
    AXES,
    Axis,
    _product,
    counting_dtype,
    expand,
    reduced_rule,
    reduction,
)
from .rules.arguments import as_array
from .table import SURFACE

WITH_NAN = "0 to an entry that is nan"


def without_nan(x: Expr, filling: float) -> Expr:
    """``x`` with another value in place of nan."""
    return f.where(f.isnan(x), filling, x)  # type: ignore[no-any-return]


def present(x: Expr, axis: Axis, keepdims: bool) -> Expr:
    """How many entries are not nan."""
    wide = counting_dtype(x)
    return f.sum(f.logical_not(f.isnan(x)), axis=axis, keepdims=keepdims, dtype=wide)  # type: ignore[no-any-return]


def _prod(x: Expr, axis: Axis, keepdims: bool) -> Any:
    return f.prod(without_nan(x, 1), axis=axis, keepdims=keepdims)


def moments(
    name: str,
    x: Expr,
    mask: Expr,
    count: Expr,
    axis: Axis,
    keepdims: bool,
    ddof: Any = 0,
    mean: Expr | None = None,
) -> Any:
    """Mean, or variance, of the entries where the mask is true.

    Args:
        mean: what deviations are from, with the axes that are summed over, if not from the
            mean of these entries.
    """
    clean = f.where(mask, x, 0)
    if mean is None:
        centre = f.sum(clean, axis=axis, keepdims=keepdims) / count
        if name == "mean":
            return f.astype(centre, dtype=x.dtype) if centre.dtype != x.dtype else centre
        mean = expand(centre, x.ndim, axis, keepdims)
    # Weights, since a choice would hide derivatives that are infinite where all are equal.
    gap = (clean - mean) * f.astype(mask, dtype=counting_dtype(x))
    squares = f.sum(_product(gap, gap), axis=axis, keepdims=keepdims)
    var = squares / (count - ddof)
    real = np.zeros(0, x.dtype).real.dtype
    return f.astype(var, dtype=real) if var.dtype != real else var


def _moment(name: str) -> Any:
    def by(x: Expr, axis: Axis, keepdims: bool, dtype: Any = None, ddof: Any = 0) -> Any:
        x = x if dtype is None else f.astype(x, dtype=dtype)
        mask, count = f.logical_not(f.isnan(x)), present(x, axis, keepdims)
        return moments(name, x, mask, count, axis, keepdims, ddof)

    return by


def _extreme(name: str, worst: float) -> Any:
    def by(x: Expr, axis: Axis, keepdims: bool) -> Any:
        return getattr(f, name)(without_nan(x, worst), axis=axis, keepdims=keepdims)

    return by


_PLAIN = {
    "nanprod": (_prod, "", "Product over axes, nan counted as 1."),
    "nanmax": (
        _extreme("max", -np.inf),
        "of_some",
        "The largest entry over axes, but for nan.",
    ),
    "nanmin": (
        _extreme("min", np.inf),
        "of_some",
        "The smallest entry over axes, but for nan.",
    ),
}
_MOMENTS = {
    "nanmean": (_moment("mean"), "Mean over axes of what is not nan."),
    "nanvar": (_moment("var"), "Variance over axes of what is not nan."),
    "nanstd": (
        _moment("var"),
        "Standard deviation over axes of what is not nan; slope 0 where it is 0.",
    ),
}
for _name, (_by, _traits, _doc) in _PLAIN.items():
    composed(
        _name, "x", f"np.{_name}(x, axis=axis, keepdims=keepdims)", _by, attrs=AXES,
        traits=f"selects {_traits}", kink=WITH_NAN, doc=_doc,
    )  # fmt: skip
for _name, (_by, _doc) in _MOMENTS.items():
    _more = {} if _name == "nanmean" else {"ddof": 0}
    _call = "x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims"
    composed(
        _name, "x", f"np.{_name}({_call if _more else _call.replace('ddof=ddof, ', '')})", _by,
        attrs={**AXES, "dtype": None, **_more}, infer=reduced_rule(getattr(np, _name)),
        root=_name == "nanstd", traits="selects", kink=WITH_NAN, doc=_doc,
    )  # fmt: skip
    SURFACE[getattr(np, _name)] = reduction(_name, dtype=True, ddof=bool(_more))


def _filling(name: str, plain: str, filling: float) -> None:
    """The surface of a reduction which, from a given number or of some entries, is that of an
    array with something else in place of nan."""

    def call(b: Any, a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Expr:
        more = [options.get("initial"), options.get("where")]
        if all(any(x is v for v in (None, True, np._NoValue)) for x in more):
            return alone(b, a, axis, dtype, **options)  # type: ignore[no-any-return]
        x = as_array(b, a)
        x = without_nan(x, filling) if x.dtype.kind in "fc" else x
        return SURFACE[getattr(np, plain)](b, x, axis, dtype, **options)  # type: ignore[no-any-return]

    alone = reduction(name)
    SURFACE[getattr(np, name)] = call


_filling("nansum", "sum", 0)
_filling("nanprod", "prod", 1)
_filling("nanmax", "max", -np.inf)
_filling("nanmin", "min", np.inf)


def _running(name: str, function: Any, filling: float) -> None:
    def call(b: Any, a: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = as_array(b, a)
        x = without_nan(x, filling) if x.dtype.kind in "fc" else x
        return SURFACE[function](b, x, axis, dtype)

    SURFACE[getattr(np, name)] = call


_running("nancumsum", np.cumsum, 0)
_running("nancumprod", np.cumprod, 1)
