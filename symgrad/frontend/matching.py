"""``match`` on values, as the ``if`` that it stands for."""

from __future__ import annotations

import ast
from typing import Any

Tests = list[ast.expr]


def is_simple(node: ast.Match) -> bool:
    """Whether a variable is compared with values only."""
    return isinstance(node.subject, ast.Name) and all(
        isinstance(case.pattern, ast.MatchAs)
        and case.pattern.pattern is None
        or _is_value(case.pattern)
        for case in node.cases
    )


def _is_value(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return all(map(_is_value, pattern.patterns))
    return isinstance(pattern, ast.MatchValue | ast.MatchSingleton)


def without_match(node: Any) -> Any:
    """``node`` with each ``match`` replaced; all of them are simple."""
    if any(isinstance(inner, ast.Match) for inner in ast.walk(node)):
        return _Rewrite().visit(node)
    return node


class _Rewrite(ast.NodeTransformer):
    def visit_Match(self, node: ast.Match) -> ast.stmt:
        self.generic_visit(node)
        assert isinstance(node.subject, ast.Name)
        orelse: list[ast.stmt] = []
        for case in reversed(node.cases):
            tests, body = _tests(node.subject, case.pattern), list(case.body)
            name = case.pattern.name if isinstance(case.pattern, ast.MatchAs) else None
            if name is not None:
                kept = ast.Assign([ast.Name(name, ast.Store())], node.subject)
                body.insert(0, kept)
            if case.guard is not None and name is not None:
                # The name is bound whether the guard holds or not.
                body = [kept, ast.If(case.guard, body[1:], orelse)]
            elif case.guard is not None:
                tests.append(case.guard)
            if tests:
                test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
                body = [ast.If(test, body, orelse)]
            orelse = body
            for made in body:
                _place(made, case.pattern)
        whole = orelse[0] if len(orelse) == 1 else ast.If(ast.Constant(True), orelse, [])
        placed: ast.stmt = _place(whole, node)
        return placed


def _tests(subject: ast.Name, pattern: ast.pattern) -> Tests:
    """What must hold for the pattern; nothing for ``_`` and a name."""
    if isinstance(pattern, ast.MatchOr):
        parts = [t for p in pattern.patterns for t in _tests(subject, p)]
        return [ast.BoolOp(ast.Or(), parts)]
    if isinstance(pattern, ast.MatchSingleton):
        return [ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)])]
    if isinstance(pattern, ast.MatchValue):
        return [ast.Compare(subject, [ast.Eq()], [pattern.value])]
    return []


def _place(made: Any, place: ast.AST) -> Any:
    """``made`` where ``place`` is, as far as it is new."""
    for inner in ast.walk(made):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return made
