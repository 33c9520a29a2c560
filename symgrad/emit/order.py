"""Positions: every op and block of a function numbered in the order of the text."""

from __future__ import annotations

from ..ir.values import Block, Function, Op, Value


class Order:
    """Where everything stands.

    An op without regions has one number; an op with regions spans ``start`` to ``end`` with
    its blocks in between. Something read at number ``p`` is read at time ``2 * p``, something
    assigned there gets its value at time ``2 * p + 1``.
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
