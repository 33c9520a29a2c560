"""A linear block for each of the basis vectors of its parameter, by few passes.

Basis vectors that share no entry of the results are added up and go through the block at once:
one pass where the matrix is diagonal, as many as the band is wide where it is banded, as many as
a block has columns where it is a stack of blocks. What comes out is put into its places in the
whole matrix (Curtis, Powell and Reid, 1974).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.bands import Band, modulus
from ..ir.builder import Builder
from ..ir.dims import Dimension, at_least
from ..ir.expr import Expr, f, lift
from ..ir.indexing import FULL, Gather, Item, Operand, Slice
from ..ir.rewrite import inline
from ..ir.types import ArrayType
from ..ir.values import Block, Value
from ._bands import Bands, Known, Unknown, bands_of
from .batch import batch


def compressed(
    builder: Builder, block: Block, outs: Sequence[bool], unit: complex
) -> list[Value] | None:
    """The block's results for ``unit`` times each basis vector of its parameter, with an axis
    in front for these where ``outs`` is true; None where that takes as many passes as there are
    vectors.

    Args:
        block: with one parameter.
    """
    [seed] = block.params
    if not all(outs):
        return None
    try:
        found = bands_of(block, seed)
    except Unknown:
        return None
    axes = _axes(seed, found)
    if axes is None:
        return None
    made = _Compression(builder, seed, axes, unit)
    role, builder.role = builder.role, "jacobian"
    pairs = zip(made.passes(block), found, strict=True)
    builder.role = "jacobian"
    whole = [made.spread(Expr(builder, value), known) for value, known in pairs]
    builder.role = role
    return whole


def _axes(seed: Value, found: Sequence[Known]) -> tuple[int | None, ...] | None:
    """For each axis of the parameter how many passes it takes, None for its length; None where
    that is so for all."""
    assert isinstance(seed.type, ArrayType)
    listed = [k.bands for k in found if k.bands is not None]
    if len(listed) < len(found) and not all(k.zero for k in found if k.bands is None):
        return None
    widths: list[int | None] = []
    for axis in range(seed.type.ndim):
        bands = [b[axis] for b in listed]
        known = [b for b in bands if b is not None]
        widths.append(modulus(known) if len(known) == len(bands) else None)
    return None if all(w is None for w in widths) else tuple(widths)


@dataclass(frozen=True, slots=True)
class _Compression:
    """``axes`` are as ``_axes`` gives them."""

    builder: Builder
    seed: Value
    axes: tuple[int | None, ...]
    unit: complex

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.seed.type.dtype  # type: ignore[union-attr, no-any-return]

    @property
    def lengths(self) -> list[Expr | int]:
        """Those of the parameter."""
        return [self.length(d) for d in self.seed.type.shape]  # type: ignore[union-attr]

    def length(self, d: Dimension) -> Expr | int:
        return d if isinstance(d, int) else Expr(self.builder, self.builder.length(d))

    def counting(self, n: Expr | int) -> Expr:
        """0, 1, ..., n - 1."""
        b = self.builder
        ends = (b.const(0), lift(b, n), b.const(1))
        return Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))

    def passes(self, block: Block) -> list[Value]:
        """The block's results for the sums of basis vectors, with an axis in front for these
        if there are several."""
        b, several = self.builder, self.several
        one = b.const(self.dtype.type(self.unit))
        if not several:
            lengths = [lift(b, n) for n in self.lengths]
            return list(inline(b, block, [b.one("broadcast_to", one, *lengths)]))
        seeds = Expr(b, one)
        for axis in several:
            seeds = self.sums(axis) * seeds
        seeds = f.broadcast_to(seeds, *seeds.shape[: len(several)], *self.lengths)
        if len(several) > 1:
            count = math.prod(seeds.shape[: len(several)], start=1)
            seeds = f.reshape(seeds, count, *self.lengths)
        return batch(b, block, [seeds.value], (0,), [True] * len(block.results))

    @property
    def several(self) -> list[int]:
        """The axes that take several passes."""
        return [a for a, w in enumerate(self.axes) if w != 1]

    def sums(self, axis: int) -> Expr:
        """Which entries along an axis are in which sum, as zeros and ones: an axis for the sums
        in its place among those of all, then those of the parameter."""
        b, width = self.builder, self.axes[axis]
        n = lift(b, self.lengths[axis] if width is None else width)
        found = Expr(b, b.op("eye", n, n, b.const(0), dtype=self.dtype))
        if width is not None:
            entry = self.counting(self.lengths[axis]) % width
            found = f.gather(found, entry, index=(FULL, Gather(0)), hint="seeds")
        first, rank = self.several.index(axis), len(self.several) + len(self.axes)
        places = (first, len(self.several) + axis)
        new = tuple(a for a in range(first, rank) if a not in places)
        new = tuple(a - first for a in new)
        return f.expand_dims(found, axes=new) if new else found  # type: ignore[no-any-return]

    # -- results --------------------------------------------------------------------------
    def spread(self, moved: Expr, known: Known) -> Value:
        """The entries of a result in their places, zeros elsewhere."""
        several = self.several
        rank = moved.ndim - bool(several)
        due = moved.shape[bool(several) :]
        lengths = self.lengths
        if known.bands is None:
            zeros = f.zeros(*lengths, *due, dtype=moved.dtype)
            return self.flat(zeros, due)
        if self.plain(known.bands, moved, rank):
            return f.diag(moved).value  # type: ignore[no-any-return]
        if len(self.axes) == rank == 1 and several:
            narrow = self.stripes(known.bands[0], moved)
            if narrow is not None:
                return narrow.value
        if len(several) > 1:
            counts = [self.axes[a] or lengths[a] for a in several]
            moved = f.reshape(moved, *counts, *due)
        for axis, width in enumerate(self.axes):
            moved = self.opened(moved, axis, width)
        mask: Expr | None = None
        for axis, (band, width) in enumerate(zip(known.bands, self.axes, strict=True)):
            if width is not None:
                assert band is not None
                there = self.inside(band, axis, rank, due)
                mask = there if mask is None else f.logical_and(mask, there)
        zero = moved.dtype.type(0)
        return self.flat(f.where(mask, moved, zero), due)

    def plain(self, bands: Bands, moved: Expr, rank: int) -> bool:
        """Whether a result is the diagonal of a matrix."""
        if len(self.axes) != 1 or rank != 1 or self.axes != (1,):
            return False
        [band] = bands
        [length] = self.seed.type.shape  # type: ignore[union-attr]
        return band == Band(0) and self.builder.dims.equal(moved.dims[0], length)

    def stripes(self, band: Band | None, moved: Expr) -> Expr | None:
        """A banded matrix, of which nothing but the band is written: into a matrix with as many
        more rows as the band may stand out. None where that number is not known."""
        dims = self.builder.dims
        n, m = dims.canonical(self.seed.type.shape[0]), dims.canonical(moved.dims[1])  # type: ignore[union-attr]
        if band is None or (band.axis, band.step, band.base) != (0, 1, 0):
            return None
        if not at_least(n - m, 0):
            return None
        offsets = sorted(band.offsets)
        above, below = max(-offsets[0], 0), max(offsets[-1], 0)
        column = self.counting(moved.length(1))
        places = column + _at(
            Expr(self.builder, self.builder.const(np.array(offsets))), 0, 2
        )
        entries = f.gather(
            moved, places % self.axes[0], column, index=(Gather(0), Gather(1))
        )
        zeros = f.zeros(self.lengths[0] + above + below, moved.length(1), dtype=moved.dtype)
        index = (Gather(0), Gather(1))
        tall = f.store(
            zeros, entries, places + above if above else places, column, index=index
        )
        found = f.index(tall, self.length(n + above), index=(Slice(above, Operand(0)),))
        return found if dims.equal(found.dims[0], n) else None

    def opened(self, moved: Expr, axis: int, width: int | None) -> Expr:
        """With the parameter's axis in the place of that for the sums along it."""
        before: tuple[Item, ...] = (FULL,) * axis
        if width is None:
            return moved
        if width == 1:
            return f.expand_dims(moved, axes=(axis,))  # type: ignore[no-any-return]
        entry = self.counting(self.lengths[axis]) % width
        return f.gather(moved, entry, index=(*before, Gather(0)))  # type: ignore[no-any-return]

    def inside(self, band: Band, axis: int, rank: int, due: Sequence[Expr | int]) -> Expr:
        """Which pairs of entries, of the parameter along an axis and of the result, are in the
        band."""
        total = len(self.axes) + rank
        place = _at(self.counting(self.lengths[axis]), axis, total)
        start: Expr | int = 0 if band.base == 0 else self.length(band.base)
        if band.axis is not None:
            result = _at(self.counting(due[band.axis]), len(self.axes) + band.axis, total)
            line = result if band.step == 1 else band.step * result
            start = line if band.base == 0 else line + start
        low, high = min(band.offsets), max(band.offsets)
        if low == high:
            return f.equal(place, start + low if low else start)  # type: ignore[no-any-return]
        offset = place - start
        if low == -high:
            within = f.absolute(offset) <= high
        else:
            within = f.logical_and(offset >= low, offset <= high)
        for d in sorted(set(range(low, high)) - band.offsets):
            within = f.logical_and(within, f.not_equal(offset, d))
        return within  # type: ignore[no-any-return]

    def flat(self, whole: Expr, due: Sequence[Expr | int]) -> Value:
        """With one axis for all of the parameter's."""
        if len(self.axes) == 1:
            return whole.value
        size = self.length(self.seed.type.size)  # type: ignore[union-attr]
        return f.reshape(whole, size, *due).value  # type: ignore[no-any-return]


def _at(x: Expr, axis: int, rank: int) -> Expr:
    """A list of numbers along one of ``rank`` axes; leading ones are NumPy's to add."""
    new = tuple(range(1, rank - axis))
    return f.expand_dims(x, axes=new) if new else x  # type: ignore[no-any-return]
