"""What few passes gave, put into its places in the whole matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ..ir.bands import Band
from ..ir.builder import Builder
from ..ir.dims import Dimension, at_least
from ..ir.expr import Expr, f, lift
from ..ir.indexing import FULL, Gather, Item, Operand, Slice
from ..ir.values import Value
from ._bands import Bands, Known


@dataclass(frozen=True, slots=True)
class Axes:
    """Those of a block's parameter ``seed``: for each how many passes it takes, None for its
    length. Along a ``cyclic`` one it is so many and, if these do not go into its length, one for
    each of the last entries."""

    builder: Builder
    seed: Value
    widths: tuple[int | None, ...]
    cyclic: tuple[bool, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.seed.type.dtype  # type: ignore[union-attr]

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

    def count(self, axis: int) -> Expr | int:
        """How many passes an axis takes."""
        n, width = self.lengths[axis], self.widths[axis]
        if width is None:
            return n
        return width if not self.cyclic[axis] or width == 1 else n % width + width

    def sums(self, axis: int) -> Expr:
        """In which pass each entry along an axis is."""
        n, width = self.lengths[axis], self.widths[axis]
        assert width is not None
        entry = self.counting(n)
        if not self.cyclic[axis]:
            return entry % width
        whole = n - n % width
        return f.where(entry < whole, entry % width, entry - (whole - width))  # type: ignore[no-any-return]

    def zeros(self, lengths: Sequence[Expr | int], dtype: np.dtype[Any]) -> Expr:
        """An array of zeros."""
        b = self.builder
        return Expr(b, b.op("zeros", *(lift(b, n) for n in lengths), dtype=dtype))

    @property
    def several(self) -> list[int]:
        """The axes that take several passes."""
        return [a for a, w in enumerate(self.widths) if w != 1]


def spread(axes: Axes, moved: Expr, known: Known) -> Value:
    """The entries of a result in their places, zeros elsewhere."""
    several = axes.several
    rank = moved.ndim - bool(several)
    due = moved.shape[bool(several) :]
    lengths = axes.lengths
    if known.bands is None:
        zeros = axes.zeros([*lengths, *due], moved.dtype)
        return _flat(axes, zeros, due)
    if _plain(axes, known.bands, moved, rank):
        return f.diag(moved).value  # type: ignore[no-any-return]
    if len(axes.widths) == rank == 1 and several:
        narrow = _stripes(axes, known.bands[0], moved)
        if narrow is not None:
            return narrow.value
    if len(several) > 1:
        counts = [axes.count(a) for a in several]
        moved = f.reshape(moved, *counts, *due)
    for axis, width in enumerate(axes.widths):
        moved = _opened(axes, moved, axis, width)
    mask: Expr | None = None
    for axis, (band, width) in enumerate(zip(known.bands, axes.widths, strict=True)):
        if width is not None:
            assert band is not None
            there = _inside(axes, band, axis, rank, due)
            mask = there if mask is None else f.logical_and(mask, there)
    zero = moved.dtype.type(0)
    return _flat(axes, f.where(mask, moved, zero), due)


def _plain(axes: Axes, bands: Bands, moved: Expr, rank: int) -> bool:
    """Whether a result is the diagonal of a matrix."""
    if len(axes.widths) != 1 or rank != 1 or axes.widths != (1,):
        return False
    [band] = bands
    [length] = axes.seed.type.shape  # type: ignore[union-attr]
    return band == Band(0, length=length) and axes.builder.dims.equal(moved.dims[0], length)


def _stripes(axes: Axes, band: Band | None, moved: Expr) -> Expr | None:
    """A banded matrix, of which nothing but the band is written: into a matrix with as many
    more rows as the band may stand out. None where that number is not known."""
    if band is None or band.axis != 0:
        return None
    if axes.cyclic[0]:
        return _around(axes, band, moved) if band.cyclic else None
    dims = axes.builder.dims
    n, m = dims.canonical(axes.seed.type.shape[0]), dims.canonical(moved.dims[1])  # type: ignore[union-attr]
    if (band.step, band.base) != (1, 0) or not at_least(n - m, 0):
        return None
    above, below = max(-min(band.offsets), 0), max(*band.offsets, 0)
    column = axes.counting(moved.length(1))
    places = column + _offsets(axes, band)
    entries = f.gather(moved, places % axes.widths[0], column, index=(Gather(0), Gather(1)))
    zeros = axes.zeros([axes.lengths[0] + above + below, moved.length(1)], moved.dtype)
    index = (Gather(0), Gather(1))
    tall = f.store(zeros, entries, places + above if above else places, column, index=index)
    found = f.index(tall, axes.length(n + above), index=(Slice(above, Operand(0)),))
    return found if dims.equal(found.dims[0], n) else None


def _offsets(axes: Axes, band: Band) -> Expr:
    """The band's offsets, as a column."""
    listed = np.array(sorted(band.offsets))
    return _at(Expr(axes.builder, axes.builder.const(listed)), 0, 2)


def _around(axes: Axes, band: Band, moved: Expr) -> Expr:
    """A band around the ends of the source. In a source that is shorter than the band entries
    are written more than once, the same each time."""
    column, n = axes.counting(moved.length(1)), axes.lengths[0]
    line = column if band.step == 1 else band.step * column
    start = line if band.base == 0 else line + axes.length(band.base)
    places = (start + _offsets(axes, band)) % n
    index = (Gather(0), Gather(1))
    pick = f.gather(axes.sums(0), places, index=(Gather(0),))
    entries = f.gather(moved, pick, column, index=index)
    zeros = axes.zeros([n, moved.length(1)], moved.dtype)
    return f.store(zeros, entries, places, column, index=index)  # type: ignore[no-any-return]


def _opened(axes: Axes, moved: Expr, axis: int, width: int | None) -> Expr:
    """With the parameter's axis in the place of that for the sums along it."""
    before: tuple[Item, ...] = (FULL,) * axis
    if width is None:
        return moved
    if width == 1:
        return f.expand_dims(moved, axes=(axis,))  # type: ignore[no-any-return]
    return f.gather(moved, axes.sums(axis), index=(*before, Gather(0)))  # type: ignore[no-any-return]


def _inside(
    axes: Axes, band: Band, axis: int, rank: int, due: Sequence[Expr | int]
) -> Expr:
    """Which pairs of entries, of the parameter along an axis and of the result, are in the
    band."""
    total = len(axes.widths) + rank
    place = _at(axes.counting(axes.lengths[axis]), axis, total)
    start: Expr | int = 0 if band.base == 0 else axes.length(band.base)
    if band.axis is not None:
        result = _at(axes.counting(due[band.axis]), len(axes.widths) + band.axis, total)
        line = result if band.step == 1 else band.step * result
        start = line if band.base == 0 else line + start
    low, high = min(band.offsets), max(band.offsets)
    if low == high and not band.cyclic:
        return f.equal(place, start + low if low else start)  # type: ignore[no-any-return]
    offset = place - start
    if band.cyclic:
        return _is_around(offset, axes.lengths[axis], band)
    if low == -high:
        within = f.absolute(offset) <= high
    else:
        within = f.logical_and(offset >= low, offset <= high)
    for d in sorted(set(range(low, high)) - band.offsets):
        within = f.logical_and(within, f.not_equal(offset, d))
    return within  # type: ignore[no-any-return]


def _is_around(offset: Expr, n: Expr | int, band: Band) -> Expr:
    """Whether offsets are those of a cyclic band of a source with ``n`` entries."""
    low = min(band.offsets)
    beyond = (offset + -low if low < 0 else offset - low) % n
    if len(band.offsets) == band.span:
        return beyond < band.span
    length = Expr(offset.builder, lift(offset.builder, n))
    each = [f.equal(beyond, f.remainder(d - low, length)) for d in sorted(band.offsets)]
    return reduce(f.logical_or, each)  # type: ignore[no-any-return]


def _flat(axes: Axes, whole: Expr, due: Sequence[Expr | int]) -> Value:
    """With one axis for all of the parameter's."""
    if len(axes.widths) == 1:
        return whole.value
    size = axes.length(axes.seed.type.size)  # type: ignore[union-attr]
    return f.reshape(whole, size, *due).value  # type: ignore[no-any-return]


def _at(x: Expr, axis: int, rank: int) -> Expr:
    """A list of numbers along one of ``rank`` axes; leading ones are NumPy's to add."""
    new = tuple(range(1, rank - axis))
    return f.expand_dims(x, axes=new) if new else x
