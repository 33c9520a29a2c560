"""``x[key]`` of arrays and of containers that exist when compiling."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.types import ArrayType
from ..ir.values import Value
from ..ops import SURFACE
from . import protocols
from .control import ranges, settling
from .control.counting import row
from .dispatch import evaluate, expression, held, out_of_range
from .expressions import static_key
from .lists import calls as list_calls
from .lists import keyed
from .machine import Machine
from .memory import flats
from .memory.boxes import mark
from .memory.storage import load_item
from .names.captures import Found, is_container
from .names.static import certain, opened, plain, unwrap
from .values import (
    DictObject,
    Flat,
    ListObject,
    Range,
    Record,
    Ref,
    Rows,
    any_runtime,
    is_long,
    new_list,
)

JOINERS = (type(np.r_), type(np.c_))
"""What np.r_ and np.c_ are: arrays are joined by a subscript."""


@expression(ast.Subscript)
def read(m: Machine, node: ast.Subscript) -> Any:
    """``owner[key]``."""
    owner = held(m, node.value)
    key = evaluate(m, node.slice)
    m.temps.pop()
    return get_item(m, node, owner, key)


def get_item(m: Machine, node: ast.Subscript, owner: Any, key: Any) -> Any:
    """``owner[key]`` of abstract values."""
    owner = certain(m, owner, text="'NoneType' object is not subscriptable")
    key = certain(m, key)
    if isinstance(owner, Ref) or (
        isinstance(owner, Value) and isinstance(owner.type, ArrayType)
    ):
        item = load_item(m, node, owner, opened(m, key))
        if key is Ellipsis or (isinstance(key, tuple) and any(k is Ellipsis for k in key)):
            if isinstance(owner, Ref) and isinstance(item, Value):
                return m.trace(item)  # an array of rank 0, not a number
            mark(m, item)
        return item
    if isinstance(owner, Flat):
        return flats.load(m, node, owner, opened(m, key))
    if isinstance(owner, Rows):
        if isinstance(key, slice):
            return list_calls.get(m, node, list_calls.listed(m, owner), key)
        return row(m, node, owner, key)
    if isinstance(owner, range) and any_runtime(key):
        owner = Range(owner.start, owner.stop, owner.step)
    if isinstance(owner, Range):
        return ranges.get(m, node, owner, key)
    if isinstance(owner, Found):
        owner = m.captures.inner(owner)
    if isinstance(owner, Found) and is_container(owner.value):
        return _captured(m, node, owner, key)
    builder = owner.value if isinstance(owner, Found) else owner
    if isinstance(builder, JOINERS):
        return m.call_surface(SURFACE[builder], node, key)
    if isinstance(owner, Value):
        raise UnsupportedSyntaxError(
            f"this is a number ({owner.type}), which has no items", m.span(node)
        )
    if is_long(owner):
        return list_calls.get(m, node, owner, key)
    if isinstance(owner, Record):
        item = protocols.call_special(m, node, owner, "__getitem__", key)
        if item is not NotImplemented:
            return item
    if isinstance(key, Value) and (long := _as_long(m, node, owner)) is not None:
        return list_calls.get(m, node, long, key)
    with keyed.needed_by(m, owner):
        found = static_key(m, node.slice, settling.position(m, owner, key))
    if isinstance(owner, ListObject):
        with out_of_range(m, "list index out of range"):
            items = owner.items[found]
        return new_list(items) if isinstance(found, slice) else items
    if isinstance(owner, DictObject):
        if found not in owner.items:
            raise KeyError(found)
        return owner.items[found]
    if isinstance(owner, tuple):
        return owner[found]
    try:
        return plain(m, owner)[found]
    except LookupError as error:
        if type(error) is not LookupError:
            raise
        raise UnsupportedSyntaxError("this has no items", m.span(node)) from None


def _as_long(m: Machine, node: ast.AST, owner: Any) -> ListObject | None:
    """A list or tuple as one that may be indexed by what is known at run time only."""
    if not m.listing or not isinstance(owner, ListObject | tuple):
        return None
    try:
        return list_calls.lengthened(m, node, owner)
    except UnsupportedSyntaxError:
        if not m.choosing:
            raise
        return None


def _captured(m: Machine, node: ast.Subscript, owner: Found, key: Any) -> Any:
    """One item of a captured list or dict: only that is looked at."""
    found = static_key(m, node.slice, key)
    if (
        isinstance(found, slice)
        or id(owner.value) in m.opened
        or id(owner.value) in m.grown
    ):
        return get_item(m, node, opened(m, owner), found)
    return unwrap(m, m.captures.item(owner, found))
