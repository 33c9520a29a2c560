"""Where the axes of an input are in the result: ``follow`` of the op table.

``follow(band, op, position)`` gives the band of the result that there is by way of the input
number ``position``, which has the given one; None if there is none.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.bands import Band
from ...ir.dims import Dimension
from ...ir.types import ArrayType, ScalarType
from ...ir.values import Op, Value

Follow = Callable[[Band, Op, int], Band | None]


def shape(value: Value) -> tuple[Dimension, ...]:
    """The lengths of an array."""
    assert isinstance(value.type, ArrayType | ScalarType)
    return tuple(value.type.shape)


def same(band: Band, op: Op, position: int) -> Band | None:
    """Axes stay where they are."""
    return band


def aligned(band: Band, op: Op, position: int) -> Band | None:
    """Broadcasting: axes are counted from the last one."""
    if band.axis is None:
        return band
    given, due = shape(op.inputs[position]), shape(op.result)
    axis = band.axis + len(due) - len(given)
    if axis < 0:
        return None
    if band.fits(given[band.axis], due[axis]):
        return band.along(axis)
    return band.fixed(0) if given[band.axis] == 1 else None


def reduced(band: Band, op: Op, position: int) -> Band | None:
    """Reductions: what is not reduced stays."""
    axes, rank = op.attrs["axis"], len(shape(op.inputs[position]))
    listed = (axes,) if isinstance(axes, int) else axes
    gone = set(range(rank)) if listed is None else {a % rank for a in listed}
    if band.axis is None:
        return band
    if band.axis in gone:
        return None
    kept = op.attrs.get("keepdims") or len(shape(op.result)) == rank
    return band if kept else band.along(band.axis - sum(a < band.axis for a in gone))


def permuted(band: Band, op: Op, position: int) -> Band | None:
    """Axes in another order."""
    return band if band.axis is None else band.along(op.attrs["axes"].index(band.axis))


def expanded(band: Band, op: Op, position: int) -> Band | None:
    """New axes among the old ones."""
    old = [a for a in range(len(shape(op.result))) if a not in op.attrs["axes"]]
    return band if band.axis is None else band.along(old[band.axis])


def squeezed(band: Band, op: Op, position: int) -> Band | None:
    """Without axes of length 1."""
    left = [a for a in range(len(shape(op.inputs[0]))) if a not in op.attrs["axes"]]
    if band.axis is None or band.axis in left:
        return band if band.axis is None else band.along(left.index(band.axis))
    return band.fixed(0)


def reshaped(band: Band, op: Op, position: int) -> Band | None:
    """An axis before which there are as many entries as in the result, and as long."""
    if band.axis is None:
        return band
    given, due = shape(op.inputs[0]), shape(op.result)
    for axis, length in enumerate(due):
        if length == given[band.axis] and _size(due[:axis]) == _size(given[: band.axis]):
            return band.along(axis)
    return None


def _size(lengths: tuple[Dimension, ...]) -> Dimension:
    total: Dimension = 1
    for d in lengths:
        total = total * d
    return total


def rolled(band: Band, op: Op, position: int) -> Band | None:
    """Entries shifted around; along an axis as long as the source's it is known by how many."""
    axes = op.attrs["axes"]
    if band.axis is None or band.axis not in axes:
        return band
    if not band.fits(shape(op.result)[band.axis], band.length):
        return None
    moved: Band | None = band
    for axis, shift in zip(axes, op.inputs[1:], strict=True):
        if axis == band.axis:
            moved = None if moved is None or shift.dim is None else moved.turned(shift.dim)
    return moved


def joined(band: Band, op: Op, position: int) -> Band | None:
    """Arrays joined along an axis."""
    axis = op.attrs["axis"]
    if band.axis not in (None, axis):
        return band
    start = _sum(shape(v)[axis] for v in op.inputs[:position])
    if band.axis is None:
        return band.placed(axis, start) if shape(op.inputs[position])[axis] == 1 else band
    return band.read(axis, 1, -1 * start)


def _sum(lengths: object) -> Dimension:
    total: Dimension = 0
    for d in lengths:  # type: ignore[attr-defined]
        total = total + d
    return total


def stacked(band: Band, op: Op, position: int) -> Band | None:
    """Arrays joined along a new axis."""
    if band.axis is None:
        return band
    return band.along(band.axis + (band.axis >= op.attrs["axis"]))


def padded(band: Band, op: Op, position: int) -> Band | None:
    """An array in a frame."""
    if band.axis is None:
        return band
    before = op.inputs[2 + 2 * band.axis].dim
    return None if before is None else band.read(band.axis, 1, -1 * before)


def multiplied(band: Band, op: Op, position: int) -> Band | None:
    """``@``: all axes but the one summed over."""
    if band.axis is None:
        return band
    rank, due = len(shape(op.inputs[position])), len(shape(op.result))
    other = len(shape(op.inputs[1 - position]))
    summed = rank - 1 if position == 0 or rank == 1 else rank - 2
    if band.axis == summed:
        return None
    if band.axis < rank - 2:  # one of a stack of matrices
        short = other == 1
        axis = band.axis + due - (rank - 1 if short else rank)
        fits = shape(op.inputs[position])[band.axis] == shape(op.result)[axis]
        return band.along(axis) if fits else None
    last = position == 1 or other == 1
    return band.along(due - 1 if last else due - 2)


def contracted(band: Band, op: Op, position: int) -> Band | None:
    """``tensordot``: the axes that are kept, those of the first input first."""
    if band.axis is None:
        return band
    ranks = [len(shape(v)) for v in op.inputs]
    axes = [{a % n for a in gone} for gone, n in zip(op.attrs["axes"], ranks, strict=True)]
    if band.axis in axes[position]:
        return None
    before = ranks[0] - len(axes[0]) if position else 0
    return band.along(before + band.axis - sum(a < band.axis for a in axes[position]))


def summed(band: Band, op: Op, position: int) -> Band | None:
    """``einsum``: letters that are in the result."""
    terms, _, out = op.attrs["subscripts"].partition("->")
    if band.axis is None:
        return band
    term = terms.split(",")[position]
    if "." in term or term.count(term[band.axis]) > 1:
        return None
    letter = term[band.axis]
    fits = letter in out and shape(op.inputs[position])[band.axis] != 1
    return band.along(out.index(letter)) if fits else None
