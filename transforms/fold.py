"""Constant folding: what is known when compiling is computed then.

Before: any IR. After: integers, and scalar arithmetic that gives the same bits when compiling
as at run time, are constants; so are lengths that are known. A branch on a constant is gone,
so is a loop that makes no round, and inside a branch its own condition is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.builder import Builder, for_function
from ..ir.dims import Dimension, at_least
from ..ir.evaluate import compute
from ..ir.rewrite import Env, copy_block, copy_op, rewrite, rewrite_ops
from ..ir.types import BOOL, INT, ArrayType, ScalarType, type_of_constant
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE

LARGEST = 2**63
UNSAFE = ("effect", "random", "view", "maybe_view", "store", "allocates")

_Test = Callable[[Dimension, Dimension], bool]

# Comparisons of lengths: whether they hold, and whether their opposite does.
_ORDER: dict[str, tuple[_Test, _Test]] = {
    "equal": (lambda a, b: a == b, lambda a, b: at_least(a, b + 1) or at_least(b, a + 1)),
    "not_equal": (
        lambda a, b: at_least(a, b + 1) or at_least(b, a + 1),
        lambda a, b: a == b,
    ),
    "less": (lambda a, b: at_least(b, a + 1), lambda a, b: at_least(a, b)),
    "less_equal": (lambda a, b: at_least(b, a), lambda a, b: at_least(a, b + 1)),
    "greater": (lambda a, b: at_least(a, b + 1), lambda a, b: at_least(b, a)),
    "greater_equal": (lambda a, b: at_least(a, b), lambda a, b: at_least(b, a + 1)),
}


def fold(function: Function) -> Function:
    """The function with constants computed."""
    if not _has_known(for_function(function, TABLE), function.block):
        return function
    return rewrite(function, TABLE, _visit)


def _has_known(builder: Builder, block: Block) -> bool:
    """Whether there is anything to compute; ``builder`` knows the function's lengths."""
    return any(
        _is_known(builder, op) or any(_has_known(builder, r) for r in op.regions)
        for op in block.ops
    )


def _is_known(builder: Builder, op: Op) -> bool:
    name = op.kind.name
    if name == "if":
        return op.inputs[0].is_constant or _reads_its_condition(op)
    if name == "for":
        return _makes_no_round(builder, *op.inputs[:3])
    if name == "while":
        return _never_holds(op)
    if len(op.results) != 1 or name == "const":
        return False
    known = _known(builder, op, op.inputs)
    return known is not None or _same_length(builder, op, op.inputs) is not None


def _visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    if op.kind.name in _CONTROL:
        return _CONTROL[op.kind.name](builder, op, env)
    if len(op.results) != 1 or op.kind.name == "const":
        return None
    inputs = tuple([env.get(v, v) for v in op.inputs])
    known = _known(builder, op, inputs)
    if known is None:
        same = _same_length(builder, op, inputs)
        return None if same is None else (same,)
    value = builder.const(known)
    value.name = op.result.name
    return (value,)


# ------------------------------------------------------------------------------ plain ops
def _known(builder: Builder, op: Op, inputs: tuple[Value, ...]) -> Any:
    """The op's result, or None where it is not known or not safe to say."""
    t = op.result.type
    if t == INT:
        d = _length(builder, op, inputs)
        if isinstance(d, int):
            return d
    if t == BOOL and op.kind.name in _ORDER and all(v.type == INT for v in inputs):
        found = _compared(builder, op.kind.name, inputs)
        if found is not None:
            return found
    if not inputs or not _foldable(op) or not all(_is_scalar_constant(v) for v in inputs):
        return None
    return _computed(op, [v.constant for v in inputs])


def _length(builder: Builder, op: Op, inputs: tuple[Value, ...]) -> Dimension | None:
    if op.kind.has("effect") or op.kind.has("random") or op.kind.dim is None:
        return None
    if op.kind.name == "floor_divide" and (inputs[1].dim is None or inputs[1].dim == 0):
        return None
    d = op.kind.dim(inputs, **op.attrs)
    return None if d is None else builder.dims.canonical(d)


def _same_length(builder: Builder, op: Op, inputs: tuple[Value, ...]) -> Value | None:
    """The input that an integer result is equal to: range_length(0, n, 1) is n."""
    if op.result.type != INT or op.kind.name in ("shape", "size"):
        return None
    d = _length(builder, op, inputs)
    for value in inputs if d is not None else ():
        if (
            value.type == INT
            and value.dim is not None
            and builder.dims.canonical(value.dim) == d
        ):
            return value
    return None


def _compared(builder: Builder, name: str, inputs: tuple[Value, ...]) -> bool | None:
    a, b = (v.dim for v in inputs)
    if a is None or b is None:
        return None
    a, b = builder.dims.canonical(a), builder.dims.canonical(b)
    holds, fails = _ORDER[name]
    return True if holds(a, b) else False if fails(a, b) else None


def _foldable(op: Op) -> bool:
    kind = op.kind
    if kind.emit is None or op.regions or any(map(kind.has, UNSAFE)):
        return False
    whole = all(v.type in (INT, BOOL) for v in (*op.inputs, op.result))
    return whole or kind.has("cheap") or (kind.has("elementwise") and kind.has("nondiff"))


def _is_scalar_constant(value: Value) -> bool:
    return value.is_constant and not isinstance(value.constant, np.ndarray)


def _computed(op: Op, inputs: list[Any]) -> Any:
    scalar = all(isinstance(v.type, ScalarType) for v in op.inputs)
    try:
        with np.errstate(all="raise"):
            result = compute(op.kind, inputs, op.attrs, scalar=scalar)
    except (ArithmeticError, ValueError, TypeError):
        return None
    if not isinstance(result, bool | int | float | complex | np.generic):
        return None
    return result if _same_at_run_time(op, result) else None


def _same_at_run_time(op: Op, result: Any) -> bool:
    if type_of_constant(result) != op.result.type:
        return False
    if isinstance(result, int):
        return abs(result) < LARGEST
    return bool(np.isfinite(result)) or isinstance(result, np.bool_)


# ---------------------------------------------------------------------------- control flow
def _if(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    old = op.inputs[0]
    condition = env.get(old, old)
    if condition.is_constant:
        region = op.regions[0 if condition.constant else 1]
        rewrite_ops(builder, region.ops, env, _visit)
        return tuple(env.get(r, r) for r in region.results)
    if not _reads_its_condition(op):
        return None
    known = [_truth(builder, condition, answer) for answer in (True, False)]
    regions = tuple(
        copy_block(builder, r, {**env, old: k}, _visit)
        for r, k in zip(op.regions, known, strict=True)
    )
    return _again(builder, op, (condition,), regions)


def _reads_its_condition(op: Op) -> bool:
    """Whether a branch's own condition is read in it."""
    return any(op.inputs[0] in o.inputs for r in op.regions for o in r.walk())


def _truth(builder: Builder, condition: Value, answer: bool) -> Value:
    """The condition's value inside a branch, in the condition's own type."""
    return builder.const(
        np.bool_(answer) if isinstance(condition.type, ArrayType) else answer
    )


def _again(
    builder: Builder, op: Op, inputs: tuple[Value, ...], regions: Any
) -> Sequence[Value]:
    new = Op(op.kind, inputs, op.attrs, regions, op.span, op.role)
    new.results = tuple(Value(v.type, v.name, new, v.dim) for v in op.results)
    builder.ops.append(new)
    for value in new.results:
        builder.bind(value)
    return new.results


def _for(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    start, stop, step, *init = (env.get(v, v) for v in op.inputs)
    return init if _makes_no_round(builder, start, stop, step) else None


def _makes_no_round(builder: Builder, start: Value, stop: Value, step: Value) -> bool:
    if not step.is_constant or not step.constant or start.dim is None or stop.dim is None:
        return False
    a, b = builder.dims.canonical(start.dim), builder.dims.canonical(stop.dim)
    return at_least(a, b) if step.constant > 0 else at_least(b, a)


def _while(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    init = tuple(env.get(v, v) for v in op.inputs)
    results = copy_op(builder, op, env, _visit)
    if _never_holds(builder.ops[-1]):
        builder.ops.pop()
        return init
    return results


def _never_holds(loop: Op) -> bool:
    condition = loop.regions[0].results[0]
    return condition.is_constant and not condition.constant


_CONTROL = {"if": _if, "for": _for, "while": _while}
