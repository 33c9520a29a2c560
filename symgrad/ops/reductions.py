"""Reductions over axes. Attributes: ``axis`` is None or a tuple of non-negative ints."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._infer import reduced_shape
from .table import linear


def _infer_sum(
    dims: Any, inputs: tuple[Value, ...], axis: Any, keepdims: bool, dtype: Any
) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    result = np.dtype(dtype) if dtype is not None else np.sum(np.zeros(1, t.dtype)).dtype
    return ArrayType(result, reduced_shape(t, axis, keepdims))


def spread(g: Expr, like: Expr, axis: tuple[int, ...] | None, keepdims: bool) -> Expr:
    """A reduced array broadcast back to the shape of ``like``."""
    if axis is not None and not keepdims and g.ndim:
        kept = [1 if i in axis else d for i, d in enumerate(like.shape)]
        g = f.reshape(g, *kept)
    return f.broadcast_to(g, *like.shape)  # type: ignore[no-any-return]


linear(
    "sum",
    "x",
    _infer_sum,
    "np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)",
    attrs={"axis": None, "keepdims": False, "dtype": None},
    transpose={"x": lambda g, x, axis, keepdims: spread(g, x, axis, keepdims)},
    doc="Sum over axes.",
)
