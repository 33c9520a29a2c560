"""Derivative ops -> plain ops, innermost first.

Before: ``reverse`` and ``forward`` ops hold functions as blocks. After: there are none.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.builder import Builder
from ..ir.rewrite import Env, copy_block, rewrite
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .forward import forward
from .reverse import reverse


def expand(function: Function) -> Function:
    """Write out every derivative."""
    if not any(op.kind.has("derivative") for op in function.block.walk()):
        return function
    notes = {**function.notes, "derivative": True}
    return replace(rewrite(function, TABLE, _visit), notes=notes)


def _visit(builder: Builder, op: Op, env: Env) -> list[Value] | None:
    if op.name == "reverse":
        return _reverse(builder, op, env)
    if op.name == "forward":
        return _forward(builder, op, env)
    return None


def _body(builder: Builder, op: Op, env: Env) -> Block:
    """The op's block with everything inside written out."""
    [region] = op.regions
    return copy_block(builder, region, env, _visit)


def _reverse(builder: Builder, op: Op, env: Env) -> list[Value]:
    body = _body(builder, op, env)
    args = [env.get(v, v) for v in op.inputs]
    role = str(op.attrs["label"]) or "backward"
    results, gradients = reverse(builder, body, args, op.attrs["wrt"], role)
    return [*results, *gradients]


def _forward(builder: Builder, op: Op, env: Env) -> list[Value]:
    body = _body(builder, op, env)
    count = len(body.params)
    inputs = [env.get(v, v) for v in op.inputs]
    tangents = dict(zip(op.attrs["wrt"], inputs[count:], strict=True))
    results, moved = forward(builder, body, inputs[:count], tangents)
    return [*results, *moved]
