"""What stands between the brackets of ``x[...]``, turned into an ``Index`` and operands."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DTypeError, IndexingError, ShapeError
from ..ir.builder import Builder
from ..ir.dims import Dimension
from ..ir.expr import Expr
from ..ir.indexing import (
    FULL,
    NEWAXIS,
    Bound,
    Gather,
    Index,
    Item,
    Mask,
    NewAxis,
    Operand,
    Slice,
)
from ..ir.types import ArrayType
from ..ir.values import Value
from .rules.arguments import as_array, as_expr
from .static import known, need_static, shown


class _Parser:
    """Turns the parts of a key into items and collects the operands they refer to."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.operands: list[Value] = []

    def item(self, part: Any) -> Item:
        part = known(part)
        if part is None:
            return NEWAXIS
        if isinstance(part, slice):
            return self._slice(part)
        if isinstance(part, bool | np.bool_):
            return Mask(self._operand(self.b.const(np.bool_(part))))
        if isinstance(part, tuple | list | range):
            part = as_expr(self.b, part) if len(part) else np.zeros(0, np.intp)
            part = known(part)
        if isinstance(part, np.ndarray):
            return self._array(as_expr(self.b, part)) if part.ndim else self.item(part[()])
        if isinstance(part, Expr):
            return self._expr(part)
        return self._int(part)

    def _int(self, part: Any) -> int:
        try:
            return operator.index(part)
        except TypeError:
            raise DTypeError(
                f"{shown(part)} cannot be an index: integers, slices, None, ... and integer or "
                "boolean arrays can"
            ) from None

    def _expr(self, part: Expr) -> Item:
        if part.dtype.kind == "b":
            return self._array(as_array(self.b, part))
        if part.ndim:
            return self._array(part)
        _check_kind(part)
        return Operand(self._operand(part.value))

    def _array(self, part: Expr) -> Item:
        if part.dtype.kind == "b":
            return Mask(self._operand(part.value))
        _check_kind(part)
        return Gather(self._operand(part.value))

    def _slice(self, part: slice) -> Slice:
        step = self._bound(part.step if self.b.dims.any_step else need_static(part.step))
        if step == 0:
            raise ShapeError("the step of a slice cannot be zero")
        start, stop = self._bound(part.start), self._bound(part.stop)
        if step in (None, 1) and start in (None, 0) and stop is None:
            return FULL
        return Slice(start, stop, step)

    def _bound(self, x: Any) -> Bound:
        x = known(x)
        if x is None:
            return None
        if isinstance(x, Expr):
            if x.ndim or x.dtype.kind not in "iu":
                raise DTypeError(f"a slice bound must be an integer, got {x.type}")
            return Operand(self._operand(x.value))
        return self._int(x)

    def _operand(self, value: Value) -> int:
        self.operands.append(value)
        return len(self.operands) - 1


def _check_kind(part: Expr) -> None:
    if part.dtype.kind not in "iu":
        raise DTypeError(f"an index must be an integer or boolean array, got {part.type}")


def parse(b: Builder, x: Expr, key: Any) -> tuple[Index, tuple[Value, ...]]:
    """The index and the operands for ``x[key]``.

    Raises:
        IndexingError: too many indices, or a constant one out of range.
        DTypeError: something that is no index.
    """
    parts = list(key) if isinstance(key, tuple) else [key]
    parser = _Parser(b)
    ellipses = [i for i, p in enumerate(parts) if p is Ellipsis]
    if len(ellipses) > 1:
        raise IndexingError("an index can have one ellipsis (...) only")
    head = parts[: ellipses[0]] if ellipses else parts
    tail = parts[ellipses[0] + 1 :] if ellipses else []
    front = [parser.item(p) for p in head]
    back = [parser.item(p) for p in tail]
    missing = x.ndim - sum(_consumed(i, parser.operands) for i in front + back)
    if missing < 0:
        raise IndexingError(
            f"too many indices: the array has rank {x.ndim}, {x.ndim - missing} were indexed"
        )
    if ellipses and not missing and _arrays(front) and _arrays(back):
        raise ShapeError(
            "an ellipsis that stands for no axis between index arrays; leave it out"
        )
    items: list[Item] = [*front, *[FULL] * missing, *back]
    _check_range(b, x, items, parser.operands)
    while items and items[-1] == FULL:
        items.pop()
    return tuple(items), tuple(parser.operands)


def _arrays(items: Sequence[Item]) -> bool:
    return any(isinstance(i, Gather | Mask) for i in items)


def _consumed(item: Item, operands: Sequence[Value]) -> int:
    """How many axes of the array an item stands for."""
    if isinstance(item, NewAxis):
        return 0
    if isinstance(item, Mask):
        return _array_type(operands[item.k]).ndim
    return 1


def _array_type(value: Value) -> ArrayType:
    assert isinstance(value.type, ArrayType)
    return value.type


def _check_range(
    b: Builder, x: Expr, items: Sequence[Item], operands: Sequence[Value]
) -> None:
    axis = 0
    for item in items:
        if isinstance(item, int):
            _check_int(b.dims.canonical(x.dims[axis]), item, axis)
        elif isinstance(item, Gather) and operands[item.k].is_constant:
            for n in np.unique(operands[item.k].constant):
                _check_int(b.dims.canonical(x.dims[axis]), int(n), axis)
        elif isinstance(item, Mask):
            _check_mask(b, x, operands[item.k], axis)
        axis += _consumed(item, operands)


def _check_int(length: Dimension, n: int, axis: int) -> None:
    if isinstance(length, int) and not -length <= n < length:
        raise IndexingError(
            f"index {n} is out of bounds for axis {axis} with length {length}"
        )


def _check_mask(b: Builder, x: Expr, mask: Value, axis: int) -> None:
    for offset, length in enumerate(_array_type(mask).shape):
        try:
            b.dims.unify(x.dims[axis + offset], length)
        except ShapeError:
            raise IndexingError(
                f"a boolean index of length {length} does not fit axis {axis + offset} of "
                f"length {x.dims[axis + offset]}"
            ) from None
