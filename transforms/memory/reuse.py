"""From values to buffers: where arrays may be changed in place, and where copies are needed.

Before: value semantics, ``store`` gives a new array. After: every ``store``, ``add_store``,
``list_push`` and ``list_pop`` may run on its first input's memory, since nobody reads the old
content later; ``copy`` ops have been put in where that was not so already. ``notes["into"]``
names elementwise ops that write their result over an input that dies there. Arrays of the
caller are not written, except those in ``function.mutates``; results of derivatives share no
memory with arguments or with each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...ir.builder import Builder, for_function
from ...ir.order import Origins
from ...ir.rewrite import Env, uses
from ...ir.types import ListType
from ...ir.values import Block, Function, Op, Value
from ...ops import TABLE
from ...ops.through import followed
from ..checkpoint import unfence
from .buffers import Decisions
from .filled import fill, repeats
from .older import older_apart
from .reads_first import reads_first


def reuse(function: Function) -> Function:
    """Decide what is written in place, and put in the copies that this needs."""
    function = older_apart(reads_first(unfence(function)))
    overwritten = _in_place(function, {})
    while True:
        result, into = _rebuilt(function, overwritten)
        kept = _in_place(result, into) & overwritten
        if kept == overwritten:
            return replace(result, notes={**function.notes, "into": into})
        overwritten = kept


def _in_place(function: Function, into: dict[Op, int]) -> set[Value]:
    """Arguments that have their final content once all writes have been done in place. Others
    get it by an assignment at the end, and may not be written before."""
    origins = Origins(function, into)
    pairs = ((function.params[p], function.block.results[r]) for p, r in function.mutates)
    return {param for param, final in pairs if origins.same(param, final)}


def _rebuilt(function: Function, overwritten: set[Value]) -> tuple[Function, dict[Op, int]]:
    work = _Rebuild(Decisions(function, overwritten), _order(function))
    builder = for_function(function, TABLE)
    env: Env = {p: p for p in function.params}
    results = work.block(builder, function.block, env)
    result = replace(function, block=builder.block(function.params, results))
    _drop(result.block, work.replaced, uses(result.block))
    return result, work.into


def _order(function: Function) -> str:
    """The order of the axes in copies: that of the original where a reshape is to be a view."""
    paths = (op.attrs.get("path", ()) for op in function.block.walk())
    return "C" if all(followed(path) for path in paths) else "K"


def _drop(block: Block, ops: set[Op], counts: Mapping[Value, int]) -> None:
    """Take out those of ``ops`` (in a function just made) that nobody reads."""
    if ops:
        block.ops = tuple(o for o in block.ops if o not in ops or counts.get(o.result, 0))
        for op in block.ops:
            for region in op.regions:
                _drop(region, ops, counts)


class _Rebuild:
    """The function again, with copies where ``Decisions`` wants them."""

    def __init__(self, decisions: Decisions, order: str) -> None:
        self.decisions = decisions
        self.order = order
        self.into: dict[Op, int] = {}
        self.replaced: set[Op] = set()

    def block(self, builder: Builder, block: Block, env: Env) -> list[Value]:
        """Append the block's ops; gives its results."""
        for op in block.ops:
            builder.span, builder.role = op.span, op.role
            self._op(builder, op, env)
        wanted = self.decisions.at_end.get(block, {})
        results = [env.get(r, r) for r in block.results]
        for position, name in wanted.items():
            results[position] = self._copy(builder, results[position], name)
        return results

    def _op(self, builder: Builder, op: Op, env: Env) -> None:
        inputs = [env.get(v, v) for v in op.inputs]
        for position, name in self.decisions.before.get(op, {}).items():
            inputs[position] = self._copy(builder, inputs[position], name)
        regions = tuple(self._region(builder, r, env) for r in op.regions)
        made = Op(op.kind, tuple(inputs), op.attrs, regions, op.span, op.role)
        made.results = tuple(Value(v.type, v.name, made, v.dim) for v in op.results)
        builder.ops.append(made)
        if op in self.decisions.into:
            self.into[made] = self.decisions.into[op]
        for old, new in zip(op.results, made.results, strict=True):
            builder.bind(new)
            env[old] = new
            if old in self.decisions.after:
                env[old] = self._copy(builder, new, old.name)
                new.name = ""

    def _copy(self, builder: Builder, value: Value, name: str) -> Value:
        """A copy; one number repeated is made anew instead."""
        op = value.op
        if op is not None and repeats(op):
            self.replaced.add(op)
            return fill(builder, op.inputs, value, name)
        if isinstance(value.type, ListType):
            return builder.one("list_copy", value, of=value.type.element, hint=name)
        return builder.one("copy", value, order=self.order, hint=name)

    def _region(self, builder: Builder, block: Block, env: Env) -> Block:
        inner = builder.sub()
        scope: Env = dict(env)
        params = []
        for p in block.params:
            new = Value(p.type, p.name, None, p.dim)
            inner.bind(new)
            params.append(new)
            scope[p] = new
        return inner.block(params, self.block(inner, block, scope))
