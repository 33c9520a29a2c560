"""Type rules shared by several entries. All have the signature of ``OpDef.infer``."""

from __future__ import annotations

from typing import Any

from ...ir.dims import Dimension
from ...ir.types import ArrayType, Type
from ...ir.values import Value


def same(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    """The first input's type."""
    return inputs[0].type


def as_dimension(dims: Any, value: Value) -> Dimension:
    """The length that a runtime integer stands for; a new symbol where nothing is known."""
    if value.dim is None:
        value.dim = dims.fresh(value.name or "k", lo=None)
    return dims.canonical(value.dim)  # type: ignore[no-any-return]


def shape_of(dims: Any, values: tuple[Value, ...]) -> tuple[Dimension, ...]:
    """The shape that runtime integers stand for."""
    return tuple(as_dimension(dims, v) for v in values)


def reduced_shape(
    t: ArrayType, axis: tuple[int, ...] | None, keepdims: bool
) -> tuple[Dimension, ...]:
    """Shape after a reduction; axes are non-negative."""
    gone = set(range(t.ndim)) if axis is None else set(axis)
    kept = [
        1 if i in gone else d for i, d in enumerate(t.shape) if keepdims or i not in gone
    ]
    return tuple(kept)
