"""``x.name``: of arrays, containers, instances, and of objects known when compiling."""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import types
from typing import Any, NoReturn

import numpy as np

from ..errors import UnsupportedFunctionError, UnsupportedSyntaxError
from ..ir.types import ArrayType, ObjectType, ScalarType
from ..ir.values import Value
from ..ops import ATTRIBUTES, METHODS, MUTATORS, number_methods
from ..ops.table import GENERATOR
from . import protocols
from .dispatch import evaluate, expression
from .lists import appending, growing
from .lists.replacing import replace_rows
from .machine import Machine
from .memory import flats
from .names import fields, parents
from .names.captures import Found
from .names.lookup import checked
from .names.static import certain, opened, unwrap
from .values import (
    MISSING,
    Bound,
    DictObject,
    Flat,
    Formatted,
    ListObject,
    Method,
    Native,
    Parent,
    Range,
    Record,
    Ref,
    Rows,
    SetObject,
    Suspended,
)

LIST_CHANGES = frozenset(
    "append pop insert extend clear reverse copy sort remove index count".split()
)
_CLASSES = {"bool": bool, "int": int, "float": float, "complex": complex}
SHAPE_ONLY = frozenset({"ndim", "dtype", "itemsize"})


@expression(ast.Attribute)
def read(m: Machine, node: ast.Attribute) -> Any:
    """``owner.name``."""
    return get_attribute(m, node, evaluate(m, node.value), node.attr)


def get_attribute(m: Machine, node: ast.AST, owner: Any, name: str) -> Any:
    """``owner.name`` of an abstract value."""
    text = f"'NoneType' object has no attribute '{name}'"
    owner = certain(m, owner, "AttributeError", text)
    if name == "flat" and isinstance(owner, Ref):
        return Flat(owner)
    if isinstance(owner, Flat):
        owner = m.wrap(flats.vector(m, owner).value)
    if isinstance(owner, Ref | Value):
        return _of_runtime(m, node, owner, name)
    if isinstance(owner, Rows):
        if name not in LIST_CHANGES:
            growing.refuse(m, node)
        owner = replace_rows(m, node, owner)
    if isinstance(owner, Record):
        return _of_record(m, node, owner, name)
    if isinstance(owner, ListObject | DictObject):
        return _of_container(m, node, owner, name)
    if isinstance(owner, Range) and name in ("start", "stop", "step"):
        return getattr(owner, name)
    if isinstance(owner, Suspended):
        raise UnsupportedFunctionError(
            f"`.{name}` of generators cannot be compiled: they are run by loops over them",
            m.span(node),
        )
    if isinstance(owner, tuple):
        return _of_tuple(m, node, owner, name)
    if isinstance(owner, Parent):
        return parents.attribute(m, node, owner, name)
    if isinstance(owner, Found | types.ModuleType | type | types.FunctionType | np.ufunc):
        return _of_static(m, node, owner, name)
    if isinstance(owner, Formatted | SetObject):
        return Method(owner, name)
    if isinstance(owner, bool | int | float | complex | str | bytes | np.generic):
        value = getattr(owner, name)
        return Method(owner, name) if callable(value) else value
    return unwrap(m, getattr(owner, name))


def _of_container(
    m: Machine, node: ast.AST, owner: ListObject | DictObject, name: str
) -> Method:
    kind = list if isinstance(owner, ListObject) else dict
    if hasattr(kind, name):
        return Method(owner, name)
    instead = ""
    if isinstance(owner, DictObject) and name in owner.items:
        instead = f"; its entry is read by `[{name!r}]`"
    elif name in ATTRIBUTES or name in METHODS:
        instead = "; np.array(...) makes an array of it"
    text = f"a {kind.__name__} has no attribute `{name}`{instead}"
    raise UnsupportedFunctionError(text, m.span(node))


def _of_box(m: Machine, owner: Ref | Value, name: str) -> Any:
    """An attribute of the object that holds an array, as its users see it: the array is a
    constant to derivatives if it is asked for. ``NotImplemented`` if there is no such thing."""
    for box, made in m.captures.boxes:
        if not isinstance(made, Ref) or not made.same(owner):
            continue
        cls, place = type(box.value), box.place
        if not isinstance(inspect.getattr_static(cls, name, None), property):
            return NotImplemented
        found = getattr(box.value, name)
        if found is getattr(box.value, cls.__symgrad_array__):
            value = m.read(owner) if isinstance(owner, Ref) else owner
            return m.wrap(m.builder.op("stop_gradient", value))
        return unwrap(m, Found(found, place.attr(name) if place is not None else None))
    return NotImplemented


def _of_runtime(m: Machine, node: ast.AST, owner: Ref | Value, name: str) -> Any:
    if m.captures.boxes and not any(name in t for t in (ATTRIBUTES, METHODS, MUTATORS)):
        found = _of_box(m, owner, name)
        if found is not NotImplemented:
            return found
    if isinstance(owner.type, ObjectType):
        if name in GENERATOR:
            return Method(owner, name)
        raise UnsupportedFunctionError(
            f"`.{name}` of a {owner.type.name} cannot be compiled", m.span(node)
        )
    if not isinstance(owner, Ref) and number_methods.has(owner.type, name):
        return _of_number(m, node, owner, name)
    if isinstance(owner.type, ScalarType) and not hasattr(_CLASSES[owner.type.kind], name):
        _no_such(m, node, owner.type.kind, name)
    if name in ATTRIBUTES:
        if isinstance(owner, Ref) and name in SHAPE_ONLY:
            return (
                getattr(owner.type.dtype, name)
                if name == "itemsize"
                else getattr(owner.type, name)
            )
        return m.call_surface(ATTRIBUTES[name], node, owner)
    if name in METHODS or name in MUTATORS:
        return Method(owner, name)
    if name.startswith("__"):
        from .callables import special

        function = special(owner, name)
        if function is not None:
            return function
    if not isinstance(owner.type, ScalarType) and not hasattr(np.ndarray, name):
        _no_such(m, node, "ndarray", name)
    what = "an array" if isinstance(owner.type, ArrayType) else f"a Python {owner.type}"
    raise UnsupportedFunctionError(
        f"`.{name}` of {what} has no entry in the op table", m.span(node)
    )


def _no_such(m: Machine, node: ast.AST, kind: str, name: str) -> NoReturn:
    """An attribute that a value has not: refused, unless that is caught."""
    if any(issubclass(AttributeError, c) for t in m.tryings for c in t.catches):
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")
    if kind == "ndarray":
        text = f"arrays have no attribute `{name}`{_instead(name)}"
    else:
        known = any(name in table for table in (ATTRIBUTES, METHODS, MUTATORS))
        advice = "; np.asarray(...) makes an array of it" if known else ""
        text = f"this is a Python {kind}, which has no attribute `{name}`{advice}"
    raise UnsupportedFunctionError(text, m.span(node))


def _of_number(m: Machine, node: ast.AST, owner: Value, name: str) -> Any:
    """What Python's numbers have, and arrays have not."""
    if name in number_methods.NUMBER_ATTRIBUTES:
        return m.call_surface(number_methods.NUMBER_ATTRIBUTES[name], node, owner)

    def run(m: Machine, node: ast.AST, *args: Any, **kwargs: Any) -> Any:
        method = number_methods.NUMBER_METHODS[name]
        return m.call_surface(method, node, owner, *args, **kwargs)

    return Native(name, run, (owner,))


_OF_TENSORS = {
    "detach": "`sg.stop_gradient(x)` takes a value as a constant",
    "backward": "gradients are taken by `sg.grad` and `nn.backward`",
    "grad": "gradients are what `sg.grad` returns; parameters of `nn` have a `grad`",
    "requires_grad": "what to differentiate by is said to `sg.grad`, by `argnums`",
    "numpy": "they are NumPy's",
    "cpu": "they are NumPy's",
    "unsqueeze": "write `np.expand_dims(x, axis)`, or `x[None]`",
    "permute": "write `np.transpose(x, axes)`",
    "view": "write `x.reshape(...)`",
}
"""What a user of tensors may be looking for."""


def _instead(name: str) -> str:
    if name in _OF_TENSORS:
        return f"; {_OF_TENSORS[name]}"
    near = difflib.get_close_matches(name, sorted({*ATTRIBUTES, *METHODS}), n=3)
    return f"; near: {', '.join(near)}" if near else ""


def _of_record(m: Machine, node: ast.AST, owner: Record, name: str) -> Any:
    if name in owner.data:
        return checked(m, node, owner.data[name], name)
    if name == "__class__":
        return owner.cls
    declared = _raw(owner.cls, name)
    if not any(name in vars(base) for base in owner.cls.__mro__):
        found = protocols.call_special(m, node, owner, "__getattr__", name)
        if found is not NotImplemented:
            return found
    member = m.captures.attribute(Found(owner.cls), name)
    if isinstance(declared, property | functools.cached_property):
        from .inline import call_value

        once = isinstance(declared, functools.cached_property)
        getter: Any = declared.fget if isinstance(declared, property) else declared.func
        value = call_value(m, node, getter, (owner,), {})
        if once:
            m.heap.write(owner, name, value)
        return value
    if isinstance(declared, types.FunctionType):
        return Bound(declared, owner)
    return unwrap(m, member.found)


def _raw(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def _of_tuple(m: Machine, node: ast.AST, owner: tuple[Any, ...], name: str) -> Any:
    if name in getattr(type(owner), "_fields", ()):
        return getattr(owner, name)
    declared = _raw(type(owner), name)
    if isinstance(declared, property):
        from .inline import call_value

        return call_value(m, node, declared.fget, (owner,), {})
    users = (
        isinstance(declared, types.FunctionType) and declared.__module__ != "collections"
    )
    if users and not name.startswith("_") and name not in ("index", "count"):
        return Bound(declared, owner)
    return Method(owner, name)


def refuse_dict(m: Machine, node: ast.AST, what: str) -> NoReturn:
    """Refuse an object's attributes as a dict."""
    raise UnsupportedSyntaxError(
        f"{what} cannot be compiled: write `self.name`, or `getattr` and `setattr` with a name "
        "that is known when compiling",
        m.span(node),
    )


def _of_static(m: Machine, node: ast.AST, owner: Any, name: str) -> Any:
    if isinstance(owner, np.ufunc | types.BuiltinFunctionType | type(np.sum)):
        return getattr(owner, name)
    found = owner if isinstance(owner, Found) else Found(owner)
    if name == "__dict__" and not isinstance(found.value, types.ModuleType):
        refuse_dict(m, node, "`__dict__`")
    assigned = fields.read(m, found, name)
    if assigned is not MISSING:
        return assigned
    if type(found.value) is list and name in ("append", "extend"):
        grown = appending.growing(m, found, name)
        if grown is not None:
            return grown
    if isinstance(found.value, list | dict | tuple):
        return get_attribute(m, node, opened(m, found), name)
    member = m.captures.attribute(found, name)
    if member.kind == "value":
        return unwrap(m, member.found)
    receiver = found if member.receiver is None else member.receiver
    if member.kind == "property":
        from .inline import call_value

        return call_value(m, node, member.found.value, (unwrap(m, receiver),), {})
    return Bound(member.found.value, unwrap(m, receiver))
