"""Products in derivative code: numbers are multiplied with each other before any array is.

``g * 2 * r * 0.5`` is a chain of factors; its 0-d ones are gathered to the front, exact
products of constants are computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import isfinite
from operator import mul, truediv
from typing import Any

from ...ir.expr import Expr
from ...ir.types import is_complex, is_inexact
from ...ir.values import Op, Value
from .words import Site, is_python, law, rank, scalar_constant

DEPTH = 6


@dataclass(slots=True)
class _Chain:
    """The factors of a product: numbers and arrays, above and below the line."""

    constants: list[Any] = field(default_factory=list)
    divided_by: list[Any] = field(default_factory=list)
    numbers: list[Value] = field(default_factory=list)
    divisors: list[Value] = field(default_factory=list)
    arrays: list[tuple[Value, bool]] = field(default_factory=list)
    nested: bool = False

    def small(self) -> int:
        """How many factors are numbers."""
        constants = len(self.constants) + len(self.divided_by)
        return constants + len(self.numbers) + len(self.divisors)


@law("multiply", "divide", adjoint=True)
def gather_numbers(site: Site) -> Any:
    """``s * (t * x)`` is ``(s * t) * x``."""
    if not is_inexact(site.type) or is_complex(site.type):
        return None
    chain = _Chain()
    flat = getattr(site.type, "ndim", 0) == 0
    _collect(site, site.kind.name, site.inputs, chain, flat, False, DEPTH)
    return _rebuilt(site, chain) if chain.nested and chain.small() > 1 else None


def _collect(
    site: Site, name: str, inputs: Any, chain: _Chain, flat: bool, below: bool, depth: int
) -> None:
    _factor(site, inputs[0], chain, flat, below, depth)
    _factor(site, inputs[1], chain, flat, below != (name == "divide"), depth)


def _factor(
    site: Site, value: Value, chain: _Chain, flat: bool, below: bool, depth: int
) -> None:
    constant = scalar_constant(value)
    if constant is not None and _plain(constant):
        (chain.divided_by if below else chain.constants).append(constant)
        return
    op = site.made_by(value, "multiply", "divide", once=True)
    if op is None and not chain.arrays and chain.constants and not below:
        op = _number_and_one_more(site, value)
    if (
        op is not None
        and value.type == site.type
        and depth
        and (op.role != "" or not value.name and _holds_number(op))
    ):
        chain.nested = True
        _collect(site, op.kind.name, op.inputs, chain, flat, below, depth - 1)
    elif rank(value) == 0 and not flat:
        (chain.divisors if below else chain.numbers).append(value)
    else:
        chain.arrays.append((value, below))


def _number_and_one_more(site: Site, value: Value) -> Op | None:
    """``c * x`` that others read too: another number times that is one product with ``x``."""
    op = site.made_by(value, "multiply")
    if op is None or len(site.inputs) != 2 or value not in site.inputs:
        return None
    return op if any(scalar_constant(v) is not None for v in op.inputs) else None


def _holds_number(op: Op, depth: int = 3) -> bool:
    """Whether a product has a constant as a factor."""
    if op.kind.name != "multiply" or not depth:
        return False
    makers = [v.op for v in op.inputs if v.op is not None]
    constant = any(scalar_constant(v) is not None for v in op.inputs)
    return constant or any(_holds_number(maker, depth - 1) for maker in makers)


def _plain(constant: Any) -> bool:
    return not isinstance(constant, complex) and bool(isfinite(constant) and constant != 0)


def _rebuilt(site: Site, chain: _Chain) -> Any:
    constant = _combined(chain)
    if constant is None:
        return None
    numbers = [site.expr(v) for v in chain.numbers]
    if constant != 1:
        numbers.insert(0, site.expr(site.builder.const(constant)))
    front = reduce(mul, numbers) if numbers else None
    early, late = _divisors(site, chain, front)
    leads = front is not None or all(below for _, below in chain.arrays)  # 1 / array
    if leads + len(late) >= chain.small():
        return None
    if early:
        front = reduce(truediv, early, front)
    for value, below in sorted(chain.arrays, key=lambda pair: pair[1]):
        if front is None and not below:
            front = site.expr(value)
        else:
            front = (
                (1 if front is None else front) / site.expr(value)
                if below
                else front * site.expr(value)
            )
    if front is not None:
        for divisors in late:
            front = front / reduce(mul, divisors)
    return front


def _divisors(
    site: Site, chain: _Chain, front: Expr | None
) -> tuple[list[Expr], list[list[Expr]]]:
    """Divisors of the number in front, and those of the whole: a Python number is not divided
    by another, which raises where an array gives inf. The square of a number over- or
    underflows where the whole need not, so no group of divisors holds one."""
    met = [d for v in chain.numbers for d in _divided_by(site, v)]
    leading = front is not None and not is_python(front.value)
    groups: list[tuple[list[Expr], list[Value]]] = [([], met)] if leading else []
    for divisor in map(site.expr, chain.divisors):
        factors = list(_factors(site, divisor.value))
        free = (g for g in groups if not any(v in g[1] for v in factors))
        group = next(free, None)
        if group is None:
            group = ([], [])
            groups.append(group)
        group[0].append(divisor)
        group[1].extend(factors)
    found = [members for members, _ in groups]
    return (found[0], found[1:]) if leading else ([], found)


def _divided_by(site: Site, number: Value) -> Iterator[Value]:
    """What a number has been divided by."""
    while op := site.made_by(number, "divide"):
        number = op.inputs[0]
        yield from _factors(site, op.inputs[1])


def _factors(site: Site, number: Value) -> Iterator[Value]:
    """What a number is the product of, but for counts."""
    op = site.made_by(number, "multiply")
    if op is None:
        yield number
        return
    for value in op.inputs:
        if is_inexact(value.type) and scalar_constant(value) is None:
            yield from _factors(site, value)


def _combined(chain: _Chain) -> Any:
    """All constants as one; None where that is not exact."""
    exact = Fraction(1)
    combined: Any = 1
    for constant in chain.constants:
        exact *= Fraction(float(constant))
        combined = combined * constant
    for constant in chain.divided_by:
        top = abs(Fraction(float(constant)).numerator)
        if top & (top - 1):
            return None
        exact /= Fraction(float(constant))
        combined = combined / constant
    if not isfinite(combined) or Fraction(float(combined)) != exact:
        return None
    return combined
