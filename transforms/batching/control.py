"""Batching of control flow that is the same for every example, and of blocks."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.builder import Builder
from ...ir.values import Block, Op, Value
from .apart import apart_for, apart_if, apart_while
from .each import each_example
from .lists import lists
from .plan import decided_apart, is_custom
from .single import State, by_rule, full, shared


def run_block(builder: Builder, block: Block, state: State) -> None:
    """Add a block's ops for all examples."""
    for op in block.ops:
        builder.span, builder.role = op.span, op.role
        if op in state.plan.each:
            each_example(builder, state, (op,), op.results)
        elif is_custom(op):
            shared(builder, op, state)
        elif op.regions:
            values = _CONTROL[op.name](builder, op, state)
            builder.span, builder.role = op.span, op.role
            _record(op, values, state)
        elif not any(r in state.batched for r in op.results):
            shared(builder, op, state)
        elif op.kind.has("list"):
            lists(builder, op, state)
        elif not by_rule(builder, op, state):
            each_example(builder, state, (op,), op.results)


def _record(op: Op, values: Sequence[Value], state: State) -> None:
    for old, new in zip(op.results, values, strict=True):
        new.name = new.name or old.name
        if old not in state.batched:
            new.dim = old.dim
        state.env[old] = new


# ---------------------------------------------------------------------------- branches
def _if(builder: Builder, op: Op, state: State) -> Sequence[Value]:
    if decided_apart(op, state.batched):
        return apart_if(builder, op, state, run_block)
    condition = state.get(op.inputs[0])
    blocks = [_branch(builder, op, region, state) for region in op.regions]
    return builder.if_(condition, *blocks)


def _branch(builder: Builder, op: Op, region: Block, state: State) -> Block:
    inner, scope = builder.sub(), state.child()
    run_block(inner, region, scope)
    pairs = zip(op.results, region.results, strict=True)
    results = [
        full(inner, scope, r) if old in state.batched else scope.get(r) for old, r in pairs
    ]
    return inner.block((), results)


def _checkpoint(builder: Builder, op: Op, state: State) -> Sequence[Value]:
    after = [state.get(v) for v in op.inputs]
    block = _branch(builder, op, op.regions[0], state)
    return builder.checkpoint_(block, after, op.attrs["stage"])


# ------------------------------------------------------------------------------- loops
def _body(builder: Builder, region: Block, state: State, lead: int) -> Block:
    """A loop's region for all examples; ``lead`` results come before the next values."""
    inner, scope = builder.sub(), state.child()
    params = scope.parameters(inner, region)
    run_block(inner, region, scope)
    results = [scope.get(r) for r in region.results[:lead]]
    carried = region.params[len(region.params) - len(region.results) + lead :]
    results += scope.carried(inner, carried, region.results[lead:])
    return inner.block(params, results)


def _start(
    builder: Builder, op: Op, state: State, params: Sequence[Value], values: Sequence[Value]
) -> list[Value]:
    """What a loop that all examples go through starts with."""
    inside = (o for region in op.regions for o in region.walk() if o.regions)
    apart = any(decided_apart(o, state.batched) for o in inside)
    return (state.started if apart else state.carried)(builder, params, values)


def _for(builder: Builder, op: Op, state: State) -> Sequence[Value]:
    if decided_apart(op, state.batched):
        return apart_for(builder, op, state, run_block)
    [region] = op.regions
    breaks = bool(op.attrs["breaks"])
    start, stop, step = (state.get(v) for v in op.inputs[:3])
    init = _start(builder, op, state, region.params[1:], op.inputs[3:])
    body = _body(builder, region, state, int(breaks))
    return builder.for_(
        start, stop, step, init, body, breaks=breaks, budget=op.attrs["budget"]
    )


def _while(builder: Builder, op: Op, state: State) -> Sequence[Value]:
    if decided_apart(op, state.batched):
        return apart_while(builder, op, state, run_block)
    test, region = op.regions
    breaks = bool(op.attrs["breaks"])
    init = _start(builder, op, state, region.params, op.inputs)
    condition = _body(builder, test, state, 1)
    body = _body(builder, region, state, int(breaks))
    return builder.while_(init, condition, body, breaks=breaks, budget=op.attrs["budget"])


_CONTROL = {"if": _if, "for": _for, "while": _while, "checkpoint": _checkpoint}
