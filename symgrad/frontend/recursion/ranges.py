"""Loops that are cut: what they run through, as something to count through."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..sources.given import Given
from .lift import Refuse
from .nodes import assign, name

Fresh = Callable[[str], str]
RANGE = 3


def counted(
    iterable: ast.expr, k: str, n: str, fresh: Fresh, refuse: Refuse
) -> tuple[list[ast.stmt], ast.expr, ast.expr, ast.expr]:
    """Before a loop; its element, step and test: for ranges, and what can be indexed."""
    called = iterable.func.id if _is_call(iterable) else ""  # type: ignore[attr-defined]
    args: list[ast.expr] = list(getattr(iterable, "args", ()))
    if called == "range" and len(args) <= RANGE:
        start = args[0] if len(args) > 1 else ast.Constant(0)
        step = args[2] if len(args) == RANGE else ast.Constant(1)
        down = isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)
        if not isinstance(step, ast.Constant) and not down:
            raise refuse(iterable, "in a loop whose step is not a number")
        before = [assign(k, start), assign(n, args[min(1, len(args) - 1)])]
        relation: ast.cmpop = ast.Gt() if down else ast.Lt()
        return before, name(k), step, ast.Compare(name(k), [relation], [name(n)])
    before, size, item = _indexed(iterable, k, fresh)
    before += [assign(k, ast.Constant(0)), assign(n, size)]
    test = ast.Compare(name(k), [ast.Lt()], [name(n)])
    return before, item, ast.Constant(1), test


def _indexed(
    iterable: ast.expr, k: str, fresh: Fresh
) -> tuple[list[ast.stmt], ast.expr, ast.expr]:
    """Something to run through as what has a length and elements: what to do before, its
    length, and element number ``k``."""
    called = iterable.func.id if _is_call(iterable) else ""  # type: ignore[attr-defined]
    args: list[ast.expr] = list(getattr(iterable, "args", ()))
    if called == "zip" and args:
        parts = [_indexed(a, k, fresh) for a in args]
        size: ast.expr = ast.Call(
            Given(min), [ast.List([p[1] for p in parts], ast.Load())], []
        )
        item: ast.expr = ast.Tuple([p[2] for p in parts], ast.Load())
        return [s for p in parts for s in p[0]], size, item
    if called == "enumerate":
        before, size, item = _indexed(args[0], k, fresh)
        start = args[1] if len(args) > 1 else ast.Constant(0)
        number = ast.BinOp(name(k), ast.Add(), start)
        return before, size, ast.Tuple([number, item], ast.Load())
    kept = fresh("iterated")
    length = ast.Call(Given(len), [name(kept)], [])
    item = ast.Subscript(name(kept), name(k), ast.Load())
    return [assign(kept, iterable)], length, item


def _is_call(e: ast.expr) -> bool:
    if not isinstance(e, ast.Call) or not isinstance(e.func, ast.Name):
        return False
    return all(k.arg == "strict" and _is_false(k.value) for k in e.keywords)


def display(iterable: ast.expr) -> list[ast.expr] | None:
    """The elements of something to run through, where they are written there."""
    if isinstance(iterable, ast.List | ast.Tuple):
        starred = any(isinstance(e, ast.Starred) for e in iterable.elts)
        return None if starred else iterable.elts
    if not _is_call(iterable):
        return None
    called = iterable.func.id  # type: ignore[attr-defined]
    parts = [display(a) for a in iterable.args]  # type: ignore[attr-defined]
    known = [p for p in parts if p is not None]
    if called not in ("zip", "enumerate") or len(known) != len(parts) or not parts:
        return None
    if called == "enumerate" and len(parts) == 1:
        return [ast.Tuple([ast.Constant(i), e], ast.Load()) for i, e in enumerate(known[0])]
    if called == "zip":
        return [ast.Tuple(list(row), ast.Load()) for row in zip(*known, strict=False)]
    return None


def _is_false(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is False
