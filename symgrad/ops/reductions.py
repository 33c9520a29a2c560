"""Reductions over axes. Attributes: ``axis`` is None or a tuple of non-negative ints."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import DTypeError, InputTypeError, ShapeError, UnsupportedFunctionError
from ..ir.expr import Expr, f
from ..ir.indexing import FULL, NEWAXIS
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from .elementwise import refuse
from .masks import select
from .roots import per_root
from .rules import following as following
from .rules.arguments import as_array, as_expr, dtype_of, strict_axes_of
from .rules.infer import reduced_shape
from .static import known, need_static
from .table import SURFACE, TABLE, linear, method, op

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


def _nansum_vjp(g: Expr, x: Expr, axis: Axis, keepdims: bool) -> Any:
    return select(f.isnan(x), expand(g, x.ndim, axis, keepdims), keep=False)


def _nansum_jvp(t: Expr, x: Expr, axis: Axis, keepdims: bool) -> Any:
    return f.sum(f.where(f.isnan(x), 0, t), axis=axis, keepdims=keepdims)


op(
    "nansum", "x", reduced_rule(np.nansum), "np.nansum(x, axis=axis, keepdims=keepdims)",
    attrs=AXES, vjp={"x": _nansum_vjp}, jvp={"x": _nansum_jvp},
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
    scale = over(per_root(g, out), _freedom(x, axis, ddof))
    return expand(scale, x.ndim, axis, keepdims) * _centred(x, axis)


def _std_jvp(t: Expr, out: Expr, x: Expr, axis: Axis, keepdims: bool, ddof: Any) -> Expr:
    total = f.sum(_product(_centred(x, axis), t), axis=axis, keepdims=keepdims)
    return over(f.share(total, out), _freedom(x, axis, ddof))


SPREAD = "np.{}(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)"
op(
    "var", "x", reduced_rule(np.var), SPREAD.format("var"),
    attrs={**AXES, "dtype": None, "ddof": 0}, vjp={"x": _var_vjp}, jvp={"x": _var_jvp},
    traits="nonnegative", doc="Variance over axes.",
)  # fmt: skip
op(
    "std", "x", reduced_rule(np.std), SPREAD.format("std"),
    attrs={**AXES, "dtype": None, "ddof": 0}, vjp={"x": _std_vjp}, jvp={"x": _std_jvp},
    traits="nonnegative", doc="Standard deviation over axes.",
    kink="0 where all are equal: second derivatives are inf or nan there; its square is smooth",
)  # fmt: skip


# ------------------------------------------------------------------------------ surfaces
def _reduce(
    name: str, x: Expr, axis: Any, keepdims: Any, *, _more: Any = (), **attrs: Any
) -> Expr:
    axis = known(axis)
    axes = None if axis is None or x.ndim == 0 else strict_axes_of(axis, x.ndim)
    if axes == tuple(range(x.ndim)):
        axes = None
    kept = bool(need_static(keepdims))
    return getattr(f, name)(x, *_more, axis=axes, keepdims=kept, **attrs)  # type: ignore[no-any-return]


def _freedom_given(options: dict[str, Any]) -> Any:
    """``ddof``, also called ``correction``."""
    correction = given(options, "correction")
    if correction is None:
        return need_static(options.pop("ddof", 0))
    if need_static(options.pop("ddof", 0)) != 0:
        raise InputTypeError("ddof and correction are two names of one argument; give one")
    return need_static(correction)


def given(options: dict[str, Any], key: str) -> Any:
    """Take an argument out of ``options``; None where it is absent."""
    value = options.pop(key, None)
    return None if value is np._NoValue else value


def _number(b: Any, name: str, initial: Any) -> Expr:
    start = as_expr(b, initial)
    if start.ndim:
        raise ShapeError(f"np.{name}: initial must be one number, not an array")
    return start


def _variant(name: str, parts: Any) -> tuple[str, list[Expr]]:
    """The op that has these arguments too, and what they are."""
    present = {key: x for key, x in parts.items() if x is not None}
    if name in ("max", "min") and list(present) == ["where"]:
        raise InputTypeError(f"np.{name} with where= needs initial=")
    found = "_".join([name, *present])
    if present and found not in TABLE:
        shown = " and ".join(f"`{key}=`" for key in present)
        raise UnsupportedFunctionError(f"np.{name} is not supported with {shown}")
    return found, list(present.values())


def narrowed(x: Expr, dtype: np.dtype[Any], what: str, *, spread: bool = False) -> Expr:
    """The real parts, where complex numbers are reduced in a real dtype.

    Raises:
        DTypeError: it is a spread, of which NumPy makes real parts of the means alone.
    """
    if x.dtype.kind != "c" or dtype.kind == "c":
        return x
    if spread:
        raise DTypeError(
            f"{what} of complex numbers with dtype={dtype} takes real parts of the mean "
            "alone; write x.real"
        )
    return f.astype(x, dtype=dtype)  # type: ignore[no-any-return]


def reduction(name: str, *, dtype: bool = False, ddof: bool = False) -> Callable[..., Any]:
    """The surface of a reduction; ``dtype`` and ``ddof``: whether it has that argument."""

    def call(
        b: Any,
        a: Any,
        axis: Any = None,
        dtype_: Any = None,
        keepdims: Any = False,
        **options: Any,
    ) -> Expr:
        attrs: dict[str, Any] = {"ddof": _freedom_given(options)} if ddof else {}
        wanted = options.pop("dtype", dtype_)
        x = as_array(b, a)
        if wanted is not None and dtype:
            attrs["dtype"] = dtype_of(wanted)
            x = narrowed(x, attrs["dtype"], f"np.{name}", spread=ddof)
        elif wanted is not None:
            x = f.astype(x, dtype=dtype_of(wanted))
        where = given(options, "where")
        initial, mean = given(options, "initial"), given(options, "mean")
        refuse(f"np.{name}", options)
        parts = {
            "mean": None if mean is None else as_array(b, mean),
            "initial": None if initial is None else _number(b, name, initial),
            "where": None if where is None or where is True else as_array(b, where),
        }
        found, more = _variant(name, parts)
        return _reduce(found, x, axis, keepdims, _more=more, **attrs)

    return call


def register(name: str, *callables: Any, **has: bool) -> None:
    """The reduction ``name`` stands for these callables and the method of its name."""
    for target in callables:
        SURFACE[target] = reduction(name, **has)
    method(name)(reduction(name, **has))


register("sum", np.sum, dtype=True)
register("mean", np.mean, dtype=True)
register("var", np.var, dtype=True, ddof=True)
register("std", np.std, dtype=True, ddof=True)


__all__ = [
    "count",
    "counting_dtype",
    "expand",
    "given",
    "narrowed",
    "over",
    "reduced_rule",
    "reduction",
    "register",
    "spread",
]
