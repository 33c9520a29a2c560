"""What can be done with lists whose length is known at run time only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...errors import AliasError, UnsupportedSyntaxError
from ...ir.expr import Expr, lift
from ...ir.types import ArrayType, ListType, ScalarType, element_type
from ...ir.values import Value
from ...ops.written import lists as listing
from ..control.awaited import Column
from ..control.counting import arithmetic, compared, counted
from ..control.describing import describe
from ..control.join import Conflict, Joiner
from ..control.patterns import convert
from ..dispatch import NeverReturns
from ..machine import Machine
from ..names.scope import Frame
from ..names.specialise import need
from ..unpacking import spread_items
from ..values import (
    Items,
    ListObject,
    Ref,
    Rows,
    Scope,
    Storage,
    Suspended,
    is_long,
    new_list,
)
from .elements import (
    HELD,
    Element,
    adopt,
    assign,
    check_apart,
    columns_of,
    element_of,
    items_of,
    note_move,
    path_of,
    refit,
    replace_columns,
    steps_of,
    stored,
)
from .holding import build, new_memory, note
from .structure import (
    LEAVES,
    NOTHING,
    Fixed,
    Inner,
    columns,
    holds_lists,
    holes,
    joined,
    like,
    parts,
    rows_element,
    values_in,
)


def length(m: Machine, xs: ListObject) -> Any:
    """``len(xs)``."""
    return m.wrap(m.builder.op("list_len", columns_of(xs)[0], *path_of(m, xs)))


def get(m: Machine, node: ast.AST, xs: ListObject, key: Any) -> Any:
    """``xs[key]`` for a whole number, or a slice with bounds that are known."""
    if isinstance(key, slice):
        return _slice(m, node, xs, key)
    i = _index(m, node, key)
    path, element, late = path_of(m, xs), element_of(xs), None
    root = xs.root if isinstance(xs, Element) else xs
    if i.is_constant and i.constant == -1 and holds_lists(element):
        late = lift(m.builder, m.lift(arithmetic(m, node, ast.Sub, length(m, xs), 1)))
    columns = iter(columns_of(xs))

    def out(part: Any, step: tuple[int, ...]) -> Any:
        if part is NOTHING:
            return _raise(m, "IndexError", "list index out of range")
        if isinstance(part, LEAVES):
            value = m.builder.one("list_get", next(columns), *path, i, type=_known(m, part))
            return _taken(m, xs, value)
        if isinstance(part, Inner):
            for _ in holes(part):
                next(columns)
            return Element(m, root, (*path, i), (*steps_of(xs), step), late)
        if isinstance(part, tuple):
            made = [out(inner, (*step, k)) for k, inner in enumerate(part)]
            return new_list(made, HELD) if isinstance(part, Fixed) else like(part, made)
        return part

    return out(element, ())


def _known(m: Machine, t: Any) -> Any:
    """The type of an element, lengths that differ being new symbols."""
    return element_type(ListType(t), m.builder.dims)


def _raise(m: Machine, error: str, text: str) -> Any:
    m.builder.op("raise", error=error, args=(text,))
    raise NeverReturns


def _index(m: Machine, node: ast.AST, key: Any) -> Value:
    if isinstance(key, np.integer | int):
        return m.builder.const(int(key))
    t = key.type if isinstance(key, Value) else None
    if not isinstance(t, ArrayType | ScalarType) or t.dtype.kind not in "iu":
        raise UnsupportedSyntaxError("a list is indexed by whole numbers", m.span(node))
    assert isinstance(key, Value)
    return key


def _taken(m: Machine, xs: ListObject, value: Value) -> Any:
    """What came out of a list, as an abstract value: an array may be one of several."""
    if not isinstance(value.type, ArrayType) or not value.type.shape:
        return m.wrap(value)
    ref = m.new_storage(value, "merged")
    m.link(ref.storage, items_of(xs).memory)
    return ref


def _own(m: Machine, xs: ListObject, element: Any, values: Iterator[Value]) -> Any:
    """An element that is not in the list any more."""
    if isinstance(element, LEAVES):
        return _taken(m, xs, next(values))
    if isinstance(element, Inner):
        lists = tuple(next(values) for _ in holes(element))
        return ListObject({"items": Items(element.element, lists, items_of(xs).memory)})
    if isinstance(element, tuple):
        made = [_own(m, xs, part, values) for part in element]
        return new_list(made) if isinstance(element, Fixed) else like(element, made)
    return element


def _slice(m: Machine, node: ast.AST, xs: ListObject, key: slice) -> ListObject:
    ends = (key.start, key.stop, key.step)
    start, stop, step = (need(m, node, x, "where a part of a list ends") for x in ends)
    held = xs.data["items"]
    lists = tuple(
        m.builder.one(
            "list_slice", one, start=start, stop=stop, step=step, of=one.type.element
        )
        for one in held.lists
    )
    return ListObject({"items": Items(held.element, lists, held.memory)}, _shared(m, xs))


def copy(m: Machine, xs: ListObject) -> ListObject:
    """A list with the same elements."""
    return ListObject({"items": xs.data["items"]}, _shared(m, xs))


def _shared(m: Machine, xs: ListObject) -> str:
    """The owner of a list of the same elements: where these are lists, nobody may change them."""
    if not is_long(xs) or not holds_lists(element_of(xs)):
        return ""
    note_move(m, xs, "shared")
    return SHARED


# ------------------------------------------------------------------------------ changing
def fitted(
    m: Machine, node: ast.AST, xs: ListObject, x: Any, *, whole: bool = False
) -> list[Value]:
    """The runtime values in an element ``x``, after the list has been made one that may hold it;
    ``whole``: in what the list itself is to become."""
    known = element_of(xs)
    joiner = Joiner(m.builder.dims, "<element>", m.span(node), True)
    try:
        around = (Inner(known) if whole else known,)
        element = joined(joiner, m.region.builder, around, x)
    except Conflict as conflict:
        raise UnsupportedSyntaxError(
            f"the length of this list is known at run time only, and with {describe(x)} it "
            f"would be {conflict}: elements have to be of one kind",
            m.span(node),
        ) from None
    note(m, items_of(xs).memory, values_in(x))
    refit(m, node, xs, element.element if whole else element)
    found = zip(parts(element, x), holes(element), strict=True)
    return [convert(m.builder, settled(m, v), due, m.span(node)) for v, due in found]


def settled(m: Machine, x: Any) -> Any:
    """What a list gets, read."""
    if isinstance(x, Column):
        return Column(tuple(settled(m, value) for value in x.values))
    if isinstance(x, Rows):
        return items_of(listed(m, x)).lists[0]
    return m.read(x) if isinstance(x, Ref) else x


def append(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> None:
    """``xs.append(x)``."""
    check_apart(m, node, x)
    values, path = fitted(m, node, xs, x), path_of(m, xs)
    place = lift(m.builder, m.lift(length(m, xs)))
    pairs = zip(columns_of(xs), values, strict=True)
    replace_columns(m, xs, [m.builder.one("list_push", one, v, *path) for one, v in pairs])
    note_move(m, xs, "grown")
    adopt(m, node, xs, x, place)


def pop(m: Machine, node: ast.AST, xs: ListObject, where: Any = -1) -> Any:
    """``xs.pop()``, ``xs.pop(i)``."""
    b, element, path = m.builder, element_of(xs), path_of(m, xs)
    taken, rest = [], []
    if element is NOTHING:
        return _raise(m, "IndexError", "pop from empty list")
    if isinstance(where, int) and where == -1:
        for one, t in zip(columns_of(xs), holes(element), strict=True):
            shorter, last = b.op("list_pop", one, *path, type=_known(m, t))
            rest.append(shorter)
            taken.append(last)
    else:
        i = _index(m, node, where)
        pairs = list(zip(columns_of(xs), holes(element), strict=True))
        taken = [b.one("list_get", one, *path, i, type=_known(m, t)) for one, t in pairs]
        at = lift(b, m.lift(_from_front(m, node, xs, where)))
        rest = [
            b.one("list_drop", one, v, *path, at)
            for (one, _), v in zip(pairs, taken, strict=True)
        ]
    replace_columns(m, xs, rest)
    note_move(m, xs)
    return _own(m, xs, element, iter(taken))


def _from_front(m: Machine, node: ast.AST, xs: ListObject, i: Any) -> Any:
    """An index that is in range, counted from the front."""
    if isinstance(i, int) and i >= 0:
        return i
    size = length(m, xs)
    if isinstance(i, int):
        return arithmetic(m, node, ast.Add, size, i)
    return arithmetic(m, node, ast.Mod, i, size)


def insert(m: Machine, node: ast.AST, xs: ListObject, where: Any, x: Any) -> None:
    """``xs.insert(i, x)``."""
    from .written import call

    b = m.builder
    check_apart(m, node, x)
    first = isinstance(where, int) and where == 0
    place = 0 if first else call(m, node, listing.bound, length(m, xs), where)
    at = Expr(b, lift(b, m.lift(place)))
    values, path = fitted(m, node, xs, x), path_of(m, xs)
    pairs = zip(columns_of(xs), values, strict=True)
    replace_columns(
        m, xs, [b.one("list_insert", one, v, *path, at.value) for one, v in pairs]
    )
    note_move(m, xs)
    adopt(m, node, xs, x, at.value)


def put(m: Machine, node: ast.AST, xs: ListObject, key: Any, x: Any) -> None:
    """``xs[key] = x``."""
    if isinstance(key, slice):
        from .written import put_slice

        put_slice(m, node, xs, key, x)
        return
    i = _index(m, node, key)
    check_apart(m, node, x)
    values, path = fitted(m, node, xs, x), path_of(m, xs)
    pairs = zip(columns_of(xs), values, strict=True)
    replace_columns(m, xs, [stored(m, one, v, (*path, i)) for one, v in pairs])
    note_move(m, xs)
    if holds_lists(element_of(xs)):
        adopt(m, node, xs, x, lift(m.builder, m.lift(_from_front(m, node, xs, key))))


def clear(m: Machine, node: ast.AST, xs: ListObject) -> None:
    """``xs.clear()``."""
    note_move(m, xs)
    assign(m, node, xs, ())


def reverse(m: Machine, node: ast.AST, xs: ListObject) -> None:
    """``xs.reverse()``."""
    note_move(m, xs)
    assign(m, node, xs, _slice(m, node, xs, slice(None, None, -1)).data["items"])


METHODS: dict[str, Callable[..., Any]] = {
    "append": append,
    "pop": pop,
    "insert": insert,
    "clear": clear,
    "reverse": reverse,
    "copy": lambda m, node, xs: copy(m, xs),
}


# ---------------------------------------------------------------------- element by element
LIST, _ITEM = "<list>", "<item>"
"""Names that loops made here use."""


@contextmanager
def _naming(m: Machine, xs: Any) -> Iterator[None]:
    """With a list under a name that loops made here can use."""
    outer = m.frame
    own = frozenset({LIST, _ITEM})
    scope = Scope({LIST: xs})
    m.frames.append(Frame(outer.name, outer.source, outer.parsed, scope, outer, own))
    try:
        yield
    finally:
        m.frames.pop()


def appending(node: ast.AST, value: ast.expr) -> ast.stmt:
    """``<list>.append(value)``."""
    function = ast.Attribute(ast.Name(LIST, ast.Load()), "append", ast.Load())
    made: ast.stmt = at(node, ast.Expr(ast.Call(function, [value], [])))
    return made


def at(place: ast.AST, made: Any) -> Any:
    """``made`` at that place, where it has none of its own."""
    for inner in ast.walk(made):
        if not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return made


def extend(m: Machine, node: ast.AST, xs: ListObject, more: Any) -> None:
    """``xs.extend(more)``: one after the other."""
    from ..control.loops import over
    from ..methods import call_list
    from ..protocols import run_to_its_end

    more = run_to_its_end(m, node, more)
    plan = counted(m, node, more)
    lazy = isinstance(more, Suspended)
    if not lazy and (plan is None or plan.rounds is not None):
        for item in spread_items(m, node, more):
            call_list(m, node, xs, "append", item)
        return
    loop = ast.For(
        ast.Name(_ITEM, ast.Store()),
        ast.Name(_ITEM, ast.Load()),
        [appending(node, ast.Name(_ITEM, ast.Load()))],
        [],
    )
    with _naming(m, xs):
        over(m, at(node, loop), more, plan)
        made = m.frame.scope.data[LIST]
        if isinstance(made, Rows):
            assign(m, node, xs, listed(m, made).data["items"])


METHODS["extend"] = extend


def concatenated(m: Machine, node: ast.AST, x: ListObject, y: ListObject) -> ListObject:
    """``x + y``."""
    made = copy(m, x)
    extend(m, node, made, y)
    return made


# ------------------------------------------------------------------------------ from arrays
def listed(m: Machine, rows: Rows) -> ListObject:
    """A list that is kept as an array, as a list that can be changed."""
    element = rows_element(rows)
    [held] = holes(element)
    value = m.builder.one("list_unstack", m.read(rows.array), type=ListType(held, True))
    memory: Storage = new_memory()
    m.link(memory, rows.array.storage)
    return ListObject({"items": Items(element, (value,), memory)}, rows.owner)


def made_long(m: Machine, node: ast.AST, xs: ListObject | tuple[Any, ...]) -> ListObject:
    """A list or tuple of known length as one whose length is known at run time only.

    Raises:
        UnsupportedSyntaxError: its elements are of different kinds.
    """
    known = xs if isinstance(xs, tuple) else xs.items
    joiner = Joiner(m.builder.dims, "<element>", m.span(node), True)
    element: Any = None
    try:
        for x in known:
            element = (joined(joiner, m.region.builder, element, x),)
    except Conflict:
        element = None
    if element is None or not holes(element[0]):
        raise UnsupportedSyntaxError(
            "where the position is known at run time only, a list has to hold numbers, arrays, "
            "or tuples or lists of these, all of one kind",
            m.span(node),
        )
    memory = new_memory()
    note(m, memory, values_in(known))
    lists = tuple(
        build(m.builder, settled(m, one), ListType(due, True), m.span(node))
        for one, due in zip(columns(element[0], known), holes(element[0]), strict=True)
    )
    owner = "" if isinstance(xs, tuple) else xs.owner
    return ListObject({"items": Items(element[0], lists, memory)}, owner)


def lengthened(m: Machine, node: ast.AST, xs: ListObject | tuple[Any, ...]) -> ListObject:
    """A list or tuple, of which an element is asked for at a position known at run time only: one
    of lists becomes long itself, so that these can be changed; of others it is a copy."""
    made = made_long(m, node, xs)
    element = element_of(made)
    if not holds_lists(element) or (isinstance(xs, ListObject) and xs.owner):
        return made
    if isinstance(xs, tuple):
        raise UnsupportedSyntaxError(
            "which of the lists in this tuple it is is known at run time only: make it a list",
            m.span(node),
        )
    become_long(m, node, xs, made)
    return xs


def become_long(m: Machine, node: ast.AST, xs: ListObject, made: ListObject) -> None:
    """A list of known length becomes ``made``; the lists in it are known by their places."""
    known = xs.items
    for k, x in enumerate(known):
        check_apart(m, node, x)
        if any(x is other for other in known[:k]) and not isinstance(x, Value | Ref):
            raise AliasError(
                "a list is in this list twice, which grows at run time: put a copy there, "
                "list(...)",
                m.span(node),
            )
    m.heap.write(xs, "items", made.data["items"])
    for k, x in enumerate(known):
        adopt(m, node, xs, x, m.builder.const(k))


def is_positive(m: Machine, node: ast.AST, xs: ListObject) -> Any:
    """The truth of a list."""
    return compared(m, node, ast.Gt(), length(m, xs), 0)


SHARED = "the lists in it are in another list, too"
"""The owner of copies of lists of lists."""

__all__ = [
    "LIST",
    "METHODS",
    "SHARED",
    "append",
    "concatenated",
    "copy",
    "extend",
    "fitted",
    "get",
    "insert",
    "is_positive",
    "length",
    "lengthened",
    "listed",
    "made_long",
    "pop",
    "put",
]
