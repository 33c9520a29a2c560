"""``checkpoint`` with a policy that keeps something inside of loops or branches.

A loop that is computed again as a whole keeps nothing of its rounds. So it stays outside: what is
before it, what is after it, and what each round does are checkpoints of their own, which keep what
the policy says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir.builder import Builder
from ...ir.rewrite import Env, copy_op, free_values, rewrite_ops
from ...ir.types import ListType, is_inexact
from ...ir.values import Block, Op, Value

Policy = Callable[[Any], bool]
CONTROL = ("for", "while", "if")


def checkpointed(b: Builder, block: Block, policy: Policy) -> list[Value]:
    """The results of ``block``, which has no parameters, as a checkpoint or as several."""
    env: Env = {}
    _emit(b, block.ops, block.results, env, policy)
    return [env.get(r, r) for r in block.results]


def _emit(
    b: Builder, ops: Sequence[Op], results: Sequence[Value], env: Env, policy: Policy
) -> None:
    part: list[Op] = []
    for position, op in enumerate(ops):
        apart = _keeps_inside(op, policy)
        if not apart and not _is_listed(op):
            part.append(op)
            continue
        _flush(b, part, ops[position:], results, env, policy)
        part = []
        made = _opened(b, op, env, policy) if apart else copy_op(b, op, env)
        env.update(zip(op.results, made, strict=True))
    _flush(b, part, (), results, env, policy)


def _keeps_inside(op: Op, policy: Policy) -> bool:
    """Whether there is something to keep in the regions of an op."""
    inner = (o for region in op.regions for o in region.walk())
    return op.name in CONTROL and any(_is_kept(o, policy) for o in inner)


def _is_kept(op: Op, policy: Policy) -> bool:
    return not op.regions and bool(op.results) and policy(op)


def _is_listed(op: Op) -> bool:
    return any(isinstance(v.type, ListType) for v in (*op.inputs, *op.results))


def _opened(b: Builder, op: Op, env: Env, policy: Policy) -> tuple[Value, ...]:
    """A loop or branch with checkpoints in its regions."""
    regions = []
    for region in op.regions:
        inner, scope = b.sub(), dict(env)
        params = [Value(p.type, p.name, None, p.dim) for p in region.params]
        for p, new in zip(region.params, params, strict=True):
            inner.bind(new)
            scope[p] = new
        _emit(inner, region.ops, region.results, scope, policy)
        regions.append(inner.block(params, [scope.get(r, r) for r in region.results]))
    inputs = tuple(env.get(v, v) for v in op.inputs)
    made = Op(op.kind, inputs, op.attrs, tuple(regions), op.span, op.role)
    made.results = tuple(Value(r.type, r.name, made, r.dim) for r in op.results)
    b.ops.append(made)
    for r in made.results:
        b.bind(r)
    return made.results


def _flush(
    b: Builder,
    part: Sequence[Op],
    later: Sequence[Op],
    results: Sequence[Value],
    env: Env,
    policy: Policy,
) -> None:
    """A checkpoint of these operations, which gives what is read later."""
    if not part:
        return
    own = dict.fromkeys(r for op in part for r in op.results)
    read = dict.fromkeys([*free_values(Block((), tuple(later), ())), *results])
    needed = [v for v in own if v in read]
    inner, scope = b.sub(), dict(env)
    rewrite_ops(inner, part, scope, lambda b, op, env: _marked(b, op, env, policy))
    b.span = part[0].span
    values = b.checkpoint_(inner.block((), [scope[v] for v in needed]))
    for old, new in zip(needed, values, strict=True):
        new.name, new.dim = old.name, old.dim
        env[old] = new


def _marked(b: Builder, op: Op, env: Env, policy: Policy) -> list[Value] | None:
    """What the policy keeps, marked as such."""
    if not _is_kept(op, policy):
        return None
    if op.name == "named":
        attrs = {**op.attrs, "kept": True}
        return [b.one("named", env.get(op.inputs[0], op.inputs[0]), **attrs)]
    copied = copy_op(b, op, env)
    return [
        b.one("named", r, kept=True, hint=r.name) if is_inexact(r.type) else r
        for r in copied
    ]
