"""Making arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._infer import shape_of
from .shaping import np_call, shape_tuple
from .table import nondiff
import ast


def _infer_made(dims: Any, inputs: tuple[Value, ...], dtype: Any) -> Type:
    return ArrayType(np.dtype(dtype), shape_of(dims, inputs))


def _infer_like(dims: Any, inputs: tuple[Value, ...], dtype: Any = None) -> Type:
    t = inputs[0].type
    return ArrayType(np.dtype(dtype) if dtype is not None else t.dtype, t.shape)  # type: ignore[union-attr]


def dtype_keyword(dtype: Any) -> dict[str, ast.expr]:
    """``dtype=...`` unless it is NumPy's default."""
    if np.dtype(dtype) == np.float64:
        return {}
    return {"dtype": ast.Attribute(ast.Name("np"), np.dtype(dtype).name)}


nondiff(
    "zeros",
    "*lengths",
    _infer_made,
    lambda inputs, attrs: np_call("zeros", shape_tuple(inputs), **dtype_keyword(attrs["dtype"])),
    attrs={"dtype": REQUIRED},
    traits="allocates",
    doc="Zeros of a given shape.",
)
nondiff(
    "empty",
    "*lengths",
    _infer_made,
    lambda inputs, attrs: np_call("empty", shape_tuple(inputs), **dtype_keyword(attrs["dtype"])),
    attrs={"dtype": REQUIRED},
    traits="allocates",
    doc="Memory of a given shape, to be filled.",
)
nondiff(
    "zeros_like",
    "x",
    _infer_like,
    "np.zeros_like(x, dtype=dtype)",
    attrs={"dtype": None},
    traits="allocates",
    shape_only="x",
    doc="Zeros of x's shape.",
)
