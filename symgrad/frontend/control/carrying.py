"""What a loop carries from round to round: found by lowering the body until nothing changes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

from ...errors import UnsupportedSyntaxError
from ...ir.builder import Builder
from ...ir.types import type_of_constant
from ...ir.values import Value
from ..heap import Change
from ..lists import growing
from ..lists import holding as lists
from ..lists.merging import is_own, merged
from ..machine import Machine
from ..memory import moving
from ..memory.boxes import is_shared, mark
from ..memory.moving import Moving
from ..memory.selected import pick
from ..memory.storage import closure
from ..names.held import ChoicePattern
from ..names.lookup import Unsettled
from ..names.scope import (
    RESULT,
    RETURNED,
    Awaiting,
    Frame,
    bound_flag,
    feeds,
    flagged,
    is_variable,
    needed,
    variable_name,
)
from ..names.static import NUMBERS
from ..values import (
    MISSING,
    Cell,
    Items,
    ListObject,
    Maybe,
    Poison,
    Ref,
    Scope,
    Storage,
    birth,
)
from . import kinds
from .awaited import ListPattern, MaybePattern, Pick, RowsPattern
from .join import OBJECT, Joiner, Leaf, Shell
from .patterns import convert, extract, instantiate, leaves, or_zero, pair, relate

ROUNDS = 12
T = TypeVar("T")


@dataclass(slots=True)
class Carried:
    """One place that changes from round to round."""

    cell: Cell
    key: Any
    init: Any
    pattern: Any

    @property
    def name(self) -> str:
        """What it is called in the generated code."""
        return self.init.name if isinstance(self.cell, Storage) else variable_name(self.key)


@dataclass(slots=True)
class Carrying:
    """Everything that one loop carries.

    ``before`` is what the places that a round changes held before it; ``bound`` are the flags
    of the names that every round binds.
    """

    node: ast.For | ast.While
    birth: int = field(default_factory=birth)
    places: dict[tuple[int, Any], Carried] = field(default_factory=dict)
    pairs: dict[Any, Storage] = field(default_factory=dict)
    apart: set[frozenset[Storage]] = field(default_factory=set)
    boxes: set[Leaf] = field(default_factory=set)
    may_grow: bool = True
    picking: bool = False
    shared: set[Any] = field(default_factory=set)
    before: dict[tuple[int, Any], Any] = field(default_factory=dict)
    bound: set[tuple[int, Any]] = field(default_factory=set)
    mark: int = 0

    def joiner(self, m: Machine, cell: Cell, key: Any) -> Joiner:
        """How the two values of a place are joined."""
        name = str(key) if isinstance(cell, Scope) else OBJECT
        joiner = Joiner(m.builder.dims, name, m.span(self.node), True, None, self.pairs)
        joiner.birth, joiner.picking = (self.birth if self.picking else 0), self.picking
        joiner.nones, joiner.begun = m.nones, self.birth
        return joiner

    # -- a first guess --------------------------------------------------------------------
    def guess(self, m: Machine) -> None:
        """Variables that the body assigns are likely carried."""
        frame = m.frame
        if frame.liveness is None:
            return
        live = frame.liveness.live_at_head(self.node)
        plain, in_place = targets(self.node)
        for name in sorted((plain | in_place) & live):
            value = frame.scope.data.get(name, MISSING)
            wanted = isinstance(value, Value | NUMBERS) or (
                isinstance(value, Ref) and name in plain and not self.picking
            )
            if wanted:
                pattern = self.joiner(m, frame.scope, name).opened(value)
                slot = (id(frame.scope), name)
                self.places[slot] = Carried(frame.scope, name, value, pattern)
        self._relate_inits(m)

    def _note_boxes(self, m: Machine, pairs: list[tuple[Leaf, Any]]) -> bool:
        """Note which carried values may be arrays of rank 0 that others hold."""
        found = {leaf for leaf, x in pairs if is_shared(m, x)} - self.boxes
        self.boxes |= found
        return bool(found)

    def _relate_inits(self, m: Machine) -> bool:
        for c in self.places.values():
            if isinstance(c.pattern, ListPattern):
                lists.link(m, c.pattern, c.init)
        pairs = [p for c in self.places.values() for p in pair(c.pattern, c.init)]
        return self._note_boxes(m, pairs) | relate(m, pairs, self.birth)

    # -- one round --------------------------------------------------------------------------
    def enter(self, m: Machine, b: Builder) -> list[Value]:
        """Make the region's parameters, and bind what is carried to them."""
        params: list[Value] = []
        for c in self.places.values():
            made = []
            for leaf in leaves(c.pattern):
                name = c.name if isinstance(c.cell, Scope) else lists.name_of(m, c.cell)
                if isinstance(c.pattern, Pick):
                    name = f"{name}_first"
                if _is_given(c.pattern, leaf):
                    name = f"{name}_given"
                if kinds.of_several(c.pattern) and c.pattern.candidate.condition is leaf:
                    name = f"{name}_first"
                made.append(b.param(leaf.type, name))
                if leaf in self.boxes:
                    mark(m, made[-1])
            write(m, c.cell, c.key, instantiate(m, c.pattern, iter(made)))
            params += made
            if kinds.of_several(c.pattern) and m.mixed is not self.node:
                m.unasked |= {*made}
        scope = m.frame.scope
        for cell in (scope, *(feed.frame.scope for feed in feeds(m.frame))):
            if (id(cell), RETURNED) in self.places:
                m.heap.write(cell, RETURNED, False)  # or the loop would have been left
        for flags in (t.flags for t in m.tryings):
            for key in [k for k in flags.data if (id(flags), k) in self.places]:
                if isinstance(key, int):
                    m.heap.write(flags, key, False)
        return params

    def grow(self, m: Machine, mark: int, flow: frozenset[str]) -> bool:
        """Take in what the round has changed.

        Returns:
            Whether there was anything new, so that the body has to be lowered again.
        """
        grown, self.mark = False, mark
        backs: list[tuple[Leaf, Any]] = []
        changes = m.heap.changes(mark)
        self.before = {slot: change.before for slot, change in changes.items()}
        for slot, change in changes.items():
            if change.cell.birth > self.birth or change.cell in self.pairs.values():
                continue
            unwanted = change.narrowed or not self._wanted(m, change, flow)
            if slot not in self.places and unwanted:
                continue
            grown |= self._take(m, slot, change)
        for c in self.places.values():
            after = c.cell.data.get(c.key, MISSING)
            backs += pair(c.pattern, after)
            if isinstance(c.pattern, ListPattern):
                lists.link(m, c.pattern, after)
        grown |= self._relate_inits(m)
        grown |= relate(m, backs, self.birth)
        grown |= self._note_boxes(m, backs)
        memories = [
            c.pattern.memory
            for c in self.places.values()
            if isinstance(c.pattern, ListPattern)
        ]
        grown |= growing.relate_rows(m, backs, memories)
        shared = lists.related(memories, self.birth, {*self.pairs.values()})
        grown |= shared != self.shared
        self.shared = shared
        return self._tell_apart(m, backs) or grown

    def _tell_apart(self, m: Machine, backs: list[tuple[Leaf, Any]]) -> bool:
        """Note which carried arrays are never the same memory: they are not at the start, and
        a round only makes new ones or exchanges them (``a, b = b, a``)."""
        inits = [p for c in self.places.values() for p in pair(c.pattern, c.init)]
        mine = {leaf.storage for leaf, _ in inits if leaf.storage is not None}
        first = {a.storage: closure(x.storage) for a, x in inits if isinstance(x, Ref)}
        last = {
            a.storage: _members(x.storage, mine) for a, x in backs if isinstance(x, Ref)
        }
        safe = [
            s
            for s in mine
            if s in first
            and s in last
            and all(t in mine or t.birth > self.birth for t in last[s])
        ]
        found = {
            frozenset((a, b))
            for a, b in combinations(safe, 2)
            if not first[a] & first[b] and not last[a] & last[b]
        }
        changed = found != self.apart
        m.distinct = (m.distinct - self.apart) | found
        self.apart = found
        return changed

    def _take(self, m: Machine, slot: tuple[int, Any], change: Change) -> bool:
        known = self.places.get(slot)
        flag = flagged(change.key)
        if flag is not None and known is None:
            return self._take_flag(change.cell, flag)
        joiner = self.joiner(m, change.cell, change.key)
        if isinstance(change.cell, Storage):
            if known is None:
                pattern = Leaf(change.before.type)
                self.places[slot] = Carried(change.cell, change.key, change.before, pattern)
            return known is None
        if known is None:
            pattern = self._generalise(m, joiner, change, change.before)
            first = change.before is MISSING and pattern is not MISSING
            if not leaves(pattern) and not isinstance(pattern, Poison) and not first:
                return False
            self._check(m, change.cell, pattern)
            self.places[slot] = Carried(change.cell, change.key, change.before, pattern)
            if change.before is MISSING and is_variable(change.key):
                self._take_flag(change.cell, change.key)
            return True
        pattern = self._generalise(m, joiner, change, known.pattern)
        self._check(m, change.cell, pattern)
        if same_pattern(known.pattern, pattern):
            return False
        known.pattern = pattern
        return True

    def _generalise(self, m: Machine, joiner: Joiner, change: Change, a: Any) -> Any:
        cell, b = change.cell, change.after
        if self.picking:
            found = pick(joiner, a, b, self.birth, Leaf)
            if found is not None:
                return found
        around = m.region.parent
        assert around is not None
        builder, grow = around.builder, self.may_grow
        if self._is_own(m, change, a):
            own = merged(joiner, builder, a, b, may_grow=grow)
            if own is not None:
                return own
        pattern = lists.generalise(joiner, builder, cell, a, b, may_grow=grow)
        if isinstance(pattern, ListPattern):
            check = partial(lists.check_held, m, self.node, cell, live=self._live(m))
            self._before(m, lambda: check((change.before,)))
            check((b,))
        return pattern

    def _is_own(self, m: Machine, change: Change, a: Any) -> bool:
        """Whether a variable has lists that are nobody else's, at the start and after a round."""
        if change.cell is not m.frame.scope or not isinstance(change.after, ListObject):
            return False
        first = change.before
        if not isinstance(first, ListObject) or first is change.after:
            return False
        look = partial(is_own, m, change.key, live=self._live(m))
        own = self._before(m, lambda: look(first)) and look(change.after)
        return own and (a is first or look(a))

    def _before(self, m: Machine, look: Callable[[], T]) -> T:
        """What there is before the round."""
        changes = m.heap.changes(self.mark)
        m.heap.undo(self.mark)
        try:
            return look()
        finally:
            m.heap.redo(changes)

    def _live(self, m: Machine) -> frozenset[str]:
        liveness = m.frame.liveness
        if liveness is None:
            return frozenset(m.frame.scope.data)
        return liveness.live_at_head(self.node) | liveness.live_after(self.node)

    def _take_flag(self, cell: Cell, name: str) -> bool:
        """Carry whether a variable is bound."""
        flag, old = bound_flag(name), self.before
        slot = (id(cell), flag)
        if slot in self.places:
            return False
        init = old.get(slot, cell.data.get(flag, MISSING))
        if init is MISSING:
            value = old.get((id(cell), name), cell.data.get(name, MISSING))
            init = value is not MISSING
        self.places[slot] = Carried(cell, flag, init, Leaf(type_of_constant(False)))
        return True

    def _check(self, m: Machine, cell: Cell, pattern: Any) -> None:
        if isinstance(pattern, Poison) and not isinstance(cell, Scope):
            raise Unsettled(
                UnsupportedSyntaxError(
                    "a list, dict or object changes its structure in a loop whose number of "
                    "rounds is known at run time only; fill an array made before the loop "
                    "(out = np.empty(n); out[i] = ...)",
                    m.span(self.node),
                )
            )

    def _wanted(self, m: Machine, change: Change, flow: frozenset[str]) -> bool:
        frame, key = m.frame, change.key
        for feed in feeds(frame):
            if change.cell is feed.frame.scope:
                return needed(feed, key)
        if change.cell is not frame.scope:
            return not isinstance(change.cell, Scope) or _is_running(m, change.cell)
        if key in (RESULT, RETURNED):
            return "return" in flow
        if isinstance(key, tuple):
            return (
                key == ("break", self.node) and "break" in flow and bool(self.node.orelse)
            )
        if frame.liveness is None:
            return True
        name = flagged(key) or key
        return name in frame.liveness.live_at_head(self.node) or name in (
            frame.liveness.live_after(self.node)
        )

    # -- the end ----------------------------------------------------------------------------
    def leave(self, m: Machine) -> list[Value]:
        """The carried values at the end of a round, in the types of the parameters."""
        data = {slot: c.cell.data.get(c.key) for slot, c in self.places.items()}
        self.bound = {s for s, x in data.items() if flagged(s[1]) and x is True}
        return self._values(m, lambda c: c.cell.data.get(c.key, MISSING))

    def inits(self, m: Machine) -> list[Value]:
        """The carried values before the loop."""
        return self._values(m, lambda c: c.init)

    def _values(self, m: Machine, which: Callable[[Carried], Any]) -> list[Value]:
        values: list[Value] = []
        for c in self.places.values():
            raw = extract(m, c.pattern, which(c))
            values += [
                convert(m.builder, or_zero(c.key, x, leaf), leaf.type, m.span(self.node))
                for x, leaf in zip(raw, leaves(c.pattern), strict=True)
            ]
        return values

    def finish(
        self, m: Machine, results: Iterator[Value], entered: bool | Value | None = None
    ) -> None:
        """Bind what is carried to the loop's results. ``entered``: whether there was a round,
        if that can be said."""
        for slot, c in self.places.items():
            made = instantiate(m, c.pattern, results)
            if isinstance(made, Poison) and isinstance(made.candidate, Maybe):
                made = made.candidate  # only the rounds do not know what it is
            if isinstance(made, Value):
                made.name = made.name or c.name
            if isinstance(made, Maybe):
                made.present.name = f"{c.name}_given" if c.name else ""
            if isinstance(made, Items):
                lists.suggest(m, c.cell, made)
            if slot in self.bound and entered is not None and c.init is False:
                made = entered
            write(m, c.cell, c.key, made)


def _is_given(pattern: Any, leaf: Leaf) -> bool:
    """Whether a leaf tells whether a variable is something else than None."""
    inner = pattern.candidate if isinstance(pattern, Poison) else pattern
    return isinstance(inner, MaybePattern) and inner.present is leaf


def write(m: Machine, cell: Cell, key: Any, value: Any) -> None:
    """Change any kind of cell."""
    if isinstance(cell, Storage):
        m.set_current(cell, value)
    else:
        m.heap.write(cell, key, value)


def _members(storage: Storage, atoms: set[Storage]) -> set[Storage]:
    """All that a storage may be, without looking behind ``atoms``."""
    found, todo = {storage}, [storage]
    while todo:
        one = todo.pop()
        for source in one.sources if one not in atoms else ():
            if source not in found:
                found.add(source)
                todo.append(source)
    return found


def same_pattern(a: Any, b: Any) -> bool:
    """Whether two patterns ask for the same."""
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        return a.type == b.type and a.storage is b.storage
    if isinstance(a, Shell) and isinstance(b, Shell):
        return all(same_pattern(p, b.parts[k]) for k, p in a.parts.items())
    if isinstance(a, Moving) and isinstance(b, Moving):
        return moving.same(a, b)
    if isinstance(a, MaybePattern) and isinstance(b, MaybePattern):
        return same_pattern(a.value, b.value)
    if isinstance(a, Pick | ChoicePattern) and type(a) is type(b):
        return len(a.options) == len(b.options)
    if isinstance(a, RowsPattern) and isinstance(b, RowsPattern):
        return same_pattern(a.leaf, b.leaf)
    if isinstance(a, ListPattern) and isinstance(b, ListPattern):
        return bool(a.element == b.element)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_pattern, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same_pattern(p, b[k]) for k, p in a.items())
    if kinds.of_several(a) and kinds.of_several(b):
        a, b = a.candidate, b.candidate
        return same_pattern(a.first, b.first) and same_pattern(a.second, b.second)
    if isinstance(a, Poison) and isinstance(b, Poison):
        return not kinds.of_several(a) and not kinds.of_several(b)
    return type(a) is type(b) and not isinstance(a, Leaf | Shell | tuple)


def _is_running(m: Machine, cell: Cell) -> bool:
    running = any(cell is f.scope or cell in f.outer_scopes() for f in m.frames)
    return running or cell in m.shared or any(cell is t.flags for t in m.tryings)


def targets(loop: ast.For | ast.While) -> tuple[set[str], set[str]]:
    """Names that the body assigns, and those it changes by an operator only."""
    plain: set[str] = set()
    in_place: set[str] = set()
    for statement in loop.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                in_place.add(node.target.id)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    plain |= {
                        n.id
                        for n in ast.walk(target)
                        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                    }
    return plain, in_place - plain


@contextmanager
def awaiting(m: Machine, node: ast.For | ast.While) -> Iterator[list[ast.Name]]:
    """While a round is lowered: readings of what only an earlier round assigns, also of those
    of the loops that a generator runs for."""
    fed = [(feed.frame, feed.loop) for feed in feeds(m.frame)]
    around: list[tuple[Frame, Any]] = [(m.frame, node), *fed]
    read: list[ast.Name] = []
    for frame, loop in around:
        frame.awaiting.append(Awaiting(frozenset(targets(loop)[0]), read))
    try:
        yield read
    finally:
        for frame, _ in around:
            frame.awaiting.pop()
