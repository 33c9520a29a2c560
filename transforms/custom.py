"""Rules of the user's, in both modes.

The outputs stay those of the ``custom_vjp`` or ``custom_jvp`` op, so that the rule holds at
every order; what the rule computes is ordinary IR, differentiated again like any other. The
mode that a rule is not written for is had by transposing it, which needs it to be linear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..errors import CustomRuleError, DoubleBackwardError
from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, copy_op, free_values
from ..ir.types import is_inexact
from ..ir.values import Block, Op, Value
from ..ops.opaque import refusal
from .activity import active_values, edges, grow_until_stable
from .adjoints import Adjoints
from .doubts import begin
from .guards import scaled
from .operands import guarded_factors
from .rules import zeros

Pullback = Callable[[Adjoints], None]


def _refuse_unruled(op: Op) -> None:
    if len(op.regions) == 1:
        raise DoubleBackwardError(
            f"the rule of `{op.attrs['rule']}` calls `{op.attrs['rule']}` itself, and a "
            "derivative of too high an order is asked for; nest `grad` in place of "
            "`autograd.grad`, or write the rule without that call",
            op.span,
        )


def plain_block(op: Op) -> Block | None:
    """What gives an op's outputs where no derivative is taken, if there is such a block."""
    if op.name != "custom_vjp" or op.attrs["used"]:
        return None
    return op.regions[2] if len(op.regions) == 3 + op.attrs["jvp"] else None


def copy_custom(builder: Builder, op: Op, env: Env) -> tuple[Value, ...]:
    """The op again, marked as differentiated."""
    results = copy_op(builder, op, env)
    if "used" in op.attrs:
        builder.ops[-1].attrs = {**op.attrs, "used": True}
    return results


# ------------------------------------------------------------------------------- reverse
def augment_custom_vjp(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    """Copy the op; back by its backward block, and through the forward code to what it saves
    besides the outputs."""
    from .reverse import pull, sweep

    _refuse_unruled(op)
    _refuse_outside(op, active)
    env.update(zip(op.results, copy_custom(builder, op, env), strict=True))
    forward, backward = op.regions[:2]
    outs: int = op.attrs["outs"]
    saved = [i for i in range(outs, len(op.results)) if op.results[i] in active]
    seeds = [p for p, v in zip(forward.params, op.inputs, strict=True) if v in active]
    inner = active_values(forward, seeds, [forward.results[i] for i in saved])
    scope = {**env, **_bound(forward.params, op.inputs, env)}
    steps = sweep(builder, forward.ops, scope, inner, role) if saved else []

    def pullback(adjoints: Adjoints) -> None:
        given = {i: adjoints.take(op.results[i]) for i in op.attrs["moving"]}
        later = {i: adjoints.take(op.results[i]) for i in saved}
        if any(g is not None for g in given.values()):
            now = adjoints.env
            args = [now.get(v, v) for v in (*op.inputs, *op.results)]
            for i, g in given.items():
                like = now.get(op.results[i], op.results[i])
                args.append(zeros(adjoints.builder, like) if g is None else g)
            sources = [g for g in given.values() if g is not None]
            grads = _ruled(adjoints.builder, backward, args, now, role, sources)
            for position, g in zip(op.attrs["wrt"], grads, strict=True):
                grad = Expr(adjoints.builder, g)
                adjoints.add(op.inputs[position], grad, (*sources, g))
        if any(g is not None for g in later.values()):
            through = Adjoints(adjoints.builder, scope, inner)
            for i, g in later.items():
                if g is not None:
                    through.add(forward.results[i], Expr(adjoints.builder, g))
            pull(through, steps, role)
            for p, v in zip(forward.params, op.inputs, strict=True):
                found = through.found.get(p)
                if found is not None:
                    adjoints.add(v, Expr(adjoints.builder, found))

    return pullback


def augment_custom_jvp(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    """Copy the op; back by the transpose of its rule."""
    _refuse_unruled(op)
    _refuse_outside(op, active)
    env.update(zip(op.results, copy_custom(builder, op, env), strict=True))
    rule, count = op.regions[1], len(op.inputs)
    if any(inner.kind.has("once") for inner in rule.walk()):
        raise CustomRuleError(
            f"reverse mode through `{op.attrs['rule']}` needs a rule for it: its forward rule "
            "runs as it is and cannot be transposed; define `backward`, or use forward mode",
            op.span,
        )

    def pullback(adjoints: Adjoints) -> None:
        given = {i: adjoints.take(op.results[i]) for i in op.attrs["moving"]}
        seeds = {k: g for k, g in enumerate(given.values()) if g is not None}
        if not seeds:
            return
        now = adjoints.env
        args = [now.get(v, v) for v in op.inputs]
        like = [args[i] for i in op.attrs["wrt"]]
        grads = _transposed(adjoints.builder, op, rule, args, like, seeds, now, role)
        assert len(args) == count
        for position, g in zip(op.attrs["wrt"], grads, strict=True):
            adjoints.add(op.inputs[position], Expr(adjoints.builder, g))

    return pullback


# ------------------------------------------------------------------------------- forward
def push_custom(
    builder: Builder, op: Op, env: Env, given: Mapping[int, Value]
) -> dict[Value, Value]:
    """Tangents of the outputs by position of the arguments' tangents; by the rule, or by the
    transpose of a reverse rule."""
    _refuse_unruled(op)
    role = op.role or "tangent"
    by_jvp = op.name == "custom_jvp" or op.attrs["jvp"]
    wrt = op.attrs["wrt"]
    if op.name == "custom_vjp" and by_jvp:
        wrt = tuple(i for i, v in enumerate(op.inputs) if is_inexact(v.type))
    seeds = {k: given[i] for k, i in enumerate(wrt) if i in given}
    moving = [op.results[i] for i in op.attrs["moving"]]
    if not seeds:
        return {}
    primals = [env.get(v, v) for v in op.inputs]
    args = list(primals)
    if op.name == "custom_vjp":
        args += [env.get(r, r) for r in op.results]
    if by_jvp:
        args += (seeds.get(k) or zeros(builder, primals[i]) for k, i in enumerate(wrt))
        rule = op.regions[1] if op.name == "custom_jvp" else op.regions[-1]
        found: Sequence[Value] = _inlined(builder, rule, args, env, role)
    else:
        _refuse_once(op)
        like = [env.get(r, r) for r in moving]
        found = _transposed(builder, op, op.regions[1], args, like, seeds, env, role)
    return dict(zip(moving, found, strict=True))


def _refuse_once(op: Op) -> None:
    """Forward mode through a reverse rule differentiates that."""
    if not any(inner.kind.has("once") for inner in op.regions[1].walk()):
        return
    if op.attrs["used"]:
        raise refusal(op.attrs["rule"], op.span)
    raise CustomRuleError(
        f"forward mode through `{op.attrs['rule']}` needs a rule for it: its reverse rule runs "
        "as it is and cannot be transposed; define `jvp(ctx, *tangents)`, or use reverse mode",
        op.span,
    )


# --------------------------------------------------------------------------------- shared
def _bound(params: Sequence[Value], inputs: Sequence[Value], env: Env) -> Env:
    return {p: env.get(v, v) for p, v in zip(params, inputs, strict=True)}


def _inlined(
    builder: Builder, block: Block, args: Sequence[Value], env: Env, role: str
) -> list[Value]:
    """The block's ops here, as derivative code."""
    scope: Env = {**env, **dict(zip(block.params, args, strict=True))}
    for op in block.ops:
        scope.update(zip(op.results, copy_op(builder, op, scope), strict=True))
        _take_role(builder.ops[-1], role)
    return [scope.get(r, r) for r in block.results]


def _ruled(
    builder: Builder,
    block: Block,
    args: Sequence[Value],
    env: Env,
    role: str,
    sources: Sequence[Value],
) -> list[Value]:
    """The ops of a rule for adjoints here: what is made from the adjoints ``sources`` is zero
    where what the rest of the program did not select makes these zero."""
    if not builder.doubts.any:
        return _inlined(builder, block, args, env, role)
    scope: Env = {**env, **dict(zip(block.params, args, strict=True))}
    made = set(sources)
    for op in block.ops:
        read = [scope.get(v, v) for v in op.inputs]
        moved = [v in made and is_inexact(v.type) for v in read]
        read = [*guarded_factors(builder, op, read, moved)]
        fed = {**scope, **dict(zip(op.inputs, read, strict=True))}
        results: Sequence[Value] = copy_op(builder, op, fed)
        _take_role(builder.ops[-1], role)
        if any(moved):
            if len(results) == 1:
                results = [scaled(builder, builder.ops[-1], moved)]
            made.update(results)
        scope.update(zip(op.results, results, strict=True))
    return [scope.get(r, r) for r in block.results]


def _take_role(op: Op, role: str) -> None:
    op.role = op.role or role
    for region in op.regions:
        for inner in region.ops:
            _take_role(inner, role)


def _transposed(
    builder: Builder,
    op: Op,
    block: Block,
    args: Sequence[Value],
    like: Sequence[Value],
    seeds: Mapping[int, Value],
    env: Env,
    role: str,
) -> list[Value]:
    """The transpose of a block that is linear in its last parameters, one for each of
    ``like``, applied to ``seeds`` (by position of the block's results).

    Raises:
        CustomRuleError: it is not linear.
    """
    from .reverse import pull, sweep

    linear = block.params[len(args) :]
    start = len(builder.ops)
    points = [builder.one("stop_gradient", zeros(builder, v)) for v in like]
    scope: Env = {**env, **dict(zip(block.params, (*args, *points), strict=True))}
    wanted = [block.results[k] for k in seeds]
    active = active_values(block, linear, wanted)
    begin(builder, block, active)
    steps = sweep(builder, block.ops, scope, active, role)
    adjoints = Adjoints(builder, scope, active)
    for k, g in seeds.items():
        adjoints.add(block.results[k], Expr(builder, g))
    pull(adjoints, steps, role)
    found = [adjoints.get(p) for p in linear]
    for made in builder.ops[start:]:
        _take_role(made, role)
    if _depends(builder.ops[start:], set(points), found):
        mode, other = (
            ("reverse", "tangents") if "jvp" in op.name else ("forward", "gradients")
        )
        raise CustomRuleError(
            f"{mode} mode through `{op.attrs['rule']}` needs its rule to be linear in the "
            f"{other} that it is given, and it is not; give it a rule for {mode} mode",
            op.span,
        )
    return found


def _depends(ops: Sequence[Op], sources: set[Value], results: Sequence[Value]) -> bool:
    """Whether any result is computed from the values (not only shapes) of the sources."""
    reached = set(sources)
    grow_until_stable(lambda: _reach(ops, reached), reached)
    return any(r in reached for r in results)


def _reach(ops: Sequence[Op], reached: set[Value]) -> None:
    for op in ops:
        if op.name in ("if", "for", "while", "checkpoint"):
            reached.update(target for source, target in edges(op) if source in reached)
            if op.name == "while":
                test, body = op.regions
                pairs = zip(test.params, body.params, strict=True)
                reached.update(p for p, carried in pairs if carried in reached)
            for region in op.regions:
                _reach(region.ops, reached)
            if any(v in reached for v in _decisive(op)):
                reached.update(op.results)
            continue
        named = enumerate(op.inputs)
        reads = {v for i, v in named if op.kind.input_name(i) not in op.kind.shape_only}
        for region in op.regions:
            reads |= set(free_values(region))
        if reads & reached:
            reached.update(op.results)


def _decisive(op: Op) -> Sequence[Value]:
    """What says which code of a branch or loop runs, and how often."""
    if op.name == "if":
        return op.inputs
    broken = op.regions[-1].results[: bool(op.attrs.get("breaks"))]
    if op.name == "for":
        return (*op.inputs[:3], *broken)
    return (*op.regions[0].results, *broken) if op.name == "while" else ()


def _refuse_outside(op: Op, active: set[Value]) -> None:
    """A rule has no gradient for what its code reads from outside."""
    for region in op.regions:
        for value in free_values(region):
            if value in active:
                name = f" `{value.name}`" if value.name else ""
                raise CustomRuleError(
                    f"`{op.attrs['rule']}` reads{name} from outside, which is differentiated "
                    "too: its rule gives no gradient for that; pass it as an argument",
                    op.span,
                )


__all__ = ["augment_custom_jvp", "augment_custom_vjp", "copy_custom", "push_custom"]
