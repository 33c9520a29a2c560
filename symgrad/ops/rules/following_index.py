"""Where the axes of an array are after reading, and storing into, parts: ``follow`` for indices."""

from __future__ import annotations

from ...ir.bands import Band
from ...ir.dims import Dimension, at_least
from ...ir.indexing import Bound, Gather, Mask, NewAxis, Operand, Slice, is_basic
from ...ir.values import Op, Value
from .following import shape


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
        if (
            start is None
            and item.stop is None
            and item.step in (None, 1)
            and axis is not None
        ):
            start = length - shape(op.result)[axis]  # whatever the sign of where it starts
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
            return band.placed(axis, place)
    return None
