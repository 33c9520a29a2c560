"""Loops carry an array in the shape that they work on it in.

Before: any IR. After: where a loop's body reads a carried array through a reshape, and carries
on what it has made in that shape, reshaped back, the loop carries the array in that shape, and
the reshapes stand around the loop. A store into the reshaped array costs what it touches then,
there and on the way back. A branch whose ends are reshapes is reshaped as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.builder import Builder
from ..ir.order import carried, has_memory
from ..ir.rewrite import Env, copy_op, rewrite, rewrite_ops
from ..ir.types import ArrayType, Type
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .saving import buildable_length

SHAPES = ("reshape", "ravel")
LOOPS = ("for", "while")


def relaid(function: Function) -> Function:
    """The function with loops that carry arrays in the shape they work in."""
    if not any(_works_reshaped(op) for op in function.block.walk()):
        return function
    return rewrite(function, TABLE, _visit)


def _works_reshaped(op: Op) -> bool:
    return op.name in LOOPS and any(_shape_inside(op, k) for k in range(len(carried(op))))


def _visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    if op.name == "if":
        return _branch(builder, op, env)
    if op.name in SHAPES:
        source = _source(env.get(op.inputs[0], op.inputs[0]))
        return None if source is None or source.type != op.results[0].type else (source,)
    if op.name not in LOOPS:
        return None
    wishes = {}
    for k in range(len(carried(op))):
        shape = _shape_inside(op, k)
        if shape is not None and _lengths_known(builder, op, k, shape):
            wishes[k] = shape
    while wishes:
        made = _loop(builder, op, env, wishes)
        if isinstance(made, tuple):
            return made
        del wishes[made]
    return None


# ----------------------------------------------------------------------------- branches
def _branch(builder: Builder, op: Op, env: Env) -> Sequence[Value]:
    """The branch again; results whose ends are all reshapes of one shape are reshaped after."""
    scratch = builder.sub()
    results = list(copy_op(scratch, op, env, _visit))
    made = scratch.ops[-1]
    before: dict[int, ArrayType] = {}
    for k, result in enumerate(made.results):
        sources = [_source(region.results[k]) for region in made.regions]
        types = [s.type for s in sources if s is not None]
        alike = len(types) == len(sources) and all(t == types[0] for t in types)
        known = isinstance(result.type, ArrayType) and _buildable(builder, result.type)
        if not alike or not known or types[0] == result.type:
            continue
        assert isinstance(result.type, ArrayType)
        before[k] = result.type
        for region, source in zip(made.regions, sources, strict=True):
            assert source is not None
            region.results = _replaced(region.results, k, source)
        results[k] = Value(types[0], "", made)
    made.results = tuple(results)
    builder.ops.append(made)
    for value in made.results:
        builder.bind(value)
    for k, wanted in before.items():
        results[k] = _reshaped(builder, results[k], wanted, op.results[k].name)
    return results


def _source(value: Value) -> Value | None:
    """What a value is a reshape of."""
    op = value.op
    return op.inputs[0] if op is not None and op.name in SHAPES else None


def _replaced(values: tuple[Value, ...], k: int, new: Value) -> tuple[Value, ...]:
    return (*values[:k], new, *values[k + 1 :])


# --------------------------------------------------------------------------------- loops
def _shape_inside(op: Op, k: int) -> ArrayType | None:
    """The shape in which the body of a loop reads what it carries in place ``k``, if there is
    one such shape."""
    *_, param, following, _ = carried(op)[k]
    if not has_memory(param.type) or not isinstance(param.type, ArrayType):
        return None
    found: list[Type] = []
    for inner in op.regions[-1].walk():
        if inner.name in SHAPES and inner.inputs[0] is param:
            found.append(inner.results[0].type)
    alike = found and all(t == found[0] for t in found) and found[0] != param.type
    if not alike or following is param:
        return None
    assert isinstance(found[0], ArrayType)
    return found[0]


def _lengths_known(builder: Builder, op: Op, k: int, shape: ArrayType) -> bool:
    init, *_, param, _, result = carried(op)[k]
    same = param.type == result.type == init.type
    assert isinstance(param.type, ArrayType)
    return same and all(_buildable(builder, t) for t in (shape, param.type))


def _buildable(builder: Builder, t: ArrayType) -> bool:
    return all(buildable_length(builder, d) for d in t.shape)


def _reshaped(builder: Builder, x: Value, t: ArrayType, name: str = "") -> Value:
    """``x`` in another shape."""
    source = _source(x)
    if source is not None and source.type == t:
        return source
    lengths = [builder.length(builder.dims.canonical(d)) for d in t.shape]
    made = builder.one("reshape", x, *lengths, hint=name)
    made.type = t
    return made


def _loop(
    builder: Builder, op: Op, env: Env, wishes: dict[int, ArrayType]
) -> tuple[Value, ...] | int:
    """The loop with these places carried in other shapes; or the place where that cannot be,
    since what is carried on is not made in that shape."""
    columns = carried(op)
    skip, first = (3, 1) if op.name == "for" else (0, 0)
    trial = builder.sub()
    inputs = [env.get(v, v) for v in op.inputs]
    for k, shape in wishes.items():
        inputs[skip + k] = _reshaped(trial, inputs[skip + k], shape)
    breaks = int(op.attrs["breaks"])
    regions = []
    for region in op.regions:
        body = region is op.regions[-1]
        ahead = {first + k: shape for k, shape in wishes.items()} if body else wishes
        after = {breaks + k: shape for k, shape in wishes.items()} if body else {}
        made = _region(trial, region, env, ahead, after)
        if isinstance(made, int):
            return made - breaks
        regions.append(made)
    loop = Op(op.kind, tuple(inputs), op.attrs, tuple(regions), op.span, op.role)
    types = [wishes.get(k, column[-1].type) for k, column in enumerate(columns)]
    loop.results = tuple(
        Value(t, "" if k in wishes else v.name, loop, v.dim)
        for k, (t, v) in enumerate(zip(types, op.results, strict=True))
    )
    builder.ops += [*trial.ops, loop]
    for value in loop.results:
        builder.bind(value)
    results = list(loop.results)
    for k in wishes:
        wanted = op.results[k].type
        assert isinstance(wanted, ArrayType)
        results[k] = _reshaped(builder, results[k], wanted, op.results[k].name)
    return tuple(results)


def _region(
    builder: Builder,
    region: Block,
    env: Env,
    wishes: dict[int, ArrayType],
    after: dict[int, ArrayType],
) -> Block | int:
    """A region of the loop; or the number of a result that is not made in the shape wanted."""
    inner = builder.sub()
    scope: Env = dict(env)
    params = []
    for i, p in enumerate(region.params):
        new = Value(wishes.get(i, p.type), p.name, None, p.dim)
        inner.bind(new)
        params.append(new)
        scope[p] = new
        if i in wishes:
            assert isinstance(p.type, ArrayType)
            scope[p] = _reshaped(inner, new, p.type)

    rewrite_ops(inner, region.ops, scope, _visit)
    results = [scope.get(r, r) for r in region.results]
    for k, shape in after.items():
        source = _source(results[k])
        if source is None or source.type != shape:
            return k
        results[k] = source
    return inner.block(params, results)


__all__ = ["relaid"]
