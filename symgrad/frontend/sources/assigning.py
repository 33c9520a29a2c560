"""``while (x := step(x)) > 1`` as a loop that assigns in its body."""

from __future__ import annotations

import ast
import copy
from typing import Any


def with_plain_conditions(node: Any) -> Any:
    """``node`` with each ``while`` whose condition assigns replaced; one with an ``else`` stays."""
    if any(_assigns(inner) for inner in ast.walk(node)):
        return _Rewrite().visit(copy.deepcopy(node))
    return node


def _assigns(node: ast.AST) -> bool:
    if not isinstance(node, ast.While) or node.orelse:
        return False
    return any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node.test))


class _Rewrite(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        if not _assigns(node):
            return node
        leave = ast.If(node.test, [ast.Pass()], [ast.Break()])
        made = ast.While(ast.Constant(True), [leave, *node.body], [])
        for inner in (leave, *leave.body, *leave.orelse, made.test):
            ast.copy_location(inner, node.test)
        return ast.copy_location(made, node)
