"""Blocks whose inside is computed again instead of being kept for the backward.

Reverse mode makes two ``checkpoint`` ops of one: the first gives the results and what the
policy keeps, the other repeats the code when the cotangents are there and goes back through it.
Both stay blocks until all derivatives are taken, so that derivatives of them are checkpointed
too. When they are opened, what the repeated code reads goes through ``again``, so that nothing
of it is taken for what was computed before; ``unfence`` takes that out when the passes are done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, Visit, free_values, rewrite, rewrite_ops
from ..ir.structure import AGAIN, FORGET
from ..ir.types import ListType, is_inexact
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .adjoints import Adjoints
from .reverse import Pullback, Step, pull, sweep


def _kept(region: Block) -> list[Value]:
    """What is not computed again: what the policy keeps, what is random, and what comes from
    code that the compiler does not see."""
    found: dict[Value, None] = {}
    for op in region.ops:
        if op.kind.has("random") or op.kind.has("returns"):
            found.update(dict.fromkeys(op.results))
        elif op.name == "named" and op.attrs["kept"]:
            made = op.inputs[0].op
            single = made is not None and made in region.ops and len(made.results) == 1
            found[op.inputs[0] if single else op.result] = None
    return list(found)


def augment_checkpoint(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    """Copy the block; back by repeating it."""
    [region] = op.regions
    inner, scope = builder.sub(), dict(env)
    rewrite_ops(inner, region.ops, scope, lambda b, o, e: None)
    kept = _kept(region)
    block = inner.block((), [scope.get(r, r) for r in (*region.results, *kept)])
    values = builder.checkpoint_(block, stage="first")
    for old, new in zip(op.results, values, strict=False):
        new.name, new.dim = old.name, old.dim
        env[old] = new
    saved = dict(zip(kept, values[len(op.results) :], strict=True))
    for old, new in saved.items():
        new.name, new.dim = old.name, old.dim
    return lambda adjoints: _pull(adjoints, op, saved, role)


def _pull(adjoints: Adjoints, op: Op, saved: Env, role: str) -> None:
    [region] = op.regions
    given = {k: adjoints.take(r) for k, r in enumerate(op.results)}
    live = {k: g for k, g in given.items() if g is not None}
    if not live:
        return
    builder = adjoints.builder
    inner, scope = builder.sub(), {**adjoints.env, **saved}
    steps = resweep(inner, region.ops, scope, adjoints.active, role, saved)
    inner.role = role
    through = Adjoints(inner, scope, adjoints.active)
    outer = [v for v in free_values(region) if v in adjoints.active]
    # The sums go on in the order that they have without a checkpoint.
    before = {v: adjoints.found[v] for v in outer if v in adjoints.found}
    through.found.update(before)
    for k, g in live.items():
        through.add(region.results[k], Expr(inner, g))
    pull(through, steps, role)
    touched = [v for v in outer if through.found.get(v) is not before.get(v)]
    builder.role = role
    block = inner.block((), [through.found[v] for v in touched])
    found = builder.checkpoint_(block, [*live.values(), *before.values()], "again")
    for value, g in zip(touched, found, strict=True):
        g.name = f"g_{value.name}" if value.name else ""
        adjoints.found[value] = g


def resweep(
    builder: Builder,
    ops: Iterable[Op],
    scope: Env,
    active: set[Value],
    role: str,
    saved: Mapping[Value, Value] | None = None,
) -> list[Step]:
    """``sweep`` for a second time: ``saved`` values are in ``scope``, and effects have been
    had."""
    steps: list[Step] = []
    for op in ops:
        if saved and op.results and all(r in saved for r in op.results):
            if any(r in active for r in op.results):
                steps.append(Step(op))
        elif not op.kind.has("effect"):
            steps += sweep(builder, [_quiet(op)], scope, active, role)
    return steps


def _quiet(op: Op) -> Op:
    """The op without the effects in its regions."""
    if not any(o.kind.has("effect") for region in op.regions for o in region.walk()):
        return op
    read = {v for region in op.regions for o in region.walk() for v in o.inputs}
    read.update(v for o in _with_regions(op) for r in o.regions for v in r.results)
    return _without_effects(op, read)


def _with_regions(op: Op) -> list[Op]:
    return [op, *(o for region in op.regions for o in region.walk())]


def _without_effects(op: Op, read: set[Value]) -> Op:
    regions = []
    for region in op.regions:
        ops = [
            _without_effects(o, read)
            for o in region.ops
            if not o.kind.has("effect") or any(r in read for r in o.results)
        ]
        regions.append(Block(region.params, tuple(ops), region.results))
    made = Op(op.kind, op.inputs, op.attrs, tuple(regions), op.span, op.role)
    made.results = op.results
    return made


# ------------------------------------------------------------------------------- at the end
def opened(builder: Builder, op: Op, env: Env, visit: Visit) -> list[Value]:
    """A ``checkpoint`` op's code in the place of the op."""
    [region] = op.regions
    stage, scope = op.attrs["stage"], dict(env)
    if stage == "again":
        after = [env.get(v, v) for v in op.inputs]
        for value in free_values(region):
            new = env.get(value, value)
            if _fenced(value) and value not in op.inputs:
                scope[value] = builder.one(AGAIN, new, *after, hint=new.name)
    rewrite_ops(builder, region.ops, scope, visit)
    if stage != "plain":
        builder.append(FORGET, (), {})
    return [scope.get(r, r) for r in region.results]


def _fenced(value: Value) -> bool:
    return (
        is_inexact(value.type)
        and not isinstance(value.type, ListType)
        and not value.is_constant
    )


def unfence(function: Function) -> Function:
    """The function without ``again``."""
    if not any(op.kind is AGAIN for op in function.block.walk()):
        return function

    def visit(builder: Builder, op: Op, env: Env) -> list[Value] | None:
        return [env.get(op.inputs[0], op.inputs[0])] if op.kind is AGAIN else None

    made = rewrite(function, TABLE, visit)
    return replace(function, block=made.block)


__all__ = ["augment_checkpoint", "opened", "resweep", "unfence"]
