"""The decisions behind ``reuse``: one walk in program order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.order import LastUses, Order, carried, has_memory
from ...ir.types import ListType
from ...ir.values import Block, Function, Op, Value
from .aliasing import NONE, Aliases, Atoms, held, is_inner, is_store, is_view
from .takeover import Taste


class Decisions:
    """``before[op]``: inputs to copy ahead of it; ``after``: values to copy where they are
    made; ``at_end[block]``: results to copy at a block's end (positions, with the copies'
    names); ``into[op]``: the input whose memory the result takes over. ``read_later``:
    for what is written to and stands in an array of the caller's, what else stands there and is
    read afterwards."""

    def __init__(self, function: Function, overwritable: set[Value]) -> None:
        self.before: dict[Op, dict[int, str]] = {}
        self.after: set[Value] = set()
        self.at_end: dict[Block, dict[int, str]] = {}
        self.into: dict[Op, int] = {}
        self.read_later: dict[Value, list[Value]] = {}
        self.order = Order(function)
        self.uses = LastUses(self.order)
        self.uses.mark_all(function.block)
        self.aliases = Aliases(function, self.order)
        self.kept = self.aliases.kept
        self.taste = Taste(function, self.into)
        self.atoms: dict[Value, Atoms] = {}
        self.fixed: set[Value] = set()
        self.foreign: set[Value] = set()
        self.caller: set[Value] = set(function.params)
        self.holders: dict[Value, list[Value]] = {}
        self.handed = set(_handed(function.block))
        for param in function.params:
            self._set(param, frozenset((param,)))
            if param not in overwritable:
                self.foreign.add(param)
        self._block(function.block)
        self._results(function)

    # -- what is known ------------------------------------------------------------------
    def _set(self, value: Value, atoms: Atoms) -> None:
        if has_memory(value.type):
            self.atoms[value] = atoms
            for atom in atoms:
                self.holders.setdefault(atom, []).append(value)

    def _of(self, value: Value) -> Atoms:
        return self.atoms.get(value, NONE)

    def _conflicts(self, atoms: Atoms, block: Block, position: int) -> list[Value]:
        """Values that may stand in this memory and may be read later."""
        found: dict[Value, None] = {}
        for atom in atoms:
            holders = self.holders.get(atom, [])
            holders[:] = [v for v in holders if self._last(v) > position]
            for value in holders:
                if atom in self._of(value) and self.uses.live_after(value, block, position):
                    found[value] = None
        return list(found)

    def _last(self, value: Value) -> int:
        return max(self.uses.of(value).values(), default=0)

    def _closed(self, value: Value) -> bool:
        """Whether the value must not be written at all."""
        return value in self.fixed or not self._of(value).isdisjoint(self.foreign)

    # -- the walk -----------------------------------------------------------------------
    def _block(self, block: Block) -> None:
        for op in block.ops:
            if op.name == "if":
                self._if(op)
            elif op.name in ("for", "while"):
                self._loop(op, block)
            elif is_store(op):
                self._store(op, block)
            else:
                self._plain(op, block)

    def _plain(self, op: Op, block: Block) -> None:
        if op.kind.has("shares"):
            self._call(op, block)
            return
        if is_view(op):
            [result] = op.results
            self._set(result, self._of(op.inputs[0]))
            if op.kind.put is None or op.inputs[0] in self.fixed:
                self.fixed.add(result)
            return
        taken = self._takeover(op, block)
        if taken is not None:
            self.into[op] = taken
            [result] = op.results
            self._set(result, self._of(op.inputs[taken]))
            if result in self.aliases.kept:
                self.kept |= self._of(result)
            return
        self._hold(op, block)
        if op.kind.has("notes"):
            self.kept = self.kept.union(*(self._of(v) for v in op.inputs))
        if is_inner(op):
            self._set(op.result, self._of(op.inputs[0]))
            return
        if op.kind.has("gives"):
            self._given(op.result)
            return
        for result in op.results if op.name != "undef" else ():
            self._set(result, frozenset((result,)))
            if op.name == "const":
                self.foreign.add(result)

    def _call(self, op: Op, block: Block) -> None:
        """What is passed to code unknown may be kept there; what comes back is not ours."""
        for position, value in enumerate(op.inputs):
            if has_memory(value.type) and self._changes_later(value, block, op):
                self.before.setdefault(op, {})[position] = ""
        own: Atoms = frozenset(op.results)
        for result in op.results:
            self._set(result, own | self.kept)
            self.foreign.add(result)

    def _store(self, op: Op, block: Block) -> None:
        base, result = op.inputs[0], op.results[0]
        self._hold(op, block)
        for element in op.results[1:]:
            self._given(element)
        if self._must_copy(base, block, self.order.start[op]):
            self.before.setdefault(op, {})[0] = result.name or base.name
            self._set(result, frozenset((result,)))
        else:
            self._set(result, self._of(base))

    def _hold(self, op: Op, block: Block) -> None:
        """Copy what changes while a list holds it."""
        for i in held(op):
            if self._changes_later(op.inputs[i], block, op):
                self.before.setdefault(op, {})[i] = ""

    def _given(self, element: Value) -> None:
        """What comes out of a list, which may go on holding it."""
        own: Atoms = frozenset((element,))
        if isinstance(element.type, ListType):
            self._set(element, own)
            return
        self._set(element, own | self.kept)
        self.foreign.add(element)

    def _changes_later(self, element: Value, block: Block, op: Op) -> bool:
        """Whether what ``op`` puts into a list, or hands to code unknown, may be overwritten
        while it is there. A list that is put into another and not read any more can only be
        reached through that."""
        if isinstance(element.type, ListType):
            return bool(self._conflicts(self._of(element), block, self.order.start[op]))
        return self.aliases.changes_later(op, element)

    def _must_copy(self, base: Value, block: Block, position: int) -> bool:
        """Whether ``base`` has to be copied before it is overwritten. Where only views of it
        are read later, those are copied instead."""
        if self._closed(base):
            return True
        conflicts = self._conflicts(self._of(base), block, position)
        if not all(_is_part(v) and v not in self.handed for v in conflicts):
            self._note(base, conflicts)
            return True
        for value in conflicts:
            self.after.add(value)
            self.atoms[value] = frozenset((value,))
            self.holders.setdefault(value, []).append(value)
        return False

    def _if(self, op: Op) -> None:
        for region in op.regions:
            self._block(region)
        for result, *ends in zip(op.results, *(r.results for r in op.regions), strict=True):
            self._set(result, NONE.union(*(self._of(e) for e in ends)))
            if any(e in self.fixed for e in ends):
                self.fixed.add(result)

    # -- loops --------------------------------------------------------------------------
    def _loop(self, op: Op, block: Block) -> None:
        columns = carried(op)
        skip = 3 if op.name == "for" else 0
        inits = [self._of(values[0]) for values in columns]
        owned: set[int] = set()
        for i, values in enumerate(columns):
            if not has_memory(values[0].type):
                continue
            free = self._free_at_entry(i, values[0], inits, op, block)
            if i in self.aliases.required[op] and not free:
                beside = [columns[j][0] for j in _sharing(i, inits)]
                later = self._conflicts(inits[i], block, self.order.start[op])
                self._note(values[0], [*beside, *later])
                self.before.setdefault(op, {})[skip + i] = values[-3].name or values[0].name
                inits[i] = NONE
                owned.add(i)
            elif i in self.aliases.required[op] or (free and i in self.aliases.private[op]):
                owned.add(i)
        for i, values in enumerate(columns):
            self._carry(values, i in owned, inits[i])
        for region in op.regions:
            self._block(region)
        self._back_edge(op, columns, owned)
        for i, values in enumerate(columns):
            self._after_loop(values, i in owned, inits[i])

    def _free_at_entry(
        self, i: int, init: Value, inits: Sequence[Atoms], op: Op, block: Block
    ) -> bool:
        if self._closed(init):
            return False
        if _sharing(i, inits):
            return False
        return not self._conflicts(inits[i], block, self.order.start[op])

    def _note(self, written: Value, conflicts: list[Value]) -> None:
        if conflicts and not self._of(written).isdisjoint(self.caller):
            self.read_later[written] = conflicts

    def _carry(self, values: tuple[Value, ...], owned: bool, init: Atoms) -> None:
        param = values[-3]
        atoms: Atoms = frozenset((param,))
        if not owned and has_memory(param.type):
            atoms |= self.aliases.reach(atoms) | init
            self.foreign.add(param)
        for inner in values[1:-2]:
            self._set(inner, atoms)
            if values[0] in self.fixed and not owned:
                self.fixed.add(inner)
        if owned and not init.isdisjoint(self.caller):
            self.caller.add(param)

    def _back_edge(
        self, op: Op, columns: Sequence[tuple[Value, ...]], owned: set[int]
    ) -> None:
        """What is handed to the next round as memory of its own must be nobody else's."""
        body = op.regions[-1]
        first = 1 if op.attrs["breaks"] else 0
        end = self.order.span[body][1]
        following = [self._of(values[-2]) for values in columns]
        for i in sorted(owned):
            value = columns[i][-2]
            beside = [columns[j][-2] for j in _sharing(i, following)]
            later = self._conflicts(following[i], body, end)
            if beside or later or self._closed(value):
                self._note(value, [*beside, *later])
                self.at_end.setdefault(body, {})[first + i] = columns[i][-3].name
                following[i] = NONE

    def _after_loop(self, values: tuple[Value, ...], owned: bool, init: Atoms) -> None:
        *_, param, following, result = values
        atoms: Atoms = frozenset((param,))
        if not owned:
            atoms |= init | self._of(following) | self._of(param)
            if following in self.fixed or values[0] in self.fixed:
                self.fixed.add(result)
        self._set(result, atoms)

    # -- results ------------------------------------------------------------------------
    def _results(self, function: Function) -> None:
        block = function.block
        derivative = bool(function.notes.get("derivative"))
        written_back = {function.params[p] for p, _ in function.mutates} & self.foreign
        mutated = {r for _, r in function.mutates}
        seen: set[Value] = set()
        for position, value in enumerate(block.results):
            atoms = self._of(value)
            shared = not atoms.isdisjoint(seen) or not atoms.isdisjoint(self.caller)
            wanted = derivative and (shared or value in self.fixed)
            if position not in mutated:
                wanted = wanted or not atoms.isdisjoint(written_back)
                if wanted:
                    self.at_end.setdefault(block, {})[position] = value.name
                    atoms = NONE
            seen |= atoms

    # -- taking over --------------------------------------------------------------------
    def _takeover(self, op: Op, block: Block) -> int | None:
        """The input whose memory the op's result may use: it dies here, nobody else stands in
        it, and it has exactly the result's type."""
        for position in self.taste.candidates(op):
            value = op.inputs[position]
            atoms = self._of(value)
            if self._closed(value) or not atoms or not atoms.isdisjoint(self.caller):
                continue
            if not self.kept.isdisjoint(atoms | self.aliases.reach(atoms)):
                continue
            others = [v for v in op.inputs if v is not value]
            if any(not self._of(v).isdisjoint(atoms) for v in others):
                continue
            if not self._conflicts(atoms, block, self.order.start[op]):
                return position
        return None


def _handed(block: Block) -> Iterator[Value]:
    """Values whose memory something else may come to stand in: bases of views and of writes,
    and what goes through branches, loops and lists."""
    for op in block.ops:
        if op.regions or op.name == "list_push":
            yield from op.inputs
        elif is_store(op) or is_view(op):
            yield op.inputs[0]
        for region in op.regions:
            yield from region.results
            yield from _handed(region)


def _sharing(i: int, places: Sequence[Atoms]) -> list[int]:
    """Which others may stand in the memory of one of some carried values."""
    mine = places[i]
    return [j for j, other in enumerate(places) if j != i and not mine.isdisjoint(other)]


def _is_part(value: Value) -> bool:
    """Whether a value is a view of part of an array, made by an op; perhaps by several, none of
    which repeats elements. Or a list in a list."""
    op = value.op
    if op is not None and is_inner(op):
        return True
    while op is not None and op.name != "index":
        if not is_view(op) or op.name == "broadcast_to":
            return False
        op = op.inputs[0].op
    return op is not None


__all__ = ["Decisions"]
