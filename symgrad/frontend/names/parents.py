"""``super()``: an object's methods and attributes as the classes after a given one have them."""

from __future__ import annotations

import ast
import types
from typing import Any

from ...errors import UnsupportedSyntaxError
from ..machine import Machine
from ..requests import Place
from ..values import Bound, Native, Parent
from .captures import Found
from .static import unwrap


def here(m: Machine, node: ast.AST) -> tuple[type, Any]:
    """The class and the first argument that a bare ``super()`` is about.

    Raises:
        UnsupportedSyntaxError: this is no method.
    """
    parsed = m.frame.parsed
    cell = None if parsed is None else parsed.cells.get("__class__")
    names = () if parsed is None else parsed.function.__code__.co_varnames
    if cell is None or not names or names[0] not in m.frame.scope.data:
        raise UnsupportedSyntaxError(
            "`super()` needs a method of a class around it; name the class and the object: "
            "super(Class, self)",
            m.span(node),
        )
    return cell.cell_contents, m.frame.scope.data[names[0]]


def attribute(m: Machine, node: ast.AST, owner: Parent, name: str) -> Any:
    """``super().name``.

    Raises:
        AttributeError: no class has it.
    """
    order = owner.of.__mro__
    for base in order[order.index(owner.cls) + 1 :]:
        if name in vars(base):
            return _declared(m, node, owner, base, name)
    raise AttributeError(f"'super' object has no attribute '{name}'")


def _declared(m: Machine, node: ast.AST, owner: Parent, base: type, name: str) -> Any:
    from ..inline import call_value

    declared = vars(base)[name]
    if declared is object.__init__:
        return Native("__init__", lambda m, node, *args, **kwargs: None)
    at = Place(base, label=base.__name__)
    if isinstance(declared, property):
        getter = unwrap(m, Found(declared.fget, at.attr(name).attr("fget")))
        return call_value(m, node, getter, (owner.receiver,), {})
    if isinstance(declared, classmethod):
        function = unwrap(m, Found(declared.__func__, at.attr(name).attr("__func__")))
        return Bound(function, owner.of)
    found = unwrap(m, Found(getattr(base, name), at.attr(name)))
    if isinstance(declared, types.FunctionType) and owner.receiver is not owner.of:
        return Bound(found, owner.receiver)
    return found
