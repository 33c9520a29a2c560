"""Forward mode: a block with the tangents of its values computed beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, copy_op
from ..ir.types import is_inexact
from ..ir.values import Block, Op, Value
from .activity import active_values
from .custom import copy_custom, push_custom
from .rules import call_rule, conform, zeros
from .taps import copy_tap, passed


@dataclass(slots=True)
class _State:
    """Old values to new ones, old values to tangents, and which values have tangents that
    matter."""

    env: Env
    active: set[Value]
    tangents: dict[Value, Value] = field(default_factory=dict)

    def child(self) -> _State:
        return _State(dict(self.env), self.active, dict(self.tangents))


def forward(
    builder: Builder, block: Block, args: Sequence[Value], tangents: dict[int, Value]
) -> tuple[list[Value], list[Value]]:
    """The block's results for ``args``, and the tangents of those of inexact type.

    Args:
        tangents: by position among the block's parameters; the others have zero tangents.
    """
    seeds = {block.params[i]: t for i, t in tangents.items()}
    due = [r for r in block.results if is_inexact(r.type)]
    active = active_values(block, seeds, due)
    state = _State(dict(zip(block.params, args, strict=True)), active, seeds)
    _block(builder, block, state)
    results = [state.env.get(r, r) for r in block.results]
    return results, [_tangent(builder, r, state) for r in due]


def _block(builder: Builder, block: Block, state: _State) -> None:
    for op in block.ops:
        builder.span = op.span
        if any(r in state.active for r in op.results):
            _op(builder, op, state)
        else:
            builder.role = op.role
            state.env.update(zip(op.results, copy_op(builder, op, state.env), strict=True))


def _op(builder: Builder, op: Op, state: _State) -> None:
    role = op.role
    if op.name in _CONTROL:
        builder.role = role
        _CONTROL[op.name](builder, op, state)
        return
    builder.role = role
    state.env.update(zip(op.results, copy_op(builder, op, state.env), strict=True))
    builder.role = role or "tangent"
    if op.name in _LISTS:
        _LISTS[op.name](builder, op, state)
    else:
        _plain(builder, op, state)


def _tangent(builder: Builder, value: Value, state: _State) -> Value:
    """A tangent, zeros where there is none."""
    found = state.tangents.get(value)
    return found if found is not None else zeros(builder, state.env.get(value, value))


# ----------------------------------------------------------------------------- plain ops
def _plain(builder: Builder, op: Op, state: _State) -> None:
    inputs = tuple(state.env.get(v, v) for v in op.inputs)
    results = tuple(state.env[r] for r in op.results)
    given = [state.tangents.get(v) for v in op.inputs]
    tangent = _apply_jvp(builder, op, inputs, results, given)
    if tangent is None:
        return
    listed = tangent if isinstance(tangent, tuple) else (tangent,)
    for old, new, t in zip(op.results, results, listed, strict=True):
        if t is not None:
            value = conform(builder, t, new)
            if not value.name and old.name and value.op is not None:
                value.name = f"t_{old.name}"
            state.tangents[old] = value


def _apply_jvp(
    builder: Builder,
    op: Op,
    inputs: tuple[Value, ...],
    results: tuple[Value, ...],
    given: list[Value | None],
) -> Any:
    kind = op.kind
    exprs = [None if t is None else Expr(builder, t) for t in given]
    if callable(kind.jvp):
        named = kind.named_inputs(tuple(exprs))
        extra = {f"t_{name}": t for name, t in named.items()}
        return call_rule(builder, kind.jvp, op, inputs, results, extra)
    if kind.jvp is None and kind.has("linear"):
        return _linear(builder, op, inputs, given)
    total: Any = None
    for position, t in enumerate(exprs):
        rule = (kind.jvp or {}).get(kind.input_name(position))
        if t is None or rule is None:
            continue
        extra = {"t": t, "position": position}
        part = call_rule(builder, rule, op, inputs, results, extra)
        if isinstance(part, tuple):
            total = part if total is None else tuple(map(_plus, total, part))
        elif part is not None:
            total = _plus(total, part)
    return total


def _plus(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return a + b


def _linear(
    builder: Builder, op: Op, inputs: tuple[Value, ...], given: list[Value | None]
) -> Any:
    """The op on tangents in place of the inputs that it is linear in."""
    moved = []
    for position, (value, t) in enumerate(zip(inputs, given, strict=True)):
        if op.kind.input_name(position) not in op.kind.vjp:
            moved.append(value)
        else:
            moved.append(t if t is not None else zeros(builder, value))
    result = builder.op(op.kind, *moved, **op.attrs)
    if isinstance(result, tuple):
        return tuple(Expr(builder, r) for r in result)
    return Expr(builder, result)


# --------------------------------------------------------------------------------- lists
def _list_new(builder: Builder, op: Op, state: _State) -> None:
    state.tangents[op.result] = builder.op("list_new", type=op.result.type)


def _list_push(builder: Builder, op: Op, state: _State) -> None:
    xs = _tangent(builder, op.inputs[0], state)
    x = _tangent(builder, op.inputs[1], state)
    at = (state.env.get(v, v) for v in op.inputs[2:])
    state.tangents[op.result] = builder.op("list_push", xs, x, *at)


def _list_pop(builder: Builder, op: Op, state: _State) -> None:
    xs = _tangent(builder, op.inputs[0], state)
    at = (state.env.get(v, v) for v in op.inputs[1:])
    rest, last = builder.op("list_pop", xs, *at, type=op.results[1].type)
    state.tangents[op.results[0]] = rest
    state.tangents[op.results[1]] = last


_LISTS = {"list_new": _list_new, "list_push": _list_push, "list_pop": _list_pop}


# -------------------------------------------------------------------------- control flow
def _if(builder: Builder, op: Op, state: _State) -> None:
    moving = [k for k, r in enumerate(op.results) if r in state.active]
    blocks = []
    for region in op.regions:
        inner, scope = builder.sub(), state.child()
        _block(inner, region, scope)
        results = [scope.env.get(r, r) for r in region.results]
        inner.role = inner.role or "tangent"
        results += [_tangent(inner, region.results[k], scope) for k in moving]
        blocks.append(inner.block((), results))
    condition = state.env.get(op.inputs[0], op.inputs[0])
    like = [v.type for v in (*op.results, *(op.results[k] for k in moving))]
    _record(op, builder.if_(condition, *blocks, like=like), moving, state)


def _record(op: Op, values: tuple[Value, ...], moving: list[int], state: _State) -> None:
    count = len(op.results)
    for old, new in zip(op.results, values[:count], strict=True):
        new.name = old.name
        new.dim = old.dim
        state.env[old] = new
    for k, t in zip(moving, values[count:], strict=True):
        old = op.results[k]
        t.name = f"t_{old.name}" if old.name else ""
        state.tangents[old] = t


def _body(
    builder: Builder, region: Block, skip: int, moving: list[int], state: _State, lead: int
) -> Block:
    """A loop region with tangents of the carried values as further parameters and results.

    ``skip`` parameters come before the carried ones, ``lead`` results before the next values.
    """
    inner, scope = builder.sub(), state.child()
    params = []
    for p in region.params:
        new = Value(p.type, p.name, None, p.dim)
        inner.bind(new)
        params.append(new)
        scope.env[p] = new
    for k in moving:
        p = region.params[skip + k]
        t = inner.param(p.type, f"t_{p.name}" if p.name else "")
        params.append(t)
        scope.tangents[p] = t
    _block(inner, region, scope)
    results = [scope.env.get(r, r) for r in region.results]
    if lead >= 0:
        inner.role = inner.role or "tangent"
        results += [_tangent(inner, region.results[lead + k], scope) for k in moving]
    return inner.block(params, results)


def _carried(params: Sequence[Value], op: Op, state: _State) -> list[int]:
    """Which of what a loop carries has a tangent that a round reads, or what follows the loop."""
    pairs = enumerate(zip(params, op.results, strict=True))
    return [k for k, both in pairs if not state.active.isdisjoint(both)]


def _for(builder: Builder, op: Op, state: _State) -> None:
    [region] = op.regions
    breaks = bool(op.attrs["breaks"])
    moving = _carried(region.params[1:], op, state)
    init = [state.env.get(v, v) for v in op.inputs]
    init += [_tangent(builder, op.inputs[3 + k], state) for k in moving]
    body = _body(builder, region, 1, moving, state, int(breaks))
    start, stop, step, *rest = init
    how = {"breaks": breaks, "budget": op.attrs["budget"]}
    _record(op, builder.for_(start, stop, step, rest, body, **how), moving, state)


def _while(builder: Builder, op: Op, state: _State) -> None:
    test, region = op.regions
    breaks = bool(op.attrs["breaks"])
    moving = _carried(region.params, op, state)
    init = [state.env.get(v, v) for v in op.inputs]
    init += [_tangent(builder, op.inputs[k], state) for k in moving]
    condition = _condition(builder, test, moving, state)
    body = _body(builder, region, 0, moving, state, int(breaks))
    how = {"breaks": breaks, "budget": op.attrs["budget"]}
    _record(op, builder.while_(init, condition, body, **how), moving, state)


def _condition(builder: Builder, test: Block, moving: list[int], state: _State) -> Block:
    idle = _State(state.env, set(), {})
    block = _body(builder, test, 0, [], idle, -1)
    extra = tuple(Value(test.params[k].type) for k in moving)
    return Block((*block.params, *extra), block.ops, block.results)


def _custom(builder: Builder, op: Op, state: _State) -> None:
    """By the user's rule; what a ``custom_vjp`` saves moves as its forward code says."""
    given = {
        i: t for i, v in enumerate(op.inputs) if (t := state.tangents.get(v)) is not None
    }
    copied = copy_custom(builder, op, state.env)
    state.env.update(zip(op.results, copied, strict=True))
    moved = push_custom(builder, op, state.env, given)
    region, outs = op.regions[0], op.attrs["outs"]
    saved = [k for k, r in enumerate(op.results) if k >= outs and r in state.active]
    if saved:
        scope = state.child()
        scope.tangents.update({region.params[i]: t for i, t in given.items()})
        wanted = [region.results[k] for k in saved]
        scope.active |= active_values(region, scope.tangents, wanted)
        args = (state.env.get(v, v) for v in op.inputs)
        scope.env.update(zip(region.params, args, strict=True))
        _block(builder, region, scope)
        for k in saved:
            moved[op.results[k]] = _tangent(builder, region.results[k], scope)
    for r, t in moved.items():
        t.name = t.name or (f"t_{r.name}" if r.name else "")
        state.tangents[r] = t


def _tap(builder: Builder, op: Op, state: _State) -> None:
    copy_tap(builder, op, state.env)
    for value, result in zip(passed(op), op.results, strict=True):
        if value in state.tangents:
            state.tangents[result] = state.tangents[value]


def _checkpoint(builder: Builder, op: Op, state: _State) -> None:
    moving = [k for k, r in enumerate(op.results) if r in state.active]
    [region] = op.regions
    inner, scope = builder.sub(), state.child()
    _block(inner, region, scope)
    results = [scope.env.get(r, r) for r in region.results]
    results += [_tangent(inner, region.results[k], scope) for k in moving]
    after = [state.env.get(v, v) for v in op.inputs]
    values = builder.checkpoint_(inner.block((), results), after, op.attrs["stage"])
    _record(op, values, moving, state)


_CONTROL = {
    "if": _if,
    "for": _for,
    "while": _while,
    "custom_vjp": _custom,
    "custom_jvp": _custom,
    "checkpoint": _checkpoint,
    "tap": _tap,
    "tap_gradient": _tap,
    "bend": _tap,
}
