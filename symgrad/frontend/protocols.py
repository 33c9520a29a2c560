"""Objects of the user's classes under subscripts and builtins: the methods with two underscores
that Python calls."""

from __future__ import annotations

import ast
import types
from typing import Any

from ..ops.written import iterating
from .heap import reaches
from .machine import Machine
from .names.captures import Found
from .names.scope import is_variable
from .values import Bound, Iteration, Iterator, Record


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
        return x.items if is_untouched(m, x) else call(m, node, iterating.rest, x)
    if not isinstance(x, Record) or hasattr(x.cls, "__symgrad_items__"):
        return x
    found = elements(m, node, x)
    if found is NotImplemented:
        return x
    if isinstance(found, Record) and special(m, found, "__next__") is not None:
        return call(m, node, iterating.stepped, found)
    return iterated(m, node, found)


def run_to_its_end(m: Machine, node: ast.AST, x: Any) -> Any:
    """``iterated`` by something that takes all elements before anything else is done."""
    if not isinstance(x, Iterator) or is_untouched(m, x):
        return iterated(m, node, x)
    from .control.stepping import one_by_one

    at = x.data["at"]
    m.heap.write(x, "at", one_by_one(m, node, x.items).stop)
    return Iteration("rest", (x.items,), at)


def is_untouched(m: Machine, x: Iterator) -> bool:
    """Whether an iterator is at its start and nobody else can get at it, so that nobody can tell
    it from what it runs through."""
    at = x.data["at"]
    if not isinstance(at, int) or at:
        return False
    scopes = (f.scope.data for f in m.frames if f.called is None)
    named = (v for data in scopes for k, v in data.items() if is_variable(k))
    outside = (*m.fields.values(), *(made for _, made, _ in m.opened.values()))
    return not reaches((*named, *outside), x)
