"""Reverse mode through ``if``, ``for`` and ``while``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, free_values
from ..ir.types import ArrayType, ListType, Type
from ..ir.values import Block, Op, Value
from ..ops.masks import pass_mask
from .adjoints import Adjoints
from .checkpoint import augment_checkpoint
from .custom import augment_custom_jvp, augment_custom_vjp
from .leaving import closed, rounds
from .loops import Counter, backward_range, counter_for, counter_while
from .reverse import Pullback, Step, pull, sweep
from .revolve import augment_with_budget
from .rules import zeros
from .saving import Plan, instantiate, plan
from .stacks import Stacks, emit_loop, make_stacks
from .taps import augment_bend, augment_tap, augment_tap_gradient


# ------------------------------------------------------------------------------------ if
@dataclass(frozen=True, slots=True)
class _Branch:
    """One copied branch of an ``if``, with the way back through it."""

    region: Block
    builder: Builder
    env: Env
    steps: list[Step]


def _augment_if(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    branches = []
    for region in op.regions:
        inner, scope = builder.sub(), dict(env)
        branches.append(
            _Branch(region, inner, scope, sweep(inner, region.ops, scope, active, role))
        )
    moving = [k for k, r in enumerate(op.results) if r in active]
    outer = _active_outside(op, active)
    plans = []
    for branch in branches:
        ways = [moving]
        if any(_is_own_list(v) for inner in branch.region.ops for v in inner.results):
            ways += [
                [k] for k in moving
            ]  # where no adjoint comes in, a list is read for zeros
        templates = [
            _if_template(builder, branch, way, outer, [], active, role, {})[0]
            for way in ways
        ]
        plans.append(plan(templates, branch.builder, (), None))
    condition = env.get(op.inputs[0], op.inputs[0])
    saved = _emit_if(builder, op, env, condition, branches, plans)

    def pullback(adjoints: Adjoints) -> None:
        _pull_if(adjoints, op, condition, branches, plans, saved, moving, outer, role)

    return pullback


def _is_own_list(value: Value) -> bool:
    return isinstance(value.type, ListType) and value.type.own


def _active_outside(op: Op, active: set[Value]) -> list[Value]:
    """Active values that the regions read from outside, the loop's own inputs aside."""
    found: dict[Value, None] = {}
    for region in op.regions:
        found.update(dict.fromkeys(v for v in free_values(region) if v in active))
    return list(found)


def _if_template(
    builder: Builder,
    branch: _Branch,
    moving: Sequence[int],
    outer: Sequence[Value],
    present: Sequence[Value],
    active: set[Value],
    role: str,
    given: Mapping[int, Value | None],
) -> tuple[Block, list[Value]]:
    """Backward code of one branch: from the adjoints of the results and of the outer values
    present already, to those of the outer values; and which outer values it adds to. The
    results' adjoints are ``given`` as far as they are known."""
    inner = builder.sub()
    inner.role = role
    inner.dims.learn(branch.builder.dims)
    inner.bindings = (
        branch.builder.bindings | inner.bindings
    )  # lengths of what the branch made
    adjoints = Adjoints(inner, branch.env, active)
    params = []
    for a in present:
        params.append(inner.param(a.type, _gradient_name(a)))
        adjoints.found[a] = params[-1]
    for k in moving:
        result = branch.region.results[k]
        params.append(inner.param(branch.env.get(result, result).type))
        g = given.get(k)
        if g is not None:
            pass_mask(_expr(inner, params[-1]), _expr(builder, g))
            builder.doubts.follow(params[-1], builder, g)
        adjoints.add(result, _expr(inner, params[-1]))
    pull(adjoints, branch.steps, role)
    touched = [a for a in outer if a in adjoints.found]
    return inner.block(params, [adjoints.found[a] for a in touched]), touched


def _expr(builder: Builder, value: Value) -> Expr:
    return Expr(builder, value)


def _gradient_name(value: Value) -> str:
    return f"g_{value.name}" if value.name else ""


def _emit_if(
    builder: Builder,
    op: Op,
    env: Env,
    condition: Value,
    branches: Sequence[_Branch],
    plans: Sequence[Plan],
) -> list[Env]:
    """The forward ``if`` with kept values as further results; they by branch."""
    kept = [p.kept for p in plans]
    blocks = []
    for position, branch in enumerate(branches):
        results = [branch.env.get(r, r) for r in branch.region.results]
        for owner, values in enumerate(kept):
            results += (
                values
                if owner == position
                else [branch.builder.undef(v.type) for v in values]
            )
        blocks.append(branch.builder.block((), results))
    values = builder.if_(condition, *blocks, like=[v.type for v in op.results])
    for old, new in zip(op.results, values, strict=False):
        new.name, new.dim = old.name, old.dim
        env[old] = new
    rest = list(values[len(op.results) :])
    saved: list[Env] = []
    for group in kept:
        saved.append(dict(zip(group, rest, strict=False)))
        for inside, result in saved[-1].items():
            result.name = inside.name
        rest = rest[len(group) :]
    return saved


def _pull_if(
    adjoints: Adjoints,
    op: Op,
    condition: Value,
    branches: Sequence[_Branch],
    plans: Sequence[Plan],
    saved: Sequence[Env],
    moving: Sequence[int],
    outer: Sequence[Value],
    role: str,
) -> None:
    builder = adjoints.builder
    given = {k: adjoints.take(op.results[k]) for k in moving}
    live = [k for k in moving if given[k] is not None]
    if not live:
        return
    present = [a for a in outer if a in adjoints.found]
    templates = [
        _if_template(builder, b, live, outer, present, adjoints.active, role, given)
        for b in branches
    ]
    touched = [a for a in outer if any(a in t for _, t in templates)]
    args = [adjoints.found[a] for a in present]
    args += [g for g in (given[k] for k in live) if g is not None]
    blocks = []
    for (template, own), p, values in zip(templates, plans, saved, strict=True):
        inner = builder.sub()
        results = dict(
            zip(own, instantiate(inner, template, args, values, p.recomputed), strict=True)
        )
        inner.role = role
        listed = [results.get(a) or zeros(inner, adjoints.env.get(a, a)) for a in touched]
        blocks.append(inner.block((), listed))
    builder.role = role
    like = [adjoints.env.get(a, a).type for a in touched]
    for a, g in zip(touched, builder.if_(condition, *blocks, like=like), strict=True):
        g.name = _gradient_name(a)
        builder.doubts.settle(g, a)
        adjoints.found[a] = g


# --------------------------------------------------------------------------------- loops
@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop that has been copied, and what its backward needs to know."""

    op: Op
    index: Value | None
    counter: Counter
    template: Block
    plan: Plan
    stacks: Stacks
    moving: tuple[int, ...]
    outer: tuple[Value, ...]
    role: str

    @property
    def inits(self) -> tuple[Value, ...]:
        return self.op.inputs[3:] if self.op.name == "for" else self.op.inputs


def _augment_loop(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    if op.attrs["budget"]:
        return augment_with_budget(builder, op, env, active, role)
    region = op.regions[-1]
    has_index = op.name == "for"
    inner, scope = builder.sub(), dict(env)
    params = []
    for p in region.params:
        new = Value(p.type, p.name, None, p.dim)
        inner.bind(new)
        params.append(new)
        scope[p] = new
    found = rounds(op, active)
    builders = [inner]
    steps = sweep(inner, found.pieces[0], scope, active, role)
    for piece in found.pieces[1:]:
        builders.append(builders[-1].sub())
        steps += sweep(builders[-1], piece, scope, active, role)
    carried = region.params[1:] if has_index else region.params
    moving = tuple(
        k for k, (p, r) in enumerate(zip(carried, op.results, strict=True))
        if p in active or r in active
    )  # fmt: skip
    outer = tuple(v for v in free_values(region) if v in active)
    last = builders[-1]
    nexts = found.results[1:] if op.attrs["breaks"] else found.results
    template = _loop_template(last, op, nexts, scope, steps, moving, outer, active, role)
    index = params[0] if has_index else None
    needs = plan([template], _together(builders), params, index, loop=True)
    inputs = tuple(env.get(v, v) for v in op.inputs)
    if has_index:
        counter = counter_for(builder, last, op, inputs, params)
    else:
        counter = counter_while(builder, last, op, whole=found.whole)
    stacks = make_stacks(builder, last, needs.kept, counter, template)
    before, after = [*counter.params, *stacks.params], [*counter.nexts, *stacks.nexts]
    results = closed(found, builders, scope, before, after)
    body = inner.block([*params, *before], results)
    emit_loop(builder, op, env, body, inputs, counter, stacks)
    loop = _Loop(op, index, counter, template, needs, stacks, moving, outer, role)
    return lambda adjoints: _pull_loop(adjoints, loop)


def _together(builders: Sequence[Builder]) -> Builder:
    """What has been built one in the other, as one builder."""
    if len(builders) == 1:
        return builders[0]
    flat = builders[-1].sub()
    flat.ops = [op for builder in builders for op in builder.ops]
    return flat


def _loop_template(
    forward: Builder,
    op: Op,
    nexts: Sequence[Value],
    scope: Env,
    steps: Sequence[Step],
    moving: Sequence[int],
    outer: Sequence[Value],
    active: set[Value],
    role: str,
) -> Block:
    """One round backwards: adjoints of the next values and of outer values so far -> those of
    the carried values and of outer values."""
    region = op.regions[-1]
    carried = region.params[1:] if op.name == "for" else region.params
    inner = forward.sub()
    inner.role = role
    adjoints = Adjoints(inner, scope, active)
    params = []
    for k in moving:
        t = _adjoint_type(inner, carried[k].type, scope.get(nexts[k], nexts[k]).type)
        params.append(inner.param(t, _gradient_name(carried[k])))
        inner.doubts.settle(params[-1], carried[k])
    for a in outer:
        params.append(inner.param(a.type, _gradient_name(a)))
        adjoints.found[a] = params[-1]
    for k, g in zip(moving, params, strict=False):
        adjoints.add(nexts[k], _expr(inner, g))
    pull(adjoints, steps, role)
    inner.role = role
    results = [adjoints.get(carried[k]) for k in moving]
    results += [adjoints.get(a) for a in outer]
    return inner.block(params, results)


def _adjoint_type(inner: Builder, before: Type, after: Type) -> Type:
    """The type of an adjoint of the next round's value: a length that a round changes is not
    that of this round's."""
    if not isinstance(before, ArrayType) or not isinstance(after, ArrayType):
        return before
    equal, fresh = inner.dims.equal, inner.dims.fresh
    pairs = zip(before.shape, after.shape, strict=True)
    return ArrayType(before.dtype, tuple(p if equal(p, q) else fresh() for p, q in pairs))


def _pull_loop(adjoints: Adjoints, loop: _Loop) -> None:
    builder, op = adjoints.builder, loop.op
    given = {k: adjoints.take(op.results[k]) for k in loop.moving}
    if all(g is None for g in given.values()):
        return
    init = []
    for k in loop.moving:
        g = given[k]
        like = adjoints.env.get(op.results[k], op.results[k])
        init.append(g if g is not None else zeros(builder, like))
    init += [adjoints.get(a) for a in loop.outer]
    lists = loop.stacks.lists()
    body = _backward_body(builder, loop, lists)
    start, stop, step = backward_range(builder, loop.counter)
    values = builder.for_(start, stop, step, [*init, *lists], body)
    count = len(loop.moving)
    for a, g in zip(loop.outer, values[count:], strict=False):
        g.name = _gradient_name(a)
        builder.doubts.settle(g, a)
        adjoints.found[a] = g
    for k, g in zip(loop.moving, values, strict=False):
        g.name = _gradient_name(loop.inits[k])
        builder.doubts.settle(g, loop.inits[k])
        adjoints.add(loop.inits[k], _expr(builder, g))


def _backward_body(builder: Builder, loop: _Loop, lists: Sequence[Value]) -> Block:
    inner = builder.sub()
    inner.role = loop.role
    index, env = loop.counter.backward_index(inner, loop.index)
    args = [inner.param(p.type, p.name) for p in loop.template.params]
    popped = [inner.param(xs.type, xs.name) for xs in lists]
    env.update(loop.stacks.restore(inner, index, popped))
    results = instantiate(inner, loop.template, args, env, loop.plan.recomputed)
    rest = loop.stacks.rest(inner, popped)
    return inner.block([index, *args, *popped], [*results, *rest])


AUGMENT = {
    "if": _augment_if,
    "for": _augment_loop,
    "while": _augment_loop,
    "custom_vjp": augment_custom_vjp,
    "custom_jvp": augment_custom_jvp,
    "checkpoint": augment_checkpoint,
    "tap": augment_tap,
    "tap_gradient": augment_tap_gradient,
    "bend": augment_bend,
}
