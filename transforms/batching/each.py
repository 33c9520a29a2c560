"""Batching one example at a time: a loop, results put together in memory made once."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InternalError
from ...ir.builder import Builder
from ...ir.indexing import Operand
from ...ir.rewrite import copy_op, free_values
from ...ir.types import INT, ListType, ScalarType
from ...ir.values import Block, Op, Value
from .single import State, room


def each_example(
    builder: Builder, state: State, ops: Sequence[Op], results: Sequence[Value]
) -> None:
    """Do ``ops`` in a loop over the examples and put their results together."""
    due = list(dict.fromkeys(results))
    init = [room(builder, state, r, "empty") for r in due]
    start, step = builder.const(0), builder.const(1)
    inner = builder.sub()
    example = inner.index_param(0, "example")
    params = [inner.param(v.type, r.name) for v, r in zip(init, due, strict=True)]
    scope = dict(state.env)
    for v in free_values(Block((), tuple(ops), tuple(due))):
        if v in state.batched:
            scope[v] = _one(inner, state.get(v), example, v)
    for op in ops:
        scope.update(zip(op.results, copy_op(inner, op, scope), strict=True))
    inner.span, inner.role = builder.span, builder.role
    place = (Operand(0),)
    nexts = [
        inner.one("store", p, scope.get(r, r), example, index=place)
        for p, r in zip(params, due, strict=True)
    ]
    body = inner.block([example, *params], nexts)
    found = builder.for_(start, state.size, step, init, body)
    for old, new in zip(due, found, strict=True):
        new.name = old.name
        state.env[old] = new
        state.batched.add(old)


def _one(inner: Builder, whole: Value, example: Value, old: Value) -> Value:
    """An example's part of a batch, in the type it had."""
    if isinstance(old.type, ListType):
        raise InternalError("a list of batches cannot be taken apart")
    part = inner.one("index", whole, example, index=(Operand(0),), hint=old.name)
    if isinstance(old.type, ScalarType):
        part = inner.one("item", part, kind=old.type.kind, hint=old.name)
    if old.dim is not None and old.type == INT:
        part.dim = old.dim
        inner.bind(part)
    return part
