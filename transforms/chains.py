"""Branches in branches in branches, as a long ``elif`` is, in pieces one after the other.

Before: a chain of ``if`` ops, each the last op of a branch of the one before. After: ``LENGTH``
of them, which also say whether the chain goes on, then, where it does, the next piece. The
backward of a branch is written anew for each branch around it: what a chain costs grows with a
power of its depth, what its pieces cost with their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..ir.builder import Builder
from ..ir.rewrite import Env, free_values, rewrite, rewrite_ops
from ..ir.types import ArrayType, ScalarType
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .saving import buildable_length

LENGTH = 10
SHORT = 12
"""Chains up to here stay as they are."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The first ``if`` ops of a chain, each with the branch that goes on; the ops that follow,
    an ``if`` the last of them, and what they read of what is computed in the piece."""

    links: tuple[tuple[Op, int], ...]
    before: tuple[Op, ...]
    following: Op
    live: tuple[Value, ...]

    def goes_on(self, position: int) -> int | None:
        """Which result of the following op a result of the piece is."""
        for op, side in self.links:
            value = op.regions[side].results[position]
            below = op.regions[side].ops[-1].results
            if value not in below:
                return None
            position = below.index(value)
        return position


def cut_chains(function: Function) -> Function:
    """The function with long chains of branches in pieces."""
    if not any(op.name == "if" and _is_long(op) for op in function.block.walk()):
        return function
    return rewrite(function, TABLE, _visit)


def _visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    piece = _piece(builder, op)
    if piece is None:
        return None
    made = _build(builder, piece, 0, env)
    count = len(op.results)
    results = [*made[:count]]
    _follow(builder, piece, made[count:], env, results, _places(piece, range(count)))
    for old, new in zip(op.results, results, strict=True):
        new.name, new.dim = old.name, old.dim
    return results


# ------------------------------------------------------------------------- what is a chain
def _is_long(op: Op, around: int = 0) -> bool:
    """Whether a chain that stands in so many branches is to be cut."""
    short = SHORT - around
    return len(_chain(op, short + 1)) > short


def _chain(op: Op, most: int) -> list[tuple[Op, int]]:
    """The longest chain from this ``if`` on, as far as it counts."""
    best: list[tuple[Op, int]] = []
    side = 0
    for k, region in enumerate(op.regions):
        last = region.ops[-1] if region.ops else None
        if most > 1 and last is not None and last.name == "if":
            below = _chain(last, most - 1)
            if len(below) > len(best):
                best, side = below, k
    return [(op, side), *best]


def _piece(
    builder: Builder, op: Op, ahead: Sequence[Op] = (), around: int = 0
) -> _Piece | None:
    """The first piece of a chain, ``ahead`` of which other ops stand; None if it is short, or
    what is computed in it has lengths that are not known outside."""
    if op.name != "if" or not _is_long(op, around):
        return None
    links = tuple(_chain(op, LENGTH + 1))
    following = links[LENGTH][0]
    inside = dict.fromkeys(r for one in ahead for r in one.results)
    for link, side in links[:LENGTH]:
        inside.update(
            dict.fromkeys(r for one in link.regions[side].ops for r in one.results)
        )
    if not all(_is_plain(builder, v) for v in inside):
        return None
    last = links[LENGTH - 1][0].regions[links[LENGTH - 1][1]]
    before = last.ops[:-1]
    if any(r in last.results for one in before for r in one.results):
        before = ()
    read = free_values(Block((), (*before, following), ()))
    return _Piece(links[:LENGTH], before, following, tuple(v for v in read if v in inside))


def _is_plain(builder: Builder, value: Value) -> bool:
    """Whether a value can be handed out of a branch, and what is made of it be made there."""
    if isinstance(value.type, ScalarType):
        return value.dim is None or buildable_length(builder, value.dim)
    shape = value.type.shape if isinstance(value.type, ArrayType) else None
    return shape is not None and all(buildable_length(builder, d) for d in shape)


def _places(piece: _Piece, positions: Iterable[int]) -> dict[int, int]:
    """Which results of a piece are given by what follows it, and as which of its results."""
    found = {p: piece.goes_on(p) for p in positions}
    return {p: j for p, j in found.items() if j is not None}


# -------------------------------------------------------------------------- its pieces anew
def _build(builder: Builder, piece: _Piece, level: int, env: Env) -> tuple[Value, ...]:
    """The piece from a level on: its results, whether the chain goes on, what is read then."""
    op, side = piece.links[level]
    builder.span, builder.role = op.span, op.role
    blocks = []
    for k, region in enumerate(op.regions):
        inner, scope = builder.sub(), dict(env)
        if k == side:
            said = _going_on(inner, piece, level, region, scope)
        else:
            rewrite_ops(inner, region.ops, scope, _visit)
            said = _at_end(inner, piece)
        results = [scope.get(r, r) for r in region.results]
        blocks.append(inner.block((), [*results, *said]))
    condition = env.get(op.inputs[0], op.inputs[0])
    values = builder.if_(condition, *blocks, like=[r.type for r in op.results])
    for value, live in zip(values[len(op.results) + 1 :], piece.live, strict=True):
        value.name, value.dim = live.name, live.dim
    return values


def _going_on(
    inner: Builder, piece: _Piece, level: int, region: Block, scope: Env
) -> Sequence[Value]:
    """The branch of a level in which the chain goes on; what is said of that."""
    *before, below = region.ops
    if level + 1 < len(piece.links) or not piece.before:
        rewrite_ops(inner, before, scope, _visit)
    if level + 1 < len(piece.links):
        made = _build(inner, piece, level + 1, scope)
    else:
        unknown = [inner.undef(r.type) for r in below.results]
        live = [scope.get(v, v) for v in piece.live]
        made = (*unknown, inner.const(True), *live)
    count = len(below.results)
    scope.update(zip(below.results, made[:count], strict=True))
    return made[count:]


def _at_end(inner: Builder, piece: _Piece | None) -> list[Value]:
    """What a branch says in which the chain does not go on."""
    if piece is None:
        return []
    return [inner.const(False), *(inner.undef(v.type) for v in piece.live)]


def _follow(
    builder: Builder,
    piece: _Piece,
    said: Sequence[Value],
    env: Env,
    results: list[Value],
    places: dict[int, int],
) -> None:
    """What follows a piece, run where that says so: the chain's results at these places."""
    scope = {**env, **dict(zip(piece.live, said[1:], strict=True))}
    op = piece.following
    following = _piece(builder, op, piece.before, 1)
    inner, other = builder.sub(), builder.sub()
    rewrite_ops(inner, piece.before, scope, _visit)
    if following is None:
        rewrite_ops(inner, [op], scope, _visit)
        made = tuple(scope[r] for r in op.results)
    else:
        made = _build(inner, following, 0, scope)
    then = [*(made[j] for j in places.values()), *made[len(op.results) :]]
    orelse = [*(results[p] for p in places), *_at_end(other, following)]
    builder.span, builder.role = op.span, op.role
    values = builder.if_(
        said[0],
        inner.block((), then),
        other.block((), orelse),
        like=[op.results[j].type for j in places.values()],
    )
    for p, value in zip(places, values, strict=False):
        results[p] = value
    if following is not None:
        deeper = {
            p: k for p, j in places.items() if (k := following.goes_on(j)) is not None
        }
        _follow(builder, following, values[len(places) :], scope, results, deeper)
