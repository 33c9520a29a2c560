"""Which entries of a source a value's entries depend on, along one axis of the source: a band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .dims import Dim, Dimension

MOST_OFFSETS = 64


@dataclass(frozen=True, slots=True)
class Band:
    """Entry ``i`` along ``axis`` depends on entries ``step * i + base + d`` of the source at
    most, where ``d`` is one of ``offsets``. Without an axis (then ``step`` is 0) every entry
    depends on entries ``base + d`` at most."""

    axis: int | None
    step: int = 1
    base: Dimension = 0
    offsets: frozenset[int] = frozenset({0})

    def read(self, axis: int | None, step: int = 1, start: Dimension = 0) -> Band | None:
        """The band of a value whose entry ``i`` along ``axis`` is entry ``step * i + start``
        along the axis of this one."""
        if self.axis is None:
            return self
        base = self.base + self.step * start
        return banded(axis, self.step * step, base, self.offsets)

    def fixed(self, position: Dimension) -> Band | None:
        """The band of a value of which every entry is the one at ``position``."""
        if self.axis is None:
            return self
        return banded(None, 0, self.base + self.step * position, self.offsets)

    def along(self, axis: int) -> Band | None:
        """The same with its axis at another place of the shape."""
        return self if self.axis is None else self.read(axis)


def modulus(bands: Iterable[Band]) -> int:
    """The least number for which entries of the source that far apart share no entry of any of
    the values with these bands."""
    number = 1
    sets = [b.offsets for b in bands]
    while any(len({d % number for d in found}) < len(found) for found in sets):
        number += 1
    return number


def banded(
    axis: int | None, step: int, base: Dimension, offsets: frozenset[int]
) -> Band | None:
    """A band in its normal form: what is constant of ``base`` is in the offsets."""
    constant = base if isinstance(base, int) else _constant(base)
    shifted = frozenset(d + constant for d in offsets)
    return (
        Band(axis, step, base - constant, shifted) if len(offsets) <= MOST_OFFSETS else None
    )


def _constant(d: Dim) -> int:
    terms: Mapping[tuple[object, ...], int] = dict(d.terms)
    return terms.get((), 0)


def joined(a: Band | None, b: Band | None) -> Band | None:
    """The band of a sum; None where there is none."""
    if a is None or b is None:
        return None
    if (a.axis, a.step, a.base) != (b.axis, b.step, b.base):
        return None
    return banded(a.axis, a.step, a.base, a.offsets | b.offsets)
