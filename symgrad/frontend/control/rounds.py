"""A round of a loop, and rounds that are lowered one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ..assignments import assign
from ..dispatch import NEXT, Flow, NeverReturns
from ..machine import Machine
from . import branches, catching
from .flow import FAR, escaped, in_pieces, run

PIECES = 4
"""Of how many times ``FAR`` rounds a loop may consist whose end is not in sight."""

Starts = Iterator[None]
"""Every step begins a round."""


def one_round(m: Machine, node: ast.For | ast.While) -> Flow:
    """One round: flags are clear at its start."""
    for way in ("break", "continue"):
        m.heap.write(m.frame.scope, (way, node), False)
    depth = len(m.pending)
    flow = run(m, node.body)
    if len(m.pending) > depth:
        flow = catching.close(m, depth, flow)
    return flow - {"continue"} | NEXT if "continue" in flow else flow


def unroll(m: Machine, node: ast.For, items: Callable[[], Iterable[Any]]) -> Flow:
    """Every round on its own; how the loop as a whole can be left. ``items`` begins to run
    through the elements."""
    m.heap.write(m.frame.scope, ("break", node), False)
    return in_pieces(
        m,
        lambda most: _rounds(m, node, _assigned(m, node, items()), most),
        partial(_guarded, m, node),
    )


def _assigned(m: Machine, node: ast.For, items: Iterable[Any]) -> Starts:
    for item in items:
        assign(m, node.target, item)
        yield


def unrolled(m: Machine, node: ast.While, tests: Starts, endless: Exception) -> Flow:
    """The rounds of a loop whose tests are known; ``endless`` is raised where ever more of them
    may be the last."""
    flow, rest = _rounds(m, node, tests, FAR)
    for _ in range(PIECES):
        if rest is None:
            return flow
        flow, rest = _guarded(m, node, rest, flow, FAR)
    raise endless


def _rounds(
    m: Machine, node: ast.For | ast.While, starts: Starts, most: int
) -> tuple[Flow, Starts | None]:
    """Rounds until those that follow would be more than ``most`` branches deep; how they end, and
    what begins the others."""
    while True:
        try:
            next(starts)
        except StopIteration:
            return NEXT, None
        except NeverReturns:
            return frozenset(), None
        flow = one_round(m, node)
        if flow == NEXT:
            continue
        if "next" not in flow:
            return flow, None
        return _guarded(m, node, starts, flow, most) if most else (flow, starts)


def _guarded(
    m: Machine, node: ast.For | ast.While, starts: Starts, flow: Flow, most: int
) -> tuple[Flow, Starts | None]:
    """More rounds, unless the loop has been left."""
    leaving = flow - NEXT
    gone = escaped(m, leaving)
    if isinstance(gone, bool):
        return (leaving, None) if gone else _rounds(m, node, starts, most)
    rest: Starts | None = None

    def rounds() -> Flow:
        nonlocal rest
        ends, rest = _rounds(m, node, starts, most - 1)
        return ends

    then = branches.lower_side(m, lambda: leaving)
    orelse = branches.lower_side(m, rounds)
    return branches.join_sides(m, node, gone, then, orelse), rest
