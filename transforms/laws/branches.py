"""Laws of control flow: carried values that never change, branches that agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...ir.builder import Builder
from ...ir.rewrite import Env, Visit, copy_block, copy_op
from ...ir.values import Block, Op, Value

ControlLaw = Callable[[Builder, Op, Env, Visit], Sequence[Value] | None]


def loop(builder: Builder, op: Op, env: Env, visit: Visit) -> Sequence[Value] | None:
    """A carried value that each round hands on as it is, is what it was before the loop."""
    name = op.kind.name
    first, offset = (3, 1) if name == "for" else (0, 0)
    breaks = int(op.attrs["breaks"])
    body = op.regions[-1]
    fixed = [
        k
        for k in range(len(op.results))
        if body.results[breaks + k] in (body.params[offset + k], op.inputs[first + k])
    ]
    if not fixed:
        return None
    scope = dict(env)
    for k in fixed:
        init = env.get(op.inputs[first + k], op.inputs[first + k])
        scope.update({region.params[offset + k]: init for region in op.regions})
    moving = [k for k in range(len(op.results)) if k not in fixed]
    narrow = [
        narrowed(region, moving, offset, breaks, region is body) for region in op.regions
    ]
    inputs = (*op.inputs[:first], *(op.inputs[first + k] for k in moving))
    new = Op(
        op.kind,
        tuple(env.get(v, v) for v in inputs),
        op.attrs,
        tuple(_copied(builder, block, scope, visit) for block in narrow),
        op.span,
        op.role,
    )
    new.results = tuple(_like(op.results[k], new) for k in moving)
    builder.ops.append(new)
    stands: list[Value] = [env.get(v, v) for v in op.inputs[first:]]
    for k, value in zip(moving, new.results, strict=True):
        builder.bind(value)
        stands[k] = value
    return stands


def narrowed(
    block: Block, moving: list[int], offset: int, breaks: int, is_body: bool
) -> Block:
    """The block with those of its parameters from ``offset`` on that are in ``moving``."""
    params = (*block.params[:offset], *(block.params[offset + k] for k in moving))
    if not is_body:
        return Block(params, block.ops, block.results)
    results = (*block.results[:breaks], *(block.results[breaks + k] for k in moving))
    return Block(params, block.ops, results)


def _copied(builder: Builder, block: Block, scope: Env, visit: Visit) -> Block:
    return copy_block(builder, block, scope, visit)


def _like(value: Value, op: Op) -> Value:
    return Value(value.type, value.name, op, value.dim)


def branch(builder: Builder, op: Op, env: Env, visit: Visit) -> Sequence[Value] | None:
    """A result that both branches agree on needs no branch; a choice between values that
    were there at an earlier branch on the same condition is made in that one."""
    chosen = _chosen_earlier(builder, op, env)
    if chosen is not None:
        return chosen
    inside = {v for region in op.regions for inner in region.ops for v in inner.results}
    agreed: dict[int, Value] = {}
    for k, (a, b) in enumerate(
        zip(*(region.results for region in op.regions), strict=True)
    ):
        found = _agreed(builder, a, b, inside, env)
        if found is not None:
            agreed[k] = found
    if not agreed:
        return None
    rest = [k for k in range(len(op.results)) if k not in agreed]
    regions = tuple(
        copy_block(builder, Block((), r.ops, tuple(r.results[k] for k in rest)), env, visit)
        for r in op.regions
    )
    new = Op(
        op.kind, (env.get(op.inputs[0], op.inputs[0]),), op.attrs, regions, op.span, op.role
    )
    new.results = tuple(_like(op.results[k], new) for k in rest)
    builder.ops.append(new)
    for value in new.results:
        builder.bind(value)
    following = iter(new.results)
    return tuple(
        agreed[k] if k in agreed else next(following) for k in range(len(op.results))
    )


def _agreed(
    builder: Builder, a: Value, b: Value, inside: set[Value], env: Env
) -> Value | None:
    """What both values are, if that can be said outside of the branches."""
    if _is_undef(a) and b not in inside:
        return env.get(b, b)
    if (a is b or _is_undef(b)) and a not in inside:
        return env.get(a, a)
    if a.op is None or b.op is None or a.op.kind is not b.op.kind or a.op.regions:
        return None
    if a.op.kind.name not in ("const", "zeros_like") or a.op.inputs != b.op.inputs:
        return None
    if a.type != b.type or any(v in inside for v in a.op.inputs):
        return None
    if repr(a.op.attrs) != repr(b.op.attrs):
        return None
    return copy_op(builder, a.op, env)[0]


def _chosen_earlier(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    if any(inner.name not in _NOTHING for region in op.regions for inner in region.ops):
        return None
    condition = env.get(op.inputs[0], op.inputs[0])
    for at in range(len(builder.ops) - 1, -1, -1):
        other = builder.ops[at]
        if other.name == "if" and other.inputs[0] is condition and other.role == op.role:
            break
    else:
        return None
    later = {v for made in builder.ops[at + 1 :] for v in made.results}
    regions = []
    for region, taken in zip(op.regions, other.regions, strict=True):
        ends = dict(zip(other.results, taken.results, strict=True))
        own = {v for inner in region.ops for v in inner.results}
        values = [ends.get(v, v) for v in (env.get(r, r) for r in region.results)]
        if any(v in later for v in values):
            return None
        more = tuple(v.op for v in values if v in own and v.op is not None)
        regions.append(Block((), (*taken.ops, *more), (*taken.results, *values)))
    wider = Op(
        other.kind, other.inputs, other.attrs, tuple(regions), other.span, other.role
    )
    made = tuple(_like(v, wider) for v in op.results)
    for value in other.results:
        value.op = wider
    wider.results = (*other.results, *made)
    builder.ops[at] = wider
    for value in made:
        builder.bind(value)
    return made


_NOTHING = frozenset({"const", "undef"})


def _is_undef(value: Value) -> bool:
    return value.op is not None and value.op.kind.name == "undef"


CONTROL: dict[str, ControlLaw] = {"for": loop, "while": loop, "if": branch}
