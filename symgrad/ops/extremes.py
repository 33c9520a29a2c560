"""Largest and smallest entries, their positions, and truth over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .masks import select
from .reductions import (
    AXES,
    Axis,
    counting_dtype,
    expand,
    reduced_rule,
    reduction,
    register,
)
from .rules import batching as batching
from .rules.arguments import as_array, axis_of
from .rules.infer import reduced_shape
from .static import known, need_static
from .table import SURFACE, method, nondiff, op, surface


# ----------------------------------------------------------------------------- max, min
def _winners(out: Expr, x: Expr, axis: Axis, keepdims: bool) -> Expr:
    return f.equal(x, expand(out, x.ndim, axis, keepdims))  # type: ignore[no-any-return]


def _extreme_vjp(g: Expr, out: Expr, x: Expr, axis: Axis, keepdims: bool) -> Any:
    won = _winners(out, x, axis, keepdims)
    ties = f.sum(won, axis=axis, keepdims=keepdims, dtype=counting_dtype(g))
    return select(won, expand(g / ties, x.ndim, axis, keepdims))


def _extreme_jvp(t: Expr, out: Expr, x: Expr, axis: Axis, keepdims: bool) -> Any:
    won = _winners(out, x, axis, keepdims)
    ties = f.sum(won, axis=axis, keepdims=keepdims, dtype=counting_dtype(t))
    return f.sum(select(won, t), axis=axis, keepdims=keepdims) / ties


_EXTREMES: dict[str, Any] = {"max": np.max, "min": np.min}
for _name, _function in _EXTREMES.items():
    op(
        _name, "x", reduced_rule(_function), f"np.{_name}(x, axis=axis, keepdims=keepdims)",
        attrs=AXES, vjp={"x": _extreme_vjp}, jvp={"x": _extreme_jvp},
        traits="selects keeps_nan of_some", kink="shared equally by ties",
        doc=f"The {_name}imum over axes.",
    )  # fmt: skip

# ------------------------------------------------------------------- truth and positions
_TRUTH: dict[str, Any] = {"any": np.any, "all": np.all}
for _name, _function in _TRUTH.items():
    nondiff(
        _name, "x", reduced_rule(_function), f"np.{_name}(x, axis=axis, keepdims=keepdims)",
        attrs=AXES, doc=f"Whether {_name} entries are true.",
    )  # fmt: skip
nondiff(
    "count_nonzero", "x", reduced_rule(lambda x: np.zeros(1, np.intp)),
    "np.count_nonzero(x, axis=axis, keepdims=keepdims)", attrs=AXES,
    doc="How many entries are not zero.",
)  # fmt: skip


def _infer_position(
    dims: Any, inputs: tuple[Value, ...], axis: Any, keepdims: bool
) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    return ArrayType(
        np.dtype(np.intp), reduced_shape(t, None if axis is None else (axis,), keepdims)
    )


for _name in ("argmax", "argmin"):
    nondiff(
        _name, "x", _infer_position, f"np.{_name}(x, axis=axis, keepdims=keepdims)", attrs=AXES,
        batch=batching.position(_name), traits="of_some",
        doc=f"Position of the {_name[3:]}imum (``axis`` is one axis or None).",
    )  # fmt: skip


# ------------------------------------------------------------------------------ surfaces
register("max", np.max, np.amax)
register("min", np.min, np.amin)
register("any", np.any)
register("all", np.all)
SURFACE[np.count_nonzero] = reduction("count_nonzero")


def _position(name: str) -> Callable[..., Any]:
    def call(b: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Expr:
        x = as_array(b, a)
        place = None if known(axis) is None else axis_of(axis, x.ndim or 1)
        place = place if x.ndim else None
        kept = bool(need_static(keepdims))
        return getattr(f, name)(x, axis=place, keepdims=kept)  # type: ignore[no-any-return]

    return call


for _name in ("argmax", "argmin"):
    SURFACE[getattr(np, _name)] = method(_name)(_position(_name))


@surface(np.ptp)
def _ptp(b: Any, a: Any, axis: Any = None, **options: Any) -> Expr:
    x = as_array(b, a)
    return SURFACE[np.max](b, x, axis, **options) - SURFACE[np.min](b, x, axis, **options)  # type: ignore[no-any-return]
