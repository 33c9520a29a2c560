"""Batching of control flow where examples go different ways.

Either all examples are computed and a mask selects, or the chosen ones are taken out, computed,
and put back: where others might warn, fail or cost much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ...ir.builder import Builder
from ...ir.expr import Expr, f, lift
from ...ir.indexing import Gather
from ...ir.rewrite import free_values
from ...ir.types import INT, ArrayType
from ...ir.values import Block, Op, Value
from ...ops.rules.batching import grown
from .single import State, full, is_undef, room

TRUTH = np.dtype(np.bool_)
CHOSEN = (Gather(0),)
Run = Callable[[Builder, Block, State], None]
Flag = Callable[[Builder, State], Value | None]


# ------------------------------------------------------------------------------- pieces
def _choose(builder: Builder, mask: Value, a: Value, b: Value, like: Value) -> Value:
    """``a`` where the mask holds, else ``b``: for all examples, or the same number for all."""
    if a is b:
        return a
    if a.is_constant and b.is_constant and like.type.dtype == TRUTH:  # type: ignore[union-attr]
        if a.constant and not b.constant:
            return mask
        if b.constant and not a.constant:
            return builder.one("logical_not", mask)
    trailing = tuple(range(1, like.type.ndim + 1))  # type: ignore[union-attr]
    chosen = Expr(builder, mask)
    if trailing:
        chosen = f.expand_dims(chosen, axes=trailing)
    out = f.where(chosen, Expr(builder, a), Expr(builder, b))
    due = like.type.dtype  # type: ignore[union-attr]
    return (out if out.dtype == due else f.astype(out, dtype=due)).value  # type: ignore[no-any-return]


def _taken(builder: Builder, value: Value, places: Value) -> Value:
    return builder.one("gather", value, places, index=CHOSEN, hint=value.name)


def _put(builder: Builder, whole: Value, part: Value, places: Value) -> Value:
    return builder.one("store", whole, part, places, index=CHOSEN)


def _part(
    builder: Builder, state: State, blocks: Iterable[Block], mask: Value
) -> tuple[Value, State]:
    """Where the mask holds, and the state for these examples only."""
    places = builder.one("flatnonzero", mask, hint="chosen")
    assert isinstance(places.type, ArrayType)
    sub = state.child()
    sub.size = builder.one("shape", places, axis=0)
    sub.length = places.type.shape[0]
    for block in blocks:
        for v in free_values(block):
            if v in state.batched:
                sub.env[v] = _taken(builder, state.get(v), places)
    return places, sub


def _mask_type(state: State) -> ArrayType:
    return ArrayType(TRUTH, (state.length,))


# ---------------------------------------------------------------------------- branches
Side = tuple[Value | None, Value | None]
"""A branch's result: None if it is never read; and for which examples it is, if not for all."""


def apart_if(builder: Builder, op: Op, state: State, run: Run) -> list[Value]:
    """Both branches, for all examples or those that take them."""
    condition = state.get(op.inputs[0])
    sides = []
    for region, wanted in zip(op.regions, (True, False), strict=True):
        sides.append(_sides(builder, op, region, state, run, condition, wanted))
        builder.span, builder.role = op.span, op.role
    return [
        _merged(builder, state, condition, a, b, r)
        for a, b, r in zip(*sides, op.results, strict=True)
    ]


def _sides(
    builder: Builder,
    op: Op,
    region: Block,
    state: State,
    run: Run,
    condition: Value,
    wanted: bool,
) -> list[Side]:
    places: Value | None = None
    if region in state.plan.parts:
        mask = condition if wanted else builder.one("logical_not", condition)
        places, scope = _part(builder, state, [region], mask)
    else:
        scope = state.child()
    run(builder, region, scope)
    outside = set(free_values(region))
    return [
        (None, None)
        if is_undef(r)
        else (state.get(r), None)
        if r in outside
        else (scope.get(r), places)
        for r in region.results
    ]


def _merged(
    builder: Builder, state: State, mask: Value, a: Side, b: Side, result: Value
) -> Value:
    """One result of both branches, for all examples."""
    present = [(value, where) for value, where in (a, b) if value is not None]
    if not present:
        return room(builder, state, result, "zeros")
    partial = [(value, where) for value, where in present if where is not None]
    if len(present) == 2 and not partial:
        out = _choose(builder, mask, present[0][0], present[1][0], result)
        return _spread(builder, state, out, result)
    kinds = "empty" if len(partial) == 2 else "zeros"
    whole = [value for value, where in present if where is None]
    out = (
        _spread(builder, state, whole[0], result)
        if whole
        else room(builder, state, result, kinds)
    )
    for value, where in partial:
        out = _put(builder, out, value, where)
    return out


def _spread(builder: Builder, state: State, value: Value, like: Value) -> Value:
    """A value with an axis of examples, which it may have already."""
    if value.type.ndim > like.type.ndim:  # type: ignore[union-attr]
        return value
    out = grown(Expr(builder, value), Expr(builder, state.size))
    due = like.type.dtype  # type: ignore[union-attr]
    return (out if out.dtype == due else f.astype(out, dtype=due)).value


# ------------------------------------------------------------------------------- loops
def _advance(
    inner: Builder, region: Block, scope: State, mask: Value, run: Run, flag: Flag, lead: int,
    blocks: Sequence[Block],
) -> tuple[list[Value], Value]:  # fmt: skip
    """The next values of what a loop carries, and which examples go on: of those for which the
    mask holds the ones with the flag."""
    nexts = region.results[lead:]
    carried = region.params[len(region.params) - len(nexts) :]
    present = [scope.get(p) for p in carried]
    if region not in scope.plan.parts:
        run(inner, region, scope)
        new = scope.carried(inner, carried, nexts)
        found = [
            _choose(inner, mask, n, old, p) if p in scope.batched else n
            for n, old, p in zip(new, present, carried, strict=True)
        ]
        on = flag(inner, scope)
        return found, mask if on is None else inner.one("logical_and", mask, on)
    places, sub = _part(inner, scope, blocks, mask)
    for p in region.params:
        if p in scope.batched:
            sub.env[p] = _taken(inner, scope.get(p), places)
    run(inner, region, sub)
    found = [
        old if r is p else _put(inner, old, sub.get(r), places)
        for old, r, p in zip(present, nexts, carried, strict=True)
    ]
    on = flag(inner, sub)
    if on is None:
        return found, mask
    none = inner.one("zeros", scope.size, dtype=TRUTH)
    return found, _put(inner, none, on, places)


def _staying(op: Op, builder: Builder, scope: State) -> list[Value]:
    """Which examples do not leave the loop by a break."""
    if not op.attrs["breaks"]:
        return []
    left = full(builder, scope, op.regions[-1].results[0])
    return [builder.one("logical_not", left)]


def _all_of(builder: Builder, flags: Sequence[Value]) -> Value | None:
    total = flags[0] if flags else None
    for flag in flags[1:]:
        assert total is not None
        total = builder.one("logical_and", total, flag)
    return total


def apart_while(builder: Builder, op: Op, state: State, run: Run) -> Sequence[Value]:
    """A loop until every example is done; those that are stay as they are."""
    test, region = op.regions
    init = state.started(builder, region.params, op.inputs)

    def tested(b: Builder, scope: State, values: Sequence[Value]) -> Value:
        within = scope.child()
        within.env.update(zip(test.params, values, strict=True))
        run(b, test, within)
        return full(b, within, test.results[0])

    def flag(b: Builder, scope: State) -> Value | None:
        nexts = region.results[int(op.attrs["breaks"]) :]
        again = tested(b, scope, scope.carried(b, region.params, nexts))
        return _all_of(b, [again, *_staying(op, b, scope)])

    going = tested(builder, state, init)
    inner, scope = builder.sub(), state.child()
    params = scope.parameters(inner, region)
    active = inner.param(_mask_type(state), "going")
    nexts, still = _advance(
        inner, region, scope, active, run, flag, int(op.attrs["breaks"]), (region, test)
    )
    body = inner.block([*params, active], [*nexts, still])
    return builder.while_([*init, going], _any_going(builder, body), body)[:-1]


def _any_going(builder: Builder, body: Block) -> Block:
    """The condition: the last carried value holds for some example."""
    inner = builder.sub()
    params = [inner.param(p.type, p.name) for p in body.params]
    return inner.block(params, [inner.one("any", params[-1])])


def apart_for(builder: Builder, op: Op, state: State, run: Run) -> Sequence[Value]:
    """A loop that examples leave at different times."""
    if any(v in state.batched for v in op.inputs[:3]):
        return _apart_range(builder, op, state, run)
    [region] = op.regions
    start, stop, step = (state.get(v) for v in op.inputs[:3])
    init = state.started(builder, region.params[1:], op.inputs[3:])
    inner, scope = builder.sub(), state.child()
    params = scope.parameters(inner, region)
    active = inner.param(_mask_type(state), "going")

    def flag(b: Builder, within: State) -> Value | None:
        return _all_of(b, _staying(op, b, within))

    nexts, still = _advance(inner, region, scope, active, run, flag, 1, (region,))
    none = inner.one("logical_not", inner.one("any", still))
    body = inner.block([*params, active], [none, *nexts, still])
    everyone = builder.one("ones", state.size, dtype=TRUTH)
    found = builder.for_(start, stop, step, [*init, everyone], body, breaks=True)
    return found[:-1]


def _apart_range(builder: Builder, op: Op, state: State, run: Run) -> Sequence[Value]:
    """Ranges of different lengths: rounds are counted until the longest is through."""
    [region] = op.regions
    rounds, stride = _rounds(builder, op, state), int(op.inputs[2].constant)
    init = state.started(builder, region.params[1:], op.inputs[3:])
    inner, scope = builder.sub(), state.child()
    carried = [inner.param(scope.type_of(p), p.name) for p in region.params[1:]]
    scope.env.update(zip(region.params[1:], carried, strict=True))
    count = inner.param(INT, "count")
    active = inner.param(_mask_type(state), "going")
    start = full(inner, scope, op.inputs[0])
    place = Expr(inner, start) + Expr(inner, count) * stride
    scope.env[region.params[0]] = place.value

    def flag(b: Builder, within: State) -> Value | None:
        return _all_of(b, _staying(op, b, within))

    lead = int(op.attrs["breaks"])
    nexts, still = _advance(inner, region, scope, active, run, flag, lead, (region,))
    further = Expr(inner, count) + 1
    more = further < Expr(inner, rounds.value)
    still = inner.one("logical_and", still, more.value)
    body = inner.block([*carried, count, active], [*nexts, lift(inner, further), still])
    going = rounds > 0
    values = [*init, builder.const(0), lift(builder, going)]
    return builder.while_(values, _any_going(builder, body), body)[:-2]


def _rounds(builder: Builder, op: Op, state: State) -> Expr:
    """How many rounds each example goes (none if this is negative)."""
    start, stop, step = op.inputs[:3]
    span = Expr(builder, state.get(stop))
    if not (start.is_constant and start.constant == 0):
        span = span - Expr(builder, state.get(start))
    stride = int(step.constant)
    if stride == 1:
        return span
    return (span + (stride - (1 if stride > 0 else -1))) // stride
