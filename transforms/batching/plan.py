"""What differs between the examples of a batch, and what has to be done one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...ir.dims import Sym, symbols
from ...ir.rewrite import free_values
from ...ir.types import ArrayType, ListType, ScalarType, Type
from ...ir.values import Block, Op, Value
from ..activity import edges, grow_until_stable


@dataclass(frozen=True, slots=True)
class Plan:
    """``batched`` are the values that differ between examples, ``each`` the ops to be done one
    example at a time; ``whole`` says that the block as a whole has to be. ``parts`` are regions
    for some examples that might warn or fail for others."""

    batched: frozenset[Value]
    each: frozenset[Op]
    parts: frozenset[Block]
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
            each, parts = frozenset(planner.each), frozenset(planner.parts)
            return Plan(frozenset(found), each, parts, whole)
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


def is_custom(op: Op) -> bool:
    """Whether the op is a function with a rule of the user's: done for each example, so that
    the rule sees what it was written for."""
    return op.name in ("custom_vjp", "custom_jvp")


def _spread_control(op: Op, found: set[Value]) -> None:
    if is_custom(op):
        read = [*op.inputs, *(v for r in op.regions for v in free_values(r))]
        if any(v in found for v in read):
            found.update(op.results)
        return
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
    if op.name not in ("for", "while"):
        return False
    if op.attrs["breaks"] and op.regions[-1].results[0] in found:
        return True
    if op.name == "for":
        return any(v in found for v in op.inputs[:3])
    return op.regions[0].results[0] in found


def _join_lists(op: Op, found: set[Value]) -> None:
    """Lists made of one another hold batches all or none; where a list only says how many and
    how long (zeros like it), what is made holds batches if it does."""
    groups: list[tuple[Value, ...]] = []
    if op.regions:
        groups += [pair for pair in edges(op) if isinstance(pair[0].type, ListType)]
    elif any(isinstance(r.type, ListType) for r in op.results):
        lists = [v for v in op.inputs if isinstance(v.type, ListType)]
        made = [r for r in op.results if isinstance(r.type, ListType)]
        found.update(made if any(v in found for v in lists) else ())
        groups.append((*(v for v in lists if matters(op, v)), *made))
    for group in groups:
        if any(v in found for v in group):
            found.update(group)


# -------------------------------------------------------------- what cannot be batched
class _Planner:
    """Finds the ops that have to be done one example at a time."""

    def __init__(self, block: Block, found: set[Value]) -> None:
        self.found = found
        self.each: set[Op] = set()
        self.parts: set[Block] = set()
        self.whole = False
        self.known = _known_lengths(block, found)

    def varies(self, value: Value) -> bool:
        """Whether examples have different lengths."""
        return value in self.found and not symbols_of(value.type) <= self.known

    def visit(self, block: Block) -> bool:
        """Plan a block's ops; whether the op around it has to be done for each example."""
        around = False
        for op in block.ops:
            if op.kind.has("random"):
                self.whole = True
            elif not op.regions:
                around |= any(self.varies(v) for v in (*op.inputs, *op.results))
                around |= self.places_differ(op)
            elif is_custom(op) and any(r in self.found for r in op.results):
                if self.stacks(op):
                    self.each.add(op)
                else:
                    self.whole = True
            elif is_custom(op):
                continue
            elif self.must(op):
                if self.stacks(op):
                    self.each.add(op)
                else:
                    around = True
        return around

    def places_differ(self, op: Op) -> bool:
        """Whether each example has its own place in a list."""
        named = enumerate(op.inputs)
        return op.kind.has("list") and any(
            v in self.found and op.kind.input_name(i) == "at" for i, v in named
        )

    def must(self, op: Op) -> bool:
        """Whether a control-flow op has to be done for each example."""
        inside = [self.visit(region) for region in op.regions]
        if any(inside) or any(self.varies(r) for r in op.results):
            return True
        if not decided_apart(op, self.found):
            return False
        if op.name == "for" and not op.inputs[2].is_constant:
            return True
        if any(self.ordered(o, op) for region in op.regions for o in region.walk()):
            return True
        if op.name == "if":
            self.parts.update(r for r in op.regions if not self.calm(r))
        elif not all(map(self.calm, op.regions)):
            self.parts.add(op.regions[-1])
        return False

    def ordered(self, inner: Op, outer: Op) -> bool:
        """Whether an op in a region cannot be done for some examples at once: it has an
        effect, or it stores into an array that a loop carries on, which costs what it touches
        only if nothing else of the array is."""
        if any(map(inner.kind.has, ("effect", "random"))) or inner.name.startswith("list_"):
            return True
        return outer.name != "if" and inner.kind.has("store")

    def calm(self, region: Block) -> bool:
        """Whether a block may run for examples that do not need it, without a warning."""
        return not any(self.troubles(op) for op in region.walk())

    def troubles(self, op: Op) -> bool:
        """Whether an op may fail or warn, or costs much."""
        if op in self.each or op.name == "while" or op.kind.has("store"):
            return True
        if "index" in op.attrs and any(v in self.found for v in op.inputs[1:]):
            return True
        if op.kind.has("may_be_nonfinite"):
            return not _by_whole_number(op)
        return op.kind.has("may_warn")

    def stacks(self, op: Op) -> bool:
        """Whether results for single examples can be put together, and inputs taken apart."""
        block = Block((), (op,), op.results)
        given = [v for v in free_values(block) if v in self.found]
        return not any(
            self.varies(v) or not hasattr(v.type, "dtype") for v in (*op.results, *given)
        )


def _by_whole_number(op: Op) -> bool:
    """Whether the second input is 1, 2, 3, ...: a power or quotient that is always finite."""
    if len(op.inputs) != 2 or not op.inputs[1].is_constant:
        return False
    number = op.inputs[1].constant
    return np.ndim(number) == 0 and number > 0 and float(number).is_integer()


# ------------------------------------------------------------- lengths that do not differ
BROADCASTING = ("matmul", "tensordot", "einsum")
"""Ops besides elementwise ones whose result may have a new length, of shapes alone."""


def _known_lengths(block: Block, found: set[Value]) -> set[Sym]:
    """The lengths that are the same for every example."""
    blocked: set[Value] = set()
    while True:
        lengths = _Lengths(found, blocked)
        for p in block.params:
            lengths.known |= symbols_of(p.type)
            if p not in found and p.dim is not None:
                lengths.known |= symbols(p.dim)
        lengths.learn(block)
        if not lengths.wrong:
            return lengths.known
        blocked |= lengths.wrong


class _Lengths:
    """Walks through a block. What a loop carries is taken to keep to lengths that are the same
    for every example until the next values (``wrong``) show that it does not."""

    def __init__(self, found: set[Value], blocked: set[Value]) -> None:
        self.found = found
        self.blocked = blocked
        self.known: set[Sym] = set()
        self.wrong: set[Value] = set()

    def learn(self, block: Block) -> None:
        for op in block.ops:
            for value in op.inputs:
                self.note(value)
            if op.regions:
                self.control(op)
            elif self.keeps(op):
                for r in op.results:
                    self.known |= symbols_of(r.type)
            for value in op.results:
                self.note(value)

    def keeps(self, op: Op) -> bool:
        """Whether the results' lengths follow from those of inputs, which are the same. So are
        those of what is in a list: it was put there for all examples at once."""
        if op.kind.has("list"):
            return True
        by_shape = op.kind.has("elementwise") or op.name in BROADCASTING
        return by_shape and all(symbols_of(v.type) <= self.known for v in op.inputs)

    def note(self, value: Value) -> None:
        """What is the same for every example tells lengths, unless it tells that of something
        that is not."""
        made = value.op
        if value in self.found:
            return
        asked = () if made is None else (v for v in made.inputs if v in self.found)
        if not all(symbols_of(v.type) <= self.known for v in asked):
            return
        self.known |= symbols_of(value.type)
        if value.dim is not None:
            self.known |= symbols(value.dim)

    def control(self, op: Op) -> None:
        for start, p in edges(op):
            varies = not symbols_of(start.type) <= self.known
            if start in op.inputs and p not in op.results and varies:
                self.wrong.update({p} - self.blocked)
        for region in op.regions:
            for p in region.params:
                self.note(p)
                if p not in self.blocked and not isinstance(p.type, ScalarType):
                    self.known |= symbols_of(p.type)
            self.learn(region)
        for source, target in edges(op):
            if target in op.results:
                continue
            if not symbols_of(source.type) <= self.known and target not in self.blocked:
                self.wrong.add(target)
        for k, r in enumerate(op.results):
            sources = [s for s, target in edges(op) if target is op.results[k]]
            if all(symbols_of(s.type) <= self.known for s in sources):
                self.known |= symbols_of(r.type)


def symbols_of(t: Type) -> frozenset[Sym]:
    """The symbols in a type's lengths."""
    if isinstance(t, ListType):
        return symbols_of(t.element)
    found: frozenset[Sym] = frozenset()
    for d in t.shape if isinstance(t, ArrayType) else ():
        found |= symbols(d)
    return found
