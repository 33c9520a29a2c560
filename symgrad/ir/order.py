"""Positions: every op and block of a function numbered in the order of the text, and when
each value is read for the last time.
"""

from __future__ import annotations

from collections.abc import Mapping

from .types import ArrayType, ListType, Type
from .values import Block, Function, Op, Value


def has_memory(t: Type) -> bool:
    """Whether values of this type can be changed in place."""
    return isinstance(t, ListType) or (isinstance(t, ArrayType) and t.ndim > 0)


def carried(op: Op) -> list[tuple[Value, ...]]:
    """For a loop, per carried value: init, parameter(s), next value, result. A ``while`` has
    two parameters, the condition's first."""
    body = op.regions[-1]
    skip = 3 if op.name == "for" else 0
    first = 1 if op.name == "for" else 0
    following = body.results[1:] if op.attrs["breaks"] else body.results
    columns = [op.inputs[skip:], body.params[first:], following, op.results]
    if op.name == "while":
        columns.insert(1, op.regions[0].params)
    return list(zip(*columns, strict=True))


class Order:
    """Where everything stands.

    An op without regions has one number; an op with regions spans ``start`` to ``end`` with
    its blocks in between, a block ``span[block]``. ``home[v]`` is the block that defines ``v``,
    ``owner[block]`` the op whose region the block is.
    """

    __slots__ = ("_count", "block_of", "end", "home", "owner", "span", "start")

    def __init__(self, function: Function) -> None:
        self._count = 0
        self.start: dict[Op, int] = {}
        self.end: dict[Op, int] = {}
        self.span: dict[Block, tuple[int, int]] = {}
        self.owner: dict[Block, Op | None] = {}
        self.block_of: dict[Op, Block] = {}
        self.home: dict[Value, Block] = {}
        self._block(function.block, None)

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _block(self, block: Block, owner: Op | None) -> None:
        first = self._next()
        self.owner[block] = owner
        for param in block.params:
            self.home[param] = block
        for op in block.ops:
            self.start[op] = self.end[op] = self._next()
            self.block_of[op] = block
            for region in op.regions:
                self._block(region, op)
            if op.regions:
                self.end[op] = self._next()
            for result in op.results:
                self.home[result] = block
        self.span[block] = (first, self._next())


class LastUses:
    """Per value and block, the position of the last use in it.

    A use inside a loop of a value from outside counts up to the loop's end, since the next
    round reads it again; one inside an ``if`` counts for the block around where the ``if``
    stands, and inside the branch where it is.
    """

    __slots__ = ("_last", "order")

    def __init__(self, order: Order) -> None:
        self.order = order
        self._last: dict[Value, dict[Block, int]] = {}

    def mark(self, value: Value, block: Block, position: int) -> None:
        """Note a use in ``block``, and what it means for the blocks around."""
        home = self.order.home[value]
        last = self._last.setdefault(value, {})
        while True:
            last[block] = max(last.get(block, 0), position)
            owner = self.order.owner[block]
            if block is home or owner is None:
                return
            is_branch = owner.name == "if"
            position = self.order.start[owner] if is_branch else self.order.end[owner]
            block = self.order.block_of[owner]

    def mark_all(self, block: Block) -> None:
        """Note every use in a block and its regions as it stands in the IR."""
        for op in block.ops:
            for value in op.inputs:
                self.mark(value, block, self.order.start[op])
            for region in op.regions:
                self.mark_all(region)
        for value in block.results:
            self.mark(value, block, self.order.span[block][1])

    def of(self, value: Value) -> dict[Block, int]:
        """Last use per block."""
        return self._last.get(value, {})

    def live_after(self, value: Value, block: Block, position: int) -> bool:
        """Whether ``value`` may be read after ``position``, which is in ``block``."""
        last = self._last.get(value)
        if last is None:
            return False
        home = self.order.home[value]
        while True:
            if last.get(block, 0) > position:
                return True
            owner = self.order.owner[block]
            if block is home or owner is None:
                return False
            position = self.order.start[owner]
            block = self.order.block_of[owner]


class Origins:
    """Memory that is handed on whole: through writes in place, loops and branches.

    ``into`` says which further ops write their result over an input.
    """

    __slots__ = ("_into", "_origin")

    def __init__(self, function: Function, into: Mapping[Op, int]) -> None:
        self._into = into
        self._origin: dict[Value, Value] = {}
        self._block(function.block)

    def of(self, value: Value) -> Value:
        """The value that stood first in the memory of ``value``, as far as is certain."""
        return self._origin.get(value, value)

    def same(self, a: Value, b: Value) -> bool:
        """Whether ``a`` and ``b`` certainly stand in the same memory, one after the other."""
        return self.of(a) is self.of(b)

    def overwritten(self, op: Op) -> int | None:
        """The position of the input whose memory the op takes over, if it does."""
        return 0 if op.kind.has("store") else self._into.get(op)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            for region in op.regions:
                self._block(region)
            taken = self.overwritten(op)
            if taken is not None and op.results:
                self._origin[op.results[0]] = self.of(op.inputs[taken])
            elif op.name == "if":
                for result, *ends in zip(
                    op.results, *(r.results for r in op.regions), strict=True
                ):
                    if self.same(ends[0], ends[1]):
                        self._origin[result] = self.of(ends[0])
            elif op.name in ("for", "while"):
                for values in carried(op):
                    if self.of(values[-2]) is values[-3]:
                        self._origin[values[-1]] = self.of(values[0])


__all__ = ["LastUses", "Order", "Origins", "carried", "has_memory"]
