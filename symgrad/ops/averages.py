"""Weighted means."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShapeError
from ..ir.expr import Expr, f
from ..ir.indexing import FULL, NEWAXIS
from .composed import composed
from .reductions import AXES, Axis
from .rules.arguments import as_array, axes_of
from .static import known, need_static
from .table import SURFACE, surface


def _along(w: Expr, x: Expr, axis: Axis) -> Expr:
    """Weights of the averaged axes only, as an array like ``x``."""
    axes = axis or ()
    ordered = sorted(range(w.ndim), key=axes.__getitem__)
    w = f.transpose(w, axes=tuple(ordered)) if ordered != list(range(w.ndim)) else w
    w = f.index(w, index=tuple(FULL if i in axes else NEWAXIS for i in range(x.ndim)))
    return f.broadcast_to(w, *x.shape)  # type: ignore[no-any-return]


def _weighted(x: Expr, weights: Expr, axis: Axis, keepdims: bool) -> Any:
    weights = weights if weights.ndim == x.ndim else _along(weights, x, axis)
    total = f.sum(x * weights, axis=axis, keepdims=keepdims)
    return total / f.sum(weights, axis=axis, keepdims=keepdims)


composed(
    "average", "x weights", "np.average(x, axis=axis, weights=weights, keepdims=keepdims)",
    _weighted, attrs=AXES,
    doc="The mean over axes, with weights of the array's shape or of these axes'.",
)  # fmt: skip


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
    x, axis = as_array(b, a), known(axis)
    axes = None if axis is None else axes_of(axis, x.ndim)
    if weights is None:
        mean = SURFACE[np.mean](b, x, axes, keepdims=keepdims)
        every = f.full_like(mean, x.size / SURFACE[np.size](b, mean), dtype=None)
        return (mean, every) if need_static(returned) else mean
    w = as_array(b, weights)
    if w.ndim not in (x.ndim, len(axes or ())):
        raise ShapeError("np.average: weights have the shape of the array, or of its axes")
    mean = f.average(x, w, axis=axes, keepdims=bool(need_static(keepdims)))
    if not need_static(returned):
        return mean
    w = w if w.ndim == x.ndim else _along(w, x, axes)
    return mean, SURFACE[np.sum](b, f.astype(w, dtype=mean.dtype), axes, keepdims=keepdims)
