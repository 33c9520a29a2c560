"""Reverse mode: primal and backward in one body.

``sweep`` copies the primal; control flow is copied by ``reverse_control`` in a form that keeps
what its backward will read. ``pull`` then runs through the steps in reverse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, copy_op
from ..ir.types import ArrayType
from ..ir.values import Block, Op, Value
from .activity import active_values, flows
from .adjoints import Adjoints
from .doubts import begin
from .guards import guarded
from .operands import guarded_operands
from .rules import call_rule, conform, constant_of, wants, zeros

Pullback = Callable[[Adjoints], None]
"""Adds to the adjoints of a control-flow op's inputs and of the outer values it reads."""


@dataclass(frozen=True, slots=True)
class Step:
    """One primal op, and for control flow how to go backwards through it."""

    op: Op
    pullback: Pullback | None = None


def reverse(
    builder: Builder,
    block: Block,
    args: Sequence[Value],
    wrt: Sequence[int],
    role: str = "backward",
) -> tuple[list[Value], list[Value]]:
    """The block's results for ``args``, and the gradient of the first one.

    Args:
        wrt: positions of the parameters wanted.
        role: heading of the backward code.
    """
    wanted = [block.params[i] for i in wrt]
    active = active_values(block, wanted, block.results[:1])
    env: Env = dict(zip(block.params, args, strict=True))
    begin(builder, block, active)
    steps = sweep(builder, block.ops, env, active, role)
    results = [env.get(r, r) for r in block.results]
    builder.role = role
    adjoints = Adjoints(builder, env, active)
    value = block.results[0]
    adjoints.add(value, builder.const(constant_of(value.type, 1)))
    pull(adjoints, steps, role)
    builder.role = role
    return results, [adjoints.get(p) for p in wanted]


def sweep(
    builder: Builder, ops: Iterable[Op], env: Env, active: set[Value], role: str
) -> list[Step]:
    """Copy the primal, extending ``env``; what is needed to go back through it."""
    from .reverse_control import AUGMENT

    steps = []
    for op in ops:
        builder.span, builder.role = op.span, op.role
        live = any(r in active for r in op.results)
        if live and op.name in AUGMENT:
            steps.append(Step(op, AUGMENT[op.name](builder, op, env, active, role)))
            continue
        env.update(zip(op.results, copy_op(builder, op, env), strict=True))
        learn_lengths(builder, op, env)
        if live:
            steps.append(Step(op))
    return steps


def learn_lengths(builder: Builder, op: Op, env: Env) -> None:
    """Note which lengths are equal since NumPy accepts the op."""
    if op.regions or len(op.inputs) < 2:
        return
    inputs = tuple(env.get(v, v) for v in op.inputs)
    shapes = [v.type.shape for v in inputs if isinstance(v.type, ArrayType)]
    if len({s for s in shapes if s}) > 1:
        op.kind.infer(builder.dims, inputs, **op.attrs)


def pull(adjoints: Adjoints, steps: Sequence[Step], role: str) -> None:
    """Backwards through the steps."""
    builder = adjoints.builder
    for step in reversed(steps):
        builder.span, builder.role = step.op.span, role
        if step.pullback is not None:
            step.pullback(adjoints)
        elif step.op.name in _LISTS:
            _LISTS[step.op.name](adjoints, step.op)
        else:
            _pull_op(adjoints, step.op)


def _pull_op(adjoints: Adjoints, op: Op) -> None:
    cotangents = [adjoints.take(r) for r in op.results]
    if all(g is None for g in cotangents):
        return
    builder, env = adjoints.builder, adjoints.env
    exprs = tuple(None if g is None else Expr(builder, g) for g in cotangents)
    inputs = tuple(env.get(v, v) for v in op.inputs)
    results = tuple(env.get(r, r) for r in op.results)
    extra = {"g": exprs[0] if len(exprs) == 1 else exprs}
    sources = tuple(g for g in cotangents if g is not None)
    for position, old in enumerate(op.inputs):
        if old not in adjoints.active or not flows(op, position):
            continue
        rule = op.kind.vjp.get(op.kind.input_name(position))
        if rule is None:
            continue
        more = extra | {"position": position}
        start = len(builder.ops)
        read = guarded_operands(builder, op, position, sources, inputs)
        if wants(rule, "acc"):
            have = adjoints.found.get(old)
            more["acc"] = Expr(builder, adjoints.get(old))
            total = call_rule(builder, rule, op, read, results, more)
            if total is not None:
                value = conform(builder, total, env.get(old, old))
                builder.doubts.note(value, (*sources, *(have,) * (have is not None)))
                builder.doubts.scaled(value, op, read, builder.ops[start:])
                adjoints.put(old, value)
        else:
            given = written_out(builder, call_rule(builder, rule, op, read, results, more))
            given = guarded(builder, op, sources, given)
            if isinstance(given, Expr):
                builder.doubts.scaled(given.value, op, read, builder.ops[start:])
                adjoints.add(old, given, (*sources, given.value))


def written_out(builder: Builder, given: Any) -> Any:
    """What a rule returned; if that is a gradient still to be expanded, the plain ops that
    compute it, so that the rules that follow see which masks it is under."""
    op = given.value.op if isinstance(given, Expr) else None
    if op is None or op.name != "reverse" or op is not builder.ops[-1]:
        return given
    builder.ops.pop()
    place = op.results.index(given.value)
    role = str(op.attrs["label"]) or "backward"
    results, gradients = reverse(builder, op.regions[0], op.inputs, op.attrs["wrt"], role)
    return Expr(builder, [*results, *gradients][place])


# --------------------------------------------------------------------------------- lists
def _pull_push(adjoints: Adjoints, op: Op) -> None:
    xs, x, *path = op.inputs
    have = adjoints.take(op.result)
    if have is None:
        return
    like, *at = (adjoints.env.get(v, v) for v in (x, *path))
    rest, last = adjoints.builder.op("list_pop", have, *at, type=like.type)
    adjoints.add(xs, rest)
    adjoints.add(x, last)
    adjoints.builder.doubts.settle(last, x)


def _pull_pop(adjoints: Adjoints, op: Op) -> None:
    xs, *path = op.inputs
    builder = adjoints.builder
    rest = adjoints.take(op.results[0])
    last = adjoints.take(op.results[1])
    if rest is None and last is None:
        return
    if rest is None:
        rest = zeros(builder, adjoints.env.get(op.results[0], op.results[0]))
    if last is None:
        last = zeros(builder, adjoints.env.get(op.results[1], op.results[1]))
    at = (adjoints.env.get(v, v) for v in path)
    adjoints.add(xs, builder.op("list_push", rest, last, *at))


def _pull_new(adjoints: Adjoints, op: Op) -> None:
    adjoints.take(op.result)


_LISTS = {"list_push": _pull_push, "list_pop": _pull_pop, "list_new": _pull_new}
