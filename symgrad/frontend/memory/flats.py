"""``x.flat``: every array as a vector in C order, whatever its memory looks like.

What is read from it is a copy, except for what it is asked for entry by entry; what is stored
goes to the array, values that are too few being repeated.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...ir.expr import Expr, f, lift
from ...ops.choosing import cycled
from ...ops.indexing import getitem, setitem
from ...ops.reshaping import ravel
from ...ops.rules.arguments import as_array
from ..machine import Machine
from ..values import Flat
from .storage import check_writable
from .writing import put_back


def vector(m: Machine, x: Flat) -> Expr:
    """The entries now."""
    return ravel(m.builder, Expr(m.builder, m.read(x.array)))


def load(m: Machine, node: ast.AST, x: Flat, key: Any) -> Any:
    """``x.flat[key]``."""
    with m.located(node):
        at = m.lift(key)
        if _is_int(at):
            whole = Expr(m.builder, m.read(x.array))
            return m.lower(getitem(m.builder, whole, _place(whole, at)))
        found = getitem(m.builder, vector(m, x), at)
    return m.wrap(f.copy(found).value) if found.ndim else m.lower(found)


def store(m: Machine, node: ast.AST, x: Flat, key: Any, value: Any) -> None:
    """``x.flat[key] = value``."""
    from .selected import on_each

    if on_each(m, node, x.array, lambda one: store(m, node, Flat(one), key, value)):
        return
    with m.located(node):
        check_writable(m, x.array)
        given, at = as_array(m.builder, m.lift(value)), m.lift(key)
        if _is_int(at) and not given.ndim:
            whole = Expr(m.builder, m.read(x.array))
            put_back(m, x.array, setitem(m.builder, whole, _place(whole, at), given).value)
            return
        old = vector(m, x)
        if given.ndim:
            given = ravel(m.builder, given)
            taken = getitem(m.builder, old, at)
            count = taken.length(0) if taken.ndim else 1
            if not m.builder.dims.equal(given.type.shape[0], taken.type.shape[0]):
                given = cycled(m.builder, given, count)
        new = setitem(m.builder, old, at, given)
        if x.array.type.ndim != 1:
            shape = Expr(m.builder, m.read(x.array)).shape
            new = f.reshape(new, *shape)
        put_back(m, x.array, new.value)


def _is_int(key: Any) -> bool:
    if isinstance(key, Expr):
        return key.ndim == 0 and key.dtype.kind in "iu"
    return isinstance(key, int | np.integer) and not isinstance(key, bool)


def _place(x: Expr, i: Any) -> Any:
    """Where the entry is, one index for each axis; negative ones count from the end."""
    if x.ndim == 1:
        return i
    places: list[Any] = []
    i = Expr(x.builder, lift(x.builder, i))
    for axis in reversed(range(1, x.ndim)):
        places.append(i % x.length(axis))
        i = i // x.length(axis)
    return (i, *reversed(places))


__all__ = ["load", "store", "vector"]
