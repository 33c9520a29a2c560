"""Branches on runtime conditions: both sides are lowered, and what differs is joined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..dispatch import NEXT, Flow, NeverReturns, evaluate, expression, statement
from ..heap import Change, Changes
from ..lists import holding as lists
from ..lists.merging import is_own, merged
from ..machine import Machine, Region
from ..names.scope import (
    RESULT,
    RETURNED,
    Frame,
    bound_flag,
    feeds,
    flagged,
    is_variable,
    loaded,
    needed,
    variable_name,
)
from ..values import (
    MISSING,
    Cell,
    Fields,
    Items,
    ListObject,
    Poison,
    Scope,
    Storage,
    Suspended,
)
from . import catching, conditions, nones
from . import flow as flows
from .awaited import ListPattern
from .hanging import flag_half_bound, write_hanging
from .join import OBJECT, RESULT_KEY, Joiner, Leaf
from .patterns import convert, extract, instantiate, leaves, or_zero, pair, relate
from .widening import widen

T = TypeVar("T")


@dataclass(slots=True)
class Side:
    """One branch, lowered and undone again."""

    region: Region
    flow: Flow
    changes: Changes

    def after(self, change: Change) -> Any:
        """What the branch leaves at the place of ``change``."""
        own = self.changes.get(change.slot)
        return change.before if own is None else own.after

    def keeps(self, change: Change) -> bool:
        """Whether what is at the place of ``change`` is the same after the branch."""
        own = self.changes.get(change.slot)
        return own is None or own.narrowed

    def binds(self, scope: Scope, name: str) -> Any:
        """Whether the branch leaves a variable bound: True, False or a runtime value."""
        flag = self._at_end(scope, bound_flag(name))
        return self._at_end(scope, name) is not MISSING if flag is MISSING else flag

    def _at_end(self, cell: Cell, key: str) -> Any:
        own = self.changes.get((id(cell), key))
        return cell.data.get(key, MISSING) if own is None else own.after


@statement(ast.If)
def if_(m: Machine, node: ast.If) -> Flow | None:
    """``if``: static tests choose when compiling."""
    return if_with_rest(m, node, (), 0)[0]


def if_with_rest(
    m: Machine, node: ast.If, rest: Sequence[ast.stmt], most: int
) -> tuple[Flow, Sequence[ast.stmt]]:
    """``if`` and what follows it in its block.

    Returns:
        How it ends, and what of the rest has not been lowered inside the one branch that goes on.
    """
    before = nones.seen(m, node.test)
    test = conditions.tested(m, node.test)
    if isinstance(test, bool):
        return flows.run(m, node.body if test else node.orelse), rest
    last: ast.stmt = node
    widen(m, node)

    def side(body: list[ast.stmt], outcome: bool) -> Callable[[], Flow]:
        run = partial(flows.run, m, [*body])
        return nones.behind(m, node.test, outcome, run, before)

    then = lower_side(m, side(node.body, True))
    if rest and most and _escapes(then.flow):
        onward = partial(_onward, m, node.orelse, rest, most - 1)
        orelse, left = _lower_piece(m, nones.behind(m, node.test, False, onward, before))
    else:
        orelse, left = lower_side(m, side(node.orelse, False)), rest
        if rest and most and _escapes(orelse.flow) and then.flow == NEXT:
            left = _extend_side(m, then, rest, most - 1)
    if len(left) < len(rest):
        last = rest[len(rest) - len(left) - 1]
    m.builder.span = m.span(node)
    return join_sides(m, last, test, then, orelse), left


def _escapes(flow: Flow) -> bool:
    """Whether a branch leaves by return, break or continue in every case."""
    return bool(flow) and "next" not in flow


def lower_side(m: Machine, body: Callable[[], Flow]) -> Side:
    """Lower one branch in a region of its own, and undo its changes."""
    region = m.new_region()
    mark, depth = m.heap.mark, len(m.pending)
    with m.inside(region):
        flow = flows.where_run(m, body)
        if len(m.pending) > depth:
            flow = catching.close(m, depth, flow)
    return Side(region, flow, m.heap.leave(mark, region.birth))


def lower_stretch(
    m: Machine, body: Sequence[ast.stmt], most: int
) -> tuple[Side, Sequence[ast.stmt]]:
    """Lower a branch as far as it goes; also what is left of it."""
    return _lower_piece(m, partial(flows.stretch, m, body, most))


def _lower_piece(
    m: Machine, body: Callable[[], flows.Stretch]
) -> tuple[Side, Sequence[ast.stmt]]:
    left: Sequence[ast.stmt] = ()

    def run() -> Flow:
        nonlocal left
        flow, left = body()
        return flow

    return lower_side(m, run), left


def _onward(
    m: Machine, body: Sequence[ast.stmt], rest: Sequence[ast.stmt], most: int
) -> flows.Stretch:
    """A branch, and behind it what follows both, where the other one leaves the block: of the
    rest, that is, which may be left."""
    flow, left = flows.stretch(m, [*body, *rest], most)
    while len(left) > len(rest):
        flow, left = flows.guarded(m, left, flow, 1)
    return flow, left


def _extend_side(
    m: Machine, side: Side, rest: Sequence[ast.stmt], most: int
) -> Sequence[ast.stmt]:
    """Lower more code at the end of a branch; what is left of it."""
    mark = m.heap.mark
    m.heap.redo(side.changes)
    pending = len(m.pending)
    with m.inside(side.region):
        side.flow, left = flows.stretch(m, rest, most)
        if len(m.pending) > pending:
            side.flow = catching.close(m, pending, side.flow)
    side.changes = m.heap.leave(mark, side.region.birth)
    return left


def join_sides(
    m: Machine, node: ast.AST, condition: Value, then: Side, orelse: Side
) -> Flow:
    """Make the ``if`` op, and what differs between the branches its results."""
    if not then.flow or not orelse.flow:
        return _with_raise(m, node, condition, then, orelse)
    flow = then.flow | orelse.flow
    joiner = Joiner(m.builder.dims, "", m.span(node), False, condition)
    joiner.birth = joiner.begun = _birth(m, then, orelse)
    joiner.picking = m.picking
    found: list[tuple[Change, Any]] = []
    dead = _dead(m, node, then, orelse)
    hanging = flag_half_bound(then, orelse, dead)
    for change in {**then.changes, **orelse.changes}.values():
        if change.cell.birth > _birth(m, then, orelse) or not wanted(m, node, change, flow):
            continue
        if then.keeps(change) and orelse.keeps(change):
            continue
        if (alive := dead.get(change.slot)) is not None:
            if not alive.keeps(change):
                found.append((change, _only(joiner, change, alive, (then, orelse))))
            continue
        joiner.name = str(change.key) if isinstance(change.cell, Scope) else OBJECT
        a, b = then.after(change), orelse.after(change)
        if isinstance(change.cell, Storage):
            pattern: Any = Leaf(change.before.type)
        elif isinstance(change.cell, Suspended):
            pattern = a if a == b else "left"
        else:
            pattern = _joined(m, node, joiner, change, (then, orelse), flow)
        check_joined(m, node, change.cell, pattern)
        found.append((change, pattern))
    finish(m, node, condition, then, orelse, found)
    write_hanging(m, condition, hanging)
    _note_way(m, flow)
    return flow


def _joined(
    m: Machine,
    node: ast.AST,
    joiner: Joiner,
    change: Change,
    sides: tuple[Side, Side],
    flow: Flow,
) -> Any:
    """The pattern of what one place holds after two branches."""
    a, b = (side.after(change) for side in sides)
    names = live(m.frame, node, flow)
    pattern: Any = None
    if change.cell is m.frame.scope and isinstance(a, ListObject) and a is not b:
        own = [
            _seen(m, s, partial(is_own, m, change.key, s.after(change), names))
            for s in sides
        ]
        pattern = merged(joiner, m.builder, a, b) if all(own) else None
    pattern = pattern or lists.generalise(joiner, m.builder, change.cell, a, b)
    if isinstance(pattern, ListPattern):
        for side in sides:
            held = (side.after(change),)
            _seen(m, side, partial(lists.check_held, m, node, change.cell, held, names))
    return pattern


def _seen(m: Machine, side: Side, look: Callable[[], T]) -> T:
    """What there is at the end of a branch."""
    mark = m.heap.mark
    m.heap.redo(side.changes)
    try:
        return look()
    finally:
        m.heap.undo(mark)


def _dead(m: Machine, node: ast.AST, then: Side, orelse: Side) -> dict[Any, Side]:
    """The places of variables that are read after only one of the branches, with that one: the
    other leaves by ``return`` or ``break``."""
    found: dict[Any, Side] = {}
    if then.flow == orelse.flow:
        return found
    for slot, change in {**then.changes, **orelse.changes}.items():
        name = flagged(change.key) or change.key
        if change.cell is m.frame.scope and is_variable(name):
            read = [wanted(m, node, change, side.flow) for side in (then, orelse)]
            if read in ([True, False], [False, True]):
                found[slot] = then if read[0] else orelse
    return found


def _only(joiner: Joiner, change: Change, alive: Side, sides: Sequence[Side]) -> Any:
    """What is there after one of two branches; the other need not leave anything."""
    for side in sides:
        if side is not alive:
            side.changes[change.slot] = replace(change, after=MISSING)
    return replace(joiner, fixed=True).opened(alive.after(change))


def _note_way(m: Machine, flow: Flow) -> None:
    """Where both branches leave the same way, the flag for it is set for good."""
    if flow == {"return"}:
        m.heap.write(m.frame.scope, RETURNED, True)
    elif flow in ({"break"}, {"continue"}):
        [way] = flow
        m.heap.write(m.frame.scope, (way, m.frame.loops[-1]), True)


def _birth(m: Machine, then: Side, orelse: Side) -> float:
    return min(then.region.birth, orelse.region.birth)


def wanted(m: Machine, node: ast.AST, change: Change, flow: Flow) -> bool:
    """Whether anything reads that place afterwards."""
    if not isinstance(change.cell, Scope):
        return True
    frame = m.frame
    key = change.key
    for feed in feeds(frame):
        if change.cell is feed.frame.scope:
            return needed(feed, key)
    if change.cell is not frame.scope:
        return True
    if key == RESULT:
        return "return" in flow
    if key == RETURNED:
        return "return" in flow and len(flow) > 1
    if isinstance(key, tuple):
        name, loop = key
        if name == "leave":
            return name in flow and len(flow) > 1
        if not frame.loops or loop is not frame.loops[-1]:
            return False
        return name in flow and len(flow) > 1
    return (flagged(key) or key) in live(frame, node, flow)


def live(frame: Frame, node: ast.AST, flow: Flow) -> frozenset[str]:
    """Names that may be read after ``node``, given how it can end."""
    liveness = frame.liveness
    if liveness is None or node not in liveness.after:
        return frozenset(frame.scope.data) | frame.local
    names = liveness.live_after(node) if "next" in flow else frozenset()
    if frame.loops and "continue" in flow:
        names |= liveness.live_at_head(frame.loops[-1])
    if frame.loops and "break" in flow:
        names |= liveness.live_after(frame.loops[-1])
    finals = (loaded(s) for final in frame.finals for s in final.finalbody)
    caught = (t.reads | liveness.live_after(t.node) for t in frame.tryings)
    return names | liveness.always | frozenset[str]().union(*finals, *caught)


def check_joined(m: Machine, node: ast.AST, cell: Cell, pattern: Any) -> None:
    """Refuse changes of objects that cannot be joined: they have no name to be refused at."""
    if isinstance(pattern, Poison) and isinstance(cell, Fields):
        raise UnsupportedSyntaxError(
            f"an attribute is assigned on one branch of a condition that is known at run time "
            f"only: {pattern.error.message}",
            m.span(node),
        )
    if isinstance(pattern, Poison) and not isinstance(cell, Scope):
        raise UnsupportedSyntaxError(
            "a list, dict or object is changed in structure on one branch of a condition that "
            "is known at run time only; change it on both or on none, or fill an array made "
            "before (np.empty)",
            m.span(node),
        )


def finish(
    m: Machine,
    node: ast.AST,
    condition: Value,
    then: Side,
    orelse: Side,
    found: list[tuple[Change, Any]],
) -> None:
    """Emit the op; write the joined values."""
    wishes = [leaf for _, pattern in found for leaf in leaves(pattern)]
    blocks = []
    pairs: list[tuple[Leaf, Any]] = []
    for side in (then, orelse):
        raw: list[Any] = []
        mark = m.heap.mark
        m.heap.redo(side.changes)
        with m.inside(side.region) as b:
            for change, pattern in found:
                value = side.after(change)
                found_here = zip(extract(m, pattern, value), leaves(pattern), strict=True)
                raw += [or_zero(change.key, x, leaf) for x, leaf in found_here]
                pairs += pair(pattern, value)
                if isinstance(pattern, ListPattern):
                    lists.link(m, pattern, value)
            results = [
                convert(b, x, leaf.type, m.span(node))
                for x, leaf in zip(raw, wishes, strict=True)
            ]
        m.heap.undo(mark)
        blocks.append(side.region.builder.block((), results))
    birth = min(then.region.birth, orelse.region.birth)
    relate(m, pairs, birth)
    values = iter(m.builder.if_(condition, blocks[0], blocks[1]))
    for change, pattern in found:
        joined = instantiate(m, pattern, values)
        if isinstance(change.cell, Scope):
            name_result(m, joined, variable_name(change.key))
        elif isinstance(joined, Items):
            lists.suggest(m, change.cell, joined)
        if isinstance(change.cell, Storage):
            m.set_current(change.cell, joined)
        else:
            m.heap.write(change.cell, change.key, joined)


def name_result(m: Machine, value: Any, name: str) -> None:
    """Give a joined value the variable's name."""
    from ..names.lookup import suggest

    if name:
        suggest(m, value, name)


def _with_raise(
    m: Machine, node: ast.AST, condition: Value, then: Side, orelse: Side
) -> Flow:
    """One branch always raises: afterwards, the other's changes hold. What it has stored into
    the caller's arrays is there, too, where somebody catches what it raises."""
    other, raising = (orelse, then) if not then.flow else (then, orelse)
    narrowed = {slot: c for slot, c in other.changes.items() if c.narrowed}
    if narrowed:
        other.changes = {s: c for s, c in other.changes.items() if s not in narrowed}
        flow = _with_raise(m, node, condition, then, orelse)
        m.heap.redo(narrowed)
        return flow
    seen = {slot: c for slot, c in raising.changes.items() if _is_outside(c.cell)}
    if not other.changes and not seen:
        blocks = [s.region.builder.block((), ()) for s in (then, orelse)]
        m.builder.if_(condition, blocks[0], blocks[1])
        return other.flow
    found = []
    for change in {**seen, **other.changes}.values():
        if change.cell.birth > _birth(m, then, orelse) or not wanted(
            m, node, change, other.flow
        ):
            continue
        joiner = Joiner(m.builder.dims, "<raised>", m.span(node), False, fixed=True)
        after = change.after
        pattern = (
            Leaf(after.type) if isinstance(change.cell, Storage) else joiner.opened(after)
        )
        found.append((change, pattern))
    raising.changes = {
        change.slot: Change(change.cell, change.key, change.before, MISSING)
        for change, _ in found
        if not _is_outside(change.cell)
    } | seen
    # The raising side gives undefined values, so nothing may be read from its storages.
    finish(m, node, condition, then, orelse, found)
    return other.flow


def _is_outside(cell: Cell) -> bool:
    return isinstance(cell, Storage) and cell.origin in ("argument", "captured")


@expression(ast.IfExp)
def if_expression(m: Machine, node: ast.IfExp) -> Any:
    """``a if test else b``."""
    before = nones.seen(m, node.test)
    test = conditions.tested(m, node.test)
    if isinstance(test, bool):
        return evaluate(m, node.body if test else node.orelse)
    then = nones.behind(m, node.test, True, partial(evaluate, m, node.body), before)
    orelse = nones.behind(m, node.test, False, partial(evaluate, m, node.orelse), before)
    return choose(m, node, test, then, orelse)


def choose(
    m: Machine,
    node: ast.AST,
    condition: Value,
    then: Callable[[], Any],
    orelse: Callable[[], Any],
) -> Any:
    """The value of one of two expressions."""
    holder = Scope({})

    def side(value: Callable[[], Any]) -> Callable[[], Flow]:
        def body() -> Flow:
            try:
                m.heap.write(holder, RESULT_KEY, value())
            except NeverReturns:
                return catching.stopped(m) if m.tryings else frozenset()
            return NEXT

        return body

    a, b = lower_side(m, side(then)), lower_side(m, side(orelse))
    flow = join_sides(m, node, condition, a, b)
    if "next" not in flow:
        raise NeverReturns
    result = holder.data[RESULT_KEY]
    if isinstance(result, Poison):
        from ..names.lookup import Unsettled

        raise Unsettled(result.error, condition, held=result, of=node)
    return result
