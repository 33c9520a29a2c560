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
    changed = _all_changed(node) if rows else set()
    for name, value in rows.items():
        if name in changed and m.frame.scope.data[name] is value:
            over = having(over, value, replace_rows(m, node, value))
    return over


def _all_changed(node: ast.AST) -> set[str]:
    """The lists that are changed under their names, or under one for a list in them."""
    changed = {name for inner in ast.walk(node) for name in _changed(inner)}
    parts = [pair for inner in ast.walk(node) for pair in _taken_out(inner)]
    more = {around for name, around in parts if name in changed}
    while not more <= changed:
        changed |= more
        more = {around for name, around in parts if name in changed}
    return changed


def _taken_out(node: ast.AST) -> list[tuple[str, str]]:
    """Names for what is in a list, each with that of the list."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Subscript() as value):
            return [(name, around) for around in _base(value)]
        case ast.For(ast.Name(name), ast.Name() | ast.Subscript() as value):
            return [(name, around) for around in _base(value)]
        case _:
            return []


def _base(node: ast.expr) -> list[str]:
    """The name of the list in ``g[i][j]``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return [node.id] if isinstance(node, ast.Name) else []


def _changed(node: ast.AST) -> list[str]:
    match node:
        case ast.Call(func=ast.Attribute(owner, method)) if method in METHODS:
            return _base(owner)
        case ast.Subscript(owner, ctx=ast.Store() | ast.Del()):
            return _base(owner)
        case ast.AugAssign(ast.Name() | ast.Subscript() as owner):
            return _base(owner)
        case _:
            return []


__all__ = ["widen"]
