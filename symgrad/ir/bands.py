"""Which entries of a source a value's entries depend on, along one axis of the source: a band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .dims import Dim, Dimension, as_symbol, substitute, symbol, symbols

MOST_OFFSETS = 64


@dataclass(frozen=True, slots=True)
class Band:
    """Entry ``i`` along ``axis`` depends on entries ``step * i + base + d`` of the source at
    most, where ``d`` is one of ``offsets``. Without an axis (then ``step`` is 0) every entry
    depends on entries ``base + d`` at most. If ``cyclic``, entries are counted around the
    ``length`` of the source's axis."""

    axis: int | None
    step: int = 1
    base: Dimension = 0
    offsets: frozenset[int] = frozenset({0})
    length: Dimension = 0
    cyclic: bool = False

    def read(self, axis: int | None, step: int = 1, start: Dimension = 0) -> Band | None:
        """The band of a value whose entry ``i`` along ``axis`` is entry ``step * i + start``
        along the axis of this one."""
        if self.axis is None:
            return self
        base = self.base + self.step * start
        return banded(replace(self, axis=axis, step=self.step * step, base=base))

    def fixed(self, position: Dimension) -> Band | None:
        """The band of a value of which every entry is the one at ``position``."""
        if self.axis is None:
            return self
        base = self.base + self.step * position
        return banded(replace(self, axis=None, step=0, base=base))

    def along(self, axis: int) -> Band | None:
        """The same with its axis at another place of the shape."""
        return self if self.axis is None else self.read(axis)

    def placed(self, axis: int, place: Dimension) -> Band | None:
        """The band of a value of which the entry at ``place`` depends on what every entry of
        this one does, and the others on nothing."""
        assert self.axis is None
        return banded(replace(self, axis=axis, step=1, base=self.base - place))

    def fits(self, given: Dimension, due: Dimension) -> bool:
        """Whether two lengths are the same if the source has an entry at all."""
        return given == due or if_any(given, self.length) == if_any(due, self.length)

    def turned(self, shift: Dimension) -> Band | None:
        """The band of a value that is rolled by ``shift`` along an axis as long as the source's."""
        base = self.base - self.step * shift
        return banded(replace(self, base=base, cyclic=True))

    def around(self) -> Band | None:
        """The same with entries counted around the source; None where its length is no
        symbol."""
        if as_symbol(self.length) is None:
            return None
        return banded(replace(self, cyclic=True))

    @property
    def span(self) -> int:
        """How many neighbouring entries of the source the band spans."""
        return max(self.offsets) - min(self.offsets) + 1


def modulus(bands: Iterable[Band], least: int = 1) -> int:
    """The least number, from ``least`` on, for which entries of the source that far apart share
    no entry of any of the values with these bands."""
    number = least
    sets = [b.offsets for b in bands]
    while any(len({d % number for d in found}) < len(found) for found in sets):
        number += 1
    return number


def banded(band: Band) -> Band | None:
    """A band in its normal form: what is constant of ``base`` is in the offsets, and rounds of
    the whole source are left out if it is cyclic."""
    base = if_any(band.base, band.length)
    if band.cyclic:
        base = base - band.length * rounds(base, band.length)
    constant = base if isinstance(base, int) else _coefficient(base, ())
    shifted = frozenset(d + constant for d in band.offsets)
    if len(shifted) > MOST_OFFSETS:
        return None
    return replace(band, base=base - constant, offsets=shifted)


def if_any(base: Dimension, length: Dimension) -> Dimension:
    """What ``base`` is if the source has an entry at all."""
    single = as_symbol(length)
    if single is None or isinstance(base, int) or single not in base.symbols:
        return base
    some = symbol(f"{single.name}'", lo=1 + single.not_one)
    [same] = symbols(some)
    return substitute(substitute(base, {single: some}), {same: length})


def rounds(base: Dimension, length: Dimension) -> int:
    """How often a length that is a symbol is in ``base``."""
    if isinstance(base, int) or as_symbol(length) is None:
        return 0
    return _coefficient(base, length.terms[0][0])  # type: ignore[union-attr]


def _coefficient(d: Dim, monomial: tuple[object, ...]) -> int:
    terms: Mapping[tuple[object, ...], int] = dict(d.terms)
    return terms.get(monomial, 0)


def joined(a: Band | None, b: Band | None) -> Band | None:
    """The band of a sum; None where there is none."""
    if a is None or b is None:
        return None
    if a.base != b.base or a.cyclic or b.cyclic:
        a, b = a.around(), b.around()
    if a is None or b is None:
        return None
    if (a.axis, a.step, a.base, a.cyclic) != (b.axis, b.step, b.base, b.cyclic):
        return None
    return banded(replace(a, offsets=a.offsets | b.offsets))
