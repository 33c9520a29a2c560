"""What views and reshapes make of an array's strides, counted in elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from ...ir.context import Dims
from ...ir.dims import Call, Dim, Dimension, Sym, add, multiply
from ...ir.indexing import NewAxis, Operand, Slice

Strides = tuple[Dimension, ...]
Shape = tuple[Dimension, ...]


def in_one_piece(order: Sequence[int], shape: Shape) -> Strides:
    """The strides of an array without gaps, with the axes in this order, the outermost
    first."""
    found: dict[int, Dimension] = {}
    step: Dimension = 1
    for axis in reversed(order):
        found[axis] = step
        step = multiply(step, shape[axis])
    return tuple(found[axis] for axis in range(len(shape)))


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
    if kind == "strided":
        return tuple(multiply(n, strides[0]) for n in attrs["strides"])
    return strides if kind in ("named", "inserted") else None


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


def _indexed(index: Any, strides: Strides) -> Strides | None:
    found: list[Dimension] = []
    axis = 0
    for item in index:
        if isinstance(item, NewAxis):
            found.append(0)
            continue
        if isinstance(item, Slice):
            if isinstance(item.step, Operand):
                return None
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
    chains = [_follows(outer, inner) for outer, inner in pairwise(pairs)]
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


def contiguous(strides: Strides | None, shape: Shape) -> bool | None:
    """Whether an array lies in C order without gaps; None if that is not known."""
    if strides is None:
        return None
    due = in_one_piece(range(len(shape)), shape)
    pairs = [
        (have, wanted)
        for have, wanted, n in zip(strides, due, shape, strict=True)
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
    "Shape",
    "Strides",
    "contiguous",
    "in_one_piece",
    "reordered",
    "reshaped",
    "through",
]
