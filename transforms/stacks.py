"""Where a loop's kept values go: arrays allocated once, or lists.

An array of one value per round serves where the number of rounds and the value's shape are
known at entry; a list where they are not, and for scalars, which it holds at less cost. Where
what is kept is itself the list of an inner loop, that loop goes on filling the outer loop's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..ir.builder import Builder
from ..ir.indexing import Index, Operand
from ..ir.rewrite import Env, copy_block
from ..ir.types import ArrayType, ListType
from ..ir.values import Block, Op, Value
from .loops import Counter, round_number
from .saving import buildable_length

ROUND: Index = (Operand(0),)


@dataclass(slots=True)
class Stacks:
    """One stack per kept value, in the same order in all fields."""

    kept: tuple[Value, ...]
    counter: Counter
    arrays: tuple[bool, ...] = ()
    shared: tuple[bool, ...] = ()
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

    def restore(self, inner: Builder, index: Value, popped: Sequence[Value]) -> Env:
        """The kept values of this round; ``popped`` are the lists as the round finds them."""
        env: Env = {}
        waiting = iter(popped)
        for value, stack, fixed, shared in self._each(self.final):
            if fixed:
                number = self.counter.round(inner, index)
                env[value] = inner.one("index", stack, number, index=ROUND, hint=value.name)
            elif shared:
                env[value] = next(waiting)
                continue
            else:
                _, again = inner.op("list_pop", next(waiting))
                again.name = value.name or "kept"
                env[value] = again
            env[value].dim = value.dim
        return env

    def rest(self, inner: Builder, popped: Sequence[Value]) -> list[Value]:
        """The lists as the round leaves them: what the op that took from each gives back."""
        found = []
        for param in popped:
            op = next(op for op in inner.ops if param in op.inputs)
            first = 3 if op.name == "for" else 0
            found.append(op.results[op.inputs.index(param) - first])
        return found

    def _each(self, stacks: Sequence[Value]) -> Iterator[tuple[Value, Value, bool, bool]]:
        return zip(self.kept, stacks, self.arrays, self.shared, strict=True)


def make_stacks(
    builder: Builder,
    inner: Builder,
    kept: Sequence[Value],
    counter: Counter,
    template: Block,
) -> Stacks:
    """Stacks for ``kept``, with the stores that fill them put into the forward body."""
    stacks = Stacks(tuple(kept), counter)
    sources = [_list_of_inner_loop(inner, v, template) for v in kept]
    stacks.shared = tuple(source is not None for source in sources)
    stacks.arrays = tuple(
        counter.fixed and source is None and _fits_array(builder, v)
        for v, source in zip(kept, sources, strict=True)
    )
    for value, source, fixed in zip(kept, sources, stacks.arrays, strict=True):
        name = _name(value, source)
        start = (
            _empty(builder, inner, value, counter)
            if fixed
            else _list(builder, value, source)
        )
        start.name = name
        param = inner.param(start.type, name)
        stacks.init.append(start)
        stacks.params.append(param)
        if source is None:
            stacks.nexts.append(_fill(inner, param, value, counter, fixed))
        else:
            loop, place = source
            loop.inputs = (*loop.inputs[:place], param, *loop.inputs[place + 1 :])
            stacks.nexts.append(value)
    return stacks


def _name(value: Value, source: tuple[Op, int] | None) -> str:
    if source is not None:
        return value.name
    return f"{value.name}_saved" if value.name else "saved"


def _list_of_inner_loop(
    inner: Builder, value: Value, template: Block
) -> tuple[Op, int] | None:
    """The loop, and the place among its inputs, that starts the list ``value`` empty, if the
    backward code takes from that list in one loop only."""
    loop = value.op
    if not isinstance(value.type, ListType) or loop is None or loop not in inner.ops:
        return None
    if loop.name not in ("for", "while"):
        return None
    place = loop.results.index(value) + (3 if loop.name == "for" else 0)
    start = loop.inputs[place]
    if start.op is None or start.op.name != "list_new" or _reads(inner.ops, start) != 1:
        return None
    takers = [op for op in template.ops if value in op.inputs]
    if len(takers) != 1 or takers[0].name != "for" or _reads(template.ops, value) != 1:
        return None
    return (loop, place) if _reads(inner.ops, value) == 0 else None


def _reads(ops: Sequence[Op], value: Value) -> int:
    """How often ops and what they hold read a value."""
    total = 0
    for op in ops:
        total += op.inputs.count(value)
        for region in op.regions:
            total += _reads(region.ops, value) + region.results.count(value)
    return total


def _fits_array(builder: Builder, value: Value) -> bool:
    t = value.type
    if not isinstance(t, ArrayType) or t.ndim == 0 or t.dtype.kind not in "fciub":
        return False
    if value.op is not None and _partial(value.op, value):
        return False
    return all(buildable_length(builder, d) for d in t.shape)


def _partial(op: Op, value: Value) -> bool:
    """Whether the value is undefined on one path, or taken from a list for that reason."""
    if op.name == "list_pop":
        return True
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


def _list(builder: Builder, value: Value, source: object) -> Value:
    return builder.one(
        "list_new", type=ListType(value.type) if source is None else value.type
    )


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
    made = value.op if value.op in inner.ops else None
    place = 0 if made is None else inner.ops.index(made) + 1
    for op in added:
        op.role = ""
        op.span = None if made is None else made.span
    inner.ops[place:place] = added
    return result  # type: ignore[no-any-return]


def _round(inner: Builder, counter: Counter) -> Value:
    assert counter.index is not None
    return round_number(inner, counter, counter.index)


def emit_loop(
    builder: Builder,
    op: Op,
    env: Env,
    body: Block,
    inputs: tuple[Value, ...],
    counter: Counter,
    stacks: Stacks,
) -> None:
    """The forward loop, with counter and stacks as further carried values."""
    extra_init = [*counter.init, *stacks.init]
    extra_params = [*counter.params, *stacks.params]
    breaks = bool(op.attrs["breaks"])
    if op.name == "for":
        start, stop, step, *init = inputs
        values = builder.for_(start, stop, step, [*init, *extra_init], body, breaks=breaks)
    else:
        test = copy_block(builder, op.regions[0], env, lambda b, o, e: None)
        idle = tuple(Value(p.type) for p in extra_params)
        test = Block((*test.params, *idle), test.ops, test.results)
        values = builder.while_([*inputs, *extra_init], test, body, breaks=breaks)
    count = len(op.results)
    for old, new in zip(op.results, values, strict=False):
        new.name, new.dim = old.name, old.dim
        env[old] = new
    counter.finish(values[:count], values[count : count + len(counter.params)])
    stacks.finish(values[count + len(counter.params) :])
