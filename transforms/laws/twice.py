"""Sums of products of the same factors, in derivative code: ``g * (c * x) + c * (g * x)``, as the
slope of ``c * x * x`` makes it, is ``2 * (g * (c * x))``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ...ir.types import ArrayType, is_inexact
from ...ir.values import Value
from .words import Site, law, scalar_constant

DEPTH = 6


@dataclass(slots=True)
class _Product:
    """The factors of a product, each with its power; a number of its own."""

    number: float = 1.0
    factors: Counter[Value] = field(default_factory=Counter)


@law("add", "subtract", adjoint=True)
def same_product(site: Site) -> Any:
    """A product and a multiple of it, also where others have been added to the first before."""
    x, y = site.inputs
    if not isinstance(site.type, ArrayType) or not is_inexact(site.type):
        return None
    sign = 1 if site.kind.name == "add" else -1
    times = _multiple(site, x, y, sign)
    if times is not None:
        return times * site.expr(x)
    total = site.made_by(x, "add", once=True)
    for p, term in () if total is None else (total.inputs, total.inputs[::-1]):
        times = _multiple(site, term, y, sign)
        if times is not None:
            return site.expr(p) + times * site.expr(term)
    return None


def _multiple(site: Site, x: Value, y: Value, sign: int) -> float | None:
    """What to multiply ``x`` by to get its sum with ``y``, times ``sign``. ``x`` stays as it is,
    so nothing overflows that did not before."""
    if x is y or not (_is_product(x) and _is_product(y)):
        return None
    if not (site.same(x.type, site.type) and site.same(y.type, site.type)):
        return None
    left, right = _Product(), _Product()
    _collect(site, x, left, 1, DEPTH)
    _collect(site, y, right, 1, DEPTH)
    if left.factors != right.factors or not left.number:
        return None
    ratio = sign * right.number / left.number
    return 1 + ratio if ratio in (0.5, 1.0, 2.0, 3.0) else None


def _is_product(x: Value) -> bool:
    return x.op is not None and x.op.name in ("multiply", "divide", "negative")


def _collect(site: Site, x: Value, product: _Product, power: int, depth: int) -> None:
    number = scalar_constant(x)
    if isinstance(number, int | float) and number:
        product.number *= float(number) ** power
    elif not depth or not _is_product(x) or not is_inexact(x.type):
        product.factors[x] += power
    else:
        assert x.op is not None
        if x.op.name == "negative":
            product.number = -product.number
        _collect(site, x.op.inputs[0], product, power, depth - 1)
        if len(x.op.inputs) > 1:
            below = x.op.name == "divide"
            _collect(site, x.op.inputs[1], product, -power if below else power, depth - 1)
