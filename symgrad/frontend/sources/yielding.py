"""``yield``: which functions are generators, and ``yield from x`` and ``x = yield`` as what they
stand for where nothing is sent to a generator."""

from __future__ import annotations

import ast
import copy
from typing import Any

from ..names.scope import own_name

ITEM = own_name("item")
SOURCE = own_name("source")


def as_generator(node: ast.GeneratorExp) -> ast.FunctionDef:
    """A function that yields what a generator expression does, whose first iterable is called
    ``SOURCE`` in it."""
    body: list[ast.stmt] = [ast.Expr(ast.Yield(node.elt))]
    first = node.generators[0]
    for each in reversed(node.generators):
        for test in reversed(each.ifs):
            body = [ast.If(test, body, [])]
        source = ast.Name(SOURCE, ast.Load()) if each is first else each.iter
        body = [ast.For(each.target, source, body, [])]
    made = ast.parse("def genexpr(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.body = body
    for inner in ast.walk(made):
        if not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return made


def with_plain_yields(node: Any) -> Any:
    """``node`` with each ``yield`` a statement of its own."""
    if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node)):
        return _Rewrite().visit(copy.deepcopy(node))
    return node


class _Rewrite(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        made = node.value
        if not isinstance(made, ast.YieldFrom):
            return node
        each = ast.Expr(ast.Yield(ast.Name(ITEM, ast.Load())))
        loop = ast.For(ast.Name(ITEM, ast.Store()), made.value, [each], [])
        for inner in (loop.target, *ast.walk(each)):
            ast.copy_location(inner, made)
        return ast.copy_location(loop, node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        made = node.value
        if not isinstance(made, ast.Yield):
            return node
        node.value = ast.copy_location(ast.Constant(None), made)
        return [ast.copy_location(ast.Expr(made), node), node]


__all__ = ["SOURCE", "as_generator", "with_plain_yields"]
