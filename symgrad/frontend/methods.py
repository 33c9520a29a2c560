"""Methods: of arrays through the op table, of lists, dicts, tuples and strings as in Python."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError, UnsupportedSyntaxError
from ..ir.types import ObjectType
from ..ir.values import Value
from ..ops import METHODS, MUTATORS
from ..ops.table import GENERATOR
from .arguments.misuse import bound
from .assignments import check_owned
from .attributes import get_attribute
from .control import settling
from .dispatch import out_of_range
from .lists import calls as list_calls
from .lists import keyed
from .lists import written as list_written
from .machine import Machine
from .memory import orders, placing
from .memory.dict_views import dict_view
from .names.specialise import need
from .names.static import opened, plain
from .operations import compare_values
from .sources.texts import formatted, together
from .unpacking import spread_items, static_items
from .values import (
    DictObject,
    Formatted,
    ListObject,
    Method,
    Ref,
    SetObject,
    any_runtime,
    is_long,
    new_dict,
    new_list,
)

_COPIES = frozenset({"copy", "astype", "flatten"})


def call(
    m: Machine, node: ast.AST, f: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``receiver.name(*args, **kwargs)``."""
    receiver = f.receiver
    if isinstance(receiver, Value) and isinstance(receiver.type, ObjectType):
        return _of_generator(m, node, receiver, f.name, args, kwargs)
    if isinstance(receiver, Ref | Value):
        return _of_array(m, node, receiver, f.name, args, kwargs)
    if isinstance(receiver, ListObject):
        return call_list(m, node, receiver, f.name, *args, **kwargs)
    if isinstance(receiver, SetObject):
        return _of_set(m, node, receiver, f.name, args, kwargs)
    if isinstance(receiver, DictObject):
        if f.name not in DICT:
            raise UnsupportedFunctionError(
                f"`.{f.name}` of dicts cannot be compiled", m.span(node)
            )
        method = DICT[f.name]
        with bound(node, m.span(node), method, (m, node, receiver, *args), kwargs):
            return method(m, node, receiver, *args, **kwargs)
    return _of_static(m, node, receiver, f.name, args, kwargs)


_READING = ("copy", "index", "count")


def call_list(
    m: Machine, node: ast.AST, xs: ListObject, name: str, *args: Any, **kwargs: Any
) -> Any:
    """A list's method; a list is long, or becomes so, where its length hangs on runtime data."""
    table = list_calls.METHODS if is_long(xs) else LIST
    if name in list_written.METHODS and (is_long(xs) or any_runtime((*xs.items, *args))):
        table = list_written.METHODS
    if name not in table:
        kind = (
            "lists" if name not in LIST else "lists whose length is known at run time only"
        )
        raise UnsupportedFunctionError(
            f"`.{name}` of {kind} cannot be compiled", m.span(node)
        )
    if table is not LIST and name not in _READING:
        check_owned(m, node, xs)
    with bound(node, m.span(node), table[name], (m, node, xs, *args), kwargs):
        return table[name](m, node, xs, *args, **kwargs)


def _of_set(
    m: Machine,
    node: ast.AST,
    receiver: SetObject,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """A set's method, done when compiling."""
    if name == "pop":
        raise UnsupportedFunctionError(
            "`.pop` of sets cannot be compiled: they have no order to rely on; take `min(...)` "
            "out by `remove`",
            m.span(node),
        )
    single = name in ("add", "discard", "remove")
    what = "an element of a set"
    known = [need(m, node, x, what) if single else static_items(m, node, x) for x in args]
    changed = set(receiver.items)
    result = getattr(changed, name)(*known, **kwargs)
    if changed != receiver.items:
        m.heap.write(receiver, "items", frozenset(changed))
    return m.lower(result)


def _of_generator(
    m: Machine,
    node: ast.AST,
    receiver: Value,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """A draw; a shuffle overwrites its argument."""
    from .calls import call_op, mutate

    assert isinstance(receiver.type, ObjectType)
    target = getattr(getattr(np.random, receiver.type.name, None), name, None)
    if name == "shuffle" and args:
        entry = (0, GENERATOR[name])
        return mutate(m, node, entry, (args[0], receiver, *args[1:]), kwargs)
    if isinstance(kwargs.get("out"), Ref) and _fills(target, args, kwargs):
        kwargs = {**kwargs, "size": get_attribute(m, node, kwargs["out"], "shape")}
    return call_op(m, node, GENERATOR[name], (receiver, *args), kwargs, target=target)


def _fills(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a draw takes its size from ``out``."""
    try:
        signature = inspect.signature(target)
        given = signature.bind(None, *args, **kwargs).arguments
    except (TypeError, ValueError):
        return False
    return "size" in signature.parameters and given.get("size") is None


def _of_array(
    m: Machine,
    node: ast.AST,
    receiver: Ref | Value,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    from .calls import call_op, mutate

    target = getattr(np.ndarray, name, None)
    if name in MUTATORS:
        return mutate(m, node, MUTATORS[name], (receiver, *args), kwargs, target)
    fresh = name in _COPIES and kwargs.get("copy", True) is True
    option = partial(settling.option, m, getattr(np, name, None))
    args = tuple(map(option, args, itertools.count(1)))
    kwargs = {key: option(x, key) for key, x in kwargs.items()}
    args, kwargs = placing.arguments(target, (receiver, *args), kwargs)
    args, kwargs = orders.settled(m, node, target, args, kwargs)
    return call_op(m, node, METHODS[name], args, kwargs, target=target, fresh=fresh)


def _of_static(
    m: Machine,
    node: ast.AST,
    receiver: Any,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    if isinstance(receiver, tuple) and any_runtime(receiver):
        if name in ("index", "count"):
            return call_list(m, node, new_list(receiver), name, *args)
        if name == "_replace":
            return type(receiver)._make({**receiver._asdict(), **kwargs}.values())  # type: ignore[attr-defined]
        if name == "_asdict":
            return new_dict(receiver._asdict())  # type: ignore[attr-defined]
        raise UnsupportedFunctionError(
            f"`.{name}` of tuples cannot be compiled", m.span(node)
        )
    if isinstance(receiver, str) and name == "format" and any_runtime((args, kwargs)):
        return formatted(m, node, receiver, args, kwargs)
    if isinstance(receiver, str) and name == "join":
        parts = spread_items(m, node, args[0])
        if any(isinstance(x, Formatted) for x in parts):
            return together(m, node, parts, receiver)
        return receiver.join([need(m, node, x, "text") for x in parts])
    if isinstance(receiver, Formatted):
        raise UnsupportedFunctionError(
            f"`.{name}` of texts with runtime values in them cannot be compiled: they can be put "
            "together, printed and raised",
            m.span(node),
        )
    known = [need(m, node, a, f"an argument of `.{name}`") for a in args]
    named = {k: need(m, node, v, f"an argument of `.{name}`") for k, v in kwargs.items()}
    return m.lower(getattr(plain(m, receiver), name)(*known, **named))


def _index(m: Machine, node: ast.AST, items: tuple[Any, ...], wanted: Any) -> int:
    for position, item in enumerate(items):
        equal = compare_values(m, node, ast.Eq(), item, wanted)
        if not isinstance(equal, bool):
            raise UnsupportedSyntaxError(
                "where a runtime value stands is known at run time only", m.span(node)
            )
        if equal:
            return position
    [].index(wanted)  # raises, with Python's words
    raise AssertionError


def _changed(m: Machine, node: ast.AST, box: ListObject | DictObject, items: Any) -> None:
    check_owned(m, node, box)
    m.heap.write(box, "items", items)


# -------------------------------------------------------------------------------- lists
def _append(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> None:
    _changed(m, node, xs, (*xs.items, x))


def _extend(m: Machine, node: ast.AST, xs: ListObject, more: Any) -> None:
    check_owned(m, node, xs)
    list_calls.extend(m, node, xs, more)


def _insert(m: Machine, node: ast.AST, xs: ListObject, where: Any, x: Any) -> None:
    items = list(xs.items)
    items.insert(need(m, node, where, "a position in a list"), x)
    _changed(m, node, xs, tuple(items))


def _pop(m: Machine, node: ast.AST, xs: ListObject, where: Any = -1) -> Any:
    items = list(xs.items)
    with out_of_range(m, "pop from empty list" if not items else "pop index out of range"):
        taken = items.pop(need(m, node, where, "a position in a list"))
    _changed(m, node, xs, tuple(items))
    return taken


def _reverse(m: Machine, node: ast.AST, xs: ListObject) -> None:
    _changed(m, node, xs, xs.items[::-1])


def _clear(m: Machine, node: ast.AST, xs: ListObject | DictObject) -> None:
    _changed(m, node, xs, () if isinstance(xs, ListObject) else {})


def _sort(m: Machine, node: ast.AST, xs: ListObject, **options: Any) -> None:
    from .builtin_calls import sorted_

    _changed(m, node, xs, sorted_(m, node, xs, **options).items)


def _remove(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> None:
    place = list(xs.items).index(plain(m, x))
    _changed(m, node, xs, (*xs.items[:place], *xs.items[place + 1 :]))


def _list_copy(m: Machine, node: ast.AST, xs: ListObject) -> ListObject:
    return new_list(xs.items)


def _list_index(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> int:
    return _index(m, node, xs.items, x)


def _count(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> int:
    return sum(compare_values(m, node, ast.Eq(), item, x) is True for item in xs.items)


LIST: dict[str, Callable[..., Any]] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "reverse": _reverse,
    "clear": _clear,
    "sort": _sort,
    "remove": _remove,
    "copy": _list_copy,
    "index": _list_index,
    "count": _count,
}


# -------------------------------------------------------------------------------- dicts
def _get(m: Machine, node: ast.AST, d: DictObject, key: Any, default: Any = None) -> Any:
    return d.items.get(keyed.key_of(m, node, d, key), default)


def _dict_pop(m: Machine, node: ast.AST, d: DictObject, key: Any, *default: Any) -> Any:
    items = dict(d.items)
    taken = items.pop(keyed.key_of(m, node, d, key), *default)
    _changed(m, node, d, items)
    return taken


def _popitem(m: Machine, node: ast.AST, d: DictObject) -> Any:
    items = dict(d.items)
    taken = items.popitem()
    _changed(m, node, d, items)
    return taken


def _setdefault(
    m: Machine, node: ast.AST, d: DictObject, key: Any, default: Any = None
) -> Any:
    known = keyed.key_of(m, node, d, key)
    if known not in d.items:
        _changed(m, node, d, {**d.items, known: default})
    return d.items[known]


def _update(
    m: Machine, node: ast.AST, d: DictObject, other: Any = None, /, **more: Any
) -> None:
    items = dict(d.items)
    other = opened(m, other)
    if isinstance(other, DictObject):
        items.update(other.items)
    elif other is not None:
        for pair in spread_items(m, node, other):
            key, value = spread_items(m, node, pair)
            items[keyed.key_of(m, node, d, key)] = value
    _changed(m, node, d, {**items, **more})


DICT: dict[str, Callable[..., Any]] = {
    "get": _get,
    "pop": _dict_pop,
    "popitem": _popitem,
    "setdefault": _setdefault,
    "update": _update,
    "clear": _clear,
    "copy": lambda m, node, d: new_dict(d.items),
    "keys": lambda m, node, d: dict_view(d, dict.keys),
    "values": lambda m, node, d: dict_view(d, dict.values),
    "items": lambda m, node, d: dict_view(d, dict.items),
}
