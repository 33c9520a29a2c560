"""Syntax of the compiler's own that recursion is rewritten with, and small pieces to make it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ..dispatch import expression
from ..machine import Machine
from ..names.lookup import read_name
from ..names.scope import Frame


class Again(ast.expr):
    """A call of one of the functions that call each other: all its arguments, in order."""

    _fields = ("args",)
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, args: Any = None, member: int = 0) -> None:
        super().__init__()
        self.args: list[ast.expr] = [] if args is None else args
        self.member = member


class Goto(ast.stmt):
    """Go on at a point later on, with ``values`` for it, or with what is live there: at once
    (``now``), or when the call that comes next is done."""

    _fields = ("values",)
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, point: int = 0, values: Any = None, *, now: bool = False) -> None:
        super().__init__()
        self.point = point
        self.now = now
        self.values: list[ast.expr] | None = values


class Elsewhere(ast.expr):
    """A name that is looked up from another function."""

    _fields = ()
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, id: str = "", frame: Any = None) -> None:
        super().__init__()
        self.id = id
        self.frame = frame

    def __deepcopy__(self, memo: Any) -> Elsewhere:
        return self


@expression(Elsewhere)
def elsewhere(m: Machine, node: Elsewhere) -> Any:
    """What the name means there."""
    frame: Frame = node.frame
    m.frames.append(frame)
    try:
        return read_name(m, ast.copy_location(ast.Name(node.id, ast.Load()), node))
    finally:
        m.frames.pop()


def name(id: str) -> ast.Name:
    """A variable that is read."""
    return ast.Name(id, ast.Load())


def assign(id: str, value: ast.expr) -> ast.stmt:
    """``id = value``."""
    return ast.Assign([ast.Name(id, ast.Store())], value)


def method(owner: str, called: str, *args: ast.expr) -> ast.expr:
    """``owner.called(*args)``."""
    return ast.Call(ast.Attribute(name(owner), called, ast.Load()), list(args), [])


def packed(names: Iterable[str]) -> ast.expr:
    """A tuple of variables."""
    return ast.Tuple([name(n) for n in names], ast.Load())


def unpack(names: Iterable[str], value: ast.expr) -> ast.stmt:
    """``a, b, = value``."""
    target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
    return ast.Assign([target], value)


def touches(node: ast.AST) -> bool:
    """Whether there is a call to cut at in ``node``."""
    return any(isinstance(n, Again) for n in ast.walk(node))


def placed(node: Any, place: ast.AST) -> Any:
    """What has no place is put where that around it stands."""
    if not hasattr(node, "lineno") and "lineno" in node._attributes:
        ast.copy_location(node, place)
    for child in ast.iter_child_nodes(node):
        placed(child, node if hasattr(node, "lineno") else place)
    return node
