"""Reductions with ``where=``, ``initial=`` and ``mean=``: a hard zero to what is left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DTypeError
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from .composed import composed
from .masks import select
from .nanreductions import moments
from .reductions import AXES, Axis, counting_dtype, expand, reduced_rule
from .rules.arguments import as_expr
from .table import nondiff, op

LEFT_OUT = "0 to what is left out"
Words = tuple[str, ...]
MORE: tuple[Words, ...] = (("where",), ("initial",), ("initial", "where"))
"""Arguments beside the array, in the order of an op's inputs and of its name."""


def call_of(name: str, attrs: str, words: Words) -> str:
    """The template of a call with these arguments."""
    listed = [f"{k}={k}" for k in (*attrs.split(), *words)]
    return f"np.{name}(x, {', '.join(listed)})"


# ------------------------------------------------------------------------- sums, products
def _filled(name: str, neutral: float, combine: str) -> Any:
    """A reduction for which what is left out has a neutral value."""

    def by(
        x: Expr,
        axis: Axis,
        keepdims: bool,
        dtype: Any,
        where: Expr | None = None,
        initial: Any = None,
    ) -> Any:
        kept = x if where is None else f.where(where, x, neutral)
        more = {} if dtype is None else {"dtype": dtype}
        total = getattr(f, name)(kept, axis=axis, keepdims=keepdims, **more)
        if initial is None:
            return total
        start = _like(total, initial)
        return getattr(f, combine)(start, total)

    return by


def _like(out: Expr, x: Any) -> Expr:
    """A given number or array in the type of the result."""
    b = out.builder
    e = as_expr(b, x)
    if isinstance(e.type, ScalarType):
        return Expr(b, b.op("asarray", e.value, dtype=out.dtype))
    return f.astype(e, dtype=out.dtype)  # type: ignore[no-any-return]


_SUMS: dict[str, Any] = {"sum": (np.sum, 0, "add"), "prod": (np.prod, 1, "multiply")}
for _name, (_function, _neutral, _combine) in _SUMS.items():
    for _words in MORE:
        composed(
            "_".join([_name, *_words]), " ".join(["x", *_words]),
            call_of(_name, "axis dtype keepdims", _words),
            _filled(_name, _neutral, _combine),
            wrt="x initial" if "initial" in _words else "x", attrs={**AXES, "dtype": None},
            infer=reduced_rule(_function), traits="selects" if "where" in _words else "",
            kink=LEFT_OUT if "where" in _words else "",
            doc=f"The {_name}, from a given number or of some entries.",
        )  # fmt: skip


# ------------------------------------------------------------------------ largest, smallest
def _shares(out: Expr, inputs: Any, axis: Axis, keepdims: bool) -> tuple[Expr, Expr, Expr]:
    """Which entries are the extreme, the share of each, and that of the given number."""
    x, initial, *where = inputs
    won = f.equal(x, expand(out, x.ndim, axis, keepdims))
    won = f.logical_and(won, where[0]) if where else won
    ties = f.sum(won, axis=axis, keepdims=keepdims, dtype=counting_dtype(x))
    one, half = (_like(ties, number) for number in (1.0, 0.5))
    own, alone = f.equal(_like(out, initial), out), f.equal(ties, 0)
    share = f.where(own, half, one) / f.where(alone, one, ties)
    return won, share, f.where(own, f.where(alone, one, half), 0)


def _extreme_vjp(g: Expr, out: Expr, inputs: Any, axis: Axis, keepdims: bool) -> Any:
    won, share, _ = _shares(out, inputs, axis, keepdims)
    return select(won, expand(g * share, won.ndim, axis, keepdims))


def _extreme_jvp(t: Expr, out: Expr, inputs: Any, axis: Axis, keepdims: bool) -> Any:
    won, share, _ = _shares(out, inputs, axis, keepdims)
    return f.sum(select(won, t), axis=axis, keepdims=keepdims) * share


def _initial_vjp(g: Expr, out: Expr, inputs: Any, axis: Axis, keepdims: bool) -> Any:
    return g * _shares(out, inputs, axis, keepdims)[2]


def _initial_jvp(t: Expr, out: Expr, inputs: Any, axis: Axis, keepdims: bool) -> Any:
    return t * _shares(out, inputs, axis, keepdims)[2]


_EXTREMES: dict[str, Any] = {"max": np.max, "min": np.min}
for _name, _function in _EXTREMES.items():
    for _words in MORE[1:]:
        op(
            "_".join([_name, *_words]), " ".join(["x", *_words]), reduced_rule(_function),
            call_of(_name, "axis keepdims", _words), attrs=AXES,
            vjp={"x": _extreme_vjp, "initial": _initial_vjp},
            jvp={"x": _extreme_jvp, "initial": _initial_jvp},
            traits="selects", kink="half to the given number, half shared by ties",
            doc=f"The {_name}imum of entries and a given number.",
        )  # fmt: skip


# ---------------------------------------------------------------------------- mean, spread
def _infer_about(name: str) -> Any:
    reduced = reduced_rule(getattr(np, name))

    def infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
        kinds = [v.type.dtype.kind for v in inputs]  # type: ignore[union-attr]
        if "c" in kinds[1:] and kinds[0] != "c":
            raise DTypeError(f"np.{name}: a complex mean of real numbers")
        for more in inputs[1:]:
            dims.broadcast_shapes(inputs[0].type.shape, more.type.shape)  # type: ignore[union-attr]
        out = reduced(dims, inputs[:1], **attrs)
        if name.startswith("nan") or attrs["dtype"] is not None:
            return out
        given = (_real(v.type.dtype) for v in inputs[1:])  # type: ignore[union-attr]
        return ArrayType(np.result_type(out.dtype, *given), out.shape)  # type: ignore[union-attr]

    return infer


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.zeros(0, dtype).real.dtype


def _mask(x: Expr, where: Expr | None) -> Expr:
    if where is None:
        return f.ones_like(x, dtype=np.dtype(bool))  # type: ignore[no-any-return]
    return f.broadcast_to(where, *x.shape) if where.dims != x.dims else where


def _moment(name: str, *, nan: bool = False) -> Any:
    def by(
        x: Expr,
        axis: Axis,
        keepdims: bool,
        ddof: Any = 0,
        dtype: Any = None,
        where: Expr | None = None,
        mean: Expr | None = None,
    ) -> Any:
        mask = _mask(x, where)
        mask = f.logical_and(mask, f.logical_not(f.isnan(x))) if nan else mask
        if dtype is None:
            dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(np.float64)
            dtype = dtype if mean is None or nan else np.result_type(dtype, mean.dtype)
        x = x if dtype == x.dtype else f.astype(x, dtype=dtype)
        count = f.sum(mask, axis=axis, keepdims=keepdims, dtype=counting_dtype(x))
        return moments(name, x, mask, count, axis, keepdims, ddof, mean)

    return by


composed(
    "mean_where", "x where", call_of("mean", "axis dtype keepdims", ("where",)),
    _moment("mean"), wrt="x", attrs={**AXES, "dtype": None}, infer=reduced_rule(np.mean),
    traits="selects", kink=LEFT_OUT, doc="The mean of some entries.",
)  # fmt: skip
composed(
    "nanmean_where", "x where", call_of("nanmean", "axis dtype keepdims", ("where",)),
    _moment("mean", nan=True), wrt="x", attrs={**AXES, "dtype": None},
    infer=reduced_rule(np.nanmean),
    traits="selects", kink=LEFT_OUT, doc="The mean of some entries that are not nan.",
)  # fmt: skip
for _name, _text in {"var": "variance", "std": "standard deviation"}.items():
    for _words in (("where",), ("mean",), ("mean", "where")):
        _wrt = "x mean" if "mean" in _words else "x"
        composed(
            "_".join([_name, *_words]), " ".join(["x", *_words]),
            call_of(_name, "axis dtype ddof keepdims", _words), _moment("var"), wrt=_wrt,
            root=_name == "std",
            attrs={**AXES, "dtype": None, "ddof": 0}, infer=_infer_about(_name),
            traits="selects" if "where" in _words else "",
            kink=f"slope 0 where it is 0; {LEFT_OUT}" if "where" in _words else "",
            doc=f"The {_text} of some entries, or about a given mean.",
        )  # fmt: skip
        composed(
            "_".join([f"nan{_name}", *_words]), " ".join(["x", *_words]),
            call_of(f"nan{_name}", "axis dtype ddof keepdims", _words),
            _moment("var", nan=True), wrt=_wrt, root=_name == "std",
            attrs={**AXES, "dtype": None, "ddof": 0},
            infer=_infer_about(f"nan{_name}"), traits="selects",
            kink=f"slope 0 where it is 0; {LEFT_OUT}" if "where" in _words else "",
            doc=f"The {_text} of entries that are not nan, or about a given mean.",
        )  # fmt: skip

# ----------------------------------------------------------------------------------- truth
_TRUTH: dict[str, Any] = {"any": np.any, "all": np.all}
for _name, _function in _TRUTH.items():
    nondiff(
        f"{_name}_where", "x where", reduced_rule(_function),
        call_of(_name, "axis keepdims", ("where",)), attrs=AXES,
        doc=f"Whether {_name} of some entries are true.",
    )  # fmt: skip
