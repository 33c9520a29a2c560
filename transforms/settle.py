"""Numbers in derivatives have the dtype of their type.

Before: IR in which derivatives are to be taken; where Python's numbers meet NumPy's they may stay
what they are (``joined``). After: those that derivatives read or compute are NumPy's, so that
arrays and gradients made of them have the dtype that they are said to have. Whole numbers that a
differentiated function does no more than return stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.builder import Builder
from ..ir.rewrite import Env, free_values, rewrite, uses
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE


def settle(function: Function) -> Function:
    """The function with the numbers that derivatives read converted where they meet others."""
    if not any(op.kind.has("loose") for op in function.block.walk()):
        return function
    read = _Read(function.block)

    def visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        if not op.kind.has("loose") or op not in read.ops:
            return None
        x, wanted = env.get(op.inputs[0], op.inputs[0]), op.attrs["type"]
        if isinstance(wanted, ScalarType):
            return [builder.one("item", x, kind=wanted.kind)]
        return [builder.one("asarray", x, dtype=wanted.dtype)]

    return rewrite(function, TABLE, visit)


class _Read:
    """The ops that derivatives hold, and those that what they read is computed by."""

    def __init__(self, block: Block) -> None:
        self.ops: set[Op] = set()
        self._owners: dict[Value, Op] = {}
        self._spared: dict[Op, list[Op]] = {}
        self._own(block)
        for op in block.walk():
            if op.kind.has("derivative"):
                self._take(op)

    def _own(self, block: Block) -> None:
        for op in block.walk():
            for region in op.regions:
                self._owners.update(dict.fromkeys(region.params, op))

    def _take(self, start: Op) -> None:
        if start in self.ops:
            return
        spared = _whole_and_returned(start)
        self._spared[start] = spared
        todo = [start]
        while todo:
            op = todo.pop()
            if op is not start and op in self._spared:
                todo += self._spared.pop(op)  # what the derivative returns is read
            if op in self.ops or op in spared:
                continue
            self.ops.add(op)
            values = [*op.inputs]
            for region in op.regions:
                todo += region.walk()
                values += free_values(region)
            makers = (self._owners.get(v) if v.op is None else v.op for v in values)
            todo += [maker for maker in makers if maker is not None]


def _whole_and_returned(derivative: Op) -> list[Op]:
    """The ops that join whole numbers which the differentiated code only returns."""
    found: list[Op] = []
    for region in derivative.regions:
        counts = uses(region)
        todo = [*region.results]
        while todo:
            value = todo.pop()
            if value.op is None or counts[value] > 1:
                continue
            if value.op.name == "if":
                at = value.op.results.index(value)
                todo += [branch.results[at] for branch in value.op.regions]
            elif value.op.kind.has("loose") and _is_whole(value.op.inputs[0].type):
                found.append(value.op)
    return found


def _is_whole(t: Type) -> bool:
    return isinstance(t, ArrayType | ScalarType) and t.dtype.kind in "biu"
