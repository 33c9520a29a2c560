"""What ``functools`` and ``operator`` have for making and running functions."""

from __future__ import annotations

import ast
import functools
import operator
from typing import Any

from ..errors import CallError
from .attributes import get_attribute
from .builtin_calls import BUILTINS, builtin
from .machine import Machine
from .specialise import need
from .subscripts import get_item
from .unpacking import spread_items
from .values import Native, Partial


@builtin(functools.partial)
def partial_(m: Machine, node: ast.AST, f: Any, /, *args: Any, **kwargs: Any) -> Partial:
    """``functools.partial``."""
    return Partial(f, args, kwargs)


@builtin(functools.reduce)
def reduce_(m: Machine, node: ast.AST, f: Any, x: Any, *start: Any) -> Any:
    """``functools.reduce``."""
    from .calls import call_any

    items = [*start, *spread_items(m, node, x)]
    if not items:
        raise CallError("reduce() of nothing needs an initial value", m.span(node))
    total = items[0]
    for item in items[1:]:
        total = call_any(m, node, f, (total, item), {})
    return total


@builtin(operator.getitem)
def getitem_(m: Machine, node: ast.AST, x: Any, key: Any) -> Any:
    """``operator.getitem``."""
    at = ast.copy_location(ast.Subscript(ast.Name("x"), ast.Name("key"), ast.Load()), node)
    at.slice = ast.copy_location(ast.Name("key"), node)
    return get_item(m, at, x, key)


@builtin(operator.itemgetter)
def itemgetter_(m: Machine, node: ast.AST, *keys: Any) -> Native:
    """``operator.itemgetter``."""

    def run(m: Machine, node: ast.AST, x: Any) -> Any:
        items = [getitem_(m, node, x, key) for key in keys]
        return items[0] if len(items) == 1 else tuple(items)

    return Native("itemgetter", run, keys)


@builtin(operator.attrgetter)
def attrgetter_(m: Machine, node: ast.AST, *names: Any) -> Native:
    """``operator.attrgetter``."""

    def one(m: Machine, node: ast.AST, x: Any, path: str) -> Any:
        for name in path.split("."):
            x = get_attribute(m, node, x, name)
        return x

    def run(m: Machine, node: ast.AST, x: Any) -> Any:
        found = [one(m, node, x, need(m, node, n, "an attribute's name")) for n in names]
        return found[0] if len(found) == 1 else tuple(found)

    return Native("attrgetter", run)


@builtin(operator.methodcaller)
def methodcaller_(
    m: Machine, node: ast.AST, name: Any, *args: Any, **kwargs: Any
) -> Native:
    """``operator.methodcaller``."""
    from .calls import call_any

    def run(m: Machine, node: ast.AST, x: Any) -> Any:
        known = need(m, node, name, "a method's name")
        return call_any(m, node, get_attribute(m, node, x, known), args, kwargs)

    return Native("methodcaller", run, (*args, *kwargs.values()))


GETTERS: Any = (
    operator.itemgetter,
    operator.attrgetter,
    operator.methodcaller,
)


def getter(m: Machine, node: ast.AST, f: Any) -> Native:
    """An object of ``operator.itemgetter`` and the like that was made outside."""
    made, args = f.__reduce__()
    named = made.keywords if isinstance(made, functools.partial) else {}
    given = (*made.args, *args) if isinstance(made, functools.partial) else args
    cls = made.func if isinstance(made, functools.partial) else made
    found: Native = BUILTINS[cls](m, node, *given, **named)
    return found
