"""Generators: a function with ``yield`` is lowered where it is looped over, and the body of that
loop where it yields.

So the order of what both do is Python's, and what the body stores is carried through the
generator's own loops. A body that leaves its loop has the generator return at that ``yield``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..assignments import assign
from ..dispatch import NEXT, Flow, NeverReturns, evaluate
from ..heap import reaches
from ..machine import Machine
from ..names.lookup import Unsettled
from ..names.scope import RETURNED, Feed, is_variable
from ..values import Scope, Suspended
from . import branches
from . import flow as flows


# ----------------------------------------------------------------------------- the loop
def consume(m: Machine, node: ast.For, x: Suspended) -> Flow:
    """The loop ``node`` over a generator; how it ends, its body included."""
    from ..inline import run_generator

    m.heap.write(m.frame.scope, ("break", node), False)
    if x.data["state"] == "done":
        return NEXT
    _check_runs(m, node, x)
    m.heap.write(x, "state", "running")
    feed = x.frame.feed = Feed(node, m.frame, len(m.tryings))
    try:
        flow = run_generator(m, x)
    finally:
        x.frame.feed = None
        m.builder.span = m.span(node)
    ways = frozenset(feed.ways)
    m.heap.write(x, "state", "left" if ways else "done")
    ends = NEXT if feed.ends or "break" in ways else frozenset[str]()
    return ends | ways | flow & {"raise"}


def _check_runs(m: Machine, node: ast.For, x: Suspended) -> None:
    """Refuse what would have a generator go on in the middle, or at a time that is not known."""
    state = x.data["state"]
    if state != "new":
        what = "is running" if state == "running" else "may have been left before its end"
        error = UnsupportedSyntaxError(
            f"this generator {what}: going on with it cannot be compiled; have it run in one "
            "loop, or keep what it yields in a list, `list(...)`",
            m.span(node.iter),
        )
        raise Unsettled(error)
    if _has_finally(x) and _is_named(m, x):
        raise UnsupportedSyntaxError(
            "a generator with `finally` is looped over where it is made, `for x in "
            f"{x.frame.name}(...)`: when it is closed else cannot be said when compiling",
            m.span(node.iter),
        )


def _has_finally(x: Suspended) -> bool:
    return any(isinstance(n, ast.Try) and n.finalbody for n in ast.walk(x.definition))


def _is_named(m: Machine, x: Suspended) -> bool:
    """Whether something of the user's holds on to a generator."""
    scopes = (f.scope.data for f in m.frames if f.called is None)
    return reaches((v for data in scopes for k, v in data.items() if is_variable(k)), x)


# ----------------------------------------------------------------------------- the yields
def yield_(m: Machine, node: ast.stmt, made: ast.Yield) -> Flow:
    """``yield``: a round of the loop that the generator runs for."""
    from .rounds import one_round

    value = None if made.value is None else evaluate(m, made.value)
    feed = m.frame.feed
    assert feed is not None
    with _outside(m, feed, node):
        try:
            assign(m, feed.loop.target, value)
            flow = one_round(m, feed.loop)
        except NeverReturns:
            flow = frozenset()
        ways = flow - NEXT
        feed.ways |= ways
        left = flows.escaped(m, ways) if "next" in flow else True
    m.builder.span = m.span(node)
    if not flow or left is False:
        return flow & NEXT
    return _leave(m, node, left)


def _leave(m: Machine, node: ast.stmt, left: bool | Value) -> Flow:
    """Return from the generator, where the loop has been left."""

    def close() -> Flow:
        m.heap.write(m.frame.scope, RETURNED, True)
        return frozenset({"return"})

    if not isinstance(left, Value):
        return close()
    then = branches.lower_side(m, close)
    orelse = branches.lower_side(m, lambda: NEXT)
    return branches.join_sides(m, node, left, then, orelse)


@contextmanager
def _outside(m: Machine, feed: Feed, node: ast.stmt) -> Iterator[None]:
    """In the frame of the loop. What is raised there is not the generator's to catch."""
    own = m.tryings[feed.tryings :]
    for trying in own:
        if any(issubclass(GeneratorExit, c) for classes in trying.catches for c in classes):
            raise UnsupportedSyntaxError(
                "this `try` would catch that the generator is closed at this `yield`; name the "
                "exceptions it is about in its `except`",
                m.span(node),
            )
    muted = [replace(t, catches=(), flags=Scope({})) for t in own]
    m.tryings[feed.tryings :] = muted
    m.frames.append(feed.frame)
    try:
        yield
    finally:
        m.frames.pop()
        m.tryings[feed.tryings :] = own


__all__ = ["consume", "yield_"]
