"""What differs between the examples of a batch, and what has to be done one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..ir.dims import Sym, symbols
from ..ir.rewrite import free_values
from ..ir.types import ArrayType, ListType, Type
from ..ir.values import Block, Op, Value
from .activity import edges, grow_until_stable


@dataclass(frozen=True, slots=True)
class Plan:
    """``batched`` are the values that differ between examples, ``each`` the ops to be done one
    example at a time; ``whole`` says that the block as a whole has to be."""

    batched: frozenset[Value]
    each: frozenset[Op]
    whole: bool


def plan(block: Block, seeds: Iterable[Value]) -> Plan:
    """The plan for a block of which the parameters ``seeds`` differ between examples."""
    start = set(seeds)
    while True:
        found = set(start)
        grow_until_stable(lambda: _spread(block, found), found)  # noqa: B023
        planner = _Planner(block, found)
        whole = planner.visit(block) or planner.whole
        more = {r for op in planner.each for r in op.results} - found
        if whole or not more:
            return Plan(frozenset(found), frozenset(planner.each), whole)
        start |= more


# --------------------------------------------------------------------- what differs
def _spread(block: Block, found: set[Value]) -> None:
    for op in block.ops:
        if op.regions:
            _spread_control(op, found)
        elif any(v in found for v in op.inputs if matters(op, v)):
            found.update(op.results)
        _join_lists(op, found)


def matters(op: Op, value: Value) -> bool:
    """Whether an op reads more of an input than its shape and dtype."""
    places = [i for i, v in enumerate(op.inputs) if v is value]
    return any(op.kind.input_name(i) not in op.kind.shape_only for i in places)


def _spread_control(op: Op, found: set[Value]) -> None:
    for _ in range(2):
        for source, target in edges(op):
            if source in found:
                found.add(target)
        if op.name == "while":
            test, body = op.regions
            for p, same in zip(test.params, body.params, strict=True):
                if same in found:
                    found.add(p)
        if op.name == "for" and any(v in found for v in op.inputs[:3]):
            found.add(op.regions[0].params[0])
        if decided_apart(op, found):
            found.update(op.results)
            if op.name != "if":
                found.update(op.regions[-1].params[op.name == "for" :])
        for region in op.regions:
            _spread(region, found)


def decided_apart(op: Op, found: set[Value] | frozenset[Value]) -> bool:
    """Whether examples take different ways through a control-flow op."""
    if op.name == "if":
        return op.inputs[0] in found
    if op.attrs["breaks"] and op.regions[-1].results[0] in found:
        return True
    if op.name == "for":
        return any(v in found for v in op.inputs[:3])
    return op.regions[0].results[0] in found


def _join_lists(op: Op, found: set[Value]) -> None:
    """A list holds batches in all of its versions or in none."""
    pairs: list[tuple[Value, Value]] = []
    if op.name in ("list_push", "list_pop"):
        pairs.append((op.inputs[0], op.results[0]))
    elif op.regions:
        pairs += [p for p in edges(op) if isinstance(p[0].type, ListType)]
    for a, b in pairs:
        if b in found:
            found.add(a)
        if a in found:
            found.add(b)


# -------------------------------------------------------------- what cannot be batched
class _Planner:
    """Finds the ops that have to be done one example at a time."""

    def __init__(self, block: Block, found: set[Value]) -> None:
        self.found = found
        self.each: set[Op] = set()
        self.whole = False
        self.known: set[Sym] = set()
        self.learn(block, entry=True)

    def learn(self, block: Block, *, entry: bool = False) -> None:
        """Collect the lengths that are the same for every example."""
        for p in block.params:
            self.note(p, entry=entry)
        for op in block.ops:
            for value in (*op.inputs, *op.results):
                self.note(value)
            for region in op.regions:
                self.learn(region)

    def note(self, value: Value, *, entry: bool = False) -> None:
        if value in self.found and not entry:
            return
        self.known |= _symbols(value.type)
        if value.dim is not None and value not in self.found:
            self.known |= symbols(value.dim)

    def varies(self, value: Value) -> bool:
        """Whether examples have different lengths."""
        return value in self.found and not _symbols(value.type) <= self.known

    def visit(self, block: Block) -> bool:
        """Plan a block's ops; whether the op around it has to be done for each example."""
        around = False
        for op in block.ops:
            if op.kind.has("random"):
                self.whole = True
            elif not op.regions:
                around |= any(self.varies(v) for v in (*op.inputs, *op.results))
            elif self.must(op):
                if self.stacks(op):
                    self.each.add(op)
                else:
                    around = True
        return around

    def must(self, op: Op) -> bool:
        """Whether a control-flow op has to be done for each example."""
        inside = [self.visit(region) for region in op.regions]
        if any(inside) or any(self.varies(r) for r in op.results):
            return True
        if not decided_apart(op, self.found):
            return False
        if op.name == "for" and any(v in self.found for v in op.inputs[:3]):
            return True
        return not all(self.selectable(region) for region in op.regions)

    def selectable(self, region: Block) -> bool:
        """Whether a block may run where it would not have run, its results unused."""
        return all(self.harmless(op) for op in region.walk())

    def harmless(self, op: Op) -> bool:
        kind = op.kind
        if any(map(kind.has, ("effect", "random", "store", "raises"))):
            return False
        if op in self.each or op.name == "while" or op.name.startswith("list_"):
            return False
        return "index" not in op.attrs or not any(v in self.found for v in op.inputs[1:])

    def stacks(self, op: Op) -> bool:
        """Whether results for single examples can be put together, and inputs taken apart."""
        block = Block((), (op,), op.results)
        given = [v for v in free_values(block) if v in self.found]
        return not any(
            self.varies(v) or not hasattr(v.type, "dtype") for v in (*op.results, *given)
        )


def _symbols(t: Type) -> frozenset[Sym]:
    if isinstance(t, ListType):
        return _symbols(t.element)
    found: frozenset[Sym] = frozenset()
    for d in t.shape if isinstance(t, ArrayType) else ():
        found |= symbols(d)
    return found


__all__ = ["Plan", "decided_apart", "matters", "plan"]
