"""Laws of memory order in derivative code: arrays that are worked on together lie alike."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Expr, f
from ...ir.types import ArrayType
from ...ir.values import Value
from .words import Site, law, rank

DEPTH = 8


@law("transpose", adjoint=True)
def transpose_of_mixed_product(site: Site) -> Any:
    """``(x * y).T`` is ``x.T * y.T`` where one factor lies in memory as the result is to lie,
    and the other does not: NumPy writes a product of the two in the order of the axes. So it
    is where both are transposes already."""
    op = site.made_by(site.inputs[0], "multiply", once=True)
    axes = site.attrs["axes"]
    if op is None or any(_other_shape(site, v, op.result) for v in op.inputs):
        return None
    fits = [_order(v, DEPTH) == _inverse(axes) for v in op.inputs]
    turned = all(site.made_by(v, "transpose") for v in op.inputs)
    if fits[0] == fits[1] and not turned:
        return None
    x, y = (f.transpose(site.expr(v), axes=axes) for v in op.inputs)
    return Expr(site.builder, site.builder.op("multiply", x.value, y.value))


def _other_shape(site: Site, value: Value, like: Value) -> bool:
    return (
        not isinstance(value.type, ArrayType)
        or not isinstance(like.type, ArrayType)
        or not site.same(ArrayType(like.type.dtype, value.type.shape), like.type)
    )


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axes.index(k) for k in range(len(axes)))


def _order(value: Value, depth: int) -> tuple[int, ...]:
    """The axes of the contiguous array that ``value`` is a transpose of, or lies like."""
    plain = tuple(range(rank(value)))
    op = value.op
    if op is None or not depth:
        return plain
    if op.kind.name == "transpose":
        inner = _order(op.inputs[0], depth - 1)
        return tuple(inner[a] for a in op.attrs["axes"])
    if not op.kind.has("elementwise"):
        return plain
    orders = {_order(v, depth - 1) for v in op.inputs if rank(v) == rank(value)}
    return orders.pop() if len(orders) == 1 else plain
