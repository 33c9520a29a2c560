"""What can be done with lists whose length is known at run time only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, UnsupportedSyntaxError
from ...ir.expr import Expr, lift
from ...ir.types import ArrayType, ListType, ScalarType, element_type
from ...ir.values import Value
from ...ops import SURFACE
from ...ops.lists import stack
from ...ops.written import lists as listing
from ..control.awaited import Column
from ..control.counting import arithmetic, compared, counted
from ..control.join import Conflict, Joiner, describe
from ..control.patterns import convert
from ..dispatch import NeverReturns
from ..machine import Machine
from ..names.scope import Frame
from ..names.specialise import need
from ..unpacking import spread_items
from ..values import Items, ListObject, Ref, Rows, Scope, Storage, Suspended, is_long
from .growing import moved
from .holding import build, filled, holes, joined, new_memory, parts


def items_of(xs: ListObject) -> Items:
    """What a long list holds."""
    items = xs.data["items"]
    assert isinstance(items, Items)
    return items


def length(m: Machine, xs: ListObject) -> Any:
    """``len(xs)``."""
    return m.wrap(m.builder.op("list_len", items_of(xs).lists[0]))


def get(m: Machine, node: ast.AST, xs: ListObject, key: Any) -> Any:
    """``xs[key]`` for a whole number, or a slice with bounds that are known."""
    if isinstance(key, slice):
        return _slice(m, node, xs, key)
    items = items_of(xs)
    i = _index(m, node, key)
    values = [_element(m, items, one, i) for one in items.lists]
    return filled(items.element, iter(values))


def _index(m: Machine, node: ast.AST, key: Any) -> Value:
    if isinstance(key, np.integer | int):
        return m.builder.const(int(key))
    t = key.type if isinstance(key, Value) else None
    if not isinstance(t, ArrayType | ScalarType) or t.dtype.kind not in "iu":
        raise UnsupportedSyntaxError("a list is indexed by whole numbers", m.span(node))
    assert isinstance(key, Value)
    return key


def _element(m: Machine, items: Items, xs: Value, i: Value) -> Any:
    b = m.builder
    assert isinstance(xs.type, ListType)
    value = b.one("list_get", xs, i, type=element_type(xs.type, b.dims))
    return _taken(m, items, value)


def _taken(m: Machine, items: Items, value: Value) -> Any:
    """What came out of a list, as an abstract value: an array may be one of several."""
    if not isinstance(value.type, ArrayType) or not value.type.shape:
        return m.wrap(value)
    ref = m.new_storage(value, "merged")
    m.link(ref.storage, items.memory)
    return ref


def _slice(m: Machine, node: ast.AST, xs: ListObject, key: slice) -> ListObject:
    ends = (key.start, key.stop, key.step)
    start, stop, step = (need(m, node, x, "where a part of a list ends") for x in ends)
    items = items_of(xs)
    lists = tuple(
        m.builder.one("list_slice", one, start=start, stop=stop, step=step)
        for one in items.lists
    )
    return ListObject({"items": Items(items.element, lists, items.memory)})


def copy(m: Machine, xs: ListObject) -> ListObject:
    """A list with the same elements."""
    return ListObject({"items": xs.data["items"]})


# ------------------------------------------------------------------------------ changing
def _write(m: Machine, xs: ListObject, lists: list[Value], element: Any = None) -> None:
    items = items_of(xs)
    for old, new in zip(items.lists, lists, strict=True):
        new.name = new.name or old.name
    known = items.element if element is None else element
    m.heap.write(xs, "items", Items(known, tuple(lists), items.memory))


def _fitted(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> tuple[Any, list[Value]]:
    """The structure of elements with ``x`` among them, and the runtime values in ``x``."""
    items = items_of(xs)
    joiner = Joiner(m.builder.dims, "<element>", m.span(node), True)
    try:
        element = joined(joiner, m.region.builder, (items.element,), x)
    except Conflict as conflict:
        raise UnsupportedSyntaxError(
            f"the length of this list is known at run time only, and with {describe(x)} it "
            f"would be {conflict}: elements have to be of one kind",
            m.span(node),
        ) from None
    values, lists = [], []
    for value, one, due in zip(parts(element, x), items.lists, holes(element), strict=True):
        if isinstance(value, Ref):
            m.link(items.memory, value.storage)
            value = m.read(value)
        values.append(convert(m.builder, value, due, m.span(node)))
        lists.append(build(m.builder, one, ListType(due, True), m.span(node)))
    _write(m, xs, lists, element)
    return element, values


def append(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> None:
    """``xs.append(x)``."""
    element, values = _fitted(m, node, xs, x)
    pairs = zip(items_of(xs).lists, values, strict=True)
    _write(m, xs, [m.builder.one("list_push", one, v) for one, v in pairs], element)


def pop(m: Machine, node: ast.AST, xs: ListObject, where: Any = -1) -> Any:
    """``xs.pop()``, ``xs.pop(i)``."""
    items, b = items_of(xs), m.builder
    if isinstance(where, int) and where == -1:
        taken, rest = [], []
        for one in items.lists:
            assert isinstance(one.type, ListType)
            shorter, last = b.op("list_pop", one, type=element_type(one.type, b.dims))
            rest.append(shorter)
            taken.append(_taken(m, items, last))
        _write(m, xs, rest)
        return filled(items.element, iter(taken))
    result = get(m, node, xs, where)
    at = lift(b, m.lift(_from_front(m, node, xs, where)))
    values = [m.lift(v) for v in parts(items.element, result)]
    pairs = zip(items.lists, values, strict=True)
    _write(m, xs, [b.one("list_drop", one, lift(b, v), at) for one, v in pairs])
    return result


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
    first = isinstance(where, int) and where == 0
    place = 0 if first else call(m, node, listing.bound, length(m, xs), where)
    at = Expr(b, lift(b, m.lift(place)))
    element, values = _fitted(m, node, xs, x)
    pairs = zip(items_of(xs).lists, values, strict=True)
    _write(m, xs, [b.one("list_insert", one, v, at.value) for one, v in pairs], element)


def put(m: Machine, node: ast.AST, xs: ListObject, key: Any, x: Any) -> None:
    """``xs[key] = x``."""
    if isinstance(key, slice):
        from .written import put_slice

        put_slice(m, node, xs, key, x)
        return
    i = _index(m, node, key)
    element, values = _fitted(m, node, xs, x)
    pairs = zip(items_of(xs).lists, values, strict=True)
    _write(m, xs, [m.builder.one("list_set", one, v, i) for one, v in pairs], element)


def clear(m: Machine, node: ast.AST, xs: ListObject) -> None:
    """``xs.clear()``."""
    m.heap.write(xs, "items", ())


def reverse(m: Machine, node: ast.AST, xs: ListObject) -> None:
    """``xs.reverse()``."""
    m.heap.write(xs, "items", _slice(m, node, xs, slice(None, None, -1)).data["items"])


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
            m.heap.write(xs, "items", listed(m, made).data["items"])


METHODS["extend"] = extend


def concatenated(m: Machine, node: ast.AST, x: ListObject, y: ListObject) -> ListObject:
    """``x + y``."""
    made = ListObject({"items": x.data["items"]})
    extend(m, node, made, y)
    return made


# ------------------------------------------------------------------------------- as arrays
def as_array(m: Machine, xs: ListObject) -> Expr:
    """The array of a list's elements."""
    items = items_of(xs)
    if len(items.lists) > 1:
        raise UnsupportedFunctionError(
            "a list of tuples whose length is known at run time only is no array; fill a list "
            "for each part of the tuples"
        )
    [element] = holes(items.element)
    _require_one(m, xs, element)
    return stack(Expr(m.builder, items.lists[0]))


def _require_one(m: Machine, xs: ListObject, element: Any) -> None:
    """NumPy makes something else of an empty list."""
    if not element.shape and element.dtype == np.float64:
        return
    b = m.builder
    size = lift(b, m.lift(length(m, xs)))
    some = (Expr(b, size) > 0).value
    text = "need at least one array to stack"
    b.op("require", some, error="ValueError", args=(text,))


_JOINED = {np.concatenate: 0, np.vstack: 0, np.hstack: 1}
_WHOLE = (np.array, np.asarray, np.stack)


def called(m: Machine, node: ast.AST, f: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """A NumPy function of a long list; ``NotImplemented`` where the array of it will do."""
    if not args or not is_long(args[0]):
        return NotImplemented
    xs = args[0]
    element: Any
    [element, *more] = holes(items_of(xs).element)
    if more or not any(f is g for g in (*_JOINED, *_WHOLE, np.column_stack)):
        return NotImplemented
    with m.located(node):
        if f in _JOINED:
            return _join(m, node, f, xs, element, args[1:], kwargs)
        whole = m.wrap(as_array(m, xs).value)
    if f is np.column_stack:
        if element.ndim != 1:
            return NotImplemented
        return moved(m, node, whole, 1)
    axis = args[1] if f is np.stack and len(args) > 1 else kwargs.pop("axis", 0)
    if f is np.stack and not kwargs:
        same = isinstance(axis, int) and axis == 0
        if same:
            return whole
        return moved(m, node, whole, axis)
    if not kwargs and len(args) == 1:
        return whole
    return m.call_surface(SURFACE[np.array], node, whole, *args[1:], **kwargs)


def _join(
    m: Machine,
    node: ast.AST,
    f: Any,
    xs: ListObject,
    element: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    axis = args[0] if args else kwargs.get("axis", _JOINED[f])
    axis = need(m, node, axis, "an axis")
    if set(kwargs) - {"axis"} or axis is None:
        raise UnsupportedFunctionError(
            f"np.{f.__name__} of a list whose length is known at run time only takes a list "
            "and an axis",
            m.span(node),
        )
    if f is not np.concatenate and element.ndim < 2:
        if f is np.vstack or not element.ndim:
            whole = m.wrap(as_array(m, xs).value)
            column = f is np.vstack and not element.ndim
            return (
                m.call_surface(SURFACE[np.reshape], node, whole, (-1, 1))
                if column
                else whole
            )
        axis = 0
    if not element.ndim:
        m.builder.op(
            "raise",
            error="ValueError",
            args=("zero-dimensional arrays cannot be concatenated",),
        )
        raise NeverReturns
    _require_one(m, xs, element)
    one = items_of(xs).lists[0]
    return m.wrap(m.builder.one("list_concatenate", one, axis=axis % element.ndim))


# ------------------------------------------------------------------------------ from arrays
def listed(m: Machine, rows: Rows) -> ListObject:
    """A list that is kept as an array, as a list that can be changed."""
    if rows.depth:
        raise UnsupportedSyntaxError(
            "a list of lists of unknown lengths is kept as an array here; make it one "
            "(np.array), or fill a list of arrays"
        )
    t = rows.array.type
    element: Any = ArrayType(t.dtype, t.shape[1:])
    if rows.kind:
        element = ScalarType(rows.kind)  # type: ignore[arg-type]
    kind = ListType(element, True)
    value = m.builder.one("list_unstack", m.read(rows.array), type=kind)
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
            "or tuples of these, all of one kind",
            m.span(node),
        )
    memory = new_memory()
    rows = [parts(element[0], x) for x in known]
    columns = []
    for k, due in enumerate(holes(element[0])):
        for row in rows:
            if isinstance(row[k], Ref):
                m.link(memory, row[k].storage)
        values = tuple(m.read(x) if isinstance(x, Ref) else x for x in (r[k] for r in rows))
        columns.append(build(m.builder, Column(values), ListType(due, True), m.span(node)))
    return ListObject({"items": Items(element[0], tuple(columns), memory)})


def is_positive(m: Machine, node: ast.AST, xs: ListObject) -> Any:
    """The truth of a list."""
    return compared(m, node, ast.Gt(), length(m, xs), 0)


__all__ = [
    "LIST",
    "METHODS",
    "append",
    "as_array",
    "called",
    "concatenated",
    "copy",
    "extend",
    "get",
    "insert",
    "is_positive",
    "length",
    "listed",
    "made_long",
    "pop",
    "put",
]
