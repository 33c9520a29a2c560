"""Batching of control flow: masks where examples go different ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, batched
from ..ir.values import Block, Op, Value
from ._batch_each import each_example
from ._batch_ops import State, by_rule, full, shared
from ._batch_plan import decided_apart

TRUTH = np.dtype(np.bool_)


def choose(builder: Builder, mask: Value, a: Value, b: Value) -> Value:
    """``a`` where the mask holds, else ``b``; both for all examples. A list cannot differ."""
    if a is b or not isinstance(a.type, ArrayType):
        return a
    trailing = tuple(range(1, a.type.ndim))
    chosen = Expr(builder, mask)
    if trailing:
        chosen = f.expand_dims(chosen, axes=trailing)
    out = f.where(chosen, Expr(builder, a), Expr(builder, b))
    if out.dtype != a.type.dtype:
        out = f.astype(out, dtype=a.type.dtype)
    return out.value  # type: ignore[no-any-return]


def _record(op: Op, values: Sequence[Value], state: State) -> None:
    for old, new in zip(op.results, values, strict=True):
        new.name = new.name or old.name
        if old not in state.batched:
            new.dim = old.dim
        state.env[old] = new


def run_block(builder: Builder, block: Block, state: State) -> None:
    """Add a block's ops for all examples."""
    for op in block.ops:
        builder.span, builder.role = op.span, op.role
        if op in state.plan.each:
            each_example(builder, state, (op,), op.results)
        elif op.name in CONTROL:
            CONTROL[op.name](builder, op, state)
        elif not any(r in state.batched for r in op.results):
            shared(builder, op, state)
        elif op.name in LISTS:
            LISTS[op.name](builder, op, state)
        elif not by_rule(builder, op, state):
            each_example(builder, state, (op,), op.results)


# ---------------------------------------------------------------------------- branches
def _if(builder: Builder, op: Op, state: State) -> None:
    condition = state.get(op.inputs[0])
    if not decided_apart(op, state.batched):
        blocks = [_branch(builder, op, region, state) for region in op.regions]
        _record(op, builder.if_(condition, *blocks), state)
        return
    sides = []
    for region in op.regions:
        scope = state.child()
        run_block(builder, region, scope)
        builder.span, builder.role = op.span, op.role
        sides.append([_side(builder, scope, r) for r in region.results])
    found = []
    for a, b in zip(*sides, strict=True):
        present = [v for v in (a, b) if v is not None]
        found.append(present[0] if len(present) == 1 else _chosen(builder, condition, a, b))
    _record(op, found, state)


def _side(builder: Builder, scope: State, result: Value) -> Value | None:
    """A branch's result, or None if it is one that is never read."""
    if result.op is not None and result.op.name == "undef":
        return None
    return full(builder, scope, result)


def _chosen(builder: Builder, mask: Value, a: Value | None, b: Value | None) -> Value:
    assert a is not None and b is not None
    return choose(builder, mask, a, b)


def _branch(builder: Builder, op: Op, region: Block, state: State) -> Block:
    inner, scope = builder.sub(), state.child()
    run_block(inner, region, scope)
    pairs = zip(op.results, region.results, strict=True)
    results = [
        full(inner, scope, r) if old in state.batched else scope.get(r) for old, r in pairs
    ]
    return inner.block((), results)


# ------------------------------------------------------------------------------- loops
def _params(inner: Builder, region: Block, scope: State) -> list[Value]:
    """A loop region's parameters for all examples."""
    params = []
    for p in region.params:
        if p in scope.batched:
            new = inner.param(scope.type_of(p), p.name)
        else:
            new = Value(p.type, p.name, None, p.dim)
            inner.bind(new)
        params.append(new)
        scope.env[p] = new
    return params


def _carried(
    builder: Builder, scope: State, params: Sequence[Value], values: Sequence[Value]
) -> list[Value]:
    """What a loop carries on, or starts with."""
    pairs = zip(params, values, strict=True)
    return [
        full(builder, scope, v) if p in scope.batched else scope.get(v) for p, v in pairs
    ]


def _masked(
    inner: Builder, mask: Value, params: Sequence[Value], nexts: Sequence[Value]
) -> list[Value]:
    """Next values where the mask holds, the present ones elsewhere."""
    pairs = zip(params, nexts, strict=True)
    return [choose(inner, mask, new, old) for old, new in pairs]


def _truth(builder: Builder, scope: State, value: Value) -> Value:
    """A condition for all examples, as NumPy's bools."""
    return full(builder, scope, value)


def _for(builder: Builder, op: Op, state: State) -> None:
    [region] = op.regions
    breaks = bool(op.attrs["breaks"])
    apart = decided_apart(op, state.batched)
    start, stop, step = (state.get(v) for v in op.inputs[:3])
    init = _carried(builder, state, region.params[1:], op.inputs[3:])
    inner, scope = builder.sub(), state.child()
    params = _params(inner, region, scope)
    done = inner.param(_mask_type(state), "done") if apart else None
    run_block(inner, region, scope)
    inner.span, inner.role = op.span, op.role
    nexts = _carried(inner, scope, region.params[1:], region.results[int(breaks) :])
    if done is None:
        results = [*(scope.get(r) for r in region.results[: int(breaks)]), *nexts]
        body = inner.block(params, results)
        _record(op, builder.for_(start, stop, step, init, body, breaks=breaks), state)
        return
    going = inner.one("logical_not", done)
    nexts = _masked(inner, going, params[1:], nexts)
    left = inner.one("logical_or", done, _truth(inner, scope, region.results[0]))
    body = inner.block([*params, done], [inner.one("all", left), *nexts, left])
    none = builder.one("zeros", state.size, dtype=TRUTH)
    found = builder.for_(start, stop, step, [*init, none], body, breaks=True)
    _record(op, found[:-1], state)


def _while(builder: Builder, op: Op, state: State) -> None:
    test, region = op.regions
    init = _carried(builder, state, region.params, op.inputs)
    if decided_apart(op, state.batched):
        _masked_while(builder, op, init, state)
        return
    inner, scope = builder.sub(), state.child()
    params = _params(inner, test, scope)
    run_block(inner, test, scope)
    condition = inner.block(params, [scope.get(test.results[0])])
    inner, scope = builder.sub(), state.child()
    params = _params(inner, region, scope)
    run_block(inner, region, scope)
    breaks = bool(op.attrs["breaks"])
    nexts = _carried(inner, scope, region.params, region.results[int(breaks) :])
    leave = [scope.get(r) for r in region.results[: int(breaks)]]
    body = inner.block(params, [*leave, *nexts])
    _record(op, builder.while_(init, condition, body, breaks=breaks), state)


def _masked_while(builder: Builder, op: Op, init: list[Value], state: State) -> None:
    """A loop until every example is done; those that are stay as they are."""
    region = op.regions[1]
    breaks = bool(op.attrs["breaks"])
    going = _tested(builder, op, init, state)
    kept = [Value(v.type, v.name) for v in init]
    mask = Value(_mask_type(state), "going")
    outside = builder.sub()
    condition = Block((*kept, mask), *_ops_of(outside, lambda b: [b.one("any", mask)]))
    inner, scope = builder.sub(), state.child()
    params = _params(inner, region, scope)
    active = inner.param(_mask_type(state), "going")
    run_block(inner, region, scope)
    inner.span, inner.role = op.span, op.role
    nexts = _carried(inner, scope, region.params, region.results[int(breaks) :])
    nexts = _masked(inner, active, params, nexts)
    still = inner.one("logical_and", active, _tested(inner, op, nexts, scope))
    if breaks:
        left = _truth(inner, scope, region.results[0])
        still = inner.one("logical_and", still, inner.one("logical_not", left))
    body = inner.block([*params, active], [*nexts, still])
    _record(op, builder.while_([*init, going], condition, body)[:-1], state)


def _ops_of(
    inner: Builder, make: Callable[[Builder], list[Value]]
) -> tuple[tuple[Op, ...], tuple[Value, ...]]:
    results = tuple(make(inner))
    return tuple(inner.ops), results


def _tested(builder: Builder, op: Op, values: Sequence[Value], state: State) -> Value:
    """The loop's condition for all examples."""
    test, scope = op.regions[0], state.child()
    scope.env.update(zip(test.params, values, strict=True))
    run_block(builder, test, scope)
    builder.span, builder.role = op.span, op.role
    return _truth(builder, scope, test.results[0])


def _mask_type(state: State) -> ArrayType:
    return ArrayType(TRUTH, (state.length,))


# ------------------------------------------------------------------------------- lists
def _list_new(builder: Builder, op: Op, state: State) -> None:
    kind = batched(op.result.type, state.length)
    state.env[op.result] = builder.one("list_new", type=kind)


def _list_push(builder: Builder, op: Op, state: State) -> None:
    xs, x = op.inputs
    state.env[op.result] = builder.one("list_push", state.get(xs), full(builder, state, x))


def _list_pop(builder: Builder, op: Op, state: State) -> None:
    found = builder.op("list_pop", state.get(op.inputs[0]))
    state.env.update(zip(op.results, found, strict=True))


CONTROL = {"if": _if, "for": _for, "while": _while}
LISTS = {"list_new": _list_new, "list_push": _list_push, "list_pop": _list_pop}
