"""Which values share a variable, and what the variables are called.

An array changed in place keeps its variable; a loop's carried value has one variable before,
in and after the loop, and an ``if``'s result one in both branches, wherever the stretches in
which they are needed do not overlap. Values with the same wished-for name share it likewise.
"""

from __future__ import annotations

import ast

from ..errors import InternalError
from ..ir.order import carried, has_memory
from ..ir.values import Block, Function, Op, Value
from .inline import derived
from .liveness import Liveness, Segment
from .memory import Memory
from .names import Names

PLAIN_NAMES = {"shape": "n", "list_pop": "kept"}


class Variables:
    """``name_of(value)`` for every value with a variable."""

    __slots__ = (
        "_free",
        "_hint",
        "_names",
        "_parent",
        "_results",
        "_segments",
        "live",
        "memory",
        "nameless",
        "values",
    )

    def __init__(
        self, function: Function, live: Liveness, memory: Memory, names: Names
    ) -> None:
        self.live = live
        self.memory = memory
        self.values = [v for v in _in_order(function.block) if v in live.segments]
        self._parent: dict[Value, Value] = {}
        self._segments = {v: _merged(s) for v, s in live.segments.items()}
        self._hint = {v: v.name for v in self.values}
        self._results = {v.name for v in function.block.results}
        self._in_place(function.block)
        self._control(function.block)
        self._free = names
        self.nameless: set[str] = set()
        self._names: dict[Value, str] = {}
        for param in function.params:
            self._names[self.root(param)] = param.name
        self._by_hint()
        for value in self.values:
            root = self.root(value)
            if root not in self._names:
                self._names[root] = self.new_name(value)

    def root(self, value: Value) -> Value:
        """The representative of the values in the same variable."""
        while (above := self._parent.get(value, value)) is not value:
            value = above
        return value

    def name_of(self, value: Value) -> str:
        """The variable that holds ``value``."""
        found = self._names.get(self.root(value))
        if found is None:
            raise InternalError(f"{value!r} is used where it has no variable")
        return found

    def dying(self, op: Op, place: Op) -> list[str]:
        """The variables of the op's results that hold arrays which nobody reads from ``place``
        on, before something else goes there."""
        position = 2 * self.live.order.start[place]
        found = []
        for value in op.results:
            if value not in self.live.used or not has_memory(value.type):
                continue
            segments = self._segments[self.root(value)]
            if segments[0][0] > 1 and all(
                e < position or s > position for s, e in segments
            ):
                found.append(self.name_of(value))
        return found

    def together(self, a: Value, b: Value) -> bool:
        """Whether two values are in the same variable."""
        return self.root(a) is self.root(b)

    # -- sharing ------------------------------------------------------------------------
    def _join(self, a: Value, b: Value) -> None:
        """Put two groups together; the first gives the representative."""
        if a is b:
            return
        self._parent[b] = a
        later = self._segments.pop(b)
        if self._segments[a][-1][1] < later[0][0]:
            self._segments[a].extend(later)
        else:
            self._segments[a] = _merged(self._segments[a] + later)
        mine, other = self._hint[a], self._hint[b]
        if not mine or (derived(mine) and other and not derived(other)):
            self._hint[a] = other

    def _must(self, a: Value, b: Value, op: Op) -> None:
        a, b = self.root(a), self.root(b)
        if a is not b and not _disjoint(self._segments[a], self._segments[b]):
            raise InternalError(
                f"op {op.name!r} overwrites {a!r}, which is read later: the function has not "
                "been through the reuse pass"
            )
        self._join(a, b)

    def _may(self, a: Value, b: Value) -> None:
        """Share a variable if it is free, unless the user has given two names."""
        if a not in self.live.segments or b not in self.live.segments:
            return
        a, b = self.root(a), self.root(b)
        if a is b or not _alike(self._hint[a], self._hint[b]):
            return
        if _disjoint(self._segments[a], self._segments[b]):
            self._join(a, b)

    def _in_place(self, block: Block) -> None:
        for op in block.ops:
            for region in op.regions:
                self._in_place(region)
            taken = self.memory.overwritten(op)
            if taken is not None and op.kind.has("store"):
                self._must(op.inputs[taken], op.results[0], op)
            elif taken is not None:
                self._takes_over(op.inputs[taken], op.results[0])
            if op.name in ("for", "while"):
                for values in carried(op):
                    for other in (*values[2:-2], values[-1]):
                        self._join(self.root(values[1]), self.root(other))

    def _takes_over(self, buffer: Value, result: Value) -> None:
        """One variable for both, unless a value of the user's would be called by the name of a
        derivative. What has no name of its own stays without one, or ``t *= g`` could not be
        written."""
        primal = buffer.op is not None and not buffer.op.role
        if not (primal and derived(result.name) and not derived(buffer.name)):
            self._may(buffer, result)
        elif not buffer.name and result.name not in self._results:
            self._hint[self.root(result)] = ""
            self._may(buffer, result)

    def _control(self, block: Block) -> None:
        for op in block.ops:
            if op.name in ("for", "while"):
                for values in carried(op):
                    self._may(values[1], values[-2])
                    self._may(values[1], values[0])
            elif op.name == "if":
                for region in op.regions:
                    for inner, result in zip(region.results, op.results, strict=True):
                        self._may(result, inner)
            for region in op.regions:
                self._control(region)

    def _by_hint(self) -> None:
        """Let values of the same wished-for name share it one after the other."""
        latest: dict[str, Value] = {}
        for value in self.values:
            root = self.root(value)
            hint = self._hint[root]
            previous = self.root(latest[hint]) if hint in latest else None
            if previous is root or not hint:
                continue
            if previous is None:
                latest[hint] = root
            elif root not in self._names:
                if self._segments[previous][-1][1] < self._segments[root][0][0]:
                    self._join(previous, root)
                elif self._segments[previous][-1][1] < self._segments[root][-1][1]:
                    latest[hint] = root

    # -- names --------------------------------------------------------------------------
    def new_name(self, value: Value) -> str:
        """A free name: what is wished for, else one that tells the op and its operand."""
        hint = self._hint[self.root(value)] if value in self._hint else value.name
        if hint:
            return self._free.new(hint)
        name = self._telling(value)
        self.nameless.add(name)
        return name

    def _telling(self, value: Value) -> str:
        op = self._made_by(value)
        if op is None or op.regions or isinstance(op.kind.emit, ast.BinOp | ast.UnaryOp):
            return self._free.temporary(self._hint.values())
        if op.name in PLAIN_NAMES:
            return self._free.new(PLAIN_NAMES[op.name])
        first = op.inputs[0] if op.inputs else None
        name = op.name.rstrip("_")
        if first is not None and first in self.live.segments:
            operand = self._hint[self.root(first)]
            if operand and len(operand) + len(name) < 12:
                return self._free.new(f"{name}_{operand}")
        return self._free.new(name)

    def _made_by(self, value: Value) -> Op | None:
        """The op that tells what a value is: where it stands for nothing, that of what shares
        its variable."""
        if value.op is None or value.op.name != "undef" or value not in self._hint:
            return value.op
        shared = (v.op for v in self.values if self.root(v) is self.root(value))
        return next((op for op in shared if op is not None and op.name != "undef"), None)


def _alike(a: str, b: str) -> bool:
    """Whether one variable may serve two wishes."""
    return a == b or not a or not b or (derived(a) and derived(b))


def _in_order(block: Block) -> list[Value]:
    """All values, in the order of the text."""
    found: list[Value] = []

    def visit(block: Block) -> None:
        found.extend(block.params)
        for op in block.ops:
            for region in op.regions:
                visit(region)
            found.extend(op.results)

    visit(block)
    return found


def _merged(segments: list[Segment]) -> list[Segment]:
    """Sorted, overlapping ones joined."""
    result: list[Segment] = []
    for start, end in sorted(segments):
        if result and start <= result[-1][1]:
            if end > result[-1][1]:
                result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return result


def _disjoint(a: list[Segment], b: list[Segment]) -> bool:
    """Whether no stretch of ``a`` overlaps one of ``b``; both are sorted."""
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i][1] < b[j][0]:
            i += 1
        elif b[j][1] < a[i][0]:
            j += 1
        else:
            return False
    return True
