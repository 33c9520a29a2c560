"""Adjoints behind a mask: a hard zero where the mask is false, whatever the slopes are there.

``where(c, x, y)`` sends ``where(c, g, 0)`` to x. If x came from a function with an infinite or
undefined slope where c is false, multiplying afterwards would give ``0 * inf``; so rules that
act entry by entry multiply under the mask: ``where(c, g * slope, 0)``. The mask comes last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..ir.expr import Expr, apply, f, one
from ..ir.indexing import Gather, Index, is_basic
from ..ir.types import ScalarType, is_inexact
from ..ir.values import Value
from .finite import finite, is_mixed, may_be_infinite
from .rules.masked import (
    DEPTH,
    Masked,
    asks,
    is_bool,
    is_zero,
    masked,
    spread_mask,
    whole_mask,
)

PYTHON = {"bool": bool, "int": int, "float": float, "complex": complex}
Scale = Callable[..., Any]
"""A linear function of its first argument; the others are the values its slope is made of."""


def select(
    mask: Expr, x: Any, *, keep: bool = True, beyond: Collection[Value] | None = None
) -> Any:
    """``x`` where the mask is true (false with ``keep=False``), a hard zero elsewhere.
    ``beyond`` as in ``finite``."""
    if x is None:
        return None
    chosen = is_chosen(mask.value)
    if not isinstance(x.type, ScalarType) and finite(x, chosen=chosen, beyond=beyond):
        return x * (mask if keep else f.logical_not(mask))
    zero = PYTHON[x.type.kind](0) if isinstance(x.type, ScalarType) else 0
    return f.where(mask, x, zero) if keep else f.where(mask, zero, x)


def levelled(
    result: Any,
    g: Expr | None,
    x: Expr,
    out: Expr,
    others: Sequence[Expr] = (),
    *,
    below: bool = False,
) -> Any:
    """What the slope by ``x`` of a function that levels off has made of an adjoint ``g``, or of a
    tangent (``g`` is None: it overflows with ``x``): zero where ``x`` has overflowed, since
    slopes multiply to ``0 * inf`` there. To an adjoint it is a mask, which holds whatever the
    slopes are that come next, those of what has overflowed. A tangent comes to the slopes of
    what has levelled off, as of a logarithm of 0, which the zero must not hide. Likewise where
    ``g`` is infinite the product has no value; in derivatives of derivative code ``g`` may have
    overflowed as ``x`` has.

    Args:
        others: the other inputs; infinite over infinite has no value.
        below: whether it levels off at minus infinity only.
    """
    if result is None or isinstance(x.type, ScalarType) or not may_be_infinite(x.value):
        return result
    if any(may_be_infinite(v.value) for v in others):
        return result
    level = f.equal(x, -math.inf) if below else f.isinf(x)
    if g is None:
        return f.level_off(result, level)
    made = out.value.op
    if made is not None and made.role == "" and not finite(g):
        level = f.logical_and(level, f.isfinite(g))
    return select(level, result, keep=False)


_ON_PURPOSE = ("isnan", "isfinite", "not_equal")
"""What asks for nan, and what rules ask where they leave out what does not count."""


_ORDER = ("greater", "greater_equal", "less", "less_equal")


def is_chosen(mask: Value) -> bool:
    """Whether a mask is the program's, or made of one, not one that a rule made."""
    seen: set[Value] = set()
    todo = [mask]
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        known = _is_chosen(value)
        if known:
            return True
        if known is None and value.op is not None:
            todo += [v for v in value.op.inputs if is_bool(v)]
    return False


def _is_chosen(mask: Value) -> bool | None:
    """Whether a mask is the program's; None where it is if one that it is made of is."""
    op = mask.op
    if op is not None and op.name in _ORDER and any(map(is_mixed, op.inputs)):
        return False  # as in where(x @ w > 0, x @ w, 0): a nan there is in much else
    if op is None or not op.role or op.name in _ON_PURPOSE:
        return True
    if op.name == "equal" and not is_inexact(op.inputs[0].type):
        return True  # as in choose
    if op.regions or op.kind.has("list"):
        return True  # wherever that is from
    if op.kind.has("store") and any(map(asks, op.inputs[2:])):
        return True
    return None


def scale_under_masks(g: Expr, scale: Scale, values: Sequence[Expr] = ()) -> Any:
    """``scale(g, *values)`` with the masks that ``g`` is under applied to the result.

    Args:
        scale: what is done to each entry.
        values: what ``scale`` reads: arrays of the shape of ``g`` or that broadcast to it.
    """
    found = masked(g)
    if found is not None and found.soft:
        same = found.body.value is g.value
        result = scale(g, *values) if same else scale_under_masks(found.body, scale, values)
        clean = result is None or finite(result, chosen=True, clean=(found.body.value,))
        return result if clean else f.dropped(result, found.mask)
    if found is not None and _is_select(g):
        inner = scale_under_masks(found.body, scale, values)
        return select(found.mask, inner, keep=found.keep, beyond=(found.body.value,))
    found = whole_mask(g)
    result = scale(g, *values)
    stored = g.value.op is not None and g.value.op.name in _STORES
    chosen = found is None or is_chosen(found.mask.value)
    if result is None or not (found or stored):
        return result
    if finite(result, chosen=chosen, clean=(g.value,)):
        return result
    moved = _through_store(g, scale, values) if stored else None
    if moved is not None or found is None:
        return result if moved is None else moved
    return select(found.mask, result, keep=found.keep, beyond=(g.value,))


def under_reduced_mask(g: Expr, result: Any, attrs: Mapping[str, Any]) -> Any:
    """The adjoint that a reduction's rule made of ``g``, a hard zero for what was reduced to
    an entry that does not count."""
    found = whole_mask(g) if isinstance(result, Expr) else None
    if found is None or finite(
        result, chosen=is_chosen(found.mask.value), clean=(g.value,)
    ):
        return result
    mask, axis = found.mask, attrs["axis"]
    axes = (axis,) if isinstance(axis, int) else axis or ()
    if mask.ndim and axes and not attrs["keepdims"]:
        if g.ndim + len(axes) != result.ndim:
            return result
        mask = f.expand_dims(spread_mask(mask, g), axes=axes)
    return select(mask, result, keep=found.keep, beyond=(g.value,))


def pass_mask(param: Expr, g: Expr) -> None:
    """Note that a region's parameter, which stands for ``g``, is under the mask of ``g``."""
    found = whole_mask(g)
    if found is not None:
        kept = Expr(param.builder, found.kept.value)
        param.builder.masks[param.value] = DEPTH, Masked(kept, param)


def _is_select(g: Expr) -> bool:
    """Whether ``g`` was made by a mask."""
    op = g.value.op
    if op is None or op.name not in ("where", "multiply"):
        return False
    if op.name == "where":
        return any(is_zero(v) for v in op.inputs[1:])
    return any(v.type.dtype.kind == "b" for v in op.inputs)  # type: ignore[union-attr]


# ------------------------------------------------------------------------------- stores
_STORES = ("store", "add_store", "sum_rows")


def _through_store(g: Expr, scale: Scale, values: Sequence[Expr]) -> Any:
    """Zeros are stored over what has been scaled; what is stored into zeros is scaled first.
    None where neither is zero."""
    b, op = g.builder, g.value.op
    assert op is not None
    if op.name == "sum_rows":
        v, indices, length = (Expr(b, x) for x in op.inputs)
        part = _scaled_part(v, (indices,), (Gather(0),), g, scale, values)
        return f.sum_rows(part, indices, length)
    base, v, *operands = (Expr(b, x) for x in op.inputs)
    index = op.attrs["index"]
    if op.name == "store" and is_zero(v.value):
        whole = scale_under_masks(base, scale, values)
        return apply("store", whole, 0, *operands, index=index)
    if not is_zero(base.value):
        return None
    part = _scaled_part(v, operands, index, g, scale, values)
    zeros = f.zeros_like(g, dtype=None if part.dtype == g.dtype else part.dtype)
    return apply(op.name, zeros, part, *operands, **op.attrs)


def _scaled_part(
    v: Expr,
    operands: Sequence[Expr],
    index: Index,
    g: Expr,
    scale: Scale,
    values: Sequence[Expr],
) -> Any:
    """``v`` scaled by the slopes at the place in ``g`` that it is stored to."""

    name = "index" if is_basic(index) else "gather"

    def read(x: Expr) -> Expr:
        if not x.ndim:
            return x
        whole = x if x.dims == g.dims else f.broadcast_to(x, *g.shape)
        return one(name, whole, *operands, index=index)

    return scale_under_masks(v, scale, [read(x) for x in values])
