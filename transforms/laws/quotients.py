"""Laws of quotients in derivative code: shares of a whole, as softmax makes them."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Expr, f
from ...ir.types import ArrayType, is_complex, is_inexact
from ...ir.values import Op, Value
from ...ops.roots import without_factor
from .words import Site, is_number, law, rank, rule, scalar_constant

DEPTH = 6
TERMS = 4

rule("x / a - y / a -> (x - y) / a", adjoint=True, once=True)
rule("x / a + y / a -> (x + y) / a", adjoint=True, once=True)
rule("x / a * a -> x", adjoint=True)  # the square of a root is smooth at 0
rule("x / y ** 2 * y -> x / y", adjoint=True)
rule("x / square(y) * y -> x / y", adjoint=True)

_PRODUCTS = ("multiply", "power", "square")


@law("multiply", adjoint=True)
def quotient_at_hand(site: Site) -> Any:
    """``x / s * e`` is ``x * p`` where the user's code has ``p = e / s`` already."""
    if not is_inexact(site.type) or is_complex(site.type):
        return None
    for quotient, e in (site.inputs, site.inputs[::-1]):
        op = site.made_by(quotient, "divide", once=True)
        p = None if op is None else site.at_hand("divide", e, op.inputs[1])
        if op is None or _together(*op.inputs):
            continue
        if p is not None and p.op is not None and p.op.role == "" != op.role:
            return site.expr(op.inputs[0]) * site.expr(p)
    return None


@law("multiply", adjoint=True)
def cancel_factor(site: Site) -> Any:
    """``x / (s * r) * r**2`` is ``x / s * r``: powers of a root or a norm ``r`` are smooth
    where it is 0. There ``where(r == 0, 1, r)`` may stand below the line for ``r``. Likewise
    ``sign(x) * abs(x)`` is ``x``: signs are quotients by ``abs(x)``."""
    if not is_inexact(site.type):
        return None
    for quotient, e in (site.inputs, site.inputs[::-1]):
        if quotient.op is not None and quotient.op.name in _WITH_QUOTIENTS:
            made = _times(site, quotient, e, TERMS)
            if made is not None:
                return _filled(site, made)
    return None


_OF_PARTS = ("real", "conjugate", "negative", "add", "subtract")
_QUOTIENTS = ("divide", "over", "share", "per", "cosine")
_WITH_QUOTIENTS = (*_QUOTIENTS, "sign", "unit", "multiply", *_OF_PARTS)


def _times(site: Site, value: Value, e: Value, depth: int) -> Expr | None:
    """``value * e`` where a root below a line in all of ``value`` is a factor of ``e``."""
    op = value.op
    if op is None or not depth or op.name not in _WITH_QUOTIENTS:
        return None
    x, *rest = op.inputs
    if op.name in ("sign", "unit"):
        others = _without_size(site, e, x)
        return None if others is None else others * site.expr(x)
    if is_complex(value.type) and op.name in _QUOTIENTS:
        return None
    if op.name in ("share", "per"):
        others = without_factor(site.expr(e), rest[0])
        return None if others is None else others * site.expr(x)
    if op.name in ("divide", "over"):
        left = _cancelled(site, e, rest[0])
        if left is None:
            return None
        above, below = left
        over = op.name == "over"
        return f.over(site.expr(x), below) * above if over else site.expr(x) * above / below
    if op.name == "cosine":
        others = without_factor(site.expr(e), rest[1])
        return None if others is None else others * site.expr(x)
    return _times_terms(site, op, e, depth - (len(op.inputs) > 1))


def _times_terms(site: Site, op: Op, e: Value, depth: int) -> Expr | None:
    if op.name == "multiply":
        for x, y in (op.inputs, op.inputs[::-1]):
            made = _times(site, x, e, depth)
            if made is not None:
                return made * site.expr(y)
        return None
    if op.name not in _OF_PARTS or is_complex(e.type):
        return None
    parts = [_times(site, v, e, depth) for v in op.inputs]
    if any(p is None for p in parts):
        return None
    return getattr(f, op.name)(*parts)  # type: ignore[no-any-return]


def _without_size(site: Site, e: Value, x: Value, depth: int = DEPTH) -> Expr | None:
    """``e`` without the factor ``abs(x)``, or None if it does not have it."""
    factors = [e]
    for _ in range(depth):
        inner = [
            v for y in factors if (op := site.made_by(y, *_PRODUCTS)) for v in op.inputs
        ]
        for size in (*factors, *inner):
            made = site.made_by(size, "absolute", "abs", "fabs")
            if made is not None and made.inputs[0] is x:
                return without_factor(site.expr(e), size)
        factors = inner
    return None


@law("divide", adjoint=True)
def cancel_norm(site: Site) -> Any:
    """``x * r / (s * where(r == 0, 1, r))`` is ``x / s``."""
    e, d = site.inputs
    if not is_inexact(site.type) or is_complex(site.type):
        return None
    if all(_unless_zero(v) is v for v in _factors(d, 3)):
        return None
    rest = _cancelled(site, e, d)
    return None if rest is None else _filled(site, rest[0] / rest[1])


def _filled(site: Site, x: Expr) -> Expr:
    """A number in the type of the site where everything else has been cancelled."""
    if rank(x.value) or not isinstance(site.type, ArrayType) or not site.type.ndim:
        return x
    return f.full_like(site.expr(site.inputs[0]), x)  # type: ignore[no-any-return]


def _cancelled(site: Site, e: Value, d: Value) -> tuple[Expr, Expr] | None:
    """``e`` and ``d`` without the roots that are factors of both."""
    above, below, found = site.expr(e), site.expr(d), False
    for factor in _factors(d, 3):
        root = _unless_zero(factor)
        rest = without_factor(above, root) if root.op is not None else None
        left = None if rest is None else without_factor(below, factor)
        if rest is not None and left is not None:
            above, below, found = rest, left, True
    return (above, below) if found else None


def _factors(value: Value, depth: int) -> list[Value]:
    op = value.op
    if op is None or op.name != "multiply" or not depth:
        return [] if value.is_constant else [value]
    return [v for part in op.inputs for v in _factors(part, depth - 1)]


def _unless_zero(value: Value) -> Value:
    """``r`` of ``where(r == 0, 1, r)``."""
    op = value.op
    if op is None or op.name != "where" or not is_number(op.inputs[1], 1):
        return value
    test, root = op.inputs[0].op, op.inputs[2]
    same = test is not None and test.name == "equal" and test.inputs[0] is root
    return root if same and is_number(test.inputs[1], 0) else value  # type: ignore[union-attr]


@law("multiply", adjoint=True)
def number_between(site: Site) -> Any:
    """``s * (x / y) * z`` is ``s * (x / y * z)`` where other laws know ``x / y * z``."""
    for scaled, z in (site.inputs, site.inputs[::-1]):
        op = site.made_by(scaled, "multiply", once=True)
        if op is None or scalar_constant(op.inputs[0]) is None:
            continue
        if scalar_constant(z) is not None:  # numbers are put together elsewhere
            continue
        quotient = op.inputs[1]
        if site.made_by(quotient, "divide", "over") is None:
            continue
        inner = site.builder.attempt(  # type: ignore[attr-defined]
            site.kind, (quotient, z), site.attrs, site.type
        )
        if inner is not None:
            return site.expr(op.inputs[0]) * site.expr(inner)
    return None


@law("multiply", adjoint=True)
def grow_together(site: Site) -> Any:
    """``x / d * e`` is ``x * (e / d)`` where both grow like ``exp(z)``: ``x / d`` would
    underflow long before."""
    if not is_inexact(site.type) or is_complex(site.type):
        return None
    for quotient, e in (site.inputs, site.inputs[::-1]):
        op = site.made_by(quotient, "divide", once=True)
        if op is None or not site.same(op.inputs[1].type, e.type):
            continue
        x, d = op.inputs
        if _together(e, d) and not _together(x, d):
            return site.expr(x) * (site.expr(e) / site.expr(d))
    return None


def _together(e: Value, d: Value) -> bool:
    grown = _exponents(e, DEPTH)
    return bool(grown) and grown <= _exponents(d, DEPTH)


def _exponents(value: Value, depth: int) -> frozenset[Value]:
    """Which ``z`` a value grows with as ``exp(z)`` does."""
    op = value.op
    if op is None or not depth:
        return frozenset()
    if op.kind.has("may_overflow"):
        return frozenset(op.inputs[:1])
    if op.name not in ("add", "subtract", "multiply", "negative"):
        return frozenset()
    return frozenset[Value]().union(*(_exponents(v, depth - 1) for v in op.inputs))
