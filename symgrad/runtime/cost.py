"""Operation counts of one call, counted while it is made op by op: loops and branches as they
are taken."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..ir.values import Op
    from .arguments import BoundCall


@dataclass(frozen=True, slots=True)
class Cost:
    """Operations of one call.

    Args:
        calls: how often each operation is done, by name.
        flops: floating-point operations, by name: one for each entry of an elementwise result,
            two for each product of a contraction, one for each entry that is reduced.
        forward: floating-point operations of the forward code; ``backward`` of the rest.
        nbytes: of all arrays that are made.
    """

    calls: dict[str, int]
    flops: dict[str, int]
    forward: int
    backward: int
    nbytes: int

    @property
    def total(self) -> int:
        """Floating-point operations in all."""
        return self.forward + self.backward

    def __str__(self) -> str:
        lines = [
            f"{self.total:,} floating-point operations: {self.forward:,} forward, "
            f"{self.backward:,} backward; arrays of {self.nbytes:,} bytes are made"
        ]
        order = sorted(self.calls, key=lambda name: (-self.flops.get(name, 0), name))
        width = max(map(len, order), default=0)
        for name in order:
            lines.append(
                f"  {name:<{width}}  {self.calls[name]:>6,} times  {self.flops.get(name, 0):>12,}"
            )
        return "\n".join(lines)

    __repr__ = __str__


def measure(call: BoundCall) -> Cost:
    """The cost of a call; prints are not shown, NumPy's global draws are taken back."""
    from ..ir.evaluate import Watched, run
    from .trees import map_structure

    counter = _Counter()
    function, state = call.plain, np.random.get_state()
    values = map_structure(
        lambda x: np.copy(x) if isinstance(x, np.ndarray) else x, call.flat(function)
    )
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            run(function.block, values, Watched(counter.watch))
    finally:
        np.random.set_state(state)
    return Cost(
        counter.calls, counter.flops, counter.by_side[0], counter.by_side[1], counter.nbytes
    )


class _Counter:
    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.flops: dict[str, int] = {}
        self.by_side = [0, 0]
        self.nbytes = 0

    def watch(self, op: Op, inputs: Sequence[Any], results: Sequence[Any]) -> None:
        if op.name in ("const", "undef") or op.kind.has("cheap") and op.kind.has("nondiff"):
            return
        name = op.name
        self.calls[name] = self.calls.get(name, 0) + 1
        count = _flops(op, inputs, results)
        if count:
            self.flops[name] = self.flops.get(name, 0) + count
            self.by_side[bool(op.role)] += count
        if not op.kind.has("view") and not op.kind.has("store"):
            self.nbytes += sum(r.nbytes for r in results if isinstance(r, np.ndarray))


def _flops(op: Op, inputs: Sequence[Any], results: Sequence[Any]) -> int:
    """An estimate by the shapes: see ``Cost``."""
    kind = op.kind
    if kind.has("view") or kind.has("store") or kind.has("effect") or not results:
        return 0
    arrays = [
        np.asarray(x) for x in inputs if isinstance(x, np.ndarray | np.generic | float)
    ]
    if not arrays or not any(a.dtype.kind in "fc" for a in arrays):
        return 0
    if kind.flops is not None:
        return int(kind.flops(inputs, results[0], op.attrs))
    if kind.letters is not None:
        return _products(op, [*inputs, results[0]])
    out = sum(int(np.size(r)) for r in results)
    if kind.has("elementwise"):
        return out
    largest = max(int(a.size) for a in arrays)
    return largest if out < largest else 0


def _products(op: Op, arrays: Sequence[Any]) -> int:
    """The work of a sum of products: a multiplication or addition for each factor of each term."""
    ranks = tuple(np.ndim(x) for x in arrays[:-1])
    names = op.kind.letters(ranks, op.attrs)  # type: ignore[misc]
    lengths: dict[str, int] = {}
    for letters, x in zip(names, arrays, strict=True):
        for letter, n in zip(letters, np.shape(x), strict=True):
            lengths[letter] = max(n, lengths.get(letter, 1))
    return len(ranks) * math.prod(lengths.values()) if all(map(np.size, arrays[:-1])) else 0


__all__ = ["Cost", "measure"]
