"""Where the axes of an input are in the result: ``follow`` of the op table.

``follow(band, op, position)`` gives the band of the result that there is by way of the input
number ``position``, which has the given one; None if there is none.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.bands import Band
from ..ir.dims import Dimension, at_least
from ..ir.indexing import Bound, Gather, Mask, NewAxis, Operand, Slice, is_basic
from ..ir.types import ArrayType, ScalarType
from ..ir.values import Op, Value

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
    if given[band.axis] == due[axis]:
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


def joined(band: Band, op: Op, position: int) -> Band | None:
    """Arrays joined along an axis."""
    if band.axis is None or band.axis != op.attrs["axis"]:
        return band
    start = _sum(shape(v)[band.axis] for v in op.inputs[:position])
    return band.read(band.axis, 1, -1 * start)


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


# ------------------------------------------------------------------------------- indices
def places(op: Op, skip: int) -> list[tuple[int | None, object]] | None:
    """For each axis of the array that ``index`` is of, its axis in ``x[index]`` and the item;
    ``skip`` inputs come before the operands. None where index arrays stand apart."""
    index, operands = op.attrs["index"], op.inputs[skip:]
    arrays = [i for i, item in enumerate(index) if isinstance(item, Gather | Mask)]
    numbers = [i for i, item in enumerate(index) if isinstance(item, int | Operand)]
    if any(isinstance(index[i], Mask) for i in arrays):
        return None
    advanced = arrays if is_basic(index) else sorted([*arrays, *numbers])
    if advanced and advanced[-1] - advanced[0] >= len(advanced):
        return None
    ranks = [len(shape(operands[index[i].k])) for i in arrays]
    found: list[tuple[int | None, object]] = []
    axis = 0
    for i, item in enumerate(index):
        if isinstance(item, NewAxis):
            axis += 1
            continue
        kept = isinstance(item, Slice)
        found.append((axis if kept else None, item))
        axis += kept
        if advanced and i == advanced[-1]:
            axis += max(ranks)
    rest = len(shape(op.inputs[0])) - len(found)
    return [*found, *((axis + k, Slice()) for k in range(rest))]


def sliced(item: Slice, length: Dimension, operands: tuple[Value, ...]) -> Dimension | None:
    """The entry at which a slice starts, if it has any; None where that is not known."""
    start = value_of(item.start, operands)
    if item.step is not None and item.step < 0:
        return length - 1 if item.start is None else None
    if item.start is None:
        return 0
    if start is None:
        return None
    if isinstance(start, int) and start < 0:
        return length + start if start == -1 or at_least(length, -start) else None
    return start if at_least(start, 0) else None


def value_of(bound: Bound, operands: tuple[Value, ...]) -> Dimension | None:
    """An index or bound as a length."""
    return operands[bound.k].dim if isinstance(bound, Operand) else bound


def number_of(
    item: object, length: Dimension, operands: tuple[Value, ...]
) -> Dimension | None:
    """The entry that a single index names; None where that is not known."""
    if not isinstance(item, int | Operand):
        return None
    place = value_of(item, operands)
    if isinstance(place, int) and place < 0:
        return length + place
    return place if place is not None and at_least(place, 0) else None


def indexed(band: Band, op: Op, position: int) -> Band | None:
    """``x[index]``."""
    found = places(op, 1)
    if band.axis is None or found is None:
        return band if band.axis is None else None
    operands = op.inputs[1:]
    axis, item = found[band.axis]
    length = shape(op.inputs[0])[band.axis]
    if isinstance(item, Slice):
        start = sliced(item, length, operands)
        return None if start is None else band.read(axis, item.step or 1, start)
    place = number_of(item, length, operands)
    return None if place is None else band.fixed(place)


def stored(band: Band, op: Op, position: int) -> Band | None:
    """``x`` with ``v`` stored, or added, at ``index``."""
    if position == 0:
        return band
    found = places(op, 2)
    if found is None:
        return None
    operands, lengths = op.inputs[2:], shape(op.inputs[0])
    if band.axis is None:
        return _single(band, found, lengths, operands)
    whole = [a for a, _ in found if a is not None]
    part = _part_rank(op, found)
    place = band.axis + part - len(shape(op.inputs[1]))
    if place not in whole:
        return None
    axis = next(k for k, (a, _) in enumerate(found) if a == place)
    item = found[axis][1]
    assert isinstance(item, Slice)
    if shape(op.inputs[1])[band.axis] == 1:
        return None
    start = sliced(item, lengths[axis], operands)
    if start is None or item.step not in (None, 1, -1):
        return None
    step = item.step or 1
    return band.read(axis, step, -1 * step * start)


def _part_rank(op: Op, found: list[tuple[int | None, object]]) -> int:
    """The rank of ``x[index]``."""
    index, operands = op.attrs["index"], op.inputs[2:]
    arrays = [len(shape(operands[i.k])) for i in index if isinstance(i, Gather)]
    new = sum(isinstance(item, NewAxis) for item in index)
    return sum(a is not None for a, _ in found) + new + max(arrays, default=0)


def _single(
    band: Band,
    found: list[tuple[int | None, object]],
    lengths: tuple[Dimension, ...],
    operands: tuple[Value, ...],
) -> Band | None:
    """What depends on single entries of the source, stored at a single place of an axis."""
    for axis, (_, item) in enumerate(found):
        place = number_of(item, lengths[axis], operands)
        if place is not None:
            moved = Band(axis, 1, band.base, band.offsets)
            return moved.read(axis, 1, -1 * place)
    return None
