"""What the results of a block depend on of a parameter that the block is linear in.

For each axis of the parameter there is a band, or None where any entry may matter. The walk
knows lengths as symbols only, so what it finds holds for arguments of all lengths and values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..ir.bands import Band, joined
from ..ir.dims import Dimension, Sym, symbols
from ..ir.rewrite import free_values
from ..ir.types import ArrayType, is_inexact
from ..ir.values import Block, Op, Value
from ..ops.rules.following import aligned
from .laws.zeros import is_zero

Bands = tuple[Band | None, ...]
"""One for each axis of the parameter."""

MOST_ROUNDS = 16
"""So many rounds of a loop are followed one by one."""


class Unknown(Exception):
    """The block is not seen to be linear."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a value: its bands, if it depends on the parameter; else whether it is
    zero."""

    bands: Bands | None = None
    zero: bool = False


OTHER, ZERO = Known(), Known(zero=True)


def bands_of(block: Block, seed: Value) -> list[Known]:
    """What is known of each result of ``block``, as a function of its parameter ``seed``.

    Raises:
        Unknown: the block may not be linear in the parameter.
    """
    assert isinstance(seed.type, ArrayType)
    lengths = {s for v in (seed, *free_values(block)) for s in _symbols(v)}
    walk = _Walk(seed.type.ndim, lengths)
    walk.known[seed] = Known(
        tuple(Band(a, length=n) for a, n in enumerate(seed.type.shape))
    )
    walk.block(block)
    return [walk.get(r) for r in block.results]


def _symbols(value: Value) -> set[Sym]:
    shape: Sequence[Dimension] = (
        value.type.shape if isinstance(value.type, ArrayType) else ()
    )
    return {
        s
        for d in (*shape, *(() if value.dim is None else (value.dim,)))
        for s in symbols(d)
    }


@dataclass(slots=True)
class _Walk:
    rank: int
    lengths: set[Sym]
    known: dict[Value, Known] = field(default_factory=dict)

    def get(self, value: Value) -> Known:
        return self.known.get(value) or (ZERO if _is_nothing(value) else OTHER)

    def block(self, block: Block) -> None:
        for op in block.ops:
            if op.name in _CONTROL:
                _CONTROL[op.name](self, op)
            elif op.regions:
                self.untouched(
                    [*op.inputs, *(v for r in op.regions for v in free_values(r))]
                )
            else:
                self.plain(op)

    def untouched(self, values: Sequence[Value]) -> None:
        if any(self.get(v).bands is not None for v in values):
            raise Unknown

    # -- plain ops ----------------------------------------------------------------------
    def plain(self, op: Op) -> None:
        read = [i for i in range(len(op.inputs)) if _reads(op, i)]
        moving = [i for i in read if self.get(op.inputs[i]).bands is not None]
        ruled = [i for i in read if op.kind.input_name(i) in op.kind.vjp]
        linear = op.kind.has("linear") or op.kind.has("additive")
        for r in op.results:
            self.known.pop(r, None)
        if not moving:
            zero = ruled if linear else ruled[:1] if op.kind.has("scales") else []
            if zero and all(self.get(op.inputs[i]).zero for i in zero):
                self.known.update(dict.fromkeys(op.results, ZERO))
            return
        still = [i for i in ruled if i not in moving]
        if not set(moving) <= set(ruled) or op.kind.has("effect"):
            raise Unknown
        if not all(is_inexact(r.type) for r in op.results):
            raise Unknown
        if linear:
            if not all(self.get(op.inputs[i]).zero for i in still):
                raise Unknown
        elif len(moving) > 1 or not self.single(op, moving[0]):
            raise Unknown
        self.known.update(dict.fromkeys(op.results, self.followed(op, moving)))

    def single(self, op: Op, position: int) -> bool:
        """Whether an op is linear in this input alone."""
        if op.kind.has("scales"):
            return position == 0 or op.kind.has("commutative")
        return op.kind.has("contraction")

    def followed(self, op: Op, moving: Sequence[int]) -> Known:
        follow = op.kind.follow or (aligned if op.kind.has("elementwise") else None)
        found: Bands | None = None
        for i in moving:
            given = self.get(op.inputs[i]).bands
            assert given is not None
            bands = tuple(self.step(follow, band, op, i) for band in given)
            found = bands if found is None else tuple(map(joined, found, bands))
        return Known(found)

    def step(
        self, follow: Callable[..., Band | None] | None, band: Band | None, op: Op, i: int
    ) -> Band | None:
        if band is None or len(op.results) != 1:
            return None
        if follow is None:
            return band if band.axis is None else None
        moved = follow(band, op, i)
        if moved is None or not symbols(moved.base) <= self.lengths:
            return None
        return moved

    # -- control flow -------------------------------------------------------------------
    def hand(self, targets: Sequence[Value], found: Sequence[Known]) -> None:
        self.known.update(zip(targets, found, strict=True))

    def results(self, block: Block, breaks: bool = False) -> list[Known]:
        """What is known of a region's results; of those but the first, if that is whether to
        leave."""
        self.block(block)
        if breaks:
            self.untouched(block.results[:1])
        return [self.get(r) for r in block.results[breaks:]]

    def if_(self, op: Op) -> None:
        self.untouched(op.inputs)
        first, second = (self.results(region) for region in op.regions)
        self.hand(op.results, list(map(_either, first, second)))

    def checkpoint(self, op: Op) -> None:
        self.hand(op.results, self.results(op.regions[0]))

    def for_(self, op: Op) -> None:
        self.untouched(op.inputs[:3])
        [body] = op.regions
        state = [self.get(v) for v in op.inputs[3:]]
        rounds, breaks = _rounds(op), bool(op.attrs["breaks"])
        outside = self.lengths
        self.lengths = outside | _symbols(body.params[0])
        if rounds is None or breaks:
            state = self.until_stable(state, body.params[1:], body, breaks, outside)
        else:
            for _ in range(rounds):
                self.hand(body.params[1:], state)
                state = [_without(k, outside) for k in self.results(body)]
        self.lengths = outside
        self.hand(op.results, state)

    def while_(self, op: Op) -> None:
        test, body = op.regions
        state = [self.get(v) for v in op.inputs]
        breaks = bool(op.attrs["breaks"])
        state = self.until_stable(state, body.params, body, breaks, self.lengths)
        self.hand(test.params, state)
        self.block(test)
        self.untouched(test.results)
        self.hand(op.results, state)

    def until_stable(
        self,
        state: list[Known],
        params: Sequence[Value],
        body: Block,
        breaks: bool,
        outside: set[Sym],
    ) -> list[Known]:
        """What holds before and after any number of rounds, in lengths known ``outside``."""
        while True:
            self.hand(params, state)
            found = [_without(k, outside) for k in self.results(body, breaks)]
            after = list(map(_either, state, found))
            if after == state:
                return state
            state = list(map(_widened, state, after))

    # -- lists: what is known of a list is known of all its elements -----------------------
    def push(self, op: Op) -> None:
        self.known[op.result] = _either(*map(self.get, op.inputs[:2]))

    def pop(self, op: Op) -> None:
        self.hand(op.results, [self.get(op.inputs[0])] * 2)


def _either(a: Known, b: Known) -> Known:
    """What holds of both."""
    if a.bands is None and b.bands is None:
        return a if a == b else OTHER
    if a.bands is None or b.bands is None:
        moving, still = (a, b) if b.bands is None else (b, a)
        if not still.zero:
            raise Unknown
        return moving
    return Known(tuple(map(joined, a.bands, b.bands)))


def _without(known: Known, lengths: set[Sym]) -> Known:
    """Without bands that speak of other lengths than these, such as a loop's index."""
    if known.bands is None:
        return known
    return Known(
        tuple(b if b and symbols(b.base) <= lengths else None for b in known.bands)
    )


def _widened(before: Known, after: Known) -> Known:
    """What grows from round to round has no band."""
    if before.bands is None or after.bands is None:
        return after
    pairs = zip(before.bands, after.bands, strict=True)
    return Known(tuple(b if a == b else None for a, b in pairs))


def _reads(op: Op, position: int) -> bool:
    return op.kind.input_name(position) not in op.kind.shape_only


def _rounds(op: Op) -> int | None:
    """How often a loop runs, if that is known and not often."""
    if not all(v.is_constant for v in op.inputs[:3]):
        return None
    count = len(range(*(int(v.constant) for v in op.inputs[:3])))
    return count if count <= MOST_ROUNDS else None


def _is_nothing(value: Value) -> bool:
    """Whether a value is zero, or is not read before something is put in."""
    made = value.op
    return is_zero(value) or (made is not None and made.name in _BLANK)


_BLANK = ("empty", "empty_like", "list_new", "undef")
_CONTROL = {
    "if": _Walk.if_,
    "for": _Walk.for_,
    "while": _Walk.while_,
    "checkpoint": _Walk.checkpoint,
    "list_push": _Walk.push,
    "list_pop": _Walk.pop,
}
