"""Undoing a broadcast whose axes are known only at run time."""

from __future__ import annotations

from typing import Any

from ..ir.expr import f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .table import linear

HELPER = '''
def _unbroadcast(g, shape):
    """Sum ``g`` over the axes along which an array of ``shape`` was broadcast."""
    repeated = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return np.sum(g, axis=repeated, keepdims=True) if repeated else g
'''


def _infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
    g, x = inputs[0].type, inputs[1].type
    assert isinstance(g, ArrayType) and isinstance(x, ArrayType)
    return ArrayType(g.dtype, x.shape)


linear(
    "unbroadcast",
    "g x",
    _infer,
    "_unbroadcast(g, x.shape)",
    transpose={"g": lambda g, inputs: f.broadcast_to(g, *inputs[0].shape)},
    shape_only="x",
    helper=HELPER,
    batch="leading",
    doc="g summed over the axes along which x was broadcast, which are known at run time only.",
)
