"""The phases of one cycle: where each ends, and what the rates and momentums go between."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..checks import at_least_zero


class Phase(NamedTuple):
    """A stretch between two epochs, and the group's keys to go between."""

    end: float
    rates: tuple[str, str]
    momentums: tuple[str, str]


def share(name: str, value: Any, most: float) -> float:
    """``value`` as a float in [0, most]."""
    found = at_least_zero(name, value)
    if found > most:
        raise ValueError(f"{name} has to be in [0, {most}], not {found}")
    return found


def phases_of(total: int, rising: float, three: bool) -> list[Phase]:
    """The phases of a cycle: up in a part ``rising`` of it, and down in one or in two."""
    up, down = ("initial_lr", "max_lr"), ("max_lr", "min_lr")
    first = Phase(rising * total - 1, up, ("max_momentum", "base_momentum"))
    back = ("base_momentum", "max_momentum")
    if not three:
        return [first, Phase(total - 1, down, back)]
    return [
        first,
        Phase(2 * rising * total - 2, ("max_lr", "initial_lr"), back),
        Phase(total - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]
