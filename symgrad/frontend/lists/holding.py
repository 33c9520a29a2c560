"""Lists whose length is known at run time only: what they hold, and how two of them are joined.

A list starts as a tuple of abstract values. Where two ways leave it with different lengths, a
branch or the rounds of a loop, it becomes ``Items``: one list in the IR for each runtime value
in an element, so that ``xs.append((t, y))`` fills two.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np

from ...errors import AliasError, UnsupportedSyntaxError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, ListType, ScalarType
from ...ir.values import Value
from ...ops.lists import stack
from ...ops.written.keyed import Keyed
from ...source import Span
from ..control.awaited import Column, ListPattern
from ..control.join import Conflict, Joiner, Leaf
from ..control.patterns import convert
from ..heap import reaches
from ..machine import Machine
from ..memory.storage import closure
from ..names.lookup import Unsettled
from ..names.scope import variable_name
from ..values import (
    MISSING,
    Cell,
    Items,
    ListObject,
    Poison,
    Record,
    Ref,
    Rows,
    Scope,
    Storage,
)
from .structure import NOTHING, columns, holes, joined, pattern, values_in


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
            "to hold numbers, arrays, or tuples or lists of these, all of one kind",
            joiner.span,
        )
        raise (Unsettled(error) if joiner.loop else error) from None


def check_held(
    m: Machine, node: ast.AST, cell: Cell, ways: Iterable[Any], live: Container[Any]
) -> None:
    """Refuse to make a long list of one that holds lists which are known otherwise, too; ``ways``
    are what it holds, ``live`` the variables that are read afterwards."""
    for known in ways:
        found = list(_lists_in(known)) if isinstance(known, tuple) else []
        twice = len({id(x) for x in found}) < len(found)
        if twice or any(is_known(m, x, (cell,), live) for x in found):
            raise AliasError(
                "a list in this list, which grows at run time, is known by another name or in "
                "another place, too: put a copy there, list(...)",
                m.span(node),
            )


def _lists_in(x: Any) -> Iterator[Any]:
    for part in x:
        if isinstance(part, ListObject) and not part.is_long:
            yield from _lists_in(part.items)
        if isinstance(part, ListObject | Rows):
            yield part
        elif isinstance(part, tuple):
            yield from _lists_in(part)


def is_known(
    m: Machine,
    x: Any,
    without: Iterable[Any],
    live: Container[Any],
    more: Iterable[Any] = (),
) -> bool:
    """Whether a list can be reached by one of the variables ``live``, from another function or
    from ``more``, in another way than through ``without``."""
    if isinstance(x, ListObject) and x.is_part:
        return True
    own = m.frame.scope
    roots = [*more, *(value for name, value in own.data.items() if name in live)]
    for frame in m.frames:
        roots += [s for s in (frame.scope, *frame.outer_scopes()) if s is not own]
    return reaches(roots, x, without=(*without, own))


def _elements(x: Any) -> list[Any]:
    if isinstance(x, tuple):
        return list(x)
    return [pattern(x.element)]


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


def pairs(known: ListPattern, x: Any) -> Iterator[tuple[Any, Any]]:
    """The columns of a pattern, each with what ``x`` has for it."""
    if x is MISSING:
        yield from ((leaf, MISSING) for leaf in known.columns)
    else:
        yield from zip(known.columns, columns(known.element, x), strict=True)


def build(b: Builder, x: Any, wanted: ListType, span: Span | None) -> Value:
    """A column, or an IR list, in the type that is due."""
    if isinstance(x, Column):
        made = b.one("list_new", type=wanted)
        for value in x.values:
            made = b.one("list_push", made, convert(b, value, wanted.element, span))
        return made
    have: Any = x.type.element
    due: Any = wanted.element
    if have is NOTHING:
        return x if due is NOTHING else b.one("list_new", type=wanted)
    if isinstance(have, ListType) and have.element is NOTHING and due != have:
        return b.one("list_blank", x, type=wanted)
    if _widens(have, due):
        numbers = stack(Expr(b, x))
        return b.one("list_unstack", f.astype(numbers, dtype=due.dtype).value, type=wanted)
    if isinstance(have, ListType) and _widens(leaf_of(have), leaf_of(due)):
        return b.one("list_cast", x, type=wanted)
    if not _fits(have, due):
        raise UnsupportedSyntaxError(
            "this list holds numbers of different kinds on different ways; append numbers of "
            "one kind, such as float(...)",
            span,
        )
    assert isinstance(x, Value)
    return x


RUNTIME = ArrayType | ScalarType


def leaf_of(t: Any) -> Any:
    """The type of what lists in lists hold in the end."""
    return leaf_of(t.element) if isinstance(t, ListType) else t


def _fits(have: Any, due: Any) -> bool:
    """Whether elements of one type are elements of another, lengths of arrays apart."""
    if isinstance(have, ListType) and isinstance(due, ListType):
        return _fits(have.element, due.element)
    if isinstance(have, RUNTIME) and isinstance(due, RUNTIME):
        return type(have) is type(due) and bool(have.dtype == due.dtype)
    return have is due


def _widens(have: Any, due: Any) -> bool:
    """Whether Python's numbers become NumPy's of the same or of greater precision."""
    numbers = isinstance(have, ScalarType) and isinstance(due, ArrayType) and not due.shape
    return numbers and bool(np.can_cast(have.dtype, due.dtype, "safe"))


def link(m: Machine, known: ListPattern, x: Any) -> None:
    """Note what the arrays in a list may in truth be."""
    note(m, known.memory, values_in(ListObject({"items": x})) if x is not MISSING else ())


def note(m: Machine, memory: Storage, values: Iterable[Any]) -> None:
    """Note that arrays are in lists with this memory."""
    for value in values:
        if isinstance(value, Items) and value.memory is not memory:
            m.link(memory, value.memory)
        elif isinstance(value, Ref):
            m.link(memory, value.storage)


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
                if not isinstance(name, str) or not isinstance(scope, Scope):
                    continue
                if value is cell:
                    return variable_name(name)
                if isinstance(value, Record) and value.cls is Keyed and name != "self":
                    own = [str(k) for k, part in value.data.items() if part is cell]
                    if own:
                        return f"{variable_name(name)}{own[0]}"
    return ""
