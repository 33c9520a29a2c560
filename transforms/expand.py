"""Derivative ops -> plain ops, innermost first.

Before: ``reverse`` and ``forward`` ops hold functions as blocks. After: there are none.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.builder import Builder
from ..ir.rewrite import Env, copy_block, rewrite
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .cse import cse
from .dce import dce
from .fold import fold
from .forward import forward
from .reverse import reverse
from .simplify import simplify


def expand(function: Function) -> Function:
    """Write out every derivative. What an inner one leaves is cleaned up before the next is
    taken of it: less to differentiate, and nothing twice."""
    notes = {**function.notes, "derivative": True} if _derivatives(function.block) else {}
    while _derivatives(function.block):
        function = replace(rewrite(function, TABLE, _visit), notes=notes)
        if _derivatives(function.block):
            function = dce(cse(simplify(fold(function))))
    return function


def _derivatives(block: Block) -> bool:
    return any(op.kind.has("derivative") for op in block.walk())


def _visit(builder: Builder, op: Op, env: Env) -> list[Value] | None:
    if op.name in _RULES and not _derivatives(op.regions[0]):
        return _RULES[op.name](builder, op, env)
    return None


def _body(builder: Builder, op: Op, env: Env) -> Block:
    """The op's block among the new values."""
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


_RULES = {"reverse": _reverse, "forward": _forward}
