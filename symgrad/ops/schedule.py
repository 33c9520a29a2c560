"""Where loops with a budget keep snapshots, for a backward that computes the rest again."""

from __future__ import annotations

import math
from typing import Any

from ..ir.types import INT, Type
from ..ir.values import Value
from .kernels import text_of
from .table import nondiff


def _infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return INT


def _next_snapshot(rounds: int, slots: int) -> int:
    """After how many of the rounds ahead to use the next free slot, so that the fewest rounds
    are computed again (Griewank and Walther 2000, Algorithm 799)."""
    if slots < 1 or rounds < 2:
        return rounds
    have, again, reach = slots + 1, 0, 1
    while reach < rounds:
        again += 1
        reach = math.comb(have + again, have)
    least = math.comb(have + again - 2, have) if again > 1 else 1
    return max(1, least, rounds - math.comb(have + again - 1, have - 1))


nondiff(
    "next_snapshot",
    "rounds slots",
    _infer,
    "_next_snapshot(rounds, slots)",
    imports=("import math",),
    traits="cheap",
    helper=text_of(_next_snapshot),
    doc="The distance to the next snapshot, with so many rounds to go and slots free.",
)
