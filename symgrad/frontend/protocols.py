"""Objects of the user's classes under subscripts and builtins: the methods with two underscores
that Python calls."""

from __future__ import annotations

import ast
import types
from typing import Any

from ..ops.written import iterating
from .machine import Machine
from .names.captures import Found
from .values import Bound, Iterator, Record


def user_class(x: Any) -> type | None:
    """The class of an object whose methods may be the user's."""
    if isinstance(x, Record):
        return x.cls
    if isinstance(x, tuple) and type(x) is not tuple:
        return type(x)
    if isinstance(x, Found) and not isinstance(x.value, type):
        return type(x.value)
    return None


def special(m: Machine, x: Any, name: str) -> Any:
    """The method ``name`` bound to ``x``, if its class has one that is written in Python."""
    cls = user_class(x)
    mro = () if cls is None else cls.__mro__
    found = next((vars(base)[name] for base in mro if name in vars(base)), None)
    if not isinstance(found, types.FunctionType):
        return None
    m.captures.attribute(Found(cls), name)  # the code relies on the method
    return Bound(found, x)


def call_special(m: Machine, node: ast.AST, x: Any, name: str, *args: Any) -> Any:
    """``type(x).name(x, *args)``; ``NotImplemented`` where there is no such method."""
    from .calls import call_any

    method = special(m, x, name)
    return NotImplemented if method is None else call_any(m, node, method, args, {})


def elements(m: Machine, node: ast.AST, x: Any) -> Any:
    """What a loop over ``x`` runs over, by ``__iter__``, or by ``__len__`` and ``__getitem__``;
    ``NotImplemented`` where it has neither."""
    found = call_special(m, node, x, "__iter__")
    if found is not NotImplemented:
        return found
    count = call_special(m, node, x, "__len__")
    if not isinstance(count, int):
        return NotImplemented
    items = [call_special(m, node, x, "__getitem__", i) for i in range(count)]
    return NotImplemented if NotImplemented in items else tuple(items)


def iterated(m: Machine, node: ast.AST, x: Any) -> Any:
    """What iterating over ``x`` is to iterate over: another thing for an object, and for an
    iterator, which is to move on with that."""
    from .lists.written import call

    if isinstance(x, Iterator):
        return call(m, node, iterating.rest, x)
    if not isinstance(x, Record) or hasattr(x.cls, "__symgrad_items__"):
        return x
    found = elements(m, node, x)
    if found is NotImplemented:
        return x
    if isinstance(found, Record) and special(m, found, "__next__") is not None:
        return call(m, node, iterating.stepped, found)
    return iterated(m, node, found)
