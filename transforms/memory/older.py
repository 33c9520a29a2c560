"""Old contents of the caller's arrays, where they are read after the array has been changed.

Before: arrays of the caller that the function changes, as values. After: what reads an old content
later reads a copy of it, made where that content comes to be. So the array itself can be written
in place: it is what is returned where the function returns it, and has changed as far as the
function came where that raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...ir.builder import Builder, for_function
from ...ir.order import Origins, carried
from ...ir.rewrite import Env
from ...ir.values import Block, Function, Op, Value
from ...ops import TABLE
from .aliasing import is_store
from .buffers import Decisions

ROUNDS = 8
"""How often copies are put in before the array is copied instead, and written back at the end."""


def older_apart(function: Function) -> Function:
    """The function with copies of old contents of what it changes; as it is where these do not
    help, or where a ``finally`` that runs as it is has been told of them: it changes the array."""
    made = function
    told = _told(function)
    for _ in range(ROUNDS if function.mutates else 0):
        origins = Origins(made, {})
        pairs = ((made.params[p], made.block.results[r]) for p, r in made.mutates)
        whole = {p: final for p, final in pairs if origins.same(p, final)}
        chain = _Chain(set(whole), whole.values())
        read_later = Decisions(made, set(whole)).read_later
        old = {v for one in chain.values for v in read_later.get(one, ())}
        if not old:
            return made
        if not told.isdisjoint(old):
            return function
        made = _with_copies(made, old, chain)
    return function


def _told(function: Function) -> set[Value]:
    return {v for op in function.block.walk() if op.kind.has("notes") for v in op.inputs}


class _Chain:
    """The contents of some arrays one after the other, and the uses that make the next of the
    one before: bases of stores, what loops begin with and hand on, ends of branches."""

    def __init__(self, params: set[Value], finals: Iterable[Value]) -> None:
        self.values = set(params)
        self.inputs: set[tuple[Op, int]] = set()
        self.ends: set[tuple[Block, int]] = set()
        todo = list(finals)
        while todo:
            value = todo.pop()
            if value in self.values:
                continue
            self.values.add(value)
            if value.op is not None:
                todo += self._before(value.op, value)

    def _before(self, op: Op, value: Value) -> list[Value]:
        position = op.results.index(value)
        if is_store(op):
            self.inputs.add((op, 0))
            return [op.inputs[0]]
        if op.name == "if":
            self.ends.update((region, position) for region in op.regions)
            return [region.results[position] for region in op.regions]
        init, *params, following, _ = carried(op)[position]
        self.values.update(params)
        body = op.regions[-1]
        self.inputs.add((op, len(op.inputs) - len(op.results) + position))
        self.ends.add((body, len(body.results) - len(op.results) + position))
        return [init, following]


def _with_copies(function: Function, old: set[Value], chain: _Chain) -> Function:
    work = _Copying(old, chain)
    builder = for_function(function, TABLE)
    env: Env = {p: p for p in function.params}
    for position, _ in function.mutates:
        work.keep(builder, function.params[position], function.params[position], env)
    finals = {result for _, result in function.mutates}
    work.ops(builder, function.block, env)
    results = [
        (work.content if position in finals else env).get(r, env.get(r, r))
        for position, r in enumerate(function.block.results)
    ]
    return replace(function, block=builder.block(function.params, results))


class _Copying:
    """The function again. ``content`` has what stands for a content where the next one is made
    of it, the environment what stands for it elsewhere."""

    def __init__(self, old: set[Value], chain: _Chain) -> None:
        self.old = old
        self.chain = chain
        self.content: Env = {}

    def keep(self, builder: Builder, value: Value, made: Value, env: Env) -> None:
        """Note what stands for a value, which is a copy where it is read too late."""
        env[value] = made
        if value in self.chain.values:
            self.content[value] = made
        if value in self.old:
            hint = f"old_{made.name}" if made.name else ""
            env[value] = builder.one("copy", made, order="K", hint=hint)

    def ops(self, builder: Builder, block: Block, env: Env) -> None:
        for op in block.ops:
            builder.span, builder.role = op.span, op.role
            inputs = tuple(
                (self.content if (op, i) in self.chain.inputs else env).get(
                    v, env.get(v, v)
                )
                for i, v in enumerate(op.inputs)
            )
            regions = tuple(self._region(builder, r, env) for r in op.regions)
            made = Op(op.kind, inputs, op.attrs, regions, op.span, op.role)
            made.results = tuple(Value(v.type, v.name, made, v.dim) for v in op.results)
            builder.ops.append(made)
            for before, after in zip(op.results, made.results, strict=True):
                builder.bind(after)
                self.keep(builder, before, after, env)

    def _region(self, builder: Builder, block: Block, env: Env) -> Block:
        inner = builder.sub()
        scope: Env = dict(env)
        params = [Value(p.type, p.name, None, p.dim) for p in block.params]
        for before, after in zip(block.params, params, strict=True):
            inner.bind(after)
            self.keep(inner, before, after, scope)
        self.ops(inner, block, scope)
        results = [
            (self.content if (block, i) in self.chain.ends else scope).get(
                r, scope.get(r, r)
            )
            for i, r in enumerate(block.results)
        ]
        return inner.block(params, results)
