"""Sums of products under masks: they add up entries that count and such that do not, so what
does not count is left out before."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.values import Op, Value
from ..ops._masked import spread_mask
from ..ops.finite import finite_operand
from ..ops.guards import chosen
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
    listed = tuple(inputs)
    if op.kind.letters is None or not builder.doubts.any:
        return listed
    found = suspects(builder, sources)
    if not found:
        return listed
    [suspect] = found
    names = op.kind.letters(tuple(v.type.ndim for v in listed), op.attrs)  # type: ignore[union-attr]
    read = list(listed)
    for k, value in enumerate(listed):
        if k == position or op.kind.input_name(k) in op.kind.shape_only:
            continue
        shared = set(names[k]) & set(names[-1])
        strict = bool(shared) and suspect.chosen
        if not finite_operand(Expr(builder, value), suspect.g, chosen=strict):
            read[k] = _left_out(Expr(builder, value), suspect, names[k], names[-1]).value
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
