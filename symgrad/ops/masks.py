"""Adjoints behind a mask: a hard zero where the mask is false, whatever the slopes are there.

``where(c, x, y)`` sends ``where(c, g, 0)`` to x. If x came from a function with an infinite or
undefined slope where c is false, multiplying afterwards would give ``0 * inf``; so the rules of
elementwise ops multiply under the mask: ``where(c, g * slope, 0)``. The mask comes last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..ir.expr import Expr, f
from ..ir.indexing import Mask
from ..ir.types import ScalarType
from ..ir.values import Value
from .finite import finite

PYTHON = {"bool": bool, "int": int, "float": float, "complex": complex}
Scale = Callable[[Expr], Any]


def select(mask: Expr, x: Any, *, keep: bool = True) -> Any:
    """``x`` where the mask is true (false with ``keep=False``), a hard zero elsewhere."""
    if x is None:
        return None
    if not isinstance(x.type, ScalarType) and finite(x.value):
        return x * (mask if keep else f.logical_not(mask))
    zero = PYTHON[x.type.kind](0) if isinstance(x.type, ScalarType) else 0
    return f.where(mask, x, zero) if keep else f.where(mask, zero, x)


@dataclass(frozen=True, slots=True)
class Masked:
    """An adjoint ``body`` that counts where ``mask`` is true (false if not ``keep``)."""

    mask: Expr
    body: Expr
    keep: bool


def masked(g: Expr) -> Masked | None:
    """How ``g`` was masked by the op that made it, if it was."""
    op = g.value.op
    if op is None:
        return None
    b = g.builder
    if op.name == "where":
        c, x, y = op.inputs
        if _is_zero(y):
            return Masked(Expr(b, c), Expr(b, x), True)
        if _is_zero(x):
            return Masked(Expr(b, c), Expr(b, y), False)
    elif op.name == "multiply":
        for x, mask in (op.inputs, op.inputs[::-1]):
            if mask.type.dtype.kind == "b":  # type: ignore[union-attr]
                return Masked(Expr(b, mask), Expr(b, x), True)
    elif op.name in ("store", "add_store"):
        base, _, *operands = op.inputs
        if op.attrs["index"] == (Mask(0),) and _is_zero(base):
            return Masked(Expr(b, operands[0]), g, True)
    return None


def scale_under_masks(g: Expr, scale: Scale) -> Any:
    """``scale(g)``, with the masks that ``g`` is under applied to the result."""
    found = masked(g)
    if found is None:
        return scale(g)
    if found.body is g:
        return select(found.mask, scale(g), keep=found.keep)
    return select(found.mask, scale_under_masks(found.body, scale), keep=found.keep)


def _is_zero(value: Value) -> bool:
    if value.is_constant:
        return (
            bool(value.constant == 0) if getattr(value.constant, "ndim", 0) == 0 else False
        )
    return value.op is not None and value.op.name in ("zeros", "zeros_like")
