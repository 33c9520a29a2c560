"""When each variable's value is still needed: stretches of time, region by region."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.order import LastUses, Order, carried
from ..ir.values import Block, Function, Op, Value
from .inline import Nested
from .memory import Memory

Segment = tuple[int, int]


class Liveness:
    """``segments[v]``: the stretches, ends included, in which ``v`` must keep its variable.

    Values that are nested into their consumers, and constants, have no variable.
    """

    __slots__ = ("_defined", "_extra", "_uses", "nested", "order", "segments", "used")

    def __init__(
        self, function: Function, order: Order, memory: Memory, nested: dict[Op, Nested]
    ) -> None:
        self.order = order
        self.nested = nested
        self.used: set[Value] = set()
        self._defined: dict[Value, int] = {}
        self._uses = LastUses(order)
        self._extra: dict[Value, list[Segment]] = {}
        for param in function.params:
            self._defined[param] = 1
        self._block(function.block)
        end = order.span[function.block][1]
        for position, result in function.mutates:
            param = function.params[position]
            if not memory.origins.same(param, function.block.results[result]):
                self._use(param, function.block, end)
        self.segments = {v: list(self._segments(v)) for v in self._defined}

    # -- what is read where -------------------------------------------------------------
    def reads(self, value: Value) -> Iterator[Value]:
        """The variables that the expression of ``value`` reads."""
        if value.op is not None and value.op in self.nested:
            for inner in value.op.inputs:
                yield from self.reads(inner)
        elif not value.is_constant:
            yield value

    def _use(self, value: Value, block: Block, position: int) -> None:
        for variable in self.reads(value):
            self.used.add(variable)
            self._uses.mark(variable, block, position)

    def _block(self, block: Block) -> None:
        end = self.order.span[block][1]
        for op in block.ops:
            if op in self.nested or op.name == "const":
                continue
            for value in op.inputs:
                self._use(value, block, self.order.start[op])
            self._regions(op)
            for result in op.results:
                self._defined[result] = 2 * self.order.end[op] + 1
        for value in block.results:
            self._use(value, block, end)

    def _regions(self, op: Op) -> None:
        start = 2 * self.order.start[op] + 1
        for region in op.regions:
            for param in region.params:
                self._defined[param] = start
            self._block(region)
        if op.name == "if":
            ends = [2 * self.order.span[r][1] + 1 for r in op.regions]
            for result in op.results:
                self._extra[result] = [(e, e) for e in ends]
        elif op.regions:
            self._loop(op)

    def _loop(self, op: Op) -> None:
        body = op.regions[-1]
        back = 2 * self.order.span[body][1] + 1
        if op.name == "for":
            self._extra[body.params[0]] = [(2 * self.order.start[op] + 1, back)]
        for values in carried(op):
            self._extra.setdefault(values[-3], []).append((back, back))
            if op.name == "while":
                first, last = self.order.span[op.regions[0]]
                self._extra.setdefault(values[1], []).append((2 * first, 2 * last))

    # -- stretches ----------------------------------------------------------------------
    def _segments(self, value: Value) -> Iterator[Segment]:
        defined = self._defined[value]
        yield (defined, defined)
        for block, position in self._uses.of(value).items():
            first = max(defined, 2 * self.order.span[block][0])
            if first <= 2 * position:
                yield (first, 2 * position)
        yield from self._extra.get(value, ())
