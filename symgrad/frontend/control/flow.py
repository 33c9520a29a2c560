"""Statements one after the other, and how a stretch of them ends."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...errors import (
    CallError,
    DTypeError,
    ShapeError,
    SymgradError,
    UnsupportedSyntaxError,
)
from ...ops.static import NeedsStatic
from ..dispatch import NEXT, STATEMENTS, Flow, NeverReturns, raised_when_run
from ..lists import growing
from ..machine import Machine
from ..names.lookup import Unsettled
from ..names.scope import RETURNED
from . import branches, conditions, finals, kinds, settling

OF_KIND = (ShapeError, CallError, DTypeError)
"""What is wrong with a value of one kind and may be right with one of another."""
PLAIN = (ArithmeticError, AttributeError, ImportError, LookupError, TypeError, ValueError)


DEEPEST, FAR = 10, 60
"""How deep branches are put into each other for statements that stand one after the other; and
where it takes what is known of values and of memory in one of them to lower the next."""

Stretch = tuple[Flow, Sequence[ast.stmt]]
"""How lowered statements end, and those of the block that are still to be lowered."""


def run(m: Machine, body: Sequence[ast.stmt]) -> Flow:
    """Lower statements in order."""
    return in_pieces(m, partial(stretch, m, body), partial(guarded, m))


def in_pieces(
    m: Machine,
    begin: Callable[[int], tuple[Flow, Any]],
    go_on: Callable[[Any, Flow, int], tuple[Flow, Any]],
) -> Flow:
    """Lower what may be ever more branches deep: what ``begin`` has left (it is given how deep it
    may go), ``go_on`` lowers. Where pieces do not know enough of each other, they are longer."""
    state = m.checkpoint()
    flow, rest = begin(DEEPEST)
    if not rest:
        return flow
    try:
        return _to_the_end(go_on, flow, rest, DEEPEST)
    except (NeedsStatic, Unsettled, SymgradError):
        m.restore(state)
        return _to_the_end(go_on, *begin(FAR), FAR)


def _to_the_end(go_on: Callable[..., Any], flow: Flow, rest: Any, most: int) -> Flow:
    while rest:
        flow, rest = go_on(rest, flow, most)
    return flow


def stretch(m: Machine, body: Sequence[ast.stmt], most: int) -> Stretch:
    """Lower statements until those that follow would be more than ``most`` branches deep."""
    pending = len(m.pending)
    for position in range(len(body)):
        state = m.checkpoint()
        try:
            ends = _statement(m, body[position], body[position + 1 :], most, pending)
        except Unsettled as unsettled:
            flow = kinds.on_each(m, state, unsettled, body[position:])
            if flow is None:
                raise
            return (_tried(m, flow) if m.tryings else flow), ()
        except NeedsStatic as needed:
            flow = settling.on_each(m, state, needed, body[position:])
            if flow is None:
                raise
            return (_tried(m, flow) if m.tryings else flow), ()
        if ends is not None:
            return ends
    return NEXT, ()


def _statement(
    m: Machine, node: ast.stmt, rest: Sequence[ast.stmt], most: int, pending: int
) -> Stretch | None:
    """Lower one statement, and what of the ``rest`` belongs to it; None if that is nothing."""
    m.builder.span = m.span(node)
    if isinstance(node, ast.If) and rest:
        lower, left = _with_rest(m, node, rest, most)
        flow = _lowered(m, node, lower)
        if len(left) < len(rest):
            return (_tried(m, flow) if m.tryings else flow), left
    else:
        flow = _one(m, node)
    if m.tryings:
        flow = _tried(m, flow)
        if rest and "next" in flow and len(m.pending) - pending > most:
            return _closed(m, pending, flow), rest
    if "next" in flow and m.watches:
        finals.renote(m)
    if flow == NEXT:
        return None
    if "next" not in flow or not rest:
        return flow, ()
    return guarded(m, rest, flow, most) if most else (flow, rest)


def _tried(m: Machine, flow: Flow) -> Flow:
    """After a statement in a ``try``."""
    from . import catching

    if not flow:
        return catching.stopped(m)
    catching.watched(m)
    return flow


def _closed(m: Machine, depth: int, flow: Flow) -> Flow:
    """Between two statements of a ``try``: the branches are joined that have been opened for
    what may be raised."""
    from . import catching

    flow = catching.close(m, depth, flow)
    catching.watched(m)
    return flow


def _with_rest(
    m: Machine, node: ast.If, rest: Sequence[ast.stmt], most: int
) -> tuple[Callable[[], Flow], list[ast.stmt]]:
    """How to lower an ``if`` with what follows it, and what is left of that then: all of it
    where the condition raises."""
    left = [*rest]

    def lower() -> Flow:
        flow, left[:] = branches.if_with_rest(m, node, rest, most)
        return flow

    return lower, left


def _one(m: Machine, node: ast.stmt) -> Flow:
    handler = STATEMENTS.get(type(node))
    if handler is None:
        name = type(node).__name__.lower()
        raise UnsupportedSyntaxError(f"`{name}` cannot be compiled", m.span(node))
    return _lowered(m, node, partial(handler, m, node))


def _lowered(m: Machine, node: ast.stmt, lower: Callable[[], Flow | None]) -> Flow:
    """How a statement ends; what it raises is caught or has a place."""
    try:
        if node in m.appends:
            growing.append(m, m.appends[node])
            return NEXT
        flow = lower()
    except NeverReturns:
        return frozenset()
    except NeedsStatic as needed:
        needed.span = needed.span or m.span(node)
        raise
    except SymgradError as error:
        if m.tryings and (caught := _caught(m, error)) is not None:
            return caught
        if error.span is not None:
            raise
        raise type(error)(error.message, m.span(node)) from error.__cause__
    except PLAIN as error:
        if m.tryings and (caught := _caught(m, error)) is not None:
            return caught
        if raised_when_run(m, error):
            return frozenset()
        if not hasattr(error, "__notes__"):
            error.add_note(m.span(node).caret())  # what code run when compiling has raised
        raise
    return NEXT if flow is None else flow


def _caught(m: Machine, error: Exception) -> Flow | None:
    from . import catching

    return catching.known(m, error)


def where_run(m: Machine, body: Callable[[], Flow]) -> Flow:
    """How code ends that may not be run at all. What does not fit the lengths of this call, or one
    of the kinds of a variable, is then no error of the function, but of the code where it is run.
    """
    try:
        return body()
    except (*OF_KIND, *PLAIN) as error:
        caught = _caught(m, error) if m.tryings else None
        if caught is not None:
            return caught
        of_lengths = isinstance(error, ShapeError) and m.captures.fixed_lengths
        if not isinstance(error, OF_KIND) or not (of_lengths or m.apart):
            raise
        m.builder.span = error.span or m.builder.span
        raised = next(
            e for e in (IndexError, TypeError, ValueError) if isinstance(error, e)
        )
        m.builder.op("raise", error=raised.__name__, args=(error.message,))
        return frozenset()


def guarded(m: Machine, rest: Sequence[ast.stmt], flow: Flow, most: int) -> Stretch:
    """Lower ``rest`` for the case that nothing before it has left the block."""
    gone = escaped(m, flow)
    leaving = flow - NEXT
    if isinstance(gone, bool):
        return (leaving, ()) if gone else stretch(m, rest, most)
    then = branches.lower_side(m, lambda: leaving)
    orelse, left = branches.lower_stretch(m, rest, most - 1)
    last = rest[len(rest) - len(left) - 1]
    return branches.join_sides(m, last, gone, then, orelse), left


def left_for_good(m: Machine, flow: Flow) -> list[Any]:
    """Flags of the ways out of all loops in ``flow``."""
    data = m.frame.scope.data
    flags = [data.get(RETURNED, False)] if "return" in flow else []
    if "leave" in flow:
        flags.append(data.get(("leave", m.tryings[-1].node), False))
    if "raise" in flow:
        found = (t.flags.data[k] for t in m.tryings for k in range(len(t.catches)))
        flags += [f for f in found if f is not False]
    return flags


def escaped(m: Machine, flow: Flow) -> Any:
    """Whether the block has been left, in one of the ways in ``flow``."""
    data = m.frame.scope.data
    flags = left_for_good(m, flow)
    for way in ("break", "continue"):
        if way in flow:
            flags.append(data.get((way, m.frame.loops[-1]), False))
    return conditions.either(m, flags)
