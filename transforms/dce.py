"""Dead code: ops, branch results and loop-carried values that nothing needs.

Before: any IR. After: every op has an effect or leads to a result of the function; a loop
carries no value that only feeds itself. Ops that remain are untouched and in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..ir.values import Block, Function, Op, Value


def dce(function: Function) -> Function:
    """The function without what is not needed."""
    liveness = _Liveness(function.block)
    liveness.spread(function.block.results)
    return replace(function, block=_Pruner(liveness).block(function.block))


def has_effect(op: Op) -> bool:
    """Whether an op has to stay, itself and in its order, whatever is read of it."""
    return op.kind.has("effect") or op.kind.has("random")


class _Liveness:
    """Which values are needed, found backwards from the roots."""

    def __init__(self, block: Block) -> None:
        self.live: set[Value] = set()
        self.kept: set[Op] = set()
        self.owner: dict[Value, tuple[Op, int]] = {}
        self.todo: list[Value] = []
        self.walk(block, ())

    def walk(self, block: Block, around: tuple[Op, ...]) -> None:
        """Note whose parameters are whose; keep effects and the control flow around them."""
        for op in block.ops:
            if has_effect(op):
                self.keep(op)
                for outer in around:
                    self.keep(outer)
            for region in op.regions:
                for position, p in enumerate(region.params):
                    self.owner[p] = (op, position)
                self.walk(region, (*around, op))

    def spread(self, roots: Iterable[Value]) -> None:
        """Mark everything that the roots need."""
        self.todo.extend(roots)
        while self.todo:
            value = self.todo.pop()
            if value in self.live:
                continue
            self.live.add(value)
            if value.op is not None:
                self.keep(value.op)
                self.need(value.op, value.op.results.index(value))
            elif value in self.owner:
                op, position = self.owner[value]
                if op.kind.name != "for" or position > 0:
                    self.need(op, position - (op.kind.name == "for"))

    def keep(self, op: Op) -> None:
        """Mark what an op needs to run at all."""
        if op in self.kept:
            return
        self.kept.add(op)
        name = op.kind.name
        if name == "for":
            self.todo.extend(op.inputs[:3])
        elif name == "while":
            self.todo.extend(op.regions[0].results)
        else:
            self.todo.extend(op.inputs)
            if name != "if":
                for region in op.regions:
                    self.todo.extend(region.results)
        if op.attrs.get("breaks"):
            self.todo.append(op.regions[-1].results[0])

    def need(self, op: Op, position: int) -> None:
        """Mark what result (or carried value) number ``position`` needs."""
        name = op.kind.name
        if name == "if":
            self.todo.extend(region.results[position] for region in op.regions)
        elif name in ("for", "while"):
            first = 3 if name == "for" else 0
            self.todo.append(op.results[position])
            self.todo.append(op.inputs[first + position])
            self.todo.append(op.regions[-1].results[op.attrs["breaks"] + position])
            for region in op.regions:
                self.todo.append(region.params[position + (name == "for")])


class _Pruner:
    """Leaves out what is not live."""

    def __init__(self, liveness: _Liveness) -> None:
        self.live = liveness.live
        self.kept = liveness.kept

    def block(self, block: Block) -> Block:
        ops = []
        changed = False
        for op in block.ops:
            new = self.op(op) if op in self.kept else None
            changed = changed or new is not op
            if new is not None:
                ops.append(new)
        return Block(block.params, tuple(ops), block.results) if changed else block

    def op(self, op: Op) -> Op:
        """The op with only its live parts; the same op where all are live."""
        if not op.regions:
            return op
        regions = tuple(map(self.block, op.regions))
        keep = self.positions(op)
        if len(keep) == len(op.results) and all(map(_same, regions, op.regions)):
            return op
        inputs = op.inputs
        if len(keep) < len(op.results):
            regions = tuple(self.narrowed(op, r, keep) for r in regions)
            if op.kind.name in ("for", "while"):
                inputs = _pick(inputs, keep, 3 if op.kind.name == "for" else 0)
        new = Op(op.kind, inputs, op.attrs, regions, op.span, op.role)
        new.results = tuple(op.results[k] for k in keep)
        for value in new.results:
            value.op = new
        return new

    def positions(self, op: Op) -> list[int]:
        """Which results stay. A derivative not yet expanded keeps its signature."""
        everything = list(range(len(op.results)))
        if op.kind.name not in ("if", "for", "while"):
            return everything
        return [k for k in everything if self.needed(op, k)]

    def needed(self, op: Op, position: int) -> bool:
        if op.results[position] in self.live:
            return True
        if op.kind.name == "if":
            return False
        offset = op.kind.name == "for"
        return any(region.params[position + offset] in self.live for region in op.regions)

    def narrowed(self, op: Op, region: Block, keep: Sequence[int]) -> Block:
        """A region with the kept results and parameters only."""
        is_test = op.kind.name == "while" and len(region.results) == 1 and region.ops is not None
        is_test = is_test and region.results == op.regions[0].results
        params = region.params
        if op.kind.name in ("for", "while"):
            params = _pick(params, keep, 1 if op.kind.name == "for" else 0)
        results = region.results
        if not is_test:
            results = _pick(results, keep, int(op.attrs.get("breaks", False)))
        return Block(params, region.ops, results)


def _pick(values: tuple[Value, ...], keep: Sequence[int], first: int) -> tuple[Value, ...]:
    """The first values as they are, of those after them the kept ones."""
    return (*values[:first], *(values[first + k] for k in keep))


def _same(a: Block, b: Block) -> bool:
    return a is b
