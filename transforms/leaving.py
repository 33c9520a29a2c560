"""Rounds that a loop is left in before anything has been done: ``if ...: break``.

Where such a branch hands on what is differentiated as it was, derivatives need not know of that
round. The body is then taken for what the other rounds do, without a branch; these alone are
counted, and only they keep what the way back reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.builder import Builder
from ..ir.rewrite import Env, copy_block
from ..ir.values import Block, Op, Value


@dataclass(frozen=True, slots=True)
class Leave:
    """An ``if`` at the end of a piece of a body; ``side`` is the branch that leaves the loop."""

    branch: Op
    side: int
    results: tuple[Value, ...]
    """Those of the loop's body, in its own names at this place."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop's body in pieces: before each of ``leaves`` one, and the last. ``results`` are those
    of a round that goes on to its end."""

    pieces: tuple[tuple[Op, ...], ...]
    leaves: tuple[Leave, ...]
    results: tuple[Value, ...]

    @property
    def whole(self) -> bool:
        """Whether every round counts."""
        return not self.leaves


def rounds(op: Op, active: set[Value]) -> Rounds:
    """The body of a loop, with its branches that leave at once found."""
    body = op.regions[-1]
    pieces: list[tuple[Op, ...]] = []
    leaves: list[Leave] = []
    ops, results = body.ops, body.results
    while op.attrs["breaks"] and ops and ops[-1].name == "if":
        last = ops[-1]
        side = _leaving_side(op, last, results, active)
        if side is None:
            break
        pieces.append(ops[:-1])
        leaves.append(Leave(last, side, results))
        ops, results = last.regions[1 - side].ops, _within(last, 1 - side, results)
    return Rounds((*pieces, ops), tuple(leaves), results)


def left_at_once(block: Block, active: set[Value]) -> set[Op]:
    """The branches in a block that decide no more than whether a loop is left at once."""
    return {
        leave.branch
        for op in block.walk()
        if op.name in ("for", "while") and not op.attrs["budget"]
        for leave in rounds(op, active).leaves
    }


def _within(branch: Op, side: int, results: Sequence[Value]) -> tuple[Value, ...]:
    """What results are in one of the branches."""
    inside = dict(zip(branch.results, branch.regions[side].results, strict=True))
    return tuple(inside.get(r, r) for r in results)


def _leaving_side(
    op: Op, branch: Op, results: Sequence[Value], active: set[Value]
) -> int | None:
    if results[0].op is not branch:
        return None
    region = op.regions[-1]
    params = region.params[1:] if op.name == "for" else region.params
    for side in (0, 1):
        stop, *nexts = _within(branch, side, results)
        if not (stop.is_constant and stop.constant):
            continue
        inner = branch.regions[side].ops
        if any(r in active for made in inner for r in made.results):
            return None
        rows = zip(params, nexts, op.results, strict=True)
        as_before = all(
            after is p or _is_undef(after)
            for p, after, result in rows
            if p in active or result in active
        )
        return side if as_before else None
    return None


def _is_undef(value: Value) -> bool:
    return value.op is not None and value.op.name == "undef"


def closed(
    found: Rounds,
    builders: Sequence[Builder],
    scope: Env,
    before: Sequence[Value],
    after: Sequence[Value],
) -> tuple[Value, ...]:
    """The results of the new body, and what it carries besides: ``before`` in a round that
    leaves the loop, else ``after``. The branches are put around the pieces, of which one stands
    in each of ``builders``."""
    results = [*(scope.get(r, r) for r in found.results), *after]
    for leave, outer, inner in reversed(
        list(zip(found.leaves, builders[:-1], builders[1:], strict=True))
    ):
        branch = leave.branch
        own = [k for k, r in enumerate(leave.results) if r.op is branch]
        kept = [*own, *range(len(leave.results), len(results))]
        orelse = inner.block((), [results[k] for k in kept])
        region = branch.regions[leave.side]
        places = [branch.results.index(leave.results[k]) for k in own]
        ends = (*(region.results[p] for p in places), *before)
        then = copy_block(outer, Block((), region.ops, ends), scope, _as_it_is)
        sides = (then, orelse) if leave.side == 0 else (orelse, then)
        outer.span, outer.role = branch.span, branch.role
        condition = scope.get(branch.inputs[0], branch.inputs[0])
        like = [leave.results[k].type for k in own]
        values = outer.if_(condition, *sides, like=like)
        for k, value in zip(own, values, strict=False):
            value.name, value.dim = leave.results[k].name, leave.results[k].dim
        results = [scope.get(r, r) for r in leave.results] + list(after)
        for k, value in zip(kept, values, strict=True):
            results[k] = value
    return tuple(results)


def _as_it_is(builder: Builder, op: Op, env: Env) -> None:
    return None
