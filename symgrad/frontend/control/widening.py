"""Lists kept as arrays (``growing``) that a loop or a branch changes: made lists before it.

Inside, the array would be one on some ways and a list on others, which cannot be joined.
"""

from __future__ import annotations

import ast
from typing import Any

from ..lists.calls import METHODS
from ..lists.replacing import having, replace_rows
from ..machine import Machine
from ..values import Rows


def widen(m: Machine, node: ast.For | ast.While | ast.If, over: Any = None) -> Any:
    """Make real lists of those that ``node`` changes by their names; what it runs ``over``, with
    these."""
    rows = {n: x for n, x in m.frame.scope.data.items() if isinstance(x, Rows)}
    changed = {name for inner in ast.walk(node) for name in _changed(inner)}
    for name, value in rows.items():
        if name in changed and m.frame.scope.data[name] is value and not value.depth:
            over = having(over, value, replace_rows(m, value))
    return over


def _changed(node: ast.AST) -> list[str]:
    match node:
        case ast.Call(func=ast.Attribute(ast.Name(name), method)) if method in METHODS:
            return [name]
        case ast.Subscript(ast.Name(name), ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.AugAssign(ast.Name(name) | ast.Subscript(ast.Name(name))):
            return [name]
        case _:
            return []


__all__ = ["widen"]
