"""The snapshots of a loop with a budget: a stack of what the loop carries, in IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.builder import Builder
from ..ir.values import Value


@dataclass(frozen=True, slots=True)
class Store:
    """The snapshots: the rounds they are of, for each carried value a list, and how many slots
    are free."""

    places: Value
    saved: tuple[Value, ...]
    free: Value

    def values(self) -> list[Value]:
        """All of it, as a loop carries it."""
        return [self.places, *self.saved, self.free]

    @classmethod
    def of(cls, values: Sequence[Value]) -> Store:
        """From what a loop carries."""
        places, *saved, free = values
        for value, name in ((places, "places"), (free, "free")):
            value.name = name
        return cls(places, tuple(saved), free)

    def pushed(self, b: Builder, place: Value, state: Sequence[Value]) -> Store:
        """With one snapshot more."""
        pairs = zip(self.saved, state, strict=True)
        return Store.of(
            [
                b.one("list_push", self.places, place),
                *(b.one("list_push", xs, x, hint=xs.name) for xs, x in pairs),
                b.one("subtract", self.free, b.const(1)),
            ]
        )

    def popped(self, b: Builder) -> tuple[Store, Value, list[Value]]:
        """Without the latest snapshot, its round, and what it holds."""
        places, place = b.op("list_pop", self.places)
        place.name = "place"
        rest, state = [], []
        for xs in self.saved:
            left, x = b.op("list_pop", xs)
            left.name, x.name = xs.name, xs.name.removesuffix("_kept")
            rest.append(left)
            state.append(x)
        free = b.one("add", self.free, b.const(1))
        return Store.of([places, *rest, free]), place, state


def renamed(like: Store, values: Sequence[Value]) -> Store:
    """Snapshots with the names that they had."""
    for old, new in zip(like.saved, values[1:-1], strict=True):
        new.name = old.name
    return Store.of(values)


def perhaps_kept(
    b: Builder,
    store: Store,
    number: Value,
    upcoming: Value,
    end: Value,
    state: Sequence[Value],
) -> tuple[Store, Value]:
    """The snapshots with one more if it is time, and the round of the next."""
    now, not_now = b.sub(), b.sub()
    more = store.pushed(now, number, state)
    ahead = upcoming_after(now, number, end, more.free)
    then = now.block((), [*more.values(), ahead])
    orelse = not_now.block((), [*store.values(), upcoming])
    values = b.if_(b.one("equal", number, upcoming), then, orelse)
    values[-1].name = "upcoming"
    return renamed(store, values[:-1]), values[-1]


def upcoming_after(b: Builder, number: Value, end: Value, free: Value) -> Value:
    """The round of the next snapshot."""
    rounds = b.one("subtract", end, number)
    found = b.one("add", number, b.one("next_snapshot", rounds, free))
    found.name = "upcoming"
    return found


__all__ = ["Store", "perhaps_kept", "renamed", "upcoming_after"]
