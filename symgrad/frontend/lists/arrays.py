"""Arrays of lists whose length is known at run time only."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError
from ...ir.expr import Expr, lift
from ...ir.types import ArrayType, ListType, ObjectType, ScalarType
from ...ops import SURFACE
from ...ops.lists import stack
from ..dispatch import NeverReturns
from ..machine import Machine
from ..names.specialise import need
from ..values import ListObject, is_long
from .calls import length
from .elements import element_of
from .growing import moved
from .structure import NOTHING, holes


def as_array(m: Machine, xs: ListObject) -> Expr:
    """The array of a list's elements."""
    items = xs.data["items"]
    if len(items.lists) > 1:
        raise UnsupportedFunctionError(
            "a list of tuples whose length is known at run time only is no array; fill a list "
            "for each part of the tuples"
        )
    [element] = holes(items.element)
    if element is NOTHING:
        raise UnsupportedFunctionError("nothing is put into this list: it is no array")
    _require_one(m, xs, element)
    return stack(Expr(m.builder, items.lists[0]))


def _require_one(m: Machine, xs: ListObject, element: Any) -> None:
    """NumPy makes something else of an empty list."""
    if (
        isinstance(element, ArrayType | ScalarType)
        and not element.shape
        and element.dtype == np.float64
    ):
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
    [element, *more] = holes(element_of(xs))
    if (
        more
        or isinstance(element, ListType | ObjectType)
        or not any(f is g for g in (*_JOINED, *_WHOLE, np.column_stack))
    ):
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
    one = xs.data["items"].lists[0]
    return m.wrap(m.builder.one("list_concatenate", one, axis=axis % element.ndim))


__all__ = ["as_array", "called"]
