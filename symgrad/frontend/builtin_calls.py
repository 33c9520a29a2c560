"""Python's builtins on abstract values; those on runtime numbers are in the op table.

Each takes ``(m, node, *args, **kwargs)``; ``NotImplemented`` passes the call on.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..errors import CallError, UnsupportedSyntaxError
from ..ir.types import INT, ArrayType, ScalarType
from ..ir.values import Value
from ..ops import SURFACE
from . import attributes, construct, protocols
from .attributes import get_attribute
from .control import folds, raising, ranges
from .control.conditions import either, negate, truth
from .control.counting import length
from .expressions import sliced
from .inline import call_value
from .lists import calls as list_calls
from .lists import keyed
from .lists import written as list_written
from .machine import Machine
from .names import fields, parents
from .names.captures import Found
from .names.specialise import need
from .names.static import opened, pinned, plain
from .operations import m_bool
from .sources import texts
from .unpacking import spread_items, static_items
from .values import (
    MISSING,
    Bound,
    Closure,
    DictObject,
    Flat,
    Generator,
    Iterator,
    ListObject,
    Maybe,
    Method,
    Parent,
    Partial,
    Range,
    Record,
    Ref,
    Rows,
    SetObject,
    Suspended,
    any_runtime,
    is_long,
    is_runtime,
    new_list,
    new_set,
)

BUILTINS: dict[Any, Callable[..., Any]] = {**keyed.HANDLERS}
SCALARS = {"bool": bool, "int": int, "float": float, "complex": complex}


def builtin(*targets: Any) -> Callable[[Any], Any]:
    """Decorator: this function lowers calls of ``targets``."""

    def register(function: Any) -> Any:
        BUILTINS.update(dict.fromkeys(targets, function))
        return function

    return register


@builtin(len)
def len_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``len``."""
    if isinstance(x, Found) and (id(x.value) in m.opened or id(x.value) in m.grown):
        x = opened(m, x)
    if isinstance(x, Found) and isinstance(x.value, list | tuple | dict):
        return len(
            m.captures.items(x) if not isinstance(x.value, dict) else m.captures.entries(x)
        )
    if isinstance(x, Ref | Rows | Flat):
        return length(m, x.array if isinstance(x, Rows) else x)
    if is_long(x):
        return list_calls.length(m, x)
    if isinstance(x, ListObject | DictObject):
        return len(x.items)
    if isinstance(x, Range):
        return ranges.length(m, node, x)
    if isinstance(x, Value):
        raise CallError("a number has no len(); len() is of arrays", m.span(node))
    if isinstance(x, Suspended | Iterator):
        kind = class_of(m, x).__name__
        raise CallError(f"object of type '{kind}' has no len()", m.span(node))
    if isinstance(x, Record):
        return protocols.call_special(m, node, x, "__len__")
    return len(pinned(m, x))


@builtin(bool)
def bool_(m: Machine, node: ast.AST, x: Any = False) -> Any:
    """``bool`` of anything but runtime values."""
    return NotImplemented if is_runtime(x) else m_bool(m, truth(m, node, x))


@builtin(range)
def range_(m: Machine, node: ast.AST, *args: Any) -> Any:
    """``range``, with runtime bounds."""
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    values = [_whole(m, node, x) for x in (start, stop, step)]
    return ranges.made(*values)


def _whole(m: Machine, node: ast.AST, x: Any) -> Any:
    if isinstance(x, Ref) and not x.type.shape:
        x = m.read(x)
    if isinstance(x, Value):
        if isinstance(x.type, ArrayType) and x.type.dtype.kind in "iu":
            return m.wrap(m.builder.op("item", x, kind="int"))
        if isinstance(x.type, ScalarType) and x.type.kind == "int":
            return m.wrap(x)
        raise CallError(
            f"range() needs integers, not {x.type}; convert with int()", m.span(node)
        )
    return operator.index(plain(m, x))


@builtin(list)
def list_(m: Machine, node: ast.AST, x: Any = ()) -> Any:
    """``list``."""
    if isinstance(x, Range):
        x = Rows(call_value(m, node, np.arange, (x.start, x.stop, x.step), {}), INT.kind)
    if isinstance(x, Rows):
        return list_calls.listed(m, x)
    made = new_list(())
    list_calls.extend(m, node, made, x)
    return made


@builtin(tuple)
def tuple_(m: Machine, node: ast.AST, x: Any = ()) -> Any:
    """``tuple``."""
    return tuple(spread_items(m, node, x))


@builtin(dict)
def dict_(m: Machine, node: ast.AST, x: Any = (), /, **more: Any) -> Any:
    """``dict``."""
    x = opened(m, x)
    if isinstance(x, DictObject):
        return keyed.made(m, node, {**x.items, **more})
    pairs = [spread_items(m, node, pair) for pair in spread_items(m, node, x)]
    made = keyed.made(m, node, {})
    for key, value in (*pairs, *more.items()):
        keyed.put(m, node, made, key, value)
    return made


@builtin(set)
def set_(m: Machine, node: ast.AST, x: Any = ()) -> Any:
    """``set`` of static values."""
    return new_set(static_items(m, node, x))


@builtin(frozenset)
def frozenset_(m: Machine, node: ast.AST, x: Any = ()) -> Any:
    """``frozenset`` of static values."""
    return static_items(m, node, x)


@builtin(slice)
def slice_(m: Machine, node: ast.AST, *args: Any) -> slice:
    """``slice``."""
    return sliced(m, node, args)


@builtin(sorted)
def sorted_(
    m: Machine, node: ast.AST, x: Any, key: Any = None, reverse: Any = False
) -> ListObject:
    """``sorted``."""
    if isinstance(x, set | frozenset):
        x = tuple(x)  # in which order does not matter: the elements differ
        if key is not None:
            raise UnsupportedSyntaxError(
                "a set has no order to rely on among elements of equal keys; make a list of it "
                "by sorted(...) without a key first",
                m.span(node),
            )
    xs = list_written.as_list(m, node, x)
    return list_written.in_order(m, node, xs, key, reverse)  # type: ignore[no-any-return]


@builtin(any, all)
def _unused(m: Machine, node: ast.AST, x: Any) -> Any:
    raise AssertionError


def _quantified(is_all: bool) -> Callable[..., Any]:
    def call(m: Machine, node: ast.AST, x: Any) -> Any:
        x = protocols.iterated(m, node, x)
        many = folds.elements(m, node, x) if isinstance(x, Suspended) else x
        if isinstance(many, Generator):
            return folds.quantified(m, node, many, is_all)
        if isinstance(x, Ref):
            from ..ops import METHODS

            if x.type.ndim != 1:
                raise UnsupportedSyntaxError(
                    "the truth value of an array with more than one element is ambiguous; use "
                    "a.any() or a.all()",
                    m.span(node),
                )
            return m.call_surface(METHODS["all" if is_all else "any"], node, x)
        tests = [truth(m, node, item) for item in spread_items(m, node, x)]
        if is_all:
            return m_bool(m, negate(m, either(m, [negate(m, t) for t in tests])))
        return m_bool(m, either(m, tests))

    return call


BUILTINS[any], BUILTINS[all] = _quantified(False), _quantified(True)


@builtin(sum)
def sum_(m: Machine, node: ast.AST, x: Any, start: Any = 0) -> Any:
    """``sum`` of a sequence: one addition after the other."""
    from .operations import binary_values

    x = protocols.iterated(m, node, opened(m, x))
    many = folds.elements(m, node, x)
    if many is not None:
        return folds.total(m, node, many, start)
    items = spread_items(m, node, x)
    if all(_is_number(item) for item in (start, *items)):
        return m.call_surface(SURFACE[sum], node, tuple(items), start)
    total = start
    for item in items:
        total = binary_values(m, node, ast.Add(), total, item)
    return total


def _is_number(x: Any) -> bool:
    """Whether ``x`` is a Python number."""
    if isinstance(x, Value):
        return isinstance(x.type, ScalarType)
    return type(x) in (bool, int, float)


@builtin(max)
def max_(m: Machine, node: ast.AST, *args: Any, **kwargs: Any) -> Any:
    """``max`` of a number of elements known at run time only."""
    return folds.largest_or_smallest(m, node, args, kwargs, True)


@builtin(min)
def min_(m: Machine, node: ast.AST, *args: Any, **kwargs: Any) -> Any:
    """``min``, likewise."""
    return folds.largest_or_smallest(m, node, args, kwargs, False)


# ------------------------------------------------------------------- types and attributes
@builtin(isinstance)
def isinstance_(m: Machine, node: ast.AST, x: Any, classes: Any) -> Any:
    """``isinstance``: runtime values by their types."""
    classes = plain(m, classes)
    if isinstance(x, Maybe):
        other = issubclass(class_of(m, x.value), classes)
        if other is issubclass(type(None), classes):
            return other
        return m_bool(m, x.present if other else negate(m, x.present))
    kind = class_of(m, x)
    return issubclass(kind, classes)


def class_of(m: Machine, x: Any) -> type:
    """The class that ``x`` has when the function runs."""
    if isinstance(x, Ref):
        return np.ndarray
    if isinstance(x, Value):
        if isinstance(x.type, ScalarType):
            return SCALARS[x.type.kind]
        return x.type.dtype.type if isinstance(x.type, ArrayType) else object
    if isinstance(x, ListObject | Rows):
        return list
    if isinstance(x, DictObject):
        return dict
    if isinstance(x, Record):
        return getattr(x.cls, "__symgrad_class__", x.cls)
    if isinstance(x, Closure):
        return type(class_of)
    if isinstance(x, Partial):
        return functools.partial
    if isinstance(x, Range):
        return range
    if isinstance(x, SetObject):
        return set
    if isinstance(x, Suspended):
        return types.GeneratorType
    if isinstance(x, Iterator):
        return _ITERATORS.get(getattr(x.items, "kind", ""), type(iter([])))
    return type(x.value) if isinstance(x, Found) else type(x)


_RUN_THROUGH: tuple[type, ...] = (enumerate, zip, reversed, map, np.ndindex, np.ndenumerate)
_ITERATORS = {kind.__name__: kind for kind in _RUN_THROUGH}


@builtin(super)
def super_(m: Machine, node: ast.AST, *given: Any) -> Parent:
    """``super``: ``super()`` in a method, or ``super(cls, x)``."""
    cls, x = given if len(given) == 2 else parents.here(m, node)
    cls, x = (
        plain(m, cls),
        x.value if isinstance(x, Found) and isinstance(x.value, type) else x,
    )
    of = x if isinstance(x, type) else class_of(m, x)
    if not isinstance(cls, type) or not issubclass(of, cls):
        raise UnsupportedSyntaxError(
            f"super() is about an object of the class `{cls!r}`, not of `{of.__name__}`",
            m.span(node),
        )
    return Parent(cls, of, x)


@builtin(type)
def type_(m: Machine, node: ast.AST, x: Any) -> type:
    """``type(x)``."""
    return class_of(m, x)


@builtin(callable)
def callable_(m: Machine, node: ast.AST, x: Any) -> bool:
    """``callable``."""
    if isinstance(x, Closure | Bound | Partial | Method):
        return True
    return not any_runtime(x) and callable(x.value if isinstance(x, Found) else x)


@builtin(getattr)
def getattr_(m: Machine, node: ast.AST, x: Any, name: Any, *default: Any) -> Any:
    """``getattr``."""
    if default and not _has(m, node, x, name):
        return default[0]
    return get_attribute(m, node, x, need(m, node, name, "an attribute's name"))


@builtin(hasattr)
def _has(m: Machine, node: ast.AST, x: Any, name: Any) -> bool:
    known = need(m, node, name, "an attribute's name")
    if isinstance(x, Record):
        return known in x.data or hasattr(x.cls, known)
    if is_runtime(x) or isinstance(x, ListObject | DictObject):
        return hasattr(class_of(m, x), known)
    if isinstance(x, Found) and fields.read(m, x, known) is not MISSING:
        return True
    there: bool = m.captures.has(x if isinstance(x, Found) else Found(x), known)
    return there


@builtin(vars)
def vars_(m: Machine, node: ast.AST, *x: Any) -> Any:
    """``vars``: refused."""
    attributes.refuse_dict(m, node, "vars(...)")


@builtin(setattr)
def setattr_(m: Machine, node: ast.AST, x: Any, name: Any, value: Any) -> None:
    """``setattr``."""
    from .assignments import set_attribute

    known = need(m, node, name, "an attribute's name")
    target = ast.copy_location(ast.Attribute(ast.Name("x"), known, ast.Store()), node)
    set_attribute(m, target, x, known, value)


@builtin(print)
def print_(m: Machine, node: ast.AST, *args: Any, **kwargs: Any) -> None:
    """``print``."""
    raising.print_(m, node, args, kwargs)


@builtin(dataclasses.replace)
def replace_(m: Machine, node: ast.AST, x: Any, /, **changes: Any) -> Any:
    """``dataclasses.replace``."""
    return construct.replace(m, node, x, **changes)


@builtin(np.shape)
def shape_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``np.shape``."""
    if not is_runtime(x):
        return NotImplemented
    return get_attribute(m, node, x, "shape") if x.type.ndim else ()


@builtin(np.iterable)
def iterable_(m: Machine, node: ast.AST, x: Any) -> bool:
    """``np.iterable``: by the type."""
    if is_runtime(x) and isinstance(x.type, ArrayType):
        return x.type.ndim > 0
    kind = class_of(m, x)
    return issubclass(kind, Iterable) and not issubclass(kind, np.generic)


@builtin(operator.index)
def index_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``operator.index``."""
    if not is_runtime(x):
        return operator.index(plain(m, x))
    if x.type.dtype.kind in "iu" and not x.type.ndim:
        return m.call_surface(SURFACE[int], node, x)
    raise CallError(
        f"'{class_of(m, x).__name__}' object cannot be interpreted as an integer",
        m.span(node),
    )


@builtin(np.ndim)
def ndim_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``np.ndim``."""
    return x.type.ndim if is_runtime(x) else NotImplemented


@builtin(divmod)
def divmod_(m: Machine, node: ast.AST, x: Any, y: Any) -> Any:
    """``divmod``: of objects, by their method."""
    if isinstance(x, Record):
        return protocols.call_special(m, node, x, "__divmod__", y)
    return NotImplemented


def _converting(name: str) -> Callable[..., Any]:
    def convert(m: Machine, node: ast.AST, *args: Any) -> Any:
        """``float`` and ``int``: of objects, by their method."""
        if len(args) == 1 and isinstance(args[0], Record):
            return protocols.call_special(m, node, args[0], name)
        return NotImplemented

    return convert


BUILTINS[float], BUILTINS[int] = _converting("__float__"), _converting("__int__")


@builtin(str)
def str_(m: Machine, node: ast.AST, *args: Any) -> Any:
    """``str`` of runtime values, and of an exception that has been caught."""
    return texts.shown(m, node, args[0], "!s") if len(args) == 1 else NotImplemented


@builtin(repr)
def repr_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``repr`` of runtime values."""
    return texts.shown(m, node, x, "!r")


@builtin(format)
def format_(m: Machine, node: ast.AST, x: Any, spec: Any = "") -> Any:
    """``format`` of runtime values."""
    known = need(m, node, spec, "how a value is formatted")
    return texts.shown(m, node, x, f":{known}" if known else "")


@builtin(abs)
def abs_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``abs``."""
    if isinstance(x, Record):
        return protocols.call_special(m, node, x, "__abs__")
    if not is_runtime(x):
        return abs(plain(m, x))
    return m.lower(SURFACE[abs](m.builder, m.lift(x)))
