"""A round of a loop, and rounds that are lowered one after the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import SymgradError
from ...ops.static import NeedsStatic
from ..assignments import assign
from ..dispatch import NEXT, Flow
from ..machine import Machine
from ..names.lookup import Unsettled
from . import branches, catching
from .flow import DEEPEST, FAR, escaped, run

PIECES = 4
"""Of how many times ``FAR`` rounds a loop may consist whose end is not in sight."""


def one_round(m: Machine, node: ast.For | ast.While) -> Flow:
    """One round: flags are clear at its start."""
    for way in ("break", "continue"):
        m.heap.write(m.frame.scope, (way, node), False)
    depth = len(m.pending)
    flow = run(m, node.body)
    if len(m.pending) > depth:
        flow = catching.close(m, depth, flow)
    return flow - {"continue"} | NEXT if "continue" in flow else flow


def unroll(m: Machine, node: ast.For, items: Sequence[Any]) -> Flow:
    """Every round on its own; how the loop as a whole can be left."""
    m.heap.write(m.frame.scope, ("break", node), False)
    state = m.checkpoint()
    try:
        return unrolled(m, node, _assigned(m, node, items), DEEPEST)
    except (NeedsStatic, Unsettled, SymgradError):
        if len(items) <= DEEPEST:
            raise
        m.restore(state)
        return unrolled(m, node, _assigned(m, node, items), FAR)


def _assigned(m: Machine, node: ast.For, items: Sequence[Any]) -> Iterator[None]:
    for item in items:
        assign(m, node.target, item)
        yield


def unrolled(
    m: Machine,
    node: ast.For | ast.While,
    starts: Iterator[None],
    deepest: int = FAR,
    endless: Exception | None = None,
) -> Flow:
    """The rounds that are begun by going on in ``starts``; ``endless`` is raised where ever more
    of them may be the last."""
    flow, more = _rounds(m, node, starts, deepest)
    pieces = 0
    while more:
        if endless is not None and pieces == PIECES:
            raise endless
        flow, more = _guarded(m, node, flow, starts, deepest)
        pieces += 1
    return flow


def _rounds(
    m: Machine, node: ast.For | ast.While, starts: Iterator[None], left: int
) -> tuple[Flow, bool]:
    """Rounds until those that follow would be more than ``left`` branches deep; how they end,
    and whether there may be more."""
    for _ in starts:
        flow = one_round(m, node)
        if flow == NEXT:
            continue
        if "next" not in flow:
            return flow, False
        return _guarded(m, node, flow, starts, left) if left else (flow, True)
    return NEXT, False


def _guarded(
    m: Machine, node: ast.For | ast.While, flow: Flow, starts: Iterator[None], left: int
) -> tuple[Flow, bool]:
    """More rounds, unless the loop has been left."""
    leaving, more = flow - NEXT, False
    gone = escaped(m, leaving)
    if isinstance(gone, bool):
        return (leaving, False) if gone else _rounds(m, node, starts, left)

    def rounds() -> Flow:
        nonlocal more
        ends, more = _rounds(m, node, starts, left - 1)
        return ends

    then = branches.lower_side(m, lambda: leaving)
    orelse = branches.lower_side(m, rounds)
    return branches.join_sides(m, node, gone, then, orelse), more
