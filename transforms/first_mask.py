"""One mask for a chain of adjoints, each made of the one before.

Every op of such a chain asks which entries of its adjoint are zero. Where the adjoint has been
masked already, what it is zero for besides is chance, not choice, and the first mask says all.
"""

from __future__ import annotations

from ..ir.values import Op, Value
from ..ops.rules.masked import is_bool, is_zero

LENGTH = 16


def first_mask(op: Op) -> Value:
    """The mask to put on what the op ``counted`` masks."""
    live = op.inputs[1]
    asked = _compared(live)
    return live if asked is None else _mask(asked, LENGTH) or live


def _compared(live: Value) -> Value | None:
    """The adjoint whose zeros a mask was read from."""
    op = live.op
    if op is None or op.name != "not_equal":
        return None
    g, zero = op.inputs
    return g if zero.is_constant else None


def _mask(g: Value, length: int) -> Value | None:
    """The mask that an adjoint has been put under, entry by entry."""
    op = g.op
    if op is None or not length:
        return None
    if op.name == "counted":
        return first_mask(op)
    if op.kind.has("scales"):
        factors = op.inputs if op.kind.has("commutative") else op.inputs[:1]
        found = (_mask(v, length - 1) for v in factors)
        return next((mask for mask in found if mask is not None), None)
    if op.kind.has("additive"):
        terms = [v for v in op.inputs if not is_bool(v) and not is_zero(v)]
        masks = {_mask(v, length - 1) for v in terms}
        return masks.pop() if len(masks) == 1 else None
    return None
