"""Which values are written inside the expression that uses them.

A value moves into its consumer if it is used once, is not something the user gave a name to,
fits on the line, and if nothing it reads is overwritten in between. Views of a named array and
lengths may be repeated instead of named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from ..ir.literals import constant
from ..ir.order import Order
from ..ir.values import Block, Function, Op, Value
from .errstates import states_of
from .expressions import Widths, template_of
from .memory import Memory

LINE = 88
NARROW = 32
"""Columns that a line may have in any case, however deep it stands."""
MAX_OPS = 8
MAX_REPEATED = 18


def room_at(depth: int) -> int:
    """Columns for the text of a line that stands this deep."""
    return max(LINE - 4 * depth, NARROW)


@dataclass(slots=True)
class Nested:
    """An op that would be written inside its consumer: its size, and what it reads where."""

    op: Op
    width: int
    count: int
    reads: list[tuple[Value, int]]
    spans: set[object]


class Inliner:
    """Decides for a whole function; ``nested`` has the ops without a statement of their own."""

    def __init__(self, function: Function, order: Order, memory: Memory) -> None:
        self.order = order
        self.memory = memory
        self.widths = Widths()
        self.nested: dict[Op, Nested] = {}
        self.consumers: dict[Value, int] = {}
        self.repeated: set[Value] = set()
        self.held: set[Value] = set()
        self.depth = 1
        self.borders: list[int] = []
        self._count(function.block)
        self._returned(function)
        self._block(function.block)

    # -- uses ---------------------------------------------------------------------------
    def _count(self, block: Block) -> None:
        """Count the uses; what other blocks read or blocks return keeps a name."""
        for op in block.ops:
            for value in op.inputs:
                self.consumers[value] = self.consumers.get(value, 0) + 1
                if self.order.home.get(value) is not block:
                    self.held.add(value)
            for region in op.regions:
                self._count(region)
            self.held.update(_kept(op))
            if op.name in ("try_begin", "try_end"):
                self.borders.append(self.order.start[op])
            taken = self.memory.overwritten(op)
            if taken is not None:
                self.held.add(op.inputs[taken])
        for value in block.results:
            self.consumers[value] = self.consumers.get(value, 0) + 1
            self.held.add(value)

    def _returned(self, function: Function) -> None:
        """A single nameless result may be written in the return statement."""
        results = function.block.results
        if len(results) == 1 and not function.mutates:
            value = results[0]
            last = function.block.ops[-1] if function.block.ops else None
            kept = bool(value.name) or value.op is None or bool(states_of(value.op.span))
            if not kept and value.op is last:
                self.held.discard(value)

    # -- decisions ----------------------------------------------------------------------
    def _block(self, block: Block) -> None:
        for op in block.ops:
            self.depth += 1
            for region in op.regions:
                self._block(region)
                if op.name == "while" and region is op.regions[0]:
                    self._condition(region)
            self.depth -= 1
            if op.name != "const":
                self._visit(op)

    def _condition(self, block: Block) -> None:
        """The condition of a ``while`` goes into its header, or into ``if not ...: break``."""
        [value] = block.results
        op = value.op
        if (
            op is None
            or self.consumers[value] > 1
            or self.order.block_of.get(op) is not block
        ):
            return
        if self._possible(op):
            self.nested[op] = self._measure(op)

    def _visit(self, op: Op) -> None:
        entry = self._measure(op)
        if self._possible(op) and not self._named(op.results[0]):
            self.nested[op] = entry

    def _measure(self, op: Op) -> Nested:
        """Settle which inputs stay nested in ``op``; the widest are named if it gets long."""
        start = self.order.start[op]
        found: list[Nested] = []
        for value in dict.fromkeys(op.inputs):
            entry = self.nested.get(value.op) if value.op is not None else None
            if entry is None:
                continue
            apart = states_of(entry.op.span) != states_of(op.span)
            if (
                apart
                or self._across(entry, start)
                or any(self.memory.written(v, place, start) for v, place in entry.reads)
            ):
                del self.nested[entry.op]
            else:
                found.append(entry)
        room = self._room(f"{op.results[0].name or 'name'} = " if op.results else "")
        room -= 4 * len(states_of(op.span))
        while True:
            merged = self._merge(op, found)
            if not found or self._fits(merged, room):
                return merged
            widest = max(found, key=lambda e: (e.count, e.width))
            found.remove(widest)
            del self.nested[widest.op]

    def _across(self, entry: Nested, start: int) -> bool:
        """Whether a ``try`` begins or ends between an op, or what is nested in it, and its use."""
        if not self.borders:
            return False
        first = min((p for _, p in entry.reads), default=self.order.start[entry.op])
        return any(first < border < start for border in self.borders)

    def _merge(self, op: Op, found: list[Nested]) -> Nested:
        inside = {entry.op: entry for entry in found}
        width = self._around(op)
        start = self.order.start[op]
        merged = Nested(op, width, 1, [], _place(op))
        for value in op.inputs:
            entry = inside.get(value.op) if value.op is not None else None
            if entry is None:
                merged.width += _leaf_width(value)
                merged.reads.append((value, start))
            else:
                merged.width += entry.width + _parentheses(op, entry.op)
                merged.count += entry.count
                merged.reads += entry.reads
                merged.spans |= entry.spans
        return merged

    def _around(self, op: Op) -> int:
        """The columns that the op takes besides its inputs."""
        if template_of(op.kind, False) is not None:
            return self.widths.of(op)
        listed = op.kind.emit_store is not None and op.kind.has("list")
        return self.widths.of_store(op) if listed else 6

    def _fits(self, entry: Nested, room: int) -> bool:
        return entry.width <= room and (entry.count <= MAX_OPS or len(entry.spans) <= 1)

    def _room(self, start: str) -> int:
        return room_at(self.depth) - len(start)

    def _possible(self, op: Op) -> bool:
        """Whether the op has an expression that may be evaluated later than it stands."""
        if len(op.results) != 1 or op.regions or op in self.memory.into:
            return False
        kind = op.kind
        if kind.has("effect") or kind.has("random") or kind.has("store"):
            return False
        return template_of(kind, False) is not None and op.name != "const"

    def _named(self, value: Value) -> bool:
        """Whether the value is to have a name."""
        uses = self.consumers.get(value, 0)
        if value in self.held or uses == 0:
            return True
        if uses > 1:
            return not self._repeatable(value)
        assert value.op is not None
        return bool(value.name) and not value.op.role and not derived(value.name)

    def _repeatable(self, value: Value) -> bool:
        """Whether a view or length is so short that it is written out at each use."""
        op = value.op
        assert op is not None
        cheap = op.kind.has("cheap") and (
            op.kind.has("view") or op.name in ("shape", "size")
        )
        if not cheap or (value.name and not op.role and not derived(value.name)):
            return False
        entry = self._merge(op, [])
        return (
            op.inputs[0].op not in self.nested
            and all(v.op not in self.nested for v in op.inputs[1:])
            and entry.width <= MAX_REPEATED
            and self.consumers[value] <= 3
        )


def _place(op: Op) -> set[object]:
    """The user's line."""
    return {(op.span.source.filename, op.span.line)} if op.span is not None else set()


def _parentheses(outer: Op, inner: Op) -> int:
    """Columns for parentheses around an operator expression in another, on average."""
    return int(
        all(isinstance(o.kind.emit, ast.BinOp | ast.UnaryOp) for o in (outer, inner))
    )


def derived(name: str) -> bool:
    """Whether a name is the compiler's: an adjoint's or a tangent's."""
    return name.startswith(("g_", "t_"))


def _kept(op: Op) -> Iterable[Value]:
    """Inputs that have to be variables."""
    if op.name == "for":
        return op.inputs[3:]
    return op.inputs if op.name in ("while", "list_pop") else ()


def _leaf_width(value: Value) -> int:
    if value.is_constant:
        return len(ast.unparse(constant(value.constant)))
    if value.name or value.op is None or value.op.regions:
        return len(value.name) or 3
    if isinstance(value.op.kind.emit, ast.BinOp | ast.UnaryOp):
        return 3  # `t`, or `t_1`
    return len(value.op.name) + 2  # it is named for its op
