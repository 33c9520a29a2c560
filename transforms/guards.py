"""Rules under masks: what the rest of the program did not select contributes a hard zero.

Rules that act entry by entry look for the mask themselves (``ops/masks``). This is what comes
after any rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ListType
from ..ir.values import Op, Value
from ..ops.finite import finite
from ..ops.masks import under_reduced_mask
from ..ops.rules.masked import whole_mask
from .suspects import Suspect, suspects


def guarded(builder: Builder, op: Op, sources: Sequence[Value], given: Any) -> Any:
    """What the op's rule made of the adjoints ``sources``, zero where they are."""
    if not isinstance(given, Expr) or op.kind.has("linear") or not builder.doubts.any:
        return given
    if "keepdims" in op.attrs and len(sources) == 1:
        given = under_reduced_mask(Expr(builder, sources[0]), given, op.attrs)
    found = suspects(builder, sources)
    if len(found) < len(sources) or isinstance(given.type, ListType):
        return given
    if op.kind.letters is not None or _is_dropped(given):
        return given
    by_rule = op.kind.has("elementwise") or "keepdims" in op.attrs
    if by_rule and all(s.sure for s in found) and whole_mask(given) is not None:
        return given
    if _is_finite(given, found):
        return given
    live = reduce(f.logical_or, [_counting(op, s, given) for s in found])
    soft = any(s.soft is not None for s in found)
    return f.dropped(given, live) if soft else f.counted(given, live)


def scaled(builder: Builder, op: Op, moved: Sequence[bool]) -> Value:
    """The result of an op of a user's rule; ``moved`` tells which inputs were made from the
    rule's adjoints. A product of such is zero where they are."""
    [result] = op.results
    sources = [v for v, made in zip(op.inputs, moved, strict=True) if made]
    builder.doubts.note(result, sources)
    if not op.kind.has("scales") or not (moved[0] or op.kind.has("commutative")):
        return result
    found = suspects(builder, sources)
    given = Expr(builder, result)
    if not found or _is_finite(given, found):
        return result
    live = reduce(f.logical_and, [s.live for s in found])
    soft = any(s.soft is not None for s in found)
    given = f.dropped(given, live) if soft else f.counted(given, live)
    builder.doubts.note(given.value, [result])
    return given.value  # type: ignore[no-any-return]


def _is_finite(given: Expr, found: Sequence[Suspect]) -> bool:
    """Whether what was made of adjoints is finite where they are zero. Where ``maximum`` and its
    like have made the zeros, what the program reads and computes shows in its results."""
    chosen = any(s.chosen for s in found)
    sure = all(s.sure for s in found)
    clean = [s.g.value for s in found]
    return finite(given, chosen=chosen, clean=clean, read=not (chosen or sure))


def _is_dropped(given: Expr) -> bool:
    return given.value.op is not None and given.value.op.name == "dropped"


def _counting(op: Op, suspect: Suspect, given: Expr) -> Expr:
    """Which entries of ``given`` are made of entries of the adjoint that count."""
    attrs, live, rank = op.attrs, suspect.live, suspect.g.ndim
    if op.kind.has("elementwise") or not live.ndim:
        return live
    if "keepdims" in attrs:
        axis = attrs["axis"]
        axes = (axis,) if isinstance(axis, int) else axis or ()
        wide = attrs["keepdims"] or not axes
        return live if wide else f.expand_dims(live, axes=axes)
    if isinstance(attrs.get("axis"), int) and rank == given.ndim:
        return f.any(live, axis=(attrs["axis"] % rank,), keepdims=True)  # type: ignore[no-any-return]
    if op.kind.has("matrices") or op.kind.batch == "leading":
        return _by_item(live, given)
    return f.any(live)  # type: ignore[no-any-return]


def _by_item(live: Expr, given: Expr) -> Expr:
    """Of an op on matrices: those of which anything counts."""
    items = max(given.ndim - 2, 0)
    if live.ndim > items:
        live = f.any(live, axis=tuple(range(items, live.ndim)), keepdims=False)
    rest = tuple(range(items, given.ndim))
    return f.expand_dims(live, axes=rest) if live.ndim else live
