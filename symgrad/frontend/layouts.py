"""How arrays lie in memory, as far as it decides whether a reshape is a view or a copy.

Strides are counted in elements, as symbolic lengths. What is fresh lies as NumPy lays it out;
of an argument it is known where the specialisation is keyed on it (``ArgLeaf.layout``). NumPy's
own rule then says what a reshape is: axes that are joined have to lie one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..ir.context import Dims
from ..ir.dims import Call, Dim, Dimension, Sym, add, multiply, symbol
from ..ir.indexing import NewAxis, Slice
from ..ir.values import Op

Strides = tuple[Dimension, ...]
Shape = tuple[Dimension, ...]

_CREATED = frozenset(
    """zeros ones empty full arange linspace eye matmul array flatten""".split()
)
_IN_ORDER = frozenset(
    """copy astype stack concatenate sum mean prod max min cumsum cumprod tile outer
    store add_store store_view""".split()
)
"""Ops whose results lie in C order where their inputs do."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Memory in one piece, with the axes in this order, the outermost first."""

    order: tuple[int, ...]

    def strides(self, shape: Shape) -> Strides:
        """The strides of an array that lies so."""
        found: dict[int, Dimension] = {}
        step: Dimension = 1
        for axis in reversed(self.order):
            found[axis] = step
            step = multiply(step, shape[axis])
        return tuple(found[axis] for axis in range(len(shape)))


@dataclass(frozen=True, slots=True)
class Spread:
    """An argument's memory, with gaps: for each axis the axis that it lies around without a
    gap, -1 for one of adjacent elements, -2 for any other."""

    inner: tuple[int, ...]
    name: str

    def strides(self, shape: Shape) -> Strides:
        """The strides of an array that lies so."""
        return tuple(self._stride(axis, shape, 0) for axis in range(len(shape)))

    def _stride(self, axis: int, shape: Shape, depth: int) -> Dimension:
        inside = self.inner[axis]
        if inside == -1:
            return 1
        if inside == -2 or depth > len(shape):
            return symbol(f"stride_{self.name}_{axis}")
        return multiply(shape[inside], self._stride(inside, shape, depth + 1))


@dataclass(frozen=True, slots=True)
class Lie:
    """How an array lies in memory: the stride of each axis, where known, and the order of the
    axes, the outermost first, where known. An unknown length may stand in the strides."""

    strides: Strides | None = None
    order: tuple[int, ...] | None = None

    def whole(self, shape: Shape) -> tuple[int, ...] | None:
        """The order of the axes, if the memory is in one piece."""
        if self.order is None or self.strides is None:
            return None
        return self.order if self.strides == Plain(self.order).strides(shape) else None


UNKNOWN = Lie()


def plain(order: tuple[int, ...], shape: Shape) -> Lie:
    """An array in one piece."""
    return Lie(Plain(order).strides(shape), order)


def layout_key(x: Any, exact: bool) -> tuple[int, ...]:
    """How an array lies in memory, as a key for specialisations: for each axis the axis that it
    lies around without a gap, -1 for one of adjacent elements, -2 for any other; then the axes
    from the outermost on. Or, if ``exact``, the strides themselves."""
    size, shape, steps = x.itemsize, x.shape, x.strides
    if exact:
        return tuple(step // size if step % size == 0 else 1 << 62 for step in steps)
    found = []
    for axis, step in enumerate(steps):
        inside = -1 if step == size else -2
        for other in range(x.ndim):
            fits = (
                other != axis and shape[other] > 1 and step == steps[other] * shape[other]
            )
            if inside == -2 and shape[axis] > 1 and fits:
                inside = other
        found.append(inside)
    return (*found, *_by_step(steps))


def _by_step(steps: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(steps)), key=lambda axis: (-abs(steps[axis]), axis)))


def given(key: tuple[int, ...], shape: Shape, name: str, exact: bool) -> Lie:
    """How an argument lies, by its key."""
    if exact:
        return Lie(key, _by_step(key))
    key, order = key[: len(shape)], key[len(shape) :]
    whole = [axis for axis in range(len(shape)) if shape[axis] != 1]
    chain = [axis for axis in whole if key[axis] == -1][:1]
    while chain and len(chain) < len(whole):
        outside = [axis for axis in whole if key[axis] == chain[0] and axis not in chain]
        if not outside:
            break
        chain.insert(0, outside[0])
    if len(chain) < len(whole):
        return Lie(Spread(key, name).strides(shape), order)
    if chain == sorted(chain):
        return plain(tuple(range(len(shape))), shape)
    rest = [axis for axis in range(len(shape)) if shape[axis] == 1]
    return plain((*rest, *chain), shape)


# ------------------------------------------------------------------------- fresh memory
def fresh(
    op: Op, rank: int, orders: Sequence[tuple[int, tuple[int, ...] | None]]
) -> tuple[int, ...] | None:
    """The order of the axes of what an op makes in memory of its own, of inputs of these
    ranks and orders; None if unknown."""
    ahead, name = tuple(range(rank)), op.kind.name
    if rank <= 1 or name in _CREATED:
        return ahead
    arrays = [(n, order) for n, order in orders if n]
    if not arrays or any(order is None for _, order in arrays):
        return None
    straight = all(order == tuple(range(n)) for n, order in arrays)
    if straight and (name in _IN_ORDER or op.kind.has("elementwise")):
        return ahead
    if not op.kind.has("elementwise") and name not in ("copy", "astype"):
        return None
    alike = all(n == rank and order == arrays[0][1] for n, order in arrays)
    return arrays[0][1] if alike else None


# -------------------------------------------------------------------------------- views
def through(kind: str, attrs: Any, shape: Shape, strides: Strides) -> Strides | None:
    """The strides of a view."""
    if kind == "index":
        return _indexed(attrs["index"], strides)
    if kind == "transpose":
        return tuple(strides[a] for a in attrs["axes"])
    if kind == "expand_dims":
        left = iter(strides)
        rank = len(strides) + len(attrs["axes"])
        return tuple(0 if i in attrs["axes"] else next(left) for i in range(rank))
    if kind == "squeeze":
        return tuple(s for i, s in enumerate(strides) if i not in attrs["axes"])
    if kind == "diagonal":
        pair = (attrs["axis1"], attrs["axis2"])
        rest = [s for i, s in enumerate(strides) if i not in pair]
        return (*rest, add(strides[pair[0]], strides[pair[1]]))
    if kind in ("named", "inserted"):
        return strides
    return None


def reordered(kind: str, attrs: Any, order: tuple[int, ...]) -> tuple[int, ...] | None:
    """The order of the axes of a view; new ones count as outermost."""
    if kind == "transpose":
        return tuple(attrs["axes"].index(a) for a in order)
    if kind == "expand_dims":
        new = attrs["axes"]
        old = [i for i in range(len(order) + len(new)) if i not in new]
        return (*new, *(old[a] for a in order))
    if kind == "squeeze":
        kept = [a for a in range(len(order)) if a not in attrs["axes"]]
        return tuple(kept.index(a) for a in order if a in kept)
    if kind == "index":
        return _picked(attrs["index"], order)
    return order if kind in ("named", "inserted") else None


def _picked(index: Any, order: tuple[int, ...]) -> tuple[int, ...]:
    places: dict[int, int] = {}
    new: list[int] = []
    axis = count = 0
    for item in index:
        if isinstance(item, NewAxis):
            new.append(count)
            count += 1
            continue
        if isinstance(item, Slice):
            places[axis] = count
            count += 1
        axis += 1
    for rest in range(axis, len(order)):
        places[rest] = count
        count += 1
    return (*new, *(places[a] for a in order if a in places))


def _indexed(index: Any, strides: Strides) -> Strides:
    found: list[Dimension] = []
    axis = 0
    for item in index:
        if isinstance(item, NewAxis):
            found.append(0)
            continue
        if isinstance(item, Slice):
            found.append(multiply(strides[axis], 1 if item.step is None else item.step))
        axis += 1
    return (*found, *strides[axis:])


def reshaped(
    dims: Dims, shape: Shape, strides: Strides, new: Shape
) -> Strides | bool | None:
    """The strides of ``x.reshape(new)`` where that is a view, False where it is a copy, None
    where that hangs on lengths."""
    pairs = [
        (dims.canonical(n), s)
        for n, s in zip(shape, strides, strict=True)
        if dims.canonical(n) != 1
    ]
    fresh_shape = [dims.canonical(n) for n in new]
    chains = [
        _follows(outer, inner) for outer, inner in zip(pairs, pairs[1:], strict=False)
    ]
    if all(chain is True for chain in chains):
        last = pairs[-1][1] if pairs else 1
        return _chained(fresh_shape, last)
    groups = _groups([n for n, _ in pairs], fresh_shape)
    if groups is None:
        joined = len([n for n in fresh_shape if n != 1]) == 1
        return _copied(dims, pairs) if joined and False in chains else None
    found: list[Dimension] = []
    unsure = False
    for (i, j), lengths in groups:
        inside = chains[i : j - 1]
        if False in inside:
            return _copied(dims, pairs)
        unsure = unsure or None in inside
        found += _chained(lengths, pairs[j - 1][1])
    return None if unsure else tuple(found)


def contiguous(lie: Lie, shape: Shape) -> bool | None:
    """Whether an array lies in C order without gaps; None if that is not known."""
    if lie.strides is None:
        return None
    due = Plain(tuple(range(len(shape)))).strides(shape)
    pairs = [
        (have, wanted)
        for have, wanted, n in zip(lie.strides, due, shape, strict=True)
        if n != 1
    ]
    if all(have == wanted for have, wanted in pairs):
        return True
    return False if any(_differ(*pair) for pair in pairs) else None


def _copied(dims: Dims, pairs: Sequence[tuple[Dimension, Dimension]]) -> bool | None:
    """A copy, unless axes may turn out to have length 1 and not count."""
    return False if all(dims.never_one(n) for n, _ in pairs) else None


def _chained(lengths: Iterable[Dimension], last: Dimension) -> Strides:
    found: list[Dimension] = []
    for length in reversed([*lengths]):
        found.insert(0, last)
        last = multiply(last, length)
    return tuple(found)


def _groups(old: list[Dimension], new: list[Dimension]) -> Any:
    """Neighbouring axes of the old shape, with the axes that they become."""
    found: list[tuple[tuple[int, int], list[Dimension]]] = []
    i = k = 0
    while i < len(old):
        match = next(
            (
                (j, n)
                for j in range(i + 1, len(old) + 1)
                for n in range(k + 1, len(new) + 1)
                if _product(old[i:j]) == _product(new[k:n])
            ),
            None,
        )
        if match is None:
            return None
        found.append(((i, match[0]), new[k : match[1]]))
        i, k = match
    if any(n != 1 for n in new[k:]):
        return None
    if found:
        span, lengths = found[-1]
        found[-1] = (span, [*lengths, *new[k:]])
    return found


def _product(lengths: Sequence[Dimension]) -> Dimension:
    total: Dimension = 1
    for n in lengths:
        total = multiply(total, n)
    return total


def _follows(
    outer: tuple[Dimension, Dimension], inner: tuple[Dimension, Dimension]
) -> bool | None:
    """Whether an axis lies around the next one without a gap; None if it hangs on lengths."""
    step = outer[1]
    due = multiply(inner[1], inner[0])
    if step == due:
        return True
    return False if _differ(step, _not_empty(due)) else None


def _not_empty(d: Dimension) -> Dimension:
    """A length with ``max(0, n)`` taken for ``n``: of empty arrays nothing is asked."""
    if not isinstance(d, Dim):
        return d
    total: Dimension = 0
    for monomial, coefficient in d.terms:
        product: Dimension = coefficient
        for atom in monomial:
            product = multiply(product, _inside(atom))
        total = add(total, product)
    return total


def _inside(atom: Any) -> Dimension:
    if isinstance(atom, Call) and atom.function == "max" and 0 in atom.args:
        [inner] = [a for a in atom.args if a != 0] or [0]
        return inner
    return Dim({(atom,): 1})


def _differ(a: Dimension, b: Dimension) -> bool:
    """Whether two strides are certainly not the same."""
    gap = add(a, multiply(b, -1))
    if isinstance(gap, int):
        return gap != 0
    if len(gap.terms) == 1:
        return True  # a product of lengths, of which none is 0
    p, q = _factors(a), _factors(b)
    if p is None or q is None:
        return False
    for atom in [*p[1]]:
        if atom in q[1]:
            p[1].remove(atom)
            q[1].remove(atom)
    if p[1] and q[1]:
        return False
    ours, (number, others) = (q[1], (p[0], q[0])) if q[1] else (p[1], (q[0], p[0]))
    if not ours:
        return number != others
    if number % others:
        return True
    never_one = all(isinstance(atom, Sym) and atom.not_one for atom in ours)
    return never_one and number == others


def _factors(d: Dimension) -> tuple[int, list[Any]] | None:
    if isinstance(d, int):
        return d, []
    if len(d.terms) != 1:
        return None
    [(monomial, coefficient)] = d.terms
    return coefficient, list(monomial)


__all__ = [
    "UNKNOWN",
    "Lie",
    "contiguous",
    "fresh",
    "given",
    "layout_key",
    "plain",
    "reordered",
    "reshaped",
    "through",
]
