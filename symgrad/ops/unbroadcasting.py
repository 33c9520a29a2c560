"""Undoing a broadcast whose axes are known only at run time."""

from __future__ import annotations

import ast
from typing import Any

from ..ir.expr import Expr, f
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .rules.batching import front
from .rules.infer import shape_of
from .table import linear

HELPER = '''
def _unbroadcast(g, *shape):
    """Sum ``g`` over the axes along which an array of ``shape`` was broadcast."""
    repeated = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return np.sum(g, axis=repeated, keepdims=True) if repeated else g
'''


def _infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
    g = inputs[0].type
    assert isinstance(g, ArrayType)
    return ArrayType(g.dtype, shape_of(dims, inputs[1:]))


def _emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """The lengths one by one, also where they are written as those of another array."""
    args = [ast.Starred(x) if _is_shape(x) else x for x in inputs[1:]]
    return ast.Call(ast.Name("_unbroadcast"), [inputs[0], *args], [])


def _is_shape(x: ast.expr) -> bool:
    return isinstance(x, ast.Attribute) and x.attr == "shape"


def _batch(
    g: Expr, lengths: tuple[Expr, ...], size: Expr, batched: tuple[bool, ...]
) -> Any:
    if any(batched[1:]):
        return None
    return f.unbroadcast(front(g, len(lengths)), size, *lengths)


linear(
    "unbroadcast",
    "g *lengths",
    _infer,
    _emit,
    transpose={"g": lambda g, inputs: f.broadcast_to(g, *inputs[0].shape)},
    traits="maybe_view",
    helper=HELPER,
    batch=_batch,
    doc="g summed over the axes along which an array of the given lengths was broadcast, "
    "which are known at run time only; g itself if there are none.",
)
