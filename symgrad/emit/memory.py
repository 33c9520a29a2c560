"""Which values may share memory, and where memory is written in place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from ..ir.order import Order, Origins, carried, has_memory
from ..ir.values import Block, Function, Op, Value


class Memory:
    """Groups of values that may share memory, with the positions of in-place writes."""

    __slots__ = ("_parent", "into", "order", "origins", "writes")

    def __init__(self, function: Function, order: Order) -> None:
        self.order = order
        self.into: Mapping[Op, int] = function.notes.get("into", {})
        self._parent: dict[Value, Value] = {}
        self.origins = Origins(function, self.into)
        self.writes: dict[Value, list[int]] = {}
        self._block(function.block)
        self._collect(function.block)

    def root(self, value: Value) -> Value:
        """The representative of everything that may share memory with ``value``."""
        parent = self._parent
        while (above := parent.get(value, value)) is not value:
            parent[value] = value = parent.get(above, above)
        return value

    def written(self, value: Value, after: int, before: int) -> bool:
        """Whether memory of ``value`` is written strictly between two positions."""
        if not has_memory(value.type):
            return False
        places = self.writes.get(self.root(value))
        if not places:
            return False
        i = bisect_right(places, after)
        return i < len(places) and places[i] < before

    def overwritten(self, op: Op) -> int | None:
        """The position of the input whose memory the op takes over, if it does."""
        return self.origins.overwritten(op)

    # -- construction -------------------------------------------------------------------
    def _join(self, a: Value, b: Value) -> None:
        if has_memory(a.type) and has_memory(b.type):
            self._parent[self.root(a)] = self.root(b)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            for region in op.regions:
                self._block(region)
            self._op(op)

    def _op(self, op: Op) -> None:
        taken = self.overwritten(op)
        if op.name == "if":
            for region in op.regions:
                for inner, result in zip(region.results, op.results, strict=True):
                    self._join(inner, result)
        elif op.name in ("for", "while"):
            for values in carried(op):
                for other in values[1:]:
                    self._join(values[0], other)
        elif op.kind.has("list") and op.inputs:
            for value in (*op.inputs[1:], *op.results):
                self._join(value, op.inputs[0])
        elif taken is not None:
            self._join(op.results[0], op.inputs[taken])
        elif op.kind.has("view") or op.kind.has("maybe_view"):
            for value in op.results:
                self._join(value, op.inputs[0])

    def _collect(self, block: Block) -> None:
        for op in block.ops:
            taken = self.overwritten(op)
            if taken is not None:
                root = self.root(op.inputs[taken])
                self.writes.setdefault(root, []).append(self.order.start[op])
            for region in op.regions:
                self._collect(region)
