"""Arrays that hold one number: repeated without memory, or filled.

Before: derivative code starts with adjoints that repeat a number (``broadcast_to``). After: where
a loop changes such an adjoint in each round, an array has been filled before, so that ``reuse``
can do it in place.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.builder import Builder
from ...ir.order import carried
from ...ir.rewrite import Env, rewrite, uses
from ...ir.values import Function, Op, Value
from ...ops import TABLE
from ..laws.words import rank

STEPS = 8
"""How many ops in a row may change what a loop carries."""


def filled(function: Function) -> Function:
    """The function with arrays for loops to change."""
    starts = {v.op for v in _starts(function)}
    if not starts:
        return function

    def visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        if op not in starts:
            return None
        return [
            fill(builder, [env.get(v, v) for v in op.inputs], op.result, op.result.name)
        ]

    return rewrite(function, TABLE, visit)


def _starts(function: Function) -> list[Value]:
    """What loops start with and change, and nobody else reads."""
    loops = [op for op in function.block.walk() if op.name in ("for", "while") and op.role]
    columns = [values for op in loops for values in carried(op)]
    found = [v[0] for v in columns if repeats(v[0].op) and _changes(v[-2], v[-3])]
    if not found:
        return []
    counts = uses(function.block)
    return [v for v in found if counts.get(v, 0) == 1]


def _changes(following: Value, param: Value) -> bool:
    """Whether ``following`` is made of ``param`` step by step in its place."""
    value = following
    for _ in range(STEPS):
        op = value.op
        if op is None or not (op.kind.has("inplace") or op.kind.has("store")):
            return False
        if param in op.inputs:
            return True
        value = op.inputs[0]
    return False


def repeats(op: Op | None) -> bool:
    """Whether the op repeats one number."""
    return op is not None and op.name == "broadcast_to" and not rank(op.inputs[0])


def fill(builder: Builder, inputs: Sequence[Value], like: Value, name: str) -> Value:
    """An array of the type of ``like``, of the inputs of a ``broadcast_to`` of one number."""
    number, *lengths = inputs
    kind = "full"
    if number.is_constant and number.constant in (0, 1):
        kind = "ones" if number.constant else "zeros"
    given = lengths if kind != "full" else inputs
    made: Value = builder.op(kind, *given, dtype=like.type.dtype, hint=name)  # type: ignore
    made.type = like.type
    return made
