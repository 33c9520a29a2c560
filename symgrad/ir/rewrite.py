"""Rebuilding a function op by op: the frame that every pass is written in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from .builder import Builder, Table, for_function
from .indexing import Mask
from .values import Block, Function, Op, Value

_SELECTED = (Mask(0),)

Env = dict[Value, Value]
Visit = Callable[[Builder, Op, Env], Sequence[Value] | None]
"""Called for each op with its region's builder and the old-to-new mapping. Returns what stands
for the op's results (new values), or None to have the op copied (its regions visited too)."""


def rewrite(
    function: Function,
    table: Table,
    visit: Visit,
    make: Callable[[Table], Builder] = Builder,
) -> Function:
    """The function rebuilt by the builder that ``make`` makes, each op passed through
    ``visit``. Parameters are kept."""
    builder = for_function(function, table, make)
    env: Env = {p: p for p in function.params}
    rewrite_ops(builder, function.block.ops, env, visit)
    results = tuple(env[r] for r in function.block.results)
    block = builder.block(function.params, results)
    return replace(function, block=block, not_one=tuple(builder.dims.not_one))


def rewrite_ops(builder: Builder, ops: Iterable[Op], env: Env, visit: Visit) -> None:
    """Visit ``ops`` in order, extending ``env`` by what stands for their results."""
    for op in ops:
        builder.span, builder.role = op.span, op.role
        results = visit(builder, op, env)
        if results is None:
            results = copy_op(builder, op, env, visit)
        for old, new in zip(op.results, results, strict=True):
            env[old] = new


def copy_op(
    builder: Builder, op: Op, env: Env, visit: Visit | None = None
) -> tuple[Value, ...]:
    """The op again, inputs replaced by what ``env`` says, regions visited by ``visit``."""
    inputs = tuple([env.get(v, v) for v in op.inputs])
    regions = tuple([copy_block(builder, r, env, visit or _copy) for r in op.regions])
    copied = Op(op.kind, inputs, op.attrs, regions, op.span, op.role)
    copied.results = tuple([Value(v.type, v.name, copied, v.dim) for v in op.results])
    builder.ops.append(copied)
    for value in copied.results:
        builder.bind(value)
    index = op.attrs.get("index")
    if index is not None and index == _SELECTED and len(inputs) == 2:
        [count] = copied.result.type.shape[:1]  # type: ignore[union-attr]
        builder.dims.note_count(inputs[1], count)
    return copied.results


def _copy(builder: Builder, op: Op, env: Env) -> None:
    return None


def copy_block(builder: Builder, block: Block, env: Env, visit: Visit) -> Block:
    """A region rebuilt, with parameters of its own."""
    inner = builder.sub()
    scope: Env = dict(env)
    params = []
    for p in block.params:
        new = Value(p.type, p.name, None, p.dim)
        inner.bind(new)
        params.append(new)
        scope[p] = new
    rewrite_ops(inner, block.ops, scope, visit)
    return inner.block(params, [scope.get(r, r) for r in block.results])


def inline(builder: Builder, block: Block, args: Sequence[Value]) -> tuple[Value, ...]:
    """The block's ops appended to ``builder`` with parameters replaced by ``args``."""
    env: Env = dict(zip(block.params, args, strict=True))
    for op in block.ops:
        env.update(zip(op.results, copy_op(builder, op, env), strict=True))
    return tuple(env.get(r, r) for r in block.results)


def uses(block: Block) -> Mapping[Value, int]:
    """How often each value is read, regions included."""
    counts: dict[Value, int] = {}
    _count(block, counts)
    return counts


def _count(block: Block, counts: dict[Value, int]) -> None:
    for op in block.ops:
        for value in op.inputs:
            counts[value] = counts.get(value, 0) + 1
        for region in op.regions:
            _count(region, counts)
    for value in block.results:
        counts[value] = counts.get(value, 0) + 1


def free_values(block: Block) -> list[Value]:
    """Values read inside but defined outside, in order of first use."""
    found: dict[Value, None] = {}
    _free(block, set(), found)
    return list(found)


def _free(block: Block, inside: set[Value], found: dict[Value, None]) -> None:
    inside = inside | set(block.params)
    for op in block.ops:
        for value in op.inputs:
            if value not in inside:
                found.setdefault(value)
        for region in op.regions:
            _free(region, inside, found)
        inside.update(op.results)
    for value in block.results:
        if value not in inside:
            found.setdefault(value)


__all__ = [
    "Env",
    "Visit",
    "copy_block",
    "copy_op",
    "free_values",
    "inline",
    "rewrite",
    "rewrite_ops",
    "uses",
]
