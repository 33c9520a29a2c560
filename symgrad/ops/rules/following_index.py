"""Where the axes of an array are after reading, and storing into, parts: ``follow`` for indices."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.bands import Band
from ...ir.dims import Dimension, at_least
from ...ir.indexing import Bound, Gather, Mask, NewAxis, Operand, Slice, is_basic
from ...ir.values import Op, Value
from .following import shape


def places(op: Op, skip: int) -> list[tuple[int | None, object]] | None:
    """For each axis of the array that ``index`` is of, its axis in ``x[index]`` and the item;
    ``skip`` inputs come before the operands. None where index arrays stand apart. A single
    index array with one axis has an axis of ``x[index]`` as a slice has."""
    index, operands = op.attrs["index"], op.inputs[skip:]
    arrays = [i for i, item in enumerate(index) if isinstance(item, Gather | Mask)]
    numbers = [i for i, item in enumerate(index) if isinstance(item, int | Operand)]
    if any(isinstance(index[i], Mask) for i in arrays):
        return None
    advanced = arrays if is_basic(index) else sorted([*arrays, *numbers])
    if advanced and advanced[-1] - advanced[0] >= len(advanced):
        return None
    ranks = [len(shape(operands[index[i].k])) for i in arrays]
    lone = len(advanced) == 1 and ranks == [1]
    found: list[tuple[int | None, object]] = []
    axis = 0
    for i, item in enumerate(index):
        if isinstance(item, NewAxis):
            axis += 1
            continue
        kept = isinstance(item, Slice) or lone and i == advanced[0]
        found.append((axis if kept else None, item))
        axis += kept
        if advanced and i == advanced[-1] and not lone:
            axis += max(ranks)
    rest = len(shape(op.inputs[0])) - len(found)
    return [*found, *((axis + k, Slice()) for k in range(rest))]


def sliced(item: Slice, length: Dimension, operands: tuple[Value, ...]) -> Dimension | None:
    """The entry at which a slice starts, if it has any; None where that is not known."""
    start = value_of(item.start, operands)
    if isinstance(item.step, Operand):
        return None
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


@dataclass(frozen=True, slots=True)
class Places:
    """Entry ``i`` of an index array, or a single index (then ``step`` is 0), names the entry
    ``step * i + start``; counted around the axis if ``cyclic``."""

    start: Dimension
    step: int
    cyclic: bool

    def of(self, band: Band | None, length: Dimension) -> Band | None:
        """The band that has been made with these places along an axis of that length."""
        if band is None or not self.cyclic:
            return band
        return band.around() if band.fits(length, band.length) else None


def number_of(
    item: object, length: Dimension, operands: tuple[Value, ...]
) -> Places | None:
    """The entry that a single index names; None where that is not known."""
    if not isinstance(item, int | Operand):
        return None
    place = value_of(item, operands)
    if isinstance(place, int) and place < 0:
        return Places(length + place, 0, False)
    if place is not None and at_least(place, 0):
        return Places(place, 0, False)
    return _computed(operands[item.k], length) if isinstance(item, Operand) else None


def numbers_of(
    item: object, length: Dimension, operands: tuple[Value, ...], count: Dimension
) -> Places | None:
    """The entries that an index array with ``count`` entries names, one after the other, as
    those of ``(np.arange(n) + 1) % n``."""
    found = _computed(operands[item.k], length) if isinstance(item, Gather) else None
    return found if found is not None and found.step == 1 and count == length else None


def _computed(value: Value, length: Dimension) -> Places | None:
    found = _line(value, length)
    return None if found is None else Places(*found, cyclic=True)


def _line(value: Value, length: Dimension) -> tuple[Dimension, int] | None:
    """``(start, step)`` of integers that are ``step * i + start`` up to multiples of
    ``length``; None where that is not known."""
    if value.dim is not None:
        return value.dim, 0
    op = value.op
    if op is None:
        return None
    if op.name == "arange":
        start, _, step = (v.dim for v in op.inputs)
        return (start, step) if start is not None and isinstance(step, int) else None
    if op.name == "remainder":
        return _line(op.inputs[0], length) if op.inputs[1].dim == length else None
    if op.name not in ("add", "subtract"):
        return None
    a, b = (_line(v, length) for v in op.inputs)
    if a is None or b is None:
        return None
    sign = 1 if op.name == "add" else -1
    return a[0] + sign * b[0], a[1] + sign * b[1]


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
        if start is None or isinstance(item.step, Operand):
            return None
        return band.read(axis, item.step or 1, start)
    if axis is not None:
        count = shape(op.result)[axis]
        entries = numbers_of(item, length, operands, count)
        return (
            None
            if entries is None
            else entries.of(band.read(axis, 1, entries.start), length)
        )
    place = number_of(item, length, operands)
    return None if place is None else place.of(band.fixed(place.start), length)


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
    count = shape(op.inputs[1])[band.axis]
    if count == 1:
        return None
    if not isinstance(item, Slice):
        entries = numbers_of(item, lengths[axis], operands, count)
        if entries is None:
            return None
        return entries.of(band.read(axis, 1, -1 * entries.start), lengths[axis])
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
    lone = any(a is not None and isinstance(item, Gather) for a, item in found)
    return (
        sum(a is not None for a, _ in found) + new + max(() if lone else arrays, default=0)
    )


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
            return place.of(band.placed(axis, place.start), lengths[axis])
    return None
