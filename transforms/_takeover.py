"""Where writing over a dying operand reads well: ``lap += u[1:-1, 2:]``, ``g_c += ...``."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.order import Order, carried
from ..ir.types import ArrayType
from ..ir.values import Block, Function, Op, Value

LONG = 6
LONG_IN_LOOP = 3


class Taste:
    """Which ops are worth it: updates of something that has a name, and steps of expressions
    too long to be written as one."""

    __slots__ = ("_counts", "_length", "_loop", "_updates", "order")

    def __init__(self, function: Function, order: Order) -> None:
        self.order = order
        self._counts: dict[Value, int] = {}
        self._length: dict[Op, int] = {}
        self._loop: set[Op] = set()
        self._updates: set[Value] = set()
        self._count(function.block, False)
        self._measure(function.block)

    def candidates(self, op: Op) -> Iterator[int]:
        """Inputs that the op may take over, the best first."""
        if not op.kind.has("inplace") or len(op.results) != 1 or not op.inputs:
            return
        result = op.results[0]
        if not isinstance(result.type, ArrayType) or result.type.ndim == 0:
            return
        for position, value in enumerate(op.inputs):
            same = isinstance(value.type, ArrayType) and value.type == result.type
            if same and not value.is_constant and self._worth(op, value):
                yield position

    def _worth(self, op: Op, value: Value) -> bool:
        result = op.results[0]
        if value.op is None or self._counts[value] > 1 or value.name:
            named = value.name and value.name == result.name
            return bool(named) or not value.name or result in self._updates
        limit = LONG_IN_LOOP if op in self._loop else LONG
        return self._length.get(op, 0) >= limit

    def _count(self, block: Block, loop: bool) -> None:
        for op in block.ops:
            for value in op.inputs:
                self._counts[value] = self._counts.get(value, 0) + 1
            if loop:
                self._loop.add(op)
            inside = loop or op.name in ("for", "while")
            for region in op.regions:
                self._count(region, inside)
            if op.name in ("for", "while"):
                self._updates.update(values[-2] for values in carried(op))
        for value in block.results:
            self._counts[value] = self._counts.get(value, 0) + 1

    def _measure(self, block: Block) -> None:
        """How many array operations each expression has that would be written as one."""
        above: dict[Op, Op] = {}
        for op in block.ops:
            for region in op.regions:
                self._measure(region)
            for value in op.inputs:
                inner = value.op
                if inner is not None and self._counts[value] == 1 and not value.name:
                    above[inner] = op
        sizes: dict[Op, int] = {}
        tops: dict[Op, Op] = {}
        for op in reversed(block.ops):
            tops[op] = tops.get(above[op], above[op]) if op in above else op
            sizes[tops[op]] = sizes.get(tops[op], 0) + _allocates(op)
        for op in block.ops:
            self._length[op] = sizes[tops[op]]


def _allocates(op: Op) -> int:
    view = op.kind.has("view") or op.kind.has("maybe_view") or op.regions
    return int(
        not view and any(isinstance(r.type, ArrayType) and r.type.ndim for r in op.results)
    )
