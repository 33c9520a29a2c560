"""Where a loop's kept values go: arrays allocated once, or lists.

An array of one value per round serves where the number of rounds and the value's shape are
known at entry; a list where they are not, and for scalars, which it holds at less cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ir.builder import Builder
from ..ir.indexing import Index, Operand
from ..ir.rewrite import Env
from ..ir.types import ArrayType, ListType
from ..ir.values import Op, Value
from .loops import Counter, round_number
from .saving import buildable_length

ROUND: Index = (Operand(0),)


@dataclass(slots=True)
class Stacks:
    """One stack per kept value, in the same order in all fields."""

    kept: tuple[Value, ...]
    counter: Counter
    arrays: tuple[bool, ...] = ()
    init: list[Value] = field(default_factory=list)
    params: list[Value] = field(default_factory=list)
    nexts: list[Value] = field(default_factory=list)
    final: tuple[Value, ...] = ()

    def finish(self, results: Sequence[Value]) -> None:
        """Take the filled stacks from the loop's results."""
        self.final = tuple(results)
        for value, param in zip(self.final, self.params, strict=True):
            value.name = param.name

    def lists(self) -> list[Value]:
        """The stacks that the backward loop has to carry."""
        return [s for s, fixed in zip(self.final, self.arrays, strict=True) if not fixed]

    def restore(
        self, inner: Builder, index: Value, popped: Sequence[Value]
    ) -> tuple[Env, list[Value]]:
        """The kept values of this round, and the lists left."""
        env: Env = {}
        rest: list[Value] = []
        waiting = iter(popped)
        for value, stack, fixed in zip(self.kept, self.final, self.arrays, strict=True):
            if fixed:
                number = self.counter.round(inner, index)
                again = inner.op("index", stack, number, index=ROUND, hint=value.name)
            else:
                left, again = inner.op("list_pop", next(waiting))
                again.name = value.name
                rest.append(left)
            again.dim = value.dim
            env[value] = again
        return env, rest


def make_stacks(
    builder: Builder, inner: Builder, kept: Sequence[Value], counter: Counter
) -> Stacks:
    """Stacks for ``kept``, with the stores that fill them put into the forward body."""
    stacks = Stacks(tuple(kept), counter)
    stacks.arrays = tuple(counter.fixed and _fits_array(builder, v) for v in kept)
    for value, fixed in zip(kept, stacks.arrays, strict=True):
        name = f"{value.name}_saved" if value.name else "saved"
        start = _empty(builder, inner, value, counter) if fixed else _list(builder, value)
        start.name = name
        param = inner.param(start.type, name)
        stacks.init.append(start)
        stacks.params.append(param)
        stacks.nexts.append(_fill(inner, param, value, counter, fixed))
    return stacks


def _fits_array(builder: Builder, value: Value) -> bool:
    t = value.type
    if not isinstance(t, ArrayType) or t.ndim == 0 or t.dtype.kind not in "fciub":
        return False
    if value.op is not None and _partial(value.op, value):
        return False
    return all(buildable_length(builder, d) for d in t.shape)


def _partial(op: Op, value: Value) -> bool:
    """Whether the value is undefined on one path."""
    if op.name != "if":
        return False
    position = op.results.index(value)
    sides = [region.results[position].op for region in op.regions]
    return any(side is not None and side.name in ("undef", "if") for side in sides)


def _empty(builder: Builder, inner: Builder, value: Value, counter: Counter) -> Value:
    assert isinstance(value.type, ArrayType) and counter.trips is not None
    lengths = [
        builder.length(inner.dims.canonical(d), inner.dims) for d in value.type.shape
    ]
    return builder.one("empty", counter.trips, *lengths, dtype=value.type.dtype)


def _list(builder: Builder, value: Value) -> Value:
    return builder.one("list_new", type=ListType(value.type))


def _fill(
    inner: Builder, param: Value, value: Value, counter: Counter, fixed: bool
) -> Value:
    """Put the value on its stack, right after it has been computed."""
    end = len(inner.ops)
    if fixed:
        number = _round(inner, counter)
        result = inner.op("store", param, value, number, index=ROUND)
    else:
        result = inner.op("list_push", param, value)
    result.name = param.name
    added = inner.ops[end:]
    del inner.ops[end:]
    place = 0 if value.op is None else inner.ops.index(value.op) + 1
    for op in added:
        op.role = ""
        op.span = value.op.span if value.op is not None else op.span
    inner.ops[place:place] = added
    return result  # type: ignore[no-any-return]


def _round(inner: Builder, counter: Counter) -> Value:
    assert counter.index is not None
    return round_number(inner, counter, counter.index)
