"""``while (x := step(x)) > 1`` as a loop that assigns in its body, and so where the condition may
raise what a ``try`` around the loop catches."""

from __future__ import annotations

import ast
import copy
from typing import Any


def with_plain_conditions(node: Any) -> Any:
    """``node`` with each ``while`` whose condition assigns, or may raise in a ``try``, replaced;
    one with an ``else`` stays."""
    if any(_assigns(inner) or _catches(inner) for inner in ast.walk(node)):
        return _Rewrite().visit(copy.deepcopy(node))
    return node


def _assigns(node: ast.AST) -> bool:
    if not isinstance(node, ast.While) or node.orelse:
        return False
    return any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node.test))


def _catches(node: ast.AST) -> bool:
    return isinstance(node, ast.Try) and bool(node.handlers)


def _may_raise(node: ast.While) -> bool:
    parts = list(ast.walk(node.test))
    divides = any(isinstance(p, ast.Div | ast.FloorDiv | ast.Mod | ast.Pow) for p in parts)
    return divides or any(isinstance(p, ast.Call | ast.Subscript) for p in parts)


class _Rewrite(ast.NodeTransformer):
    tries = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        outer, self.tries = self.tries, 0
        self.generic_visit(node)
        self.tries = outer
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        self.tries += _catches(node)
        node.body = [self.visit(inner) for inner in node.body]
        self.tries -= _catches(node)
        for handler in node.handlers:
            self.visit(handler)
        node.orelse = [self.visit(inner) for inner in node.orelse]
        node.finalbody = [self.visit(inner) for inner in node.finalbody]
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        caught = self.tries and not node.orelse and _may_raise(node)
        if not _assigns(node) and not caught:
            return node
        leave = ast.If(node.test, [ast.Pass()], [ast.Break()])
        made = ast.While(ast.Constant(True), [leave, *node.body], [])
        for inner in (leave, *leave.body, *leave.orelse, made.test):
            ast.copy_location(inner, node.test)
        return ast.copy_location(made, node)
