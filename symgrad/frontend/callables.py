"""What ``functools`` and ``operator`` have for making and running functions."""

from __future__ import annotations

import ast
import functools
import operator
from typing import Any

import numpy as np

from ..errors import CallError
from ..ir.types import ArrayType
from ..ir.values import Value
from .assignments import in_place, set_item
from .attributes import get_attribute
from .builtin_calls import BUILTINS, builtin
from .machine import Machine
from .names.specialise import need
from .operations import compare_values
from .overloads import BINARY
from .sources.texts import shown
from .subscripts import get_item
from .unpacking import spread_items
from .values import Native, Partial, Ref


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


@builtin(operator.setitem)
def setitem_(m: Machine, node: ast.AST, x: Any, key: Any, value: Any) -> None:
    """``operator.setitem``."""
    at = ast.copy_location(ast.Subscript(ast.Name("x"), ast.Name("key"), ast.Store()), node)
    set_item(m, at, x, key, value)


@builtin(operator.contains)
def contains_(m: Machine, node: ast.AST, box: Any, item: Any) -> Any:
    """``operator.contains``."""
    return compare_values(m, node, ast.In(), item, box)


def _augmented(op: Any) -> Any:
    """``operator.iadd`` and the like."""

    def call(m: Machine, node: ast.AST, x: Any, y: Any) -> Any:
        statement = ast.AugAssign(ast.Name("x"), op(), ast.Name("y"))
        return in_place(m, ast.copy_location(statement, node), x, y)

    return call


for _op, _name in BINARY.items():
    builtin(getattr(operator, f"__i{_name}__"))(_augmented(_op))


_SPECIAL = {
    "__divmod__": divmod,
    "__len__": len,
    "__bool__": bool,
    "__float__": float,
    "__int__": int,
    "__complex__": complex,
    "__array__": np.asarray,
    "__copy__": np.copy,
}


def special(x: Ref | Value, name: str) -> Partial | Native | None:
    """``x.__add__`` and the like of an array, as a function; None if there is no such thing."""
    if not isinstance(x.type, ArrayType) or not hasattr(np.ndarray, name):
        return None
    function = _SPECIAL.get(name) or getattr(operator, name, None)
    if function is not None:
        return Partial(function, (x,), {})
    straight = f"__{name[3:]}"
    reflected = _SPECIAL.get(straight) or getattr(operator, straight, None)
    if not name.startswith("__r") or reflected is None:
        return None

    def run(m: Machine, node: ast.AST, y: Any) -> Any:
        from .calls import call_any

        return call_any(m, node, reflected, (y, x), {})

    return Native(name, run, (x,))


def _written_as(spec: str) -> Any:
    """``hex`` and the like, of a runtime int."""

    def call(m: Machine, node: ast.AST, x: Any) -> Any:
        whole = (
            isinstance(x, Value) and getattr(x.type, "dtype", np.dtype("O")).kind in "iu"
        )
        return shown(m, node, x, f":{spec}") if whole else NotImplemented

    return call


for _function, _spec in {hex: "#x", bin: "#b", oct: "#o", chr: "c"}.items():
    builtin(_function)(_written_as(_spec))


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
