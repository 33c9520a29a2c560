"""Sums of products under masks: they add up entries that count and such that do not, so what
does not count is left out before."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.values import Op, Value
from ..ops.finite import finite_operand
from ..ops.guards import chosen
from ..ops.rules.masked import spread_mask
from .suspects import Suspect, suspects


def guarded_operands(
    builder: Builder,
    op: Op,
    position: int,
    sources: Sequence[Value],
    inputs: Sequence[Value],
) -> tuple[Value, ...]:
    """The op's inputs for the rule of input number ``position``; what meets nothing but zeros
    in the adjoint is left out if it may be infinite or nan."""
    if op.kind.letters is None or not builder.doubts.any:
        return tuple(inputs)
    found = suspects(builder, sources)
    return _without(op, found[0], -1, position, inputs) if found else tuple(inputs)


def guarded_factors(
    builder: Builder, op: Op, inputs: Sequence[Value], moved: Sequence[bool]
) -> tuple[Value, ...]:
    """The inputs of an op of a user's rule, likewise. ``moved`` tells which ones were made from
    the rule's adjoints."""
    if op.kind.letters is None or sum(moved) != 1 or not builder.doubts.any:
        return tuple(inputs)
    place = moved.index(True)
    found = suspects(builder, [inputs[place]])
    return _without(op, found[0], place, place, inputs) if found else tuple(inputs)


def _without(
    op: Op, suspect: Suspect, place: int, position: int, inputs: Sequence[Value]
) -> tuple[Value, ...]:
    """The inputs but for number ``position`` without what meets nothing that counts in the
    adjoint, which stands where input number ``place`` (-1: the result) does."""
    ranks = tuple(v.type.ndim for v in inputs)  # type: ignore[union-attr]
    names = op.kind.letters(ranks, op.attrs)  # type: ignore[misc]
    read = list(inputs)
    for k, value in enumerate(inputs):
        if k == position or op.kind.input_name(k) in op.kind.shape_only:
            continue
        strict = bool(set(names[k]) & set(names[place])) and suspect.chosen
        x = Expr(suspect.g.builder, value)
        if not finite_operand(x, suspect.g, chosen=strict):
            read[k] = _left_out(x, suspect, names[k], names[place]).value
    return tuple(read)


def _left_out(x: Expr, suspect: Suspect, mine: str, theirs: str) -> Expr:
    """``x`` without what meets nothing but zeros in the adjoint: ``mine`` and ``theirs`` are
    letters for the axes of both."""
    found = suspect.sure
    if found is None:
        return f.omitted(x, _met(suspect.live, x, mine, theirs))  # type: ignore[no-any-return]
    kept = spread_mask(found.kept, suspect.g) if found.mask.ndim else found.kept
    return chosen(_met(kept, x, mine, theirs), x)


def _met(live: Expr, x: Expr, mine: str, theirs: str) -> Expr:
    """Which entries of ``x`` meet an entry that is live, to be broadcast to ``x``."""
    if not live.ndim:
        return live
    one = x.builder.dims.canonical
    single = {c for c, d in zip(mine, x.dims, strict=True) if one(d) == 1}
    gone = [i for i, c in enumerate(theirs) if c not in mine or c in single]
    if gone:
        live = f.any(live, axis=tuple(gone), keepdims=False)
    kept = [c for i, c in enumerate(theirs) if i not in gone]
    order = [c for c in dict.fromkeys(mine) if c in kept]
    if order != kept:
        live = f.transpose(live, axes=tuple(kept.index(c) for c in order))
    absent = tuple(i for i, c in enumerate(mine) if c not in order or c in mine[:i])
    return f.expand_dims(live, axes=absent) if absent and live.ndim else live
