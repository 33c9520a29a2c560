"""``copy.copy`` and ``copy.deepcopy`` of abstract values."""

from __future__ import annotations

import ast
import copy
from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError
from ..ops import SURFACE
from .builtin_calls import builtin
from .control.join import like
from .machine import Machine
from .names.captures import Found
from .names.static import opened
from .unpacking import spread_items
from .values import (
    Cell,
    DictObject,
    ListObject,
    Record,
    Ref,
    Rows,
    is_long,
    new_dict,
    new_list,
)


@builtin(copy.copy)
def copy_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``copy.copy``."""
    return _copied(m, node, x, None)


@builtin(copy.deepcopy)
def deepcopy(m: Machine, node: ast.AST, x: Any) -> Any:
    """``copy.deepcopy``."""
    return _copied(m, node, x, {})


def _copied(m: Machine, node: ast.AST, x: Any, memo: dict[int, Any] | None) -> Any:
    """A copy; with a ``memo`` of what has been copied already, of all that is in it, too."""
    if memo is not None and id(x) in memo:
        return memo[id(x)][1]
    made = _made(m, node, x, memo)
    if memo is not None:
        memo[id(x)] = (x, made)
    return made


def _made(m: Machine, node: ast.AST, x: Any, memo: dict[int, Any] | None) -> Any:
    def part(inner: Any) -> Any:
        return inner if memo is None else _copied(m, node, inner, memo)

    if isinstance(x, Found):
        x = opened(m, x)
    if isinstance(x, Ref):
        return m.call_surface(SURFACE[np.copy], node, x, _target=np.copy)
    if type(x) is tuple or hasattr(type(x), "_make"):
        return like(x, [part(item) for item in x])
    if is_long(x) or isinstance(x, Rows):
        items = spread_items(m, node, x)
        return new_list(map(part, items))
    if isinstance(x, ListObject):
        return new_list(map(part, x.items))
    if isinstance(x, DictObject):
        return new_dict({key: part(item) for key, item in x.items.items()})
    by_hand = isinstance(x, Record) and any(
        hasattr(x.cls, name) for name in ("__copy__", "__deepcopy__")
    )
    if isinstance(x, Record) and not by_hand:
        return Record(x.cls, {name: part(item) for name, item in x.data.items()})
    if isinstance(x, Cell | Found | tuple) or by_hand:
        raise UnsupportedFunctionError(
            "arrays, numbers, lists, tuples, dicts and plain objects made here can be copied; "
            "copy the parts of this one",
            m.span(node),
        )
    return x


__all__: list[str] = []
