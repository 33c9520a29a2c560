"""Where writing over a dying operand reads well: ``lap += u[1:-1, 2:]``, ``g_c += ...``."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from ...ir.builder import for_function
from ...ir.context import Dims
from ...ir.dims import may_be_one
from ...ir.order import carried
from ...ir.types import ArrayType
from ...ir.values import Block, Function, Op, Value
from ...ops import TABLE
from ...ops.rules.loose import NARROW, is_loose

LONG = 8
LONG_CALL = 3
LONG_IN_LOOP = 5


class Taste:
    """Which ops are worth it: updates of something that has a name, and steps of expressions
    too long to be written as one. ``into`` has the decisions made so far."""

    __slots__ = (
        "_alike",
        "_becomes",
        "_consumer",
        "_counts",
        "_length",
        "_loop",
        "_meets",
        "_updates",
        "into",
    )

    def __init__(self, function: Function, into: Mapping[Op, int]) -> None:
        self.into = into
        self._counts: dict[Value, int] = {}
        self._length: dict[Op, int] = {}
        self._loop: set[Op] = set()
        self._updates: set[Value] = set()
        self._becomes: dict[Value, str] = {}
        self._consumer: dict[Value, Op] = {}
        self._alike: dict[Op, tuple[int, ...]] = {}
        self._meets = any(op.kind.has("loose") for op in function.block.walk())
        self._count(function.block, False)
        self._compare(function.block, for_function(function, TABLE).dims)
        self._measure(function.block)

    def candidates(self, op: Op) -> Iterator[int]:
        """Inputs that the op may take over, the best first."""
        if not op.kind.has("inplace") or len(op.results) != 1 or not op.inputs:
            return
        for position in self._alike.get(op, ()):
            value = op.inputs[position]
            if not value.is_constant and self._worth(op, value):
                yield position

    def _worth(self, op: Op, value: Value) -> bool:
        result = op.results[0]
        name = result.name or self._becomes.get(result, "")
        adjoint = bool(op.role) and value.name.startswith("g_") and not name
        if value.name and not adjoint:
            return value.name == name or result in self._updates
        following = value.op in self.into and not name
        if (adjoint or following) and _augments(op, value):
            return True
        if value.name:
            return False
        has_line = value.op is None or self._counts[value] > 1
        shared = name or self._counts.get(result, 0) > 1
        if has_line and (shared or op in self._loop or self._wasted(op)):
            return True
        if value.op in self.into and isinstance(op.kind.emit, ast.Call):
            return True
        length = self._length.get(op, 0)
        if op in self._loop:
            return length >= LONG_IN_LOOP
        called = isinstance(op.kind.emit, ast.Call)
        step = value.op is not None and _is_step(value.op)
        return length >= (LONG_CALL if called and step else LONG)

    def _wasted(self, op: Op) -> bool:
        """Whether the op's result is a temporary that NumPy would not use again itself: it does
        so in operator expressions, if the temporary stands first or the order is free."""
        consumer = self._consumer.get(op.results[0])
        if consumer is None or not _is_step(consumer):
            return False
        first = consumer.inputs[0] is op.results[0]
        by_itself = first or consumer.kind.has("commutative")
        return isinstance(consumer.kind.emit, ast.Call) or not by_itself

    def _count(self, block: Block, loop: bool) -> None:
        for op in block.ops:
            for value in op.inputs:
                self._counts[value] = self._counts.get(value, 0) + 1
                self._consumer[value] = op
            if loop:
                self._loop.add(op)
            if op.kind.has("store") and not op.inputs[0].name:
                self._becomes[op.inputs[0]] = op.results[0].name
            inside = loop or op.name in ("for", "while")
            for region in op.regions:
                self._count(region, inside)
            if op.name in ("for", "while"):
                self._updates.update(values[-2] for values in carried(op))
        for value in block.results:
            self._counts[value] = self._counts.get(value, 0) + 1

    def _compare(self, block: Block, dims: Dims) -> None:
        """Find the inputs of exactly the result's type, by what is known about lengths."""
        for op in block.ops:
            if op.kind.has("elementwise"):
                _learn(op, dims)
            result = op.results[0].type if len(op.results) == 1 else None
            if op.kind.has("inplace") and isinstance(result, ArrayType) and result.ndim:
                if self._meets and any(map(_may_be_another, op.inputs)):
                    continue
                alike = (
                    i for i, v in enumerate(op.inputs) if dims.same_type(v.type, result)
                )
                self._alike[op] = tuple(alike)
            for region in op.regions:
                self._compare(region, dims.child())

    def _measure(self, block: Block) -> None:
        """How many elementwise operations each expression has that would be written as one."""
        above: dict[Op, Op] = {}
        for op in block.ops:
            for region in op.regions:
                self._measure(region)
            if not _is_step(op) or self._updates_itself(op):
                continue
            for value in op.inputs:
                inner = value.op
                if inner is not None and self._counts[value] == 1 and not value.name:
                    above[inner] = op
        sizes: dict[Op, int] = {}
        tops: dict[Op, Op] = {}
        for op in reversed(block.ops):
            tops[op] = tops[above[op]] if op in above else op
            sizes[tops[op]] = sizes.get(tops[op], 0) + _is_step(op)
        for op in block.ops:
            self._length[op] = sizes[tops[op]]

    def _updates_itself(self, op: Op) -> bool:
        """Whether the op gives a new value to a name that one of its inputs has."""
        result = op.results[0]
        return any(v.name and v.name == result.name for v in op.inputs)


def _may_be_another(value: Value) -> bool:
    """Whether a value may be of another dtype than its type says; what a loop hands on only
    where what numbers meet in it is wider, which has no effect on doubles."""
    narrow = value.type.dtype in NARROW  # type: ignore[union-attr]
    return is_loose(value, carried=math.inf if narrow else -1)


def _augments(op: Op, value: Value) -> bool:
    """Whether the op in the memory of ``value`` is written ``value *= other``."""
    free = op.inputs[0] is value or op.kind.has("commutative")
    return isinstance(op.kind.emit, ast.BinOp) and free


def _learn(op: Op, dims: Dims) -> None:
    """Lengths other than 1 that met in one elementwise operation are equal."""
    shapes = [v.type.shape[::-1] for v in op.inputs if isinstance(v.type, ArrayType)]
    for together in zip_longest(*shapes, fillvalue=1):
        lengths = {dims.canonical(d) for d in together} - {1}
        if len(lengths) > 1 and all(
            not may_be_one(d) or d in dims.not_one for d in lengths
        ):
            first, *others = sorted(lengths, key=str)
            for other in others:
                first = dims.unify(first, other)


def _is_step(op: Op) -> bool:
    """Whether the op makes a new array element by element."""
    return (
        op.kind.has("inplace")
        and len(op.results) == 1
        and isinstance(op.results[0].type, ArrayType)
        and op.results[0].type.ndim > 0
    )
