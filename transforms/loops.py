"""How a loop's rounds are counted forwards and run through backwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ir.builder import Builder
from ..ir.dims import at_least
from ..ir.rewrite import Env
from ..ir.types import INT
from ..ir.values import Block, Op, Value


@dataclass(slots=True)
class Counter:
    """The rounds of one loop.

    ``trips`` is their number, known at entry when ``fixed``, else the final value of a counter
    that the loop carries. ``index`` is the index inside the forward body (fixed
    only). ``direct`` says that the backward loop runs through the index itself.
    """

    fixed: bool
    direct: bool
    start: Value | None = None
    stop: Value | None = None
    step: Value | None = None
    trips: Value | None = None
    index: Value | None = None
    carried: int | None = None
    init: list[Value] = field(default_factory=list)
    params: list[Value] = field(default_factory=list)
    nexts: list[Value] = field(default_factory=list)

    @property
    def simple(self) -> bool:
        """Whether the index counts the rounds from 0."""
        return _is(self.start, 0) and _is(self.step, 1)

    def finish(self, results: Sequence[Value], extra: Sequence[Value]) -> None:
        """Take the trip count from the loop's results."""
        if self.carried is not None:
            self.trips = results[self.carried]
        elif extra:
            [self.trips] = extra
            self.trips.name = "trips"

    def backward_index(self, inner: Builder, index: Value | None) -> tuple[Value, Env]:
        """The backward body's index parameter, and what stands for the forward index."""
        name = index.name if index is not None and self.direct else "k"
        param = Value(INT, name)
        if index is None:
            return param, {}
        if self.direct:
            param.dim = index.dim
            inner.bind(param)
            return param, {index: param}
        assert self.start is not None and self.step is not None
        again = inner.op(
            "add", self.start, inner.op("multiply", param, self.step), hint=index.name
        )
        again.dim = index.dim
        inner.bind(again)
        return param, {index: again}

    def round(self, inner: Builder, index: Value) -> Value:
        """The number of the round, from the backward index."""
        if not self.direct or self.simple:
            return index
        return _offset(inner, index, self)


def _is(value: Value | None, number: int) -> bool:
    return value is not None and value.is_constant and value.constant == number


def _offset(builder: Builder, index: Value, counter: Counter) -> Value:
    assert counter.start is not None
    if _is(counter.step, 1):
        return builder.one("subtract", index, counter.start)
    return builder.one("subtract", counter.start, index)


def counter_for(
    builder: Builder,
    inner: Builder,
    op: Op,
    inputs: Sequence[Value],
    params: Sequence[Value],
) -> Counter:
    """The counter of a ``for``; ``params`` are the new body's parameters."""
    start, stop, step = inputs[:3]
    unit = _is(step, 1) or _is(step, -1)
    if op.attrs["breaks"]:
        counter = Counter(fixed=False, direct=False, start=start, stop=stop, step=step)
        _count(builder, inner, counter)
        return counter
    counter = Counter(
        fixed=True, direct=unit, start=start, stop=stop, step=step, index=params[0]
    )
    counter.trips = _trips(builder, counter)
    return counter


def _trips(builder: Builder, counter: Counter) -> Value:
    """How many rounds the range makes."""
    start, stop, step = counter.start, counter.stop, counter.step
    assert start is not None and stop is not None and step is not None
    if (
        counter.simple
        and stop.dim is not None
        and at_least(builder.dims.canonical(stop.dim), 0)
    ):
        return stop
    return builder.one("range_length", start, stop, step)


def round_number(inner: Builder, counter: Counter, index: Value) -> Value:
    """The number of the round inside the forward body."""
    if counter.simple:
        return index
    if counter.direct:
        return _offset(inner, index, counter)
    assert counter.start is not None and counter.step is not None
    distance = inner.op("subtract", index, counter.start)
    return inner.one("floor_divide", distance, counter.step)


def counter_while(builder: Builder, inner: Builder, op: Op, *, whole: bool) -> Counter:
    """The counter of a ``while``: the user's own where there is one that counts all rounds, and
    these are ``whole``."""
    counter = Counter(fixed=False, direct=False)
    counter.carried = _own_counter(op) if whole else None
    if counter.carried is None:
        _count(builder, inner, counter)
    return counter


def _own_counter(op: Op) -> int | None:
    """Position of a carried integer that starts at 0 and grows by 1 in each round."""
    body: Block = op.regions[-1]
    nexts = body.results[1:] if op.attrs["breaks"] else body.results
    for k, (start, p, after) in enumerate(zip(op.inputs, body.params, nexts, strict=True)):
        if p.type != INT or not _is(start, 0) or after.op is None or after.op.name != "add":
            continue
        if after.op in body.ops and after.op.inputs[0] is p and _is(after.op.inputs[1], 1):
            return k
    return None


def _count(builder: Builder, inner: Builder, counter: Counter) -> None:
    counter.init = [builder.const(0)]
    counter.params = [inner.param(INT, "trips")]
    end = len(inner.ops)
    counter.nexts = [inner.op("add", counter.params[0], inner.const(1), hint="trips")]
    made = inner.ops[end:]
    for op in made:
        op.span = None
    inner.ops[:] = [*made, *inner.ops[:end]]


def backward_range(builder: Builder, counter: Counter) -> tuple[Value, Value, Value]:
    """Start, stop and step of the backward loop."""
    minus_one = builder.const(-1)
    if counter.direct and not _is(counter.step, -1):
        assert counter.start is not None and counter.stop is not None
        return (
            _shift(builder, counter.stop, -1),
            _shift(builder, counter.start, -1),
            minus_one,
        )
    if counter.direct:
        assert counter.start is not None and counter.stop is not None
        one = builder.const(1)
        return _shift(builder, counter.stop, 1), _shift(builder, counter.start, 1), one
    assert counter.trips is not None
    return _shift(builder, counter.trips, -1), builder.const(-1), minus_one


def _shift(builder: Builder, value: Value, by: int) -> Value:
    if value.is_constant:
        return builder.const(int(value.constant) + by)
    name = "subtract" if by < 0 else "add"
    return builder.one(name, value, builder.const(abs(by)))
