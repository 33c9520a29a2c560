"""Quantiles of entries that count more or less: NumPy has them by one method, ``inverted_cdf``,
which picks an entry. Its gradient goes to that entry; to levels and weights it is zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .composed import composed
from .kernels import Array, text_of
from .quantiles import TIES, along_rows, merged, placed
from .reductions import AXES, Axis
from .table import nondiff


def _picked_places(rows: Array, levels: Array, weights: Array) -> Array:
    """In each row, the entries below which the given parts of the weights lie."""
    order = np.argsort(rows, axis=-1)
    counts = np.take_along_axis(np.where(np.isnan(rows), 0, weights), order, axis=-1)
    share = np.cumsum(counts, axis=-1, dtype=np.float64)
    share = share / share[..., -1:]
    if np.asarray(levels).dtype.kind == "f":
        share = share.astype(np.asarray(levels).dtype)
    share[share == 0] = -1  # the level 0 is that of the first entry that counts
    below = share[..., None, :] < np.reshape(levels, (-1, 1))
    places = np.minimum(np.sum(below, axis=-1), rows.shape[-1] - 1)
    return np.take_along_axis(order, places, axis=-1)


def _infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
    rows, levels, _ = (v.type for v in inputs)
    last = levels.shape[0] if levels.ndim else 1  # type: ignore[union-attr]
    return ArrayType(np.dtype(np.intp), (*rows.shape[:-1], last))  # type: ignore[union-attr]


nondiff(
    "picked_places", "rows levels weights", _infer, "_picked_places(rows, levels, weights)",
    helper=text_of(_picked_places), batch="each", traits="allocates",
    doc="Which entry of each row is the weighted quantile of each level.",
)  # fmt: skip


def _picked(x: Expr, q: Expr, weights: Expr, axis: Axis, keepdims: bool) -> Expr:
    rows = merged(x, axis)
    last = rows.ndim - 1
    places = f.picked_places(rows, q, merged(along_rows(x, weights, axis), axis))
    out = f.take_along_axis(rows, places, axis=last)
    if not q.ndim:
        out = f.squeeze(out, axes=(last,))
    return placed(out, x.ndim, q.ndim, axis, keepdims)


def _level(hundredth: bool) -> Callable[..., Any]:
    def by(x: Expr, q: Expr, weights: Expr, axis: Axis, keepdims: bool) -> Expr:
        return _picked(x, q / 100 if hundredth else q, weights, axis, keepdims)

    return by


for _name in ("quantile", "percentile"):
    for _prefix in ("", "nan"):
        composed(
            f"{_prefix}{_name}_weighted", "x q weights",
            f"np.{_prefix}{_name}(x, q, axis=axis, weights=weights, keepdims=keepdims, "
            "method='inverted_cdf')",
            _level(_name == "percentile"), wrt="x", attrs=AXES, batch="each", kink=TIES,
            doc="The entries below which the given parts of the weights lie.",
        )  # fmt: skip
