"""Reverse mode through a loop with a budget: what it carries is kept for a few rounds at a time.

The forward loop puts snapshots on a stack, at rounds that ``next_snapshot`` chooses. The backward
runs through the rounds from the last to the first: the latest snapshot is taken from the stack;
if it is older than the round, it is put back, and the rounds in between are computed again,
with further snapshots in the slots that are free (Griewank and Walther 2000, Algorithm 799).

All of it is ordinary loops, branches and lists. A loop whose number of rounds is not known at its
entry is counted on the way there, and keeps one snapshot: what it starts with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, copy_op, free_values
from ..ir.types import INT, ListType
from ..ir.values import Block, Op, Value
from ._snapshots import Store, perhaps_kept, renamed, upcoming_after
from .adjoints import Adjoints
from .checkpoint import resweep
from .loops import Counter, counter_for, counter_while
from .reverse import Pullback, pull
from .rules import zeros
from .stacks import Stacks, emit_loop


@dataclass(frozen=True, slots=True)
class _Loop:
    op: Op
    counter: Counter
    role: str

    @property
    def region(self) -> Block:
        return self.op.regions[-1]

    @property
    def carried(self) -> tuple[Value, ...]:
        return self.region.params[1:] if self.op.name == "for" else self.region.params

    @property
    def nexts(self) -> tuple[Value, ...]:
        results = self.region.results
        return results[1:] if self.op.attrs["breaks"] else results

    @property
    def inits(self) -> tuple[Value, ...]:
        return self.op.inputs[3:] if self.op.name == "for" else self.op.inputs

    def params(self, b: Builder) -> list[Value]:
        """Parameters of a block for what is carried."""
        made = [Value(p.type, p.name, None, p.dim) for p in self.carried]
        for p in made:
            b.bind(p)
        return made

    def enter(self, b: Builder, scope: Env, number: Value, state: Sequence[Value]) -> None:
        """Put what a round reads into ``scope``."""
        scope.update(zip(self.carried, state, strict=True))
        if self.op.name == "for":
            index = self.region.params[0]
            scope[index] = again = self.index(b, number)
            again.name, again.dim = index.name, index.dim
            b.bind(again)

    def index(self, b: Builder, number: Value) -> Value:
        """The loop's index in round ``number``."""
        counter = self.counter
        assert counter.start is not None and counter.step is not None
        if counter.simple:
            return number
        return b.one("add", counter.start, b.one("multiply", number, counter.step))


def augment_with_budget(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    """The loop with snapshots, and back through it."""
    for value in op.results:
        if isinstance(value.type, ListType):
            raise UnsupportedFunctionError(
                "`checkpoint` with a budget of a loop that carries a list which grows"
                f"{f', `{value.name}`' if value.name else ''}; store into an array that is "
                "there before the loop",
                op.span,
            )
    inputs = [env.get(v, v) for v in op.inputs]
    if op.name == "for" and not op.attrs["breaks"]:
        counter = counter_for(builder, builder, op, inputs, op.regions[0].params)
        loop = _Loop(op, counter, role)
        store = _forward(builder, loop, env, inputs[3:])
    else:
        loop, store = _Loop(op, _counted(builder, op, env, inputs), role), None
    moving = tuple(
        k for k, (p, r) in enumerate(zip(loop.carried, op.results, strict=True))
        if p in active or r in active
    )  # fmt: skip
    return lambda adjoints: _pull(adjoints, loop, moving, store)


def _forward(b: Builder, loop: _Loop, env: Env, inits: Sequence[Value]) -> Store:
    trips = loop.counter.trips
    assert trips is not None
    store = _empty(b, loop)

    def round_(inner: Builder, scope: Env) -> None:
        for op in loop.region.ops:
            inner.span, inner.role = op.span, op.role
            scope.update(zip(op.results, copy_op(inner, op, scope), strict=True))

    zero = b.const(0)
    state, store = _advanced(b, loop, env, (zero, trips, zero), trips, inits, store, round_)
    for old, new in zip(loop.op.results, state, strict=True):
        new.name, new.dim = old.name, old.dim
        env[old] = new
    return store


def _counted(b: Builder, op: Op, env: Env, inputs: Sequence[Value]) -> Counter:
    """Copy the loop, with a counter of its rounds."""
    inner, scope, params = b.sub(), dict(env), []
    for p in op.regions[-1].params:
        params.append(Value(p.type, p.name, None, p.dim))
        inner.bind(params[-1])
        scope[p] = params[-1]
    for o in op.regions[-1].ops:
        inner.span, inner.role = o.span, o.role
        scope.update(zip(o.results, copy_op(inner, o, scope), strict=True))
    if op.name == "for":
        counter = counter_for(b, inner, op, inputs, params)
    else:
        counter = counter_while(b, inner, op, whole=True)
    results = (scope.get(r, r) for r in op.regions[-1].results)
    body = inner.block([*params, *counter.params], [*results, *counter.nexts])
    emit_loop(b, op, env, body, tuple(inputs), counter, Stacks((), counter))
    return counter


def _empty(b: Builder, loop: _Loop) -> Store:
    """No snapshot, all slots free."""
    lists = []
    for p in loop.carried:
        lists.append(b.one("list_new", type=ListType(p.type), hint=f"{p.name or 'x'}_kept"))
    places = b.one("list_new", type=ListType(INT))
    return Store.of([places, *lists, b.const(loop.op.attrs["budget"])])


Round = Callable[[Builder, Env], None]


def _advanced(
    b: Builder,
    loop: _Loop,
    env: Env,
    bounds: tuple[Value, Value, Value],
    end: Value,
    state: Sequence[Value],
    store: Store,
    round_: Round,
) -> tuple[list[Value], Store]:
    """State and snapshots after some rounds.

    Args:
        bounds: the first round, that after the last, and the round of the next snapshot.
        end: the round after the last one that the backward has still to pass.
        round_: adds a round's ops.
    """
    first, last, upcoming = bounds
    inner, scope = b.sub(), dict(env)
    least = first.dim if isinstance(first.dim, int) else None
    number = inner.index_param(least, _index_name(loop))
    params = loop.params(inner)
    places = [inner.param(v.type, v.name) for v in store.values()]
    following = inner.param(INT, "upcoming")
    held = Store.of(places)
    kept, ahead = perhaps_kept(inner, held, number, following, end, params)
    loop.enter(inner, scope, number, params)
    round_(inner, scope)
    results = [scope.get(r, r) for r in loop.nexts]
    inner.role = ""
    body = inner.block(
        [number, *params, *places, following], [*results, *kept.values(), ahead]
    )
    init = [*state, *store.values(), upcoming]
    values = b.for_(first, last, b.const(1), init, body)
    count = len(params)
    for p, v in zip(params, values, strict=False):
        v.name = p.name
    return list(values[:count]), renamed(store, values[count:-1])


def _index_name(loop: _Loop) -> str:
    return loop.region.params[0].name if loop.op.name == "for" else "k"


# ------------------------------------------------------------------------------- backwards
def _pull(
    adjoints: Adjoints, loop: _Loop, moving: Sequence[int], store: Store | None
) -> None:
    b, op = adjoints.builder, loop.op
    given = {k: adjoints.take(op.results[k]) for k in moving}
    if all(g is None for g in given.values()):
        return
    outer = [v for v in free_values(loop.region) if v in adjoints.active]
    init = []
    for k, g in given.items():
        like = adjoints.env.get(op.results[k], op.results[k])
        init.append(g if g is not None else zeros(b, like))
    init += [adjoints.get(a) for a in outer]
    if store is None:
        state = [adjoints.env.get(v, v) for v in loop.inits]
        store = _empty(b, loop).pushed(b, b.const(0), state)
    body = _backward_round(adjoints, loop, moving, outer, store)
    trips = loop.counter.trips
    assert trips is not None
    last = b.one("subtract", trips, b.const(1))
    values = b.for_(last, b.const(-1), b.const(-1), [*init, *store.values()], body)
    for a, g in zip(outer, values[len(moving) :], strict=False):
        g.name = f"g_{a.name}" if a.name else ""
        adjoints.found[a] = g
    for k, g in zip(moving, values, strict=False):
        adjoints.add(loop.inits[k], Expr(b, g))


def _backward_round(
    adjoints: Adjoints,
    loop: _Loop,
    moving: Sequence[int],
    outer: Sequence[Value],
    store: Store,
) -> Block:
    b = adjoints.builder.sub()
    b.role = loop.role
    number = b.index_param(0, _index_name(loop))
    carried, nexts, active = loop.carried, loop.nexts, adjoints.active
    grads = [b.param(carried[k].type, _gradient(carried[k])) for k in moving]
    sums = [b.param(a.type, _gradient(a)) for a in outer]
    params = [b.param(v.type, v.name) for v in store.values()]
    scope = dict(adjoints.env)
    state, left = _restored(b, loop, scope, number, Store.of(params), active)
    loop.enter(b, scope, number, state)
    steps = resweep(b, loop.region.ops, scope, active, loop.role)
    b.role = loop.role
    through = Adjoints(b, scope, active)
    through.found.update(zip(outer, sums, strict=True))
    for k, g in zip(moving, grads, strict=True):
        through.add(nexts[k], Expr(b, g))
    pull(through, steps, loop.role)
    b.role = loop.role
    results = [through.get(carried[k]) for k in moving] + [through.get(a) for a in outer]
    return b.block([number, *grads, *sums, *params], [*results, *left.values()])


def _gradient(value: Value) -> str:
    return f"g_{value.name}" if value.name else ""


def _restored(
    b: Builder, loop: _Loop, scope: Env, number: Value, store: Store, active: set[Value]
) -> tuple[list[Value], Store]:
    """What the loop carried into round ``number``, and the snapshots that are left."""
    store, place, state = store.popped(b)
    older, exact = b.sub(), b.sub()
    held = store.pushed(older, place, state)
    end = older.one("add", number, older.const(1))
    upcoming = upcoming_after(older, place, end, held.free)
    bounds = (place, number, upcoming)

    def round_(inner: Builder, names: Env) -> None:
        resweep(inner, loop.region.ops, names, set(), loop.role)

    found, held = _advanced(older, loop, scope, bounds, end, state, held, round_)
    then = older.block((), [*found, *held.values()])
    orelse = exact.block((), [*state, *store.values()])
    values = b.if_(b.one("less", place, number), then, orelse)
    count = len(state)
    for p, v in zip(loop.carried, values, strict=False):
        v.name = p.name
    return list(values[:count]), renamed(store, values[count:])


__all__ = ["augment_with_budget"]
