"""What is known about lengths at one point of a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from ..errors import ShapeError
from .dims import (
    Atom,
    Dim,
    Dimension,
    Sym,
    as_atom,
    as_symbol,
    may_be_one,
    substitute,
    symbol,
    symbols,
)
from .types import ArrayType, Type


class Dims:
    """Facts about lengths, scoped by region, and the rules of broadcasting.

    Two lengths of which neither can be 1 are equal once NumPy has accepted them in one
    operation; that is recorded as a fact. What concerns the arguments only, the caller has to
    grant (``required``), whatever region it was met in: code that gets by without the operation
    would not notice. The rest is listed in ``unproven`` if that is a list. Where a derived
    length such as ``n - 2`` might turn out to be 1, it is put on the list of lengths that the
    specialisation assumes not to be 1. ``any_step``: slices may have steps that are known at run
    time only. ``powers``: what an int to the power of an int counts as, where the data decides:
    ``"float"`` or, with a check, ``"int"``.
    """

    __slots__ = (
        "_counter",
        "_counts",
        "_memo",
        "_memo_of",
        "_region",
        "any_step",
        "entry",
        "facts",
        "not_one",
        "powers",
        "required",
        "unproven",
    )

    def __init__(self) -> None:
        self.facts: dict[Atom, Dimension] = {}
        self._memo: dict[Dimension, Dimension] = {}
        self._memo_of = self.facts
        self.entry: set[Sym] = set()
        self.not_one: dict[Dimension, None] = {}
        self.required: dict[tuple[Dimension, Dimension], None] = {}
        self.unproven: list[tuple[Dimension, Dimension]] | None = None
        self._region = False
        self.any_step = False
        self.powers = ""
        self._counter: Iterator[int] = count()
        self._counts: dict[Any, Dimension] = {}

    def child(self) -> Dims:
        """For a region: sees what is known here, keeps what it learns to itself."""
        inner = Dims.__new__(Dims)
        inner.facts = self.facts
        inner._memo, inner._memo_of = self._memo, self._memo_of
        inner.entry = self.entry
        inner.not_one = self.not_one
        inner.required = self.required
        inner.unproven = None if self.unproven is None else []
        inner._region = True
        inner.any_step, inner.powers = self.any_step, self.powers
        inner._counter, inner._counts = self._counter, self._counts
        return inner

    def learn(self, inner: Dims) -> None:
        """Take over what a region that always runs has found out, and sees to itself."""
        unproven, self.unproven = self.unproven, None
        for name, d in inner.facts.items():
            self.unify(Dim({(name,): 1}), d)
        self.unproven = unproven

    def equal_at_entry(self) -> tuple[tuple[Dimension, Dimension], ...]:
        """Pairs of lengths of the arguments that are known to be equal."""
        found: list[tuple[Dimension, Dimension]] = []
        first: dict[Dimension, Dimension] = {}
        for name in sorted(self.entry, key=str):
            single = Dim({(name,): 1})
            form = self.canonical(single)
            if form != single and form in first:
                found.append((single, first[form]))
            elif form != single and symbols(form) <= self.entry:
                found.append((single, form))
            first.setdefault(form, single)
        return (*found, *self.required)

    def fresh(
        self, hint: str = "k", *, lo: int | None = 0, not_one: bool = False
    ) -> Dimension:
        """A new symbol."""
        return symbol(f"{hint}_{next(self._counter)}", lo=lo, not_one=not_one)

    def count_of(self, mask: Any) -> Dimension:
        """How many entries of a mask are true: the same length whenever it is asked for."""
        if mask not in self._counts:
            self._counts[mask] = self.fresh("count")
        return self._counts[mask]

    def note_count(self, mask: Any, d: Dimension) -> None:
        """Take ``d`` for the number of entries of a mask that are true."""
        self._counts.setdefault(mask, d)

    def skip(self, used: Iterable[Dimension]) -> None:
        """Make ``fresh`` avoid the symbols that occur in ``used``, which is read when the first
        symbol is made."""
        self._counter = _unused(used)

    def canonical(self, d: Dimension) -> Dimension:
        """``d`` with everything known put in."""
        if isinstance(d, int) or not self.facts:
            return d
        if self._memo_of is not self.facts:
            self._memo, self._memo_of = {}, self.facts
        found = self._memo.get(d)
        if found is None:
            found = self._memo[d] = substitute(d, self.facts)
        return found

    def equal(self, a: Dimension, b: Dimension) -> bool:
        """Whether two lengths are known to be equal."""
        return a == b or self.canonical(a) == self.canonical(b)

    def same_type(self, a: Type, b: Type) -> bool:
        """Whether two types are equal, lengths compared by what is known."""
        if a == b:
            return True
        if not isinstance(a, ArrayType) or not isinstance(b, ArrayType):
            return False
        if a.dtype != b.dtype or a.ndim != b.ndim:
            return False
        return all(self.equal(p, q) for p, q in zip(a.shape, b.shape, strict=True))

    def joined(
        self, a: ArrayType, b: ArrayType, known: Type | None
    ) -> tuple[Dimension, ...]:
        """The shape of one of two arrays of the same rank; lengths that differ are those of
        ``known``, or new."""
        fits = isinstance(known, ArrayType) and known.ndim == a.ndim
        wanted = known.shape if fits else (None,) * a.ndim  # type: ignore[union-attr]
        rows = zip(a.shape, b.shape, wanted, strict=True)
        return tuple(
            p if self.equal(p, q) else self.fresh() if d is None else d for p, q, d in rows
        )

    def never_one(self, d: Dimension) -> bool:
        """Whether ``d`` is not 1: known, or assumed from here on."""
        d = self.canonical(d)
        if not may_be_one(d) or d in self.not_one:
            return True
        if isinstance(d, int) or not symbols(d) <= self.entry:
            return False
        self.not_one[d] = None
        return True

    def unify(self, a: Dimension, b: Dimension) -> Dimension:
        """Record that two lengths are equal; returns the one to use.

        Raises:
            ShapeError: two different constants.
        """
        a, b = self.canonical(a), self.canonical(b)
        if a == b:
            return a
        if isinstance(a, int) and isinstance(b, int):
            raise ShapeError(f"lengths {a} and {b} do not fit together")
        derived = as_symbol(a) is None and as_symbol(b) is None
        if not symbols(a) | symbols(b) <= self.entry:
            if self.unproven is not None:
                self.unproven.append((a, b))
        elif derived or self._region:
            # No fact about an argument's length by itself: nothing else tells the caller.
            self.required[a, b] = None
        if symbols(b) <= self.entry and not symbols(a) <= self.entry:
            a, b = b, a  # what is known everywhere stays
        for single in (as_symbol, as_atom):
            for keep, drop in ((a, b), (b, a)):
                name = single(drop)
                if name is not None and (isinstance(keep, int) or name not in keep.atoms):
                    self._replace(name, keep)
                    return keep
        return a

    def _replace(self, name: Atom, keep: Dimension) -> None:
        """Note that ``name`` is ``keep``. Facts are shared with other regions, so made anew."""
        mapping = {name: keep}
        facts = {
            s: substitute(d, mapping) if isinstance(d, Dim) and name in d.atoms else d
            for s, d in self.facts.items()
        }
        facts[name] = keep
        self.facts = facts

    def broadcast(self, a: Dimension, b: Dimension) -> Dimension:
        """The length that two lengths broadcast to."""
        a, b = self.canonical(a), self.canonical(b)
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        a_fixed, b_fixed = self.never_one(a), self.never_one(b)
        if a_fixed and b_fixed:
            return self.unify(a, b)
        if a_fixed or b_fixed:
            return a if a_fixed else b
        return self.fresh()

    def broadcast_shapes(self, *shapes: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
        """NumPy's broadcasting of whole shapes.

        Raises:
            ShapeError: naming all shapes.
        """
        rank = max(map(len, shapes), default=0)
        result: list[Dimension] = [1] * rank
        try:
            for shape in shapes:
                offset = rank - len(shape)
                for axis, d in enumerate(shape, offset):
                    result[axis] = self.broadcast(result[axis], d)
        except ShapeError:
            text = " and ".join(f"({', '.join(map(str, s))})" for s in shapes)
            raise ShapeError(f"shapes {text} cannot be broadcast together") from None
        return tuple(result)


def _unused(used: Iterable[Dimension]) -> Iterator[int]:
    """Numbers above those that symbols in ``used`` end in."""
    first = 0
    for d in used:
        for s in symbols(d):
            tail = s.name.rpartition("_")[2]
            if tail.isdecimal():
                first = max(first, int(tail) + 1)
    yield from count(first)
