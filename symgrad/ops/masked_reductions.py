"""Reductions with ``where=``: a hard zero to what is left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from .composed import composed
from .nanreductions import moments
from .reductions import AXES, Axis, counting_dtype, reduced_rule
from .table import nondiff

LEFT_OUT = "0 to what is left out"


def _filled(name: str, neutral: float) -> Any:
    """A reduction for which what is left out has a neutral value."""

    def by(x: Expr, where: Expr, axis: Axis, keepdims: bool, dtype: Any = None) -> Any:
        kept = f.where(where, x, neutral)
        more = {} if dtype is None else {"dtype": dtype}
        return getattr(f, name)(kept, axis=axis, keepdims=keepdims, **more)

    return by


def _from(name: str, worst: float) -> Any:
    """``max`` and ``min``, which need a value to begin with."""

    def by(x: Expr, where: Expr, initial: Expr, axis: Axis, keepdims: bool) -> Any:
        kept = f.where(where, x, worst)
        found = getattr(f, name)(kept, axis=axis, keepdims=keepdims)
        return getattr(f, f"{name}imum")(found, initial)

    return by


def _moment(name: str) -> Any:
    def by(
        x: Expr, where: Expr, axis: Axis, keepdims: bool, ddof: Any = 0, dtype: Any = None
    ) -> Any:
        mask = f.broadcast_to(where, *x.shape) if where.dims != x.dims else where
        count = f.sum(mask, axis=axis, keepdims=keepdims, dtype=counting_dtype(x))
        return moments(name, x, mask, count, axis, keepdims, ddof)

    return by


_SUMS: dict[str, Any] = {"sum": (np.sum, 0), "prod": (np.prod, 1)}
for _name, (_function, _neutral) in _SUMS.items():
    composed(
        f"{_name}_where", "x where",
        f"np.{_name}(x, axis=axis, dtype=dtype, keepdims=keepdims, where=where)",
        _filled(_name, _neutral), wrt="x", attrs={**AXES, "dtype": None},
        infer=reduced_rule(_function), traits="selects", kink=LEFT_OUT,
        doc=f"The {_name} of some entries.",
    )  # fmt: skip
for _name, _worst in {"max": -np.inf, "min": np.inf}.items():
    composed(
        f"{_name}_where", "x where initial",
        f"np.{_name}(x, axis=axis, keepdims=keepdims, initial=initial, where=where)",
        _from(_name, _worst), wrt="x initial", attrs=AXES, traits="selects",
        kink=f"shared by ties; {LEFT_OUT}",
        doc=f"The {_name}imum of some entries and a given number.",
    )  # fmt: skip
composed(
    "mean_where", "x where", "np.mean(x, axis=axis, keepdims=keepdims, where=where)",
    _moment("mean"), wrt="x", attrs=AXES, traits="selects", kink=LEFT_OUT,
    doc="The mean of some entries.",
)  # fmt: skip
for _name, _text in {"var": "variance", "std": "standard deviation"}.items():
    composed(
        f"{_name}_where", "x where",
        f"np.{_name}(x, axis=axis, ddof=ddof, keepdims=keepdims, where=where)",
        _moment(_name), wrt="x", attrs={**AXES, "ddof": 0}, traits="selects", kink=LEFT_OUT,
        doc=f"The {_text} of some entries.",
    )  # fmt: skip
_TRUTH: dict[str, Any] = {"any": np.any, "all": np.all}
for _name, _function in _TRUTH.items():
    nondiff(
        f"{_name}_where", "x where", reduced_rule(_function),
        f"np.{_name}(x, axis=axis, keepdims=keepdims, where=where)", attrs=AXES,
        doc=f"Whether {_name} of some entries are true.",
    )  # fmt: skip
