"""The structure of the elements of lists whose length is known at run time only.

An element is written as types at the places of its runtime values (*holes*), in tuples, in
``Fixed`` lists and in ``Inner`` ones; what is known when compiling stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...ir.builder import Builder
from ...ir.dims import symbols
from ...ir.tree import Node, Tree, static
from ...ir.types import ANY, ArrayType, ListType, ObjectType, ScalarType, Type
from ...ir.values import Value
from ..control.awaited import Column
from ..control.describing import describe
from ..control.join import Conflict, Joiner, Leaf, Shell, same
from ..values import Items, ListObject, Ref, Rows

NOTHING = ObjectType("nothing")
"""The elements of a list that has been empty so far."""
LEAVES = ArrayType | ScalarType | ObjectType


@dataclass(frozen=True, slots=True)
class Inner:
    """A list in a list, whose length is known at run time only: ``element`` is the structure of
    what it holds."""

    element: Any


class Fixed(tuple[Any, ...]):
    """A list in a list whose length is known, and whose elements are of different kinds."""

    __slots__ = ()

    @classmethod
    def _make(cls, parts: Iterable[Any]) -> Fixed:
        return cls(parts)


def holes(element: Any) -> list[Type]:
    """The types of the runtime values in an element, in order."""
    if isinstance(element, LEAVES):
        return [element]
    if isinstance(element, Inner):
        return [ListType(t, True) for t in holes(element.element)]
    if isinstance(element, tuple):
        return [t for part in element for t in holes(part)]
    return []


def parts(element: Any, x: Any) -> list[Any]:
    """What ``x`` has at the holes; of a list, a ``Column`` of what its elements have, an IR list,
    or the array that it is kept as."""
    if isinstance(element, LEAVES):
        return [x]
    if isinstance(element, Inner):
        return [x] if isinstance(x, Rows) else columns(element.element, x.data["items"])
    if isinstance(element, tuple):
        given = x.items if isinstance(element, Fixed) else x
        pairs = zip(element, given, strict=True)
        return [value for part, inner in pairs for value in parts(part, inner)]
    return []


def columns(element: Any, held: Any) -> list[Any]:
    """What a list holds as values of lists of such elements."""
    if isinstance(held, Items):
        return aligned(element, held.element, list(held.lists))
    rows = [parts(element, one) for one in held]
    return [Column(tuple(row[k] for row in rows)) for k in range(len(holes(element)))]


def aligned(due: Any, have: Any, lists: list[Any]) -> list[Any]:
    """The lists for the holes of one structure, taken from those of another that has been merged
    into it."""
    if have is NOTHING:
        return lists * len(holes(due))
    if isinstance(due, Inner) and isinstance(have, Inner):
        return aligned(due.element, have.element, lists)
    if isinstance(due, tuple) and isinstance(have, tuple):
        found, start = [], 0
        for p, q in zip(due, have, strict=True):
            stop = start + len(holes(q))
            found += aligned(p, q, lists[start:stop])
            start = stop
        return found
    return lists


def like(x: tuple[Any, ...], made: Iterable[Any]) -> Any:
    """A tuple of the same class with other parts."""
    make = getattr(type(x), "_make", None)
    return tuple(made) if make is None else make(made)


def element_tree(element: Any, numbers: Iterator[int]) -> Tree:
    """An element's structure as that of a result, its holes numbered."""
    if isinstance(element, LEAVES):
        return next(numbers)
    if isinstance(element, Inner):
        return list_tree(element.element, numbers)
    if isinstance(element, tuple):
        parts = tuple(element_tree(part, numbers) for part in element)
        if isinstance(element, Fixed):
            return Node("list", parts)
        fields = getattr(type(element), "_fields", None)
        if fields is None:
            return Node("tuple", parts)
        return Node("namedtuple", parts, tuple(fields), type(element))
    return static(element)


def list_tree(element: Any, numbers: Iterator[int]) -> Tree:
    """A list of such elements as a result: itself where it is one IR list."""
    inner = element
    while isinstance(inner, Inner):
        inner = inner.element
    if isinstance(inner, LEAVES):
        return next(numbers)
    places = tuple(next(numbers) for _ in holes(element))
    return Node("each", places, value=element_tree(element, iter(range(len(places)))))


# ---------------------------------------------------------------------------------- as patterns
def pattern(element: Any) -> Any:
    """An element's structure with ``Leaf`` at the holes."""
    if element is NOTHING:
        return element
    if isinstance(element, LEAVES):
        return Leaf(element, None, frozenset({ANY}))
    if isinstance(element, Inner):
        return Inner(pattern(element.element))
    if isinstance(element, tuple):
        return like(element, [pattern(part) for part in element])
    return element


def _structure(known: Any, builder: Builder) -> Any:
    """A pattern as an element's structure: lengths that ``builder`` cannot name may be any."""
    if isinstance(known, Leaf):
        t = known.type
        if not isinstance(t, ArrayType):
            return t
        shape = []
        for d in t.shape:
            named = builder.dims.canonical(d)
            here = d not in known.free and all(
                s in builder.bindings for s in symbols(named)
            )
            shape.append(named if here else ANY)
        return ArrayType(t.dtype, tuple(shape))
    if isinstance(known, Inner):
        return Inner(_structure(known.element, builder))
    if isinstance(known, tuple):
        return like(known, [_structure(part, builder) for part in known])
    if isinstance(known, Shell):
        raise Conflict("a list of dicts or objects")
    return known


def joined(joiner: Joiner, builder: Builder, known: Any, x: Any) -> Any:
    """The structure of elements like ``known`` (None for the first) and like ``x``."""
    found = _opened(joiner, x)
    if known is not None:
        found = _merged(joiner, pattern(known[0]), found)
    return _structure(found, builder)


def _opened(joiner: Joiner, x: Any) -> Any:
    """The pattern of an element: a list in it is ``Inner`` if its elements are of one kind."""
    if isinstance(x, Inner | ObjectType):
        return x
    if isinstance(x, Rows):
        return pattern(row_structure(x))
    if isinstance(x, ListObject):
        held = x.data["items"]
        if isinstance(held, Items):
            return Inner(pattern(held.element))
        return _of_known(joiner, [_opened(joiner, item) for item in held])
    if isinstance(x, tuple):
        return like(x, [_opened(joiner, item) for item in x])
    return joiner.opened(x)


def _of_known(joiner: Joiner, found: list[Any]) -> Any:
    total: Any = NOTHING
    for one in found:
        if not _alike(total, one):
            return Fixed(found)
        total = _merged(joiner, total, one)
    return Inner(total)


def row_structure(rows: Rows) -> Any:
    """The structure of a list that is kept as an array, as an element."""
    return Inner(rows_element(rows))


def rows_element(rows: Rows) -> Any:
    """The structure of the elements of a list that is kept as an array."""
    t = rows.array.type
    element: Any = ArrayType(t.dtype, t.shape[1 + rows.depth :])
    if rows.kind:
        element = ScalarType(rows.kind)  # type: ignore[arg-type]
    for _ in range(rows.depth):
        element = Inner(element)
    return element


def _alike(p: Any, q: Any) -> bool:
    """Whether two patterns are of one kind: lists of such are no records."""
    if p is NOTHING or q is NOTHING:
        return True
    if isinstance(p, Leaf) and isinstance(q, Leaf):
        s, t = p.type, q.type
        return isinstance(s, LEAVES) and s.dtype == t.dtype and s.ndim == t.ndim  # type: ignore[union-attr]
    if isinstance(p, Inner) and isinstance(q, Inner):
        return _alike(p.element, q.element)
    if isinstance(p, tuple) and isinstance(q, tuple) and len(p) == len(q):
        return type(p) is type(q) and all(map(_alike, p, q))
    return not isinstance(p, Leaf | Inner | tuple) and same(p, q)


def _merged(joiner: Joiner, p: Any, q: Any) -> Any:
    """One pattern of two."""
    if p is NOTHING or q is NOTHING:
        return q if p is NOTHING else p
    if isinstance(p, Leaf) and isinstance(q, Leaf):
        joint, free = joiner.types(p.type, q.type, p.free | q.free)
        return Leaf(joint, None, free)
    if isinstance(p, Inner) and isinstance(q, Inner):
        return Inner(_merged(joiner, p.element, q.element))
    as_lists = isinstance(p, Fixed) is isinstance(q, Fixed)
    if isinstance(p, tuple) and isinstance(q, tuple) and len(p) == len(q) and as_lists:
        return like(p, [_merged(joiner, a, b) for a, b in zip(p, q, strict=True)])
    if isinstance(p, Leaf | Shell | tuple | Inner) or isinstance(
        q, Leaf | Shell | tuple | Inner
    ):
        raise Conflict("a list of elements of different structure")
    if not same(p, q):
        raise Conflict(f"a list that holds {describe(p)} and {describe(q)}")
    return p


# ------------------------------------------------------------------------------- lists in lists
Steps = tuple[tuple[int, ...], ...]
"""The way to a list in a list, for each list on it: the places in the tuples around the next."""


def locate(element: Any, steps: Steps) -> tuple[int, Any]:
    """The first hole of the list that ``steps`` lead to, and the structure of its elements."""
    first = 0
    for step in steps:
        for k in step:
            first += sum(len(holes(part)) for part in element[:k])
            element = element[k]
        assert isinstance(element, Inner)
        element = element.element
    return first, element


def swapped(element: Any, steps: Steps, new: Any) -> Any:
    """``element`` with another structure of the elements of the list that ``steps`` lead to."""
    if not steps:
        return new
    first, *rest = steps
    return _within(element, first, tuple(rest), new)


def _within(element: Any, step: tuple[int, ...], rest: Steps, new: Any) -> Any:
    if not step:
        assert isinstance(element, Inner)
        return Inner(swapped(element.element, rest, new))
    k, *more = step
    made = [*element]
    made[k] = _within(element[k], tuple(more), rest, new)
    return like(element, made)


def holds_lists(element: Any) -> bool:
    """Whether there is a list in an element that can be changed there."""
    if isinstance(element, tuple):
        return any(map(holds_lists, element))
    return isinstance(element, Inner)


def values_in(x: Any) -> Iterator[Value | Ref | Items]:
    """The runtime values in an element, and what the lists in it hold."""
    if isinstance(x, ListObject):
        held = x.data["items"]
        if isinstance(held, Items):
            yield held
            return
        x = held
    if isinstance(x, tuple):
        for part in x:
            yield from values_in(part)
    elif isinstance(x, Rows):
        yield x.array
    elif isinstance(x, Value | Ref):
        yield x


__all__ = [
    "NOTHING",
    "Fixed",
    "Inner",
    "aligned",
    "columns",
    "element_tree",
    "holds_lists",
    "holes",
    "joined",
    "like",
    "list_tree",
    "locate",
    "parts",
    "pattern",
    "row_structure",
    "rows_element",
    "swapped",
    "values_in",
]
