"""Laws of Python's whole numbers, which are exact: ``n + 1 - 1`` is ``n``."""

from __future__ import annotations

from typing import Any

from ...ir.expr import f
from ...ir.types import INT
from ...ir.values import Value
from .words import Site, law, scalar_constant


@law("add")
def sum_of_whole(site: Site) -> Any:
    """``(n - 1) + 3`` is ``n + 2``, ``0 + n`` is ``n``."""
    return _together(site, 1)


@law("subtract")
def difference_of_whole(site: Site) -> Any:
    """``(n + 3) - 1`` is ``n + 2``."""
    return _together(site, -1)


def _together(site: Site, sign: int) -> Any:
    if any(v.type != INT for v in site.inputs):
        return None
    (x, a), (y, b) = (_apart(site, v) for v in site.inputs)
    if y is not None and (x is not None or sign < 0):
        return None
    base, total = (y if x is None else x), a + sign * b
    if base is None or (total and base in site.inputs):
        return None
    if not total:
        return base
    combine = f.add if total > 0 else f.subtract
    return combine(site.expr(base), site.expr(site.builder.const(abs(total))))


def _apart(site: Site, value: Value) -> tuple[Value | None, int]:
    """What a number is added to in ``value``, and the number."""
    constant = scalar_constant(value)
    if isinstance(constant, int):
        return None, constant
    op = site.made_by(value, "add", "subtract")
    if op is not None and all(v.type == INT for v in op.inputs):
        x, y = op.inputs
        for base, other, swapped in ((x, y, False), (y, x, True)):
            constant = scalar_constant(other)
            if isinstance(constant, int) and not (swapped and op.kind.name == "subtract"):
                return base, -constant if op.kind.name == "subtract" else constant
    return value, 0
