"""Reductions over axes. Attributes: ``axis`` is None or a tuple of non-negative ints."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import DTypeError, InputTypeError, UnsupportedFunctionError
from ..ir.expr import Expr, f
from ..ir.indexing import FULL, NEWAXIS
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from . import _following as following
from ._arguments import as_array, as_expr, axes_of, dtype_of
from ._infer import reduced_shape
from .elementwise import refuse
from .masks import select
from .static import known, need_static
from .table import SURFACE, TABLE, linear, method, op, surface

AXES = {"axis": None, "keepdims": False}
Axis = tuple[int, ...] | None


# ------------------------------------------------------------------------------- types
@lru_cache(maxsize=1024)
def _result_dtype(function: Callable[..., Any], dtype: np.dtype[Any]) -> np.dtype[Any]:
    try:
        return np.asarray(function(np.ones(1, dtype))).dtype
    except TypeError as error:
        raise DTypeError(str(error)) from None


def reduced_rule(function: Callable[..., Any]) -> Callable[..., Type]:
    """The type rule of a NumPy reduction."""

    def infer(
        dims: Any,
        inputs: tuple[Value, ...],
        axis: Axis,
        keepdims: bool,
        dtype: Any = None,
        ddof: Any = 0,
    ) -> Type:
        t = inputs[0].type
        assert isinstance(t, ArrayType)
        result = _result_dtype(function, t.dtype) if dtype is None else np.dtype(dtype)
        return ArrayType(result, reduced_shape(t, axis, keepdims))

    return infer


# ------------------------------------------------------------------------------- rules
def expand(g: Expr, ndim: int, axis: Axis, keepdims: bool) -> Expr:
    """A reduced array with its axes of length 1 back (nothing to do for a number)."""
    if keepdims or not g.ndim or not axis:
        return g
    items = [NEWAXIS if i in axis else FULL for i in range(ndim)]
    while items[-1] == FULL:
        items.pop()
    return f.index(g, index=tuple(items))  # type: ignore[no-any-return]


def spread(g: Expr, like: Expr, axis: Axis, keepdims: bool) -> Expr:
    """A reduced array broadcast back to the shape of ``like``."""
    return f.broadcast_to(expand(g, like.ndim, axis, keepdims), *like.shape)  # type: ignore[no-any-return]


def count(x: Expr, axis: Axis) -> Any:
    """How many entries go into one result."""
    if x.ndim == 0:
        return 1
    axes = tuple(range(x.ndim)) if axis is None else axis
    if len(axes) == x.ndim > 1:
        return x.size
    return math.prod(x.length(a) for a in axes[1:]) * x.length(axes[0]) if axes else 1


def over(g: Expr, n: Any) -> Expr:
    """``g / n`` for a count, which float16 might not hold."""
    if isinstance(n, int) and n == 1:
        return g
    if g.dtype == np.float16:
        g = f.astype(g, dtype=np.dtype(np.float32))
    return g / n  # type: ignore[no-any-return]


def counting_dtype(g: Expr) -> np.dtype[Any]:
    """A dtype for counts beside ``g``: no wider than needed, but never float16."""
    real = np.zeros(0, g.dtype).real.dtype
    return np.dtype(np.float32) if real == np.float16 else real


# --------------------------------------------------------------------------- sum, mean
linear(
    "sum", "x", reduced_rule(np.sum), "np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)",
    attrs={**AXES, "dtype": None},
    transpose={"x": lambda g, x, axis, keepdims: spread(g, x, axis, keepdims)},
    traits="keeps_sign", follow=following.reduced, doc="Sum over axes.",
)  # fmt: skip
linear(
    "mean", "x", reduced_rule(np.mean), "np.mean(x, axis=axis, dtype=dtype, keepdims=keepdims)",
    attrs={**AXES, "dtype": None},
    transpose={
        "x": lambda g, x, axis, keepdims: spread(over(g, count(x, axis)), x, axis, keepdims)
    },
    traits="keeps_sign", follow=following.reduced, doc="Arithmetic mean over axes.",
)  # fmt: skip
op(
    "nansum", "x", reduced_rule(np.nansum), "np.nansum(x, axis=axis, keepdims=keepdims)",
    attrs=AXES,
    vjp={
        "x": lambda g, x, axis, keepdims: select(
            f.isnan(x), expand(g, x.ndim, axis, keepdims), keep=False
        )
    },
    jvp={
        "x": lambda t, x, axis, keepdims: f.sum(
            f.where(f.isnan(x), 0, t), axis=axis, keepdims=keepdims
        )
    },
    traits="selects", doc="Sum over axes, nan counted as 0.", kink="0 to an entry that is nan",
)  # fmt: skip


# ----------------------------------------------------------------------------- var, std
def _centred(x: Expr, axis: Axis) -> Expr:
    return x - f.mean(x, axis=axis, keepdims=axis is not None)  # type: ignore[no-any-return]


def _freedom(x: Expr, axis: Axis, ddof: Any) -> Any:
    n = count(x, axis)
    return n - ddof if ddof else n


def _product(x: Expr, t: Expr) -> Expr:
    return f.real(f.conjugate(x) * t) if is_complex(x.type) else x * t


def _var_vjp(g: Expr, x: Expr, axis: Axis, keepdims: bool, ddof: Any) -> Expr:
    scale = over(2 * g, _freedom(x, axis, ddof))
    return expand(scale, x.ndim, axis, keepdims) * _centred(x, axis)


def _var_jvp(t: Expr, x: Expr, axis: Axis, keepdims: bool, ddof: Any) -> Expr:
    total = f.sum(_product(_centred(x, axis), t), axis=axis, keepdims=keepdims)
    return over(2 * total, _freedom(x, axis, ddof))


def _std_vjp(g: Expr, out: Expr, x: Expr, axis: Axis, keepdims: bool, ddof: Any) -> Expr:
    scale = over(g / f.where(f.equal(out, 0), 1, out), _freedom(x, axis, ddof))
    return expand(scale, x.ndim, axis, keepdims) * _centred(x, axis)


def _std_jvp(t: Expr, out: Expr, x: Expr, axis: Axis, keepdims: bool, ddof: Any) -> Expr:
    total = f.sum(_product(_centred(x, axis), t), axis=axis, keepdims=keepdims)
    return over(total / f.where(f.equal(out, 0), 1, out), _freedom(x, axis, ddof))


op(
    "var", "x", reduced_rule(np.var), "np.var(x, axis=axis, ddof=ddof, keepdims=keepdims)",
    attrs={**AXES, "ddof": 0}, vjp={"x": _var_vjp}, jvp={"x": _var_jvp},
    traits="nonnegative", doc="Variance over axes.",
)  # fmt: skip
op(
    "std", "x", reduced_rule(np.std), "np.std(x, axis=axis, ddof=ddof, keepdims=keepdims)",
    attrs={**AXES, "ddof": 0}, vjp={"x": _std_vjp}, jvp={"x": _std_jvp},
    traits="nonnegative", doc="Standard deviation over axes.", kink="0 where all are equal",
)  # fmt: skip


# ------------------------------------------------------------------------------ surfaces
WITH_INITIAL = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}
"""How the argument ``initial`` takes part."""


def _reduced_where(
    name: str, x: Expr, where: Expr, given: Any, axis: Any, keepdims: Any, attrs: Any
) -> Expr:
    if f"{name}_where" not in TABLE:
        raise UnsupportedFunctionError(f"np.{name} is not supported with `where=`")
    if name in ("max", "min") and not given:
        raise InputTypeError(f"np.{name} with where= needs initial=")
    return _reduce(f"{name}_where", x, axis, keepdims, _more=(where, *given), **attrs)


def _reduce(
    name: str, x: Expr, axis: Any, keepdims: Any, *, _more: Any = (), **attrs: Any
) -> Expr:
    axis = known(axis)
    axes = None if axis is None or x.ndim == 0 else axes_of(axis, x.ndim)
    if axes == tuple(range(x.ndim)):
        axes = None
    kept = bool(need_static(keepdims))
    return getattr(f, name)(x, *_more, axis=axes, keepdims=kept, **attrs)  # type: ignore[no-any-return]


def reduction(name: str, *, dtype: bool = False, ddof: bool = False) -> Callable[..., Any]:
    """The surface of a reduction; ``dtype`` and ``ddof``: whether it has that argument."""

    def call(b: Any, a: Any, axis: Any = None, *positional: Any, **options: Any) -> Expr:
        attrs: dict[str, Any] = {}
        if positional:
            options.setdefault("dtype", positional[0])
        keepdims = options.pop("keepdims", False)
        wanted = options.pop("dtype", None)
        if ddof:
            attrs["ddof"] = need_static(options.pop("ddof", options.pop("correction", 0)))
        x = as_array(b, a)
        if wanted is not None and dtype:
            attrs["dtype"] = dtype_of(wanted)
        elif wanted is not None:
            x = f.astype(x, dtype=dtype_of(wanted))
        initial = options.pop("initial", None)
        absent = initial is None or initial is np._NoValue
        where = options.pop("where", True)
        refuse(f"np.{name}", options)
        if where is not True and where is not np._NoValue:
            given = () if absent or name not in ("max", "min") else (as_expr(b, initial),)
            result = _reduced_where(
                name, x, as_array(b, where), given, axis, keepdims, attrs
            )
            absent = absent or bool(given)
        else:
            result = _reduce(name, x, axis, keepdims, **attrs)
        if absent:
            return result
        if name not in WITH_INITIAL:
            raise UnsupportedFunctionError(f"np.{name} is not supported with `initial=`")
        return getattr(f, WITH_INITIAL[name])(result, as_expr(b, initial))  # type: ignore[no-any-return]

    return call


def register(name: str, *callables: Any, **has: bool) -> None:
    """The reduction ``name`` stands for these callables and the method of its name."""
    for target in callables:
        SURFACE[target] = reduction(name, **has)
    method(name)(reduction(name, **has))


register("sum", np.sum, dtype=True)
register("mean", np.mean, dtype=True)
register("var", np.var, ddof=True)
register("std", np.std, ddof=True)
SURFACE[np.nansum] = reduction("nansum")


@surface(np.average)
def _average(
    b: Any,
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: Any = False,
    *,
    keepdims: Any = False,
) -> Any:
    x = as_array(b, a)
    if weights is None:
        mean = SURFACE[np.mean](b, x, axis, keepdims=keepdims)
        every = f.full_like(mean, x.size / SURFACE[np.size](b, mean), dtype=None)
        return (mean, every) if need_static(returned) else mean
    w = as_array(b, weights)
    if w.ndim != x.ndim:
        [place] = axes_of(axis, x.ndim)
        w = f.index(w, index=tuple(FULL if i == place else NEWAXIS for i in range(x.ndim)))
        w = f.broadcast_to(w, *x.shape)
    total = SURFACE[np.sum](b, x * w, axis, keepdims=keepdims)
    weight = SURFACE[np.sum](b, w, axis, keepdims=keepdims)
    return (total / weight, weight) if need_static(returned) else total / weight


__all__ = [
    "count",
    "counting_dtype",
    "expand",
    "over",
    "reduced_rule",
    "reduction",
    "register",
    "spread",
]
