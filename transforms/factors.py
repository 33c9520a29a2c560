"""Factors that stay the same in a backward loop are applied once, not in every round.

Before: any IR without derivatives. After: in loops of derivative code, ``total += x * s`` with
``s`` from outside of the loop is ``total += x`` and a product after it, and ``x * s * 2`` is
``x * (s * 2)``, of which the part in brackets can move out. That may change the last bits of a
derivative; the primal is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.order import carried
from ..ir.rewrite import Env, copy_op, rewrite, uses
from ..ir.types import ArrayType, ListType, ObjectType, Type
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .laws.words import rank, scalar_constant
from .laws.zeros import is_zero

_PLAIN = frozenset({"add", "subtract", "multiply", "negative", "asarray", "item"})
SMALL, LARGE = 2.0**-10, 2.0**10
"""Sizes of constants that cannot make a product overflow or vanish which would not have."""


def factors(function: Function) -> Function:
    """The function with such factors moved."""
    plan = _Plan(uses(function.block), frozenset(function.params))
    plan.block(function.block)
    if not plan.products and not plan.sums:
        return function
    return rewrite(function, TABLE, plan.visit)


@dataclass(slots=True)
class _Plan:
    """``products``: the three factors of a product, the last two to be multiplied first.
    ``sums``: the two terms that a running sum is left with. ``scales``: for a loop what its
    results have to be multiplied by."""

    counts: Mapping[Value, int]
    params: frozenset[Value]
    products: dict[Op, tuple[Value, Value, Value]] = field(default_factory=dict)
    sums: dict[Op, tuple[Value, Value]] = field(default_factory=dict)
    scales: dict[Op, dict[int, Value]] = field(default_factory=dict)

    # -- looking ------------------------------------------------------------------------
    def block(self, block: Block) -> None:
        """Find what can be done in the loops of derivative code."""
        for op in block.ops:
            for region in op.regions:
                self.block(region)
            if op.role and op.kind.name in ("for", "while"):
                self.loop(op)

    def loop(self, op: Op) -> None:
        """Find what can be done in one loop."""
        body = op.regions[-1]
        inside = {*body.params, *(v for inner in body.ops for v in inner.results)}
        for inner in body.ops:
            self.product(inner, inside)
        for position, column in enumerate(carried(op)):
            self.total(op, position, column, inside)

    def product(self, op: Op, inside: set[Value]) -> None:
        """``x * s * 2``."""
        for first, number in _factors(op):
            if not _moderate(number) or first.op is None or first not in inside:
                continue
            for x, s in _factors(first.op):
                outside = s not in inside and not s.is_constant
                if x in inside and outside and _scalar(s, x):
                    self.products[op] = (x, s, number)
                    return

    def total(
        self, op: Op, position: int, column: tuple[Value, ...], inside: set[Value]
    ) -> None:
        """``total += x * s``."""
        init, params, following = column[0], column[1:-2], column[-2]
        add = following.op
        if op.name != "for" or add is None or add.kind.name != "add" or not is_zero(init):
            return
        if following not in inside or self.counts[following] > 1:
            return  # what has been added so far is read in the loop
        if any(self.counts.get(p, 0) > (p in add.inputs) for p in params):
            return
        for p, scaled in (add.inputs, add.inputs[::-1]):
            if p not in params or scaled.op is None or self.counts[scaled] > 1:
                continue
            for x, s in _factors(scaled.op):
                fits = x.type == scaled.type == following.type
                outside = s not in inside and self.given(s)
                if scaled in inside and outside and fits and _scalar(s, x):
                    self.sums[add] = (p, x)
                    self.scales.setdefault(op, {})[position] = s
                    return

    def given(self, s: Value) -> bool:
        """Whether ``s`` is the caller's, or made of such by ``+ - *``. What a division gives may
        be infinite just where the loop makes no round, and a sum of nothing is zero then."""
        if s in self.params or s.is_constant:
            return True
        op = s.op
        return op is not None and op.kind.name in _PLAIN and all(map(self.given, op.inputs))

    # -- doing --------------------------------------------------------------------------
    def visit(self, builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        """Rebuild one op."""
        if op in self.products:
            x, s, number = (env.get(v, v) for v in self.products[op])
            return [builder.one("multiply", x, builder.one("multiply", s, number))]
        if op in self.sums:
            return [builder.one("add", *(env.get(v, v) for v in self.sums[op]))]
        if op in self.scales:
            results = list(copy_op(builder, op, env, self.visit))
            ends = [env.get(v, v) for v in op.inputs[:3]]
            for position, s in self.scales[op].items():
                total = results[position]
                results[position] = _scaled_once(builder, ends, total, env.get(s, s))
                results[position].name, total.name = total.name, ""
            return results
        return None


def _scaled_once(builder: Builder, ends: Sequence[Value], total: Value, s: Value) -> Value:
    """``total * s``; the total of no rounds is zero whatever ``s`` is."""
    if s.is_constant and np.isfinite(s.constant) or all(v.is_constant for v in ends):
        return builder.one("multiply", total, s)
    inner = builder.sub()
    then = inner.block((), [inner.one("multiply", total, s)])
    orelse = builder.sub().block((), [total])
    return builder.if_(_runs(ends, builder).value, then, orelse)[0]


def _runs(ends: Sequence[Value], builder: Builder) -> Expr:
    """Whether a loop makes a round."""
    start, stop, step = (Expr(builder, v) for v in ends)
    before = start.value.op
    if scalar_constant(step.value) == 1:
        return f.less(start, stop)  # type: ignore[no-any-return]
    if before is not None and before.kind.name == "subtract" and _to_zero(before, ends):
        return f.greater(Expr(builder, before.inputs[0]), 0)  # type: ignore[no-any-return]
    return f.greater(f.range_length(start, stop, step), 0)  # type: ignore[no-any-return]


def _to_zero(before: Op, ends: Sequence[Value]) -> bool:
    """Whether a range goes down from n - 1 to 0; ``before`` is the difference."""
    return [scalar_constant(v) for v in (before.inputs[1], *ends[1:])] == [1, -1, -1]


def _factors(op: Op) -> list[tuple[Value, Value]]:
    """The factors of a product, in both orders."""
    if op.kind.name != "multiply":
        return []
    a, b = op.inputs
    return [(a, b), (b, a)]


def _scalar(s: Value, x: Value) -> bool:
    """Whether ``s`` is one number in double precision, as ``x`` is or consists of."""
    return rank(s) == 0 and all(_dtype(v.type) == np.float64 for v in (s, x))


def _dtype(t: Type) -> np.dtype[np.generic] | None:
    return None if isinstance(t, ListType | ObjectType) else t.dtype


def _moderate(number: Value) -> bool:
    constant = scalar_constant(number)
    real = isinstance(constant, int | float) and not isinstance(number.type, ArrayType)
    return real and SMALL <= abs(constant) <= LARGE
