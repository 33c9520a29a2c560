"""Laws of masks in derivative code: what the two sides of a mask are scaled by is one array."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...ir.expr import Expr, f
from ...ir.types import ArrayType, is_complex, is_inexact
from ...ir.values import Value
from .words import Site, law, rank, scalar_constant

DEPTH = 4


@dataclass(slots=True)
class _Side:
    """A product: masks, numbers, arrays."""

    masks: list[Value] = field(default_factory=list)
    numbers: list[Value] = field(default_factory=list)
    arrays: list[Value] = field(default_factory=list)


@law("where", adjoint=True)
def known_side(site: Site) -> Any:
    """Which of two sides it is, where that is known when compiling."""
    condition, *sides = site.inputs
    if not condition.is_constant or rank(condition):
        return None
    chosen = sides[0 if condition.constant else 1]
    return chosen if site.same(chosen.type, site.type) else None


@law("add", "subtract", adjoint=True, needed={"multiply"})
def two_sides_of_a_mask(site: Site) -> Any:
    """``g * c + s * g * ~c`` is ``g * where(c, 1, s)``; the last factor serves every such g."""
    t = site.type
    if not isinstance(t, ArrayType) or not is_inexact(t) or is_complex(t):
        return None
    left, right = _Side(), _Side()
    for side, value in zip((left, right), site.inputs, strict=True):
        _collect(site, value, side, DEPTH)
    if left.arrays != right.arrays or len(left.arrays) > 1:
        return None
    if len(left.masks) != 1 or len(right.masks) != 1:
        return None
    scales = [_scale(site, left, 1), _scale(site, right, -1 if _minus(site) else 1)]
    condition, [off] = left.masks[0], right.masks
    if _inverse(site, condition) is off:
        condition, scales = off, scales[::-1]
    elif _inverse(site, off) is not condition:
        return None
    slope = f.where(site.expr(condition), *scales)
    slope.value.name = "slope"
    return site.expr(left.arrays[0]) * slope if left.arrays else slope


def _minus(site: Site) -> bool:
    return bool(site.kind.name == "subtract")


def _collect(site: Site, value: Value, side: _Side, depth: int) -> None:
    op = site.made_by(value, "multiply", once=True)
    if op is not None and depth:
        for factor in op.inputs:
            _collect(site, factor, side, depth - 1)
    elif isinstance(value.type, ArrayType) and value.type.dtype.kind == "b":
        side.masks.append(value)
    else:
        (side.arrays if rank(value) else side.numbers).append(value)


def _inverse(site: Site, mask: Value) -> Value | None:
    op = site.made_by(mask, "logical_not")
    return None if op is None else op.inputs[0]


def _scale(site: Site, side: _Side, sign: int) -> Expr:
    """The numbers' product in the dtype of the result."""
    dtype = site.type.dtype  # type: ignore[union-attr]
    result: Any = sign
    for value in side.numbers:
        constant = scalar_constant(value)
        result = result * (site.expr(value) if constant is None else constant)
    if isinstance(result, Expr):
        return f.asarray(result, dtype=dtype) if result.ndim == 0 else result
    return site.expr(site.builder.const(dtype.type(result)))
