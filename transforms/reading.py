"""Derivative code computes with the numbers that NumPy computes with.

A function of floats takes whole numbers, truth values and floats of less precision for what they
are as floats of its result. A rule that reads them as they are would compute in their type where
no float takes part: ``y - 1`` wraps around, ``log(y)`` has half precision, masks add up to "or".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import DTypeError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.opdef import OpDef
from ..ir.types import ArrayType, Type
from ..ir.values import Op, Value

DType = np.dtype[Any]


def reader(
    builder: Builder, op: Op, inputs: Sequence[Value], results: Sequence[Value]
) -> Builder:
    """The builder for a rule of ``op``: one that computes with inputs of other dtypes as with
    floats of the result's, if there are any."""
    wanted = {r.type.dtype for r in results if _is_float(r.type)}  # type: ignore[union-attr]
    types = [v.type for v in inputs]
    if not wanted or all(not isinstance(t, ArrayType) or t.dtype in wanted for t in types):
        return builder
    dtype = np.result_type(*(np.finfo(d).dtype for d in wanted))
    read = set(op.kind.vjp) - op.kind.as_given
    numbers = {
        v
        for position, v in enumerate(inputs)
        if _is_less(v.type, dtype) and op.kind.input_name(position) in read
    }
    return _Reader(builder, dtype, numbers) if numbers else builder


def falls_short(
    builder: Builder,
    kind: OpDef,
    inputs: Sequence[Value],
    attrs: Mapping[str, Any],
    wanted: DType,
) -> bool:
    """Whether what the op makes of these may not be what it makes of floats of dtype ``wanted``."""
    dtypes = [v.type.dtype for v in inputs if isinstance(v.type, ArrayType)]
    if all(d == wanted for d in dtypes):
        return False
    if not kind.vjp or not (kind.has("elementwise") or kind.has("contraction")):
        return False
    less = [d for d in dtypes if _less(d, wanted)]
    if len(less) < len(dtypes):
        return len(less) > 1 and kind.has("contraction")  # may be multiplied first
    try:
        found = kind.infer(builder.dims, tuple(inputs), **{**kind.attrs, **attrs})
    except DTypeError:
        return True  # truth values have no difference
    if not isinstance(found, ArrayType):
        return False
    if found.dtype.kind in "fc":
        return _less(found.dtype, wanted)
    if kind.has("selects"):
        return False
    if found.dtype.kind == "b":
        return not kind.has("scales")
    if np.result_type(found.dtype, wanted) != wanted:
        return True  # beside floats of this dtype it makes wider ones
    return found.dtype != np.int64 or not kind.has("additive")


def _is_float(t: Type) -> bool:
    return isinstance(t, ArrayType) and t.dtype.kind in "fc"


def _is_less(t: Type, wanted: DType) -> bool:
    return isinstance(t, ArrayType) and _less(t.dtype, wanted)


@lru_cache(maxsize=256)
def _less(dtype: DType, wanted: DType) -> bool:
    """Whether numbers of this dtype are whole, or of less precision."""
    if dtype.kind not in "fc":
        return True
    return bool(np.finfo(dtype).precision < np.finfo(wanted).precision)


class _Reader(Builder):
    """Adds to what another builder has. ``numbers`` are values of other dtypes that stand for
    numbers; not places, masks and lengths."""

    __slots__ = ("converted", "dtype", "numbers")

    def __init__(self, base: Builder, dtype: DType, numbers: set[Value]) -> None:
        for name in Builder.__slots__:
            setattr(self, name, getattr(base, name))
        self.dtype, self.numbers = dtype, numbers
        self.converted: dict[Value, Value] = {}

    def sub(self) -> Builder:
        return _Reader(super().sub(), self.dtype, self.numbers)

    def append(
        self,
        kind: OpDef | str,
        inputs: Sequence[Value],
        attrs: Mapping[str, Any],
        hint: str = "",
    ) -> Op:
        if self.numbers.isdisjoint(inputs):
            return super().append(kind, inputs, attrs, hint)
        definition = self.definition(kind) if isinstance(kind, str) else kind
        if falls_short(self, definition, inputs, attrs, self.dtype):
            inputs = [self.read(v) if v in self.numbers else v for v in inputs]
        op = super().append(definition, inputs, attrs, hint)
        if definition.vjp:
            self.numbers.update(r for r in op.results if _is_less(r.type, self.dtype))
        return op

    def read(self, value: Value) -> Value:
        """A number as a float; a complex one as a complex one."""
        if value not in self.converted:
            x, dtype = Expr(self, value), self.dtype
            dtype = np.result_type(dtype, x.dtype) if x.dtype.kind == "c" else dtype
            cast = f.astype if x.ndim else f.asarray
            self.converted[value] = cast(x, dtype=dtype).value
        return self.converted[value]
