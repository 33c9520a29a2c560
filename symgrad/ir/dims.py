"""Symbolic array lengths: integer polynomials over named symbols.

A length is either a Python ``int`` or a ``Dim``. Two lengths are equal when their normal
forms are equal, so ``n + 2 - 2`` is ``n``. What polynomials cannot say (``max``, ``min``,
floor division) is an atom, treated as one more symbol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Sym:
    """A named length or runtime integer, known to lie in ``[lo, ...)``.

    ``not_one`` says that the specialisation is keyed on this length not being 1, so that
    broadcasting over it is decided when compiling.
    """

    name: str
    lo: int | None = 0
    not_one: bool = False

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Call:
    """An atom that is not a polynomial: ``max``, ``min``, ``floordiv`` of lengths, or ``slice``:
    the length of ``x[start:stop:step]``, from ``(length, start, stop, step)``."""

    function: str
    args: tuple[Dimension, ...]

    def __str__(self) -> str:
        if self.function == "floordiv":
            return f"({self.args[0]}) // {self.args[1]}"
        return f"{self.function}({', '.join(map(str, self.args))})"


Atom = Sym | Call
Monomial = tuple[Atom, ...]


class Dim:
    """A polynomial with integer coefficients; never constant (constants are ``int``).
    ``single`` is the atom that it is, if it is nothing more."""

    __slots__ = ("_atoms", "_hash", "_symbols", "single", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        ordered = terms.items()
        if len(terms) > 1:
            ordered = sorted(ordered, key=_term_order)  # type: ignore[assignment]
        self.terms: tuple[tuple[Monomial, int], ...] = tuple(ordered)
        self._hash = hash(self.terms)
        self.single: Atom | None = None
        if len(self.terms) == 1:
            monomial, coefficient = self.terms[0]
            if coefficient == 1 and len(monomial) == 1:
                self.single = monomial[0]
        self._atoms: frozenset[Atom] | None = None
        self._symbols: frozenset[Sym] | None = None

    @property
    def atoms(self) -> frozenset[Atom]:
        """Every atom that occurs, those inside of others too."""
        if self._atoms is None:
            found: set[Atom] = set()
            for monomial, _ in self.terms:
                for atom in monomial:
                    found.add(atom)
                    if isinstance(atom, Call):
                        for arg in atom.args:
                            found |= arg.atoms if isinstance(arg, Dim) else frozenset()
            self._atoms = frozenset(found)
        return self._atoms

    @property
    def symbols(self) -> frozenset[Sym]:
        """Every symbol that occurs, inside atoms too."""
        if self._symbols is None:
            self._symbols = frozenset(a for a in self.atoms if isinstance(a, Sym))
        return self._symbols

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __add__(self, other: Dimension) -> Dimension:
        return add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Dimension) -> Dimension:
        return add(self, multiply(-1, other))

    def __rsub__(self, other: Dimension) -> Dimension:
        return add(other, multiply(-1, self))

    def __mul__(self, other: Dimension) -> Dimension:
        return multiply(self, other)

    __rmul__ = __mul__

    def __neg__(self) -> Dimension:
        return multiply(-1, self)

    def __floordiv__(self, other: Dimension) -> Dimension:
        return floordiv(self, other)

    def __str__(self) -> str:
        text = ""
        for monomial, coefficient in self.terms:
            factors = [str(a) for a in monomial]
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            sign = " - " if coefficient < 0 else " + "
            text += sign + "*".join(factors)
        return text[3:] if text.startswith(" + ") else "-" + text[3:]

    __repr__ = __str__


Dimension = int | Dim


@lru_cache(maxsize=4096)
def _order(monomial: Monomial) -> tuple[int, str]:
    return (-len(monomial), "*".join(map(str, monomial)))


def _term_order(term: tuple[Monomial, int]) -> tuple[int, str]:
    return _order(term[0])


def symbol(name: str, *, lo: int | None = 0, not_one: bool = False) -> Dim:
    """The length called ``name``."""
    return Dim({(Sym(name, lo, not_one),): 1})


def _terms(d: Dimension) -> dict[Monomial, int]:
    if isinstance(d, Dim):
        return dict(d.terms)
    return {(): int(d)} if d else {}


def _make(terms: dict[Monomial, int]) -> Dimension:
    terms = {m: c for m, c in terms.items() if c}
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    return Dim(terms)


def add(a: Dimension, b: Dimension) -> Dimension:
    """``a + b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    terms = _terms(a)
    for monomial, coefficient in _terms(b).items():
        terms[monomial] = terms.get(monomial, 0) + coefficient
    if len(terms) > 1:
        _put_together(terms)
    return _make(terms)


def _put_together(terms: dict[Monomial, int]) -> None:
    """The parts of a length that it is cut into: ``max(0, b - a) + min(a, b)`` is ``b``,
    ``b - max(0, b - a)`` is ``min(a, b)``, and ``b - min(a, b)`` is ``max(0, b - a)``."""
    calls = [m[0] for m in terms if len(m) == 1 and isinstance(m[0], Call)]
    for call in calls:
        if call.function == "max" and 0 in call.args:
            over = call.args[call.args[0] == 0]
            for part in calls if terms[(call,)] > 0 else ():
                _complete(terms, call, part, over)
            whole = _make({m: c for m, c in _terms(over).items() if m and c > 0})
            if terms[(call,)] < 0 and isinstance(whole, Dim) and _within(whole, terms):
                short = add(whole, multiply(-1, over))
                _shift(terms, call, 1, add(minimum(short, whole), multiply(-1, whole)))
        elif call.function == "min" and terms[(call,)] < 0:
            for short, whole in (call.args, call.args[::-1]):
                if isinstance(whole, Dim) and _within(whole, terms):
                    rest = maximum(0, add(whole, multiply(-1, short)))
                    _shift(terms, call, 1, add(rest, multiply(-1, whole)))
                    break


def _within(part: Dimension, terms: dict[Monomial, int]) -> bool:
    return all(terms.get(m, 0) * c >= c * c for m, c in _terms(part).items())


def _complete(terms: dict[Monomial, int], rest: Call, part: Call, over: Dimension) -> None:
    if part.function != "min" or terms[(part,)] <= 0:
        return
    a, b = part.args
    for short, whole in ((a, b), (b, a)):
        if over == add(whole, multiply(-1, short)):
            count = min(terms[(part,)], terms[(rest,)])
            terms[(part,)] -= count
            _shift(terms, rest, -count, multiply(count, whole))
            return


def _shift(terms: dict[Monomial, int], atom: Call, count: int, more: Dimension) -> None:
    terms[(atom,)] += count
    for monomial, c in _terms(more).items():
        terms[monomial] = terms.get(monomial, 0) + c


def multiply(a: Dimension, b: Dimension) -> Dimension:
    """``a * b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    terms: dict[Monomial, int] = {}
    for m1, c1 in _terms(a).items():
        for m2, c2 in _terms(b).items():
            monomial = tuple(sorted(m1 + m2, key=str))
            terms[monomial] = terms.get(monomial, 0) + c1 * c2
    return _make(terms)


def floordiv(a: Dimension, b: Dimension) -> Dimension:
    """``a // b``, exact when every coefficient divides."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if b == 1:
        return a
    if isinstance(b, int) and b and all(c % b == 0 for c in _terms(a).values()):
        return _make({m: c // b for m, c in _terms(a).items()})
    quotient = divide_exactly(a, b)
    if quotient is not None:
        return quotient
    return Dim({(Call("floordiv", (a, b)),): 1})


def divide_exactly(a: Dimension, b: Dimension) -> Dimension | None:
    """``a / b`` where ``b`` is one monomial that divides every term of ``a``, else None."""
    divisor = _terms(b)
    if len(divisor) != 1:
        return 1 if a == b else None
    [(atoms, coefficient)] = divisor.items()
    terms: dict[Monomial, int] = {}
    for monomial, c in _terms(a).items():
        rest = list(monomial)
        for atom in atoms:
            if atom not in rest:
                return None
            rest.remove(atom)
        if c % coefficient:
            return None
        terms[tuple(rest)] = c // coefficient
    return _make(terms)


def lower_bound(d: Dimension) -> int | None:
    """The largest constant known not to exceed ``d``, or None."""
    if isinstance(d, int):
        return d
    total = 0
    for monomial, coefficient in d.terms:
        if not monomial:
            total += coefficient
            continue
        bounds = [_atom_lower(a) for a in monomial]
        if coefficient < 0 or any(b is None or b < 0 for b in bounds):
            return None
        product = coefficient
        for bound in bounds:
            product *= bound or 0
        total += product
    return total


def _atom_lower(atom: Atom) -> int | None:
    if isinstance(atom, Sym):
        return atom.lo
    if atom.function == "slice":
        return 0
    bounds = [lower_bound(a) for a in atom.args]
    known = [b for b in bounds if b is not None]
    if atom.function == "max":
        return max(known, default=None)
    if len(known) < len(bounds):
        return None
    if atom.function == "min":
        return min(known)
    divisor = atom.args[1]
    return known[0] // divisor if isinstance(divisor, int) and divisor > 0 else None


@lru_cache(maxsize=4096, typed=True)
def at_least(a: Dimension, b: Dimension) -> bool:
    """Whether ``a >= b`` is known."""
    return _not_negative(add(a, multiply(-1, b)))


def _not_negative(d: Dimension) -> bool:
    bound = lower_bound(d)
    if bound is not None:
        return bound >= 0
    for monomial, coefficient in d.terms if isinstance(d, Dim) else ():
        if coefficient == -1 and len(monomial) == 1 and isinstance(monomial[0], Call):
            call = monomial[0]
            if call.function in ("max", "min"):
                rest = add(d, Dim({monomial: 1}))
                decided = all if call.function == "max" else any
                return decided(_not_negative(add(rest, multiply(-1, x))) for x in call.args)
    return False


@lru_cache(maxsize=4096, typed=True)
def maximum(a: Dimension, b: Dimension) -> Dimension:
    """``max(a, b)``; ``max(0, max(0, n - 1) - 2)`` becomes ``max(0, n - 3)``."""
    if at_least(a, b):
        return a
    if at_least(b, a):
        return b
    if a == 0 and isinstance(b, Dim):
        merged = _merge_nested_max(b)
        if merged is not None:
            return merged
    return Dim({(Call("max", _sorted(a, b)),): 1})


def _merge_nested_max(b: Dim) -> Dimension | None:
    shift = add(b, 0)
    for monomial, coefficient in b.terms:
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], Call):
            call = monomial[0]
            if call.function == "max" and 0 in call.args:
                rest = add(shift, multiply(-1, Dim({monomial: 1})))
                if isinstance(rest, int) and rest <= 0:
                    inner = call.args[0] if call.args[1] == 0 else call.args[1]
                    return maximum(0, add(inner, rest))
    return None


@lru_cache(maxsize=4096, typed=True)
def minimum(a: Dimension, b: Dimension) -> Dimension:
    """``min(a, b)``."""
    if at_least(a, b):
        return b
    if at_least(b, a):
        return a
    return Dim({(Call("min", _sorted(a, b)),): 1})


def _sorted(a: Dimension, b: Dimension) -> tuple[Dimension, Dimension]:
    return (a, b) if str(a) <= str(b) else (b, a)


def symbols(d: Dimension) -> frozenset[Sym]:
    """Every symbol that ``d`` depends on."""
    return d.symbols if isinstance(d, Dim) else frozenset()


def substitute(d: Dimension, mapping: Mapping[Atom, Dimension]) -> Dimension:
    """``d`` with atoms replaced."""
    if isinstance(d, int) or mapping.keys().isdisjoint(d.atoms):
        return d
    total: Dimension = 0
    for monomial, coefficient in d.terms:
        product: Dimension = coefficient
        for atom in monomial:
            product = multiply(product, _substitute_atom(atom, mapping))
        total = add(total, product)
    return total


def _substitute_atom(atom: Atom, mapping: Mapping[Atom, Dimension]) -> Dimension:
    if atom in mapping:
        return mapping[atom]
    if isinstance(atom, Sym):
        return Dim({(atom,): 1})
    args = [substitute(a, mapping) for a in atom.args]
    if tuple(args) == atom.args:
        return Dim({(atom,): 1})
    changed = _call(atom.function, args)
    single = as_atom(changed)
    return mapping.get(single, changed) if single is not None else changed


def _call(function: str, args: list[Dimension]) -> Dimension:
    if function == "slice":
        length, start, stop, step = args
        assert isinstance(step, int)
        found = slice_length(length, start, stop, step)
        assert found is not None
        return found
    a, b = args
    if function == "floordiv":
        return floordiv(a, b)
    return maximum(a, b) if function == "max" else minimum(a, b)


def as_atom(d: Dimension) -> Atom | None:
    """The atom that ``d`` is, if it is nothing more."""
    return d.single if isinstance(d, Dim) else None


def as_symbol(d: Dimension) -> Sym | None:
    """The symbol that ``d`` is, if it is nothing more."""
    atom = d.single if isinstance(d, Dim) else None
    return atom if isinstance(atom, Sym) else None


def may_be_one(d: Dimension) -> bool:
    """Whether a length may turn out to be 1 (then NumPy would broadcast it)."""
    if isinstance(d, int):
        return d == 1
    single = as_symbol(d)
    if single is not None and single.not_one:
        return False
    bound = lower_bound(d)
    return bound is None or bound < 2


@lru_cache(maxsize=4096, typed=True)
def slice_length(
    length: Dimension, start: Dimension | None, stop: Dimension | None, step: int
) -> Dimension | None:
    """Length of ``x[start:stop:step]`` along an axis, or None where it cannot be told."""
    if step == -1 and start is None and stop is None:
        return length
    if step <= 0:
        return None
    begin: Dimension = 0 if start is None else start
    end: Dimension = length if stop is None else stop
    span = _span(length, begin, end)
    if span is None:
        return Dim({(Call("slice", (length, begin, end, step)),): 1})
    return span if step == 1 else floordiv(add(span, step - 1), step)


def _span(length: Dimension, begin: Dimension, end: Dimension) -> Dimension | None:
    """Length of ``x[begin:end]``, or None where signs are not known."""
    from_end = end if isinstance(end, int) and end < 0 else add(end, multiply(-1, length))
    if at_least(begin, 0) and at_least(0, from_end) and not isinstance(length, int):
        return maximum(0, add(add(length, from_end), multiply(-1, begin)))
    first, last = _bound(length, begin), _bound(length, end)
    if first is None or last is None:
        return None
    if end == length and isinstance(begin, int) and begin < 0:
        return minimum(length, -begin)
    return maximum(0, add(last, multiply(-1, first)))


def _bound(length: Dimension, position: Dimension) -> Dimension | None:
    if position == length:
        return length
    if isinstance(position, int) and position < 0:
        return maximum(0, add(length, position))
    if at_least(position, 0):
        return minimum(length, position)
    return None
