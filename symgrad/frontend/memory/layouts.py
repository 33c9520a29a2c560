"""How arrays lie in memory, as far as it decides whether a reshape is a view or a copy.

Strides are counted in elements, as symbolic lengths. What is fresh lies as NumPy lays it out;
of an argument it is known where the specialisation is keyed on it (``ArgLeaf.layout``). NumPy's
own rule then says what a reshape is: axes that are joined have to lie one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...ir.dims import Dimension, multiply, symbol
from ...ir.values import Op
from .strides import Shape, Strides, in_one_piece

_CREATED = frozenset(
    """zeros ones empty full arange linspace eye matmul array flatten""".split()
)
_IN_ORDER = frozenset(
    """copy astype stack concatenate sum mean prod max min cumsum cumprod tile outer
    store add_store store_view""".split()
)
"""Ops whose results lie in C order where their inputs do."""
_ALIKE = frozenset("copy astype zeros_like ones_like empty_like full_like".split())
"""Ops whose results have their axes in the order of the input's."""


@dataclass(frozen=True, slots=True)
class Spread:
    """An argument's memory, with gaps: for each axis the axis that it lies around without a
    gap, -1 for one of adjacent elements, -2 for any other."""

    inner: tuple[int, ...]
    name: str

    def strides(self, shape: Shape) -> Strides:
        """The strides of an array that lies so."""
        return tuple(self._stride(axis, shape, 0) for axis in range(len(shape)))

    def _stride(self, axis: int, shape: Shape, depth: int) -> Dimension:
        inside = self.inner[axis]
        if inside == -1:
            return 1
        if inside == -2 or depth > len(shape):
            return symbol(f"stride_{self.name}_{axis}")
        return multiply(shape[inside], self._stride(inside, shape, depth + 1))


@dataclass(frozen=True, slots=True)
class Lie:
    """How an array lies in memory: the stride of each axis, where known, and the order of the
    axes, the outermost first, where known. An unknown length may stand in the strides."""

    strides: Strides | None = None
    order: tuple[int, ...] | None = None

    def whole(self, shape: Shape) -> tuple[int, ...] | None:
        """The order of the axes, if the memory is in one piece."""
        if self.order is None or self.strides is None or len(self.order) != len(shape):
            return None  # of another rank: what is known of a batch is not of its examples
        return self.order if self.strides == in_one_piece(self.order, shape) else None


UNKNOWN = Lie()


def plain(order: tuple[int, ...], shape: Shape) -> Lie:
    """An array in one piece."""
    return Lie(in_one_piece(order, shape), order)


def layout_key(x: Any, exact: bool) -> tuple[int, ...]:
    """How an array lies in memory, as a key for specialisations: for each axis the axis that it
    lies around without a gap, -1 for one of adjacent elements, -2 for any other; then the axes
    from the outermost on. Or, if ``exact``, the strides themselves."""
    size, shape, steps = x.itemsize, x.shape, x.strides
    if exact:
        return tuple(step // size if step % size == 0 else 1 << 62 for step in steps)
    found = []
    for axis, step in enumerate(steps):
        inside = -1 if step == size else -2
        for other in range(x.ndim):
            fits = (
                other != axis and shape[other] > 1 and step == steps[other] * shape[other]
            )
            if inside == -2 and shape[axis] > 1 and fits:
                inside = other
        found.append(inside)
    return (*found, *_by_step(steps))


def _by_step(steps: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(steps)), key=lambda axis: (-abs(steps[axis]), axis)))


def given(key: tuple[int, ...], shape: Shape, name: str, exact: bool) -> Lie:
    """How an argument lies, by its key."""
    if exact:
        return Lie(key, _by_step(key))
    key, order = key[: len(shape)], key[len(shape) :]
    whole = [axis for axis in range(len(shape)) if shape[axis] != 1]
    chain = [axis for axis in whole if key[axis] == -1][:1]
    while chain and len(chain) < len(whole):
        outside = [axis for axis in whole if key[axis] == chain[0] and axis not in chain]
        if not outside:
            break
        chain.insert(0, outside[0])
    if len(chain) < len(whole):
        return Lie(Spread(key, name).strides(shape), order)
    if chain == sorted(chain):
        return plain(tuple(range(len(shape))), shape)
    rest = [axis for axis in range(len(shape)) if shape[axis] == 1]
    return plain((*rest, *chain), shape)


# ------------------------------------------------------------------------- fresh memory
def fresh(
    op: Op, rank: int, orders: Sequence[tuple[int, tuple[int, ...] | None]]
) -> tuple[int, ...] | None:
    """The order of the axes of what an op makes in memory of its own, of inputs of these
    ranks and orders; None if unknown."""
    ahead, name = tuple(range(rank)), op.kind.name
    if rank <= 1 or name in _CREATED:
        return ahead
    arrays = [(n, order) for n, order in orders if n]
    if not arrays or any(order is None for _, order in arrays):
        return None
    straight = all(order == tuple(range(n)) for n, order in arrays)
    if straight and (name in _IN_ORDER or op.kind.has("elementwise")):
        return ahead
    if not op.kind.has("elementwise") and name not in _ALIKE:
        return None
    alike = all(n == rank and order == arrays[0][1] for n, order in arrays)
    return arrays[0][1] if alike else None


__all__ = ["UNKNOWN", "Lie", "fresh", "given", "layout_key", "plain"]
