"""Lists whose length is known at run time only: what they hold, and how two of them are joined.

A list starts as a tuple of abstract values. Where two ways leave it with different lengths, a
branch or the rounds of a loop, it becomes ``Items``: one list in the IR for each runtime value
in an element, so that ``xs.append((t, y))`` fills two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.builder import Builder
from ...ir.dims import symbols
from ...ir.expr import Expr, f
from ...ir.tree import Node, Tree, static
from ...ir.types import ANY, ArrayType, ListType, ScalarType, Type
from ...ir.values import Value
from ...ops.lists import stack
from ...source import Span
from ..control.awaited import Column, ListPattern
from ..control.join import Conflict, Joiner, Leaf, Shell, describe, same
from ..control.patterns import convert
from ..machine import Machine
from ..memory.storage import closure
from ..names.lookup import Unsettled
from ..names.scope import variable_name
from ..values import MISSING, Cell, Items, ListObject, Poison, Ref, Scope, Storage

RUNTIME = ArrayType | ScalarType


# --------------------------------------------------------------------- structure of elements
def holes(element: Any) -> list[Type]:
    """The types of the runtime values in an element, in order."""
    if isinstance(element, RUNTIME):
        return [element]
    if isinstance(element, tuple):
        return [t for part in element for t in holes(part)]
    return []


def parts(element: Any, x: Any) -> list[Any]:
    """What ``x`` has at the holes."""
    if isinstance(element, RUNTIME):
        return [x]
    if isinstance(element, tuple):
        pairs = zip(element, x, strict=True)
        return [value for part, inner in pairs for value in parts(part, inner)]
    return []


def filled(element: Any, values: Iterator[Any]) -> Any:
    """An element with values at the holes."""
    if isinstance(element, RUNTIME):
        return next(values)
    if isinstance(element, tuple):
        made = [filled(part, values) for part in element]
        make = getattr(type(element), "_make", None)
        return tuple(made) if make is None else make(made)
    return element


def element_tree(element: Any, numbers: Iterator[int]) -> Tree:
    """An element's structure as that of a result, its holes numbered."""
    if isinstance(element, RUNTIME):
        return next(numbers)
    if isinstance(element, tuple):
        parts = tuple(element_tree(part, numbers) for part in element)
        fields = getattr(type(element), "_fields", None)
        if fields is None:
            return Node("tuple", parts)
        return Node("namedtuple", parts, tuple(fields), type(element))
    return static(element)


def _pattern(element: Any) -> Any:
    """An element's structure as patterns are written."""
    if isinstance(element, RUNTIME):
        return Leaf(element, None, frozenset({ANY}))
    if isinstance(element, tuple):
        return filled_like(element, [_pattern(part) for part in element])
    return element


def filled_like(x: tuple[Any, ...], made: list[Any]) -> Any:
    """A tuple of the same class with other parts."""
    make = getattr(type(x), "_make", None)
    return tuple(made) if make is None else make(made)


def _structure(pattern: Any, builder: Builder) -> Any:
    """A pattern as an element's structure: lengths that ``builder`` cannot name may be any."""
    if isinstance(pattern, Leaf):
        t = pattern.type
        if not isinstance(t, ArrayType):
            return t
        shape = []
        for d in t.shape:
            known = builder.dims.canonical(d)
            here = d not in pattern.free and all(
                s in builder.bindings for s in symbols(known)
            )
            shape.append(known if here else ANY)
        return ArrayType(t.dtype, tuple(shape))
    if isinstance(pattern, tuple):
        return filled_like(pattern, [_structure(part, builder) for part in pattern])
    if isinstance(pattern, Shell):
        raise Conflict("a list of lists, dicts or objects")
    return pattern


def joined(joiner: Joiner, builder: Builder, known: Any, x: Any) -> Any:
    """The structure of elements like ``known`` (None for the first) and like ``x``."""
    pattern = joiner.opened(x)
    if known is not None:
        pattern = _merged(joiner, _pattern(known[0]), pattern)
    return _structure(pattern, builder)


def _merged(joiner: Joiner, p: Any, q: Any) -> Any:
    """One pattern of two."""
    if isinstance(p, Leaf) and isinstance(q, Leaf):
        joint, free = joiner.types(p.type, q.type, p.free | q.free)
        return Leaf(joint, None, free)
    if isinstance(p, tuple) and isinstance(q, tuple) and len(p) == len(q):
        return filled_like(p, [_merged(joiner, a, b) for a, b in zip(p, q, strict=True)])
    if isinstance(p, Leaf | Shell | tuple) or isinstance(q, Leaf | Shell | tuple):
        raise Conflict("a list of elements of different structure")
    if not same(p, q):
        raise Conflict(f"a list that holds {describe(p)} and {describe(q)}")
    return p


# ----------------------------------------------------------------------------------- joining
def generalise(
    joiner: Joiner, builder: Builder, cell: Cell, a: Any, b: Any, *, may_grow: bool = True
) -> Any:
    """The pattern of what a cell holds on two ways; ``builder`` is that of the block around,
    ``may_grow`` whether a list of known length may become a long one.

    Raises:
        UnsupportedSyntaxError, Unsettled: a list's length is not known, and its elements are of
            different kinds.
    """
    known = (a, b)
    if not isinstance(cell, ListObject) or any(
        x is MISSING or isinstance(x, Poison) for x in known
    ):
        return joiner.generalise(a, b)
    if all(isinstance(x, tuple) for x in known) and (len(a) == len(b) or not may_grow):
        return joiner.generalise(a, b)
    try:
        element = None
        for x in known:
            for one in _elements(x):
                element = (joined(joiner, builder, element, one),)
        assert element is not None
        return _list_pattern(a, element[0])
    except Conflict as conflict:
        error = UnsupportedSyntaxError(
            f"the length of this list is known at run time only, but it is {conflict}: it has "
            "to hold numbers, arrays, or tuples of these, all of one kind",
            joiner.span,
        )
        raise (Unsettled(error) if joiner.loop else error) from None


def _elements(x: Any) -> list[Any]:
    if isinstance(x, tuple):
        return list(x)
    return [_pattern(x.element)]


def _list_pattern(known: Any, element: Any) -> ListPattern:
    if isinstance(known, ListPattern) and known.element == element:
        return known
    types = holes(element)
    if not types:
        raise Conflict("a list of what is known when compiling only")
    memory = known.memory if isinstance(known, ListPattern) else new_memory()
    return ListPattern(element, tuple(Leaf(ListType(t, True)) for t in types), memory)


def new_memory() -> Storage:
    """What stands for the arrays in a list."""
    return Storage(Value(ArrayType(np.dtype(np.float64), (0,))), "merged")


def pairs(pattern: ListPattern, x: Any) -> Iterator[tuple[Any, Any]]:
    """The columns of a pattern, each with what ``x`` has for it."""
    if x is MISSING:
        yield from ((leaf, MISSING) for leaf in pattern.columns)
    elif isinstance(x, Items):
        yield from zip(pattern.columns, x.lists, strict=True)
    else:
        rows = [parts(pattern.element, one) for one in x]
        for k, leaf in enumerate(pattern.columns):
            yield leaf, Column(tuple(row[k] for row in rows))


def build(b: Builder, x: Any, wanted: ListType, span: Span | None) -> Value:
    """A column, or an IR list, in the type that is due."""
    if isinstance(x, Column):
        made = b.one("list_new", type=wanted)
        for value in x.values:
            made = b.one("list_push", made, convert(b, value, wanted.element, span))
        return made
    have, due = x.type.element, type_of_element(wanted)
    if _widens(have, due):
        numbers = stack(Expr(b, x))
        return b.one("list_unstack", f.astype(numbers, dtype=due.dtype).value, type=wanted)
    if have.dtype != due.dtype or type(have) is not type(due):
        raise UnsupportedSyntaxError(
            "this list holds numbers of different kinds on different ways; append numbers of "
            "one kind, such as float(...)",
            span,
        )
    assert isinstance(x, Value)
    return x


def _widens(have: Any, due: Any) -> bool:
    """Whether Python's numbers become NumPy's of the same or of greater precision."""
    numbers = isinstance(have, ScalarType) and isinstance(due, ArrayType) and not due.shape
    return numbers and bool(np.can_cast(have.dtype, due.dtype, "safe"))


def type_of_element(t: ListType) -> Any:
    """The type of a list's elements, which are numbers or arrays."""
    return t.element


def link(m: Machine, pattern: ListPattern, x: Any) -> None:
    """Note what the arrays in a list may in truth be."""
    found: list[Storage] = []
    if isinstance(x, Items):
        found = [x.memory]
    elif isinstance(x, tuple):
        values = [v for one in x for v in parts(pattern.element, one)]
        found = [v.storage for v in values if isinstance(v, Ref)]
    for storage in found:
        m.link(pattern.memory, storage)


def related(memories: list[Storage], birth: int, mine: set[Storage]) -> set[Any]:
    """What is known of the arrays in some lists: which are older than ``birth``, or carried."""
    return {
        (id(memory), id(s))
        for memory in memories
        for s in closure(memory)
        if s.birth < birth or s in mine
    }


def suggest(m: Machine, cell: Cell, items: Items) -> None:
    """Name what a list holds after the list."""
    for value in items.lists:
        value.name = value.name or name_of(m, cell)


def name_of(m: Machine, cell: Cell) -> str:
    """What the user calls a list."""
    for frame in reversed(m.frames):
        for scope in (frame.scope, *frame.outer_scopes()):
            for name, value in scope.data.items():
                if value is cell and isinstance(name, str) and isinstance(scope, Scope):
                    return variable_name(name)
    return ""
