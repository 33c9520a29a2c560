"""``match`` on values, as the ``if`` that it stands for."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

Tests = list[ast.expr]
SUBJECT = "<subject{}>"
"""Names of subjects that are no names themselves."""


def is_simple(node: ast.Match) -> bool:
    """Whether a value, or several of them between commas, are compared with values only."""
    return all(_is_simple(case.pattern, _is_several(node.subject)) for case in node.cases)


def _is_several(subject: ast.expr) -> bool:
    starred = (isinstance(part, ast.Starred) for part in getattr(subject, "elts", ()))
    return isinstance(subject, ast.Tuple) and not any(starred)


def _is_simple(pattern: ast.pattern, several: bool) -> bool:
    match pattern:
        case ast.MatchOr(patterns):
            names = any(isinstance(p, ast.MatchAs) for p in ast.walk(pattern))
            return all(_is_simple(p, several) for p in patterns) and (
                not names or not any(name for name, _ in _bindings(_NONE, pattern))
            )
        case ast.MatchAs(None):
            return True
        case ast.MatchAs(inner):
            return inner is not None and _is_simple(inner, several)
        case ast.MatchSequence(patterns):
            return several and all(_is_simple(p, False) for p in patterns)
        case _:
            return isinstance(pattern, ast.MatchValue | ast.MatchSingleton)


def without_match(node: Any) -> Any:
    """``node`` with each ``match`` replaced; all of them are simple."""
    if any(isinstance(inner, ast.Match) for inner in ast.walk(node)):
        return _Rewrite().visit(copy.deepcopy(node))  # the tree of a text is kept
    return node


class _Rewrite(ast.NodeTransformer):
    def visit_Match(self, node: ast.Match) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        subject, first = _named(node.subject)
        orelse: list[ast.stmt] = []
        for case in reversed(node.cases):
            orelse = _one(subject, case, orelse)
            for made in orelse:
                _place(made, case.pattern)
        whole = orelse[0] if len(orelse) == 1 else ast.If(ast.Constant(True), orelse, [])
        placed: ast.stmt = _place(whole, node)
        return [*(_place(assign, node.subject) for assign in first), placed]


def _named(subject: ast.expr) -> tuple[ast.expr, list[ast.stmt]]:
    """Names for the subject, or for each of several, and what gives them their values."""
    if isinstance(subject, ast.Name):
        return subject, []
    parts = subject.elts if isinstance(subject, ast.Tuple) and _is_several(subject) else []
    names: list[ast.expr] = [
        ast.Name(SUBJECT.format(i), ast.Load()) for i in range(len(parts) or 1)
    ]
    stored = [ast.Name(SUBJECT.format(i), ast.Store()) for i in range(len(names))]
    first: list[ast.stmt] = [
        ast.Assign([name], part)
        for name, part in zip(stored, parts or [subject], strict=True)
    ]
    return (ast.Tuple(names, ast.Load()) if parts else names[0]), first


def _one(subject: ast.expr, case: ast.match_case, orelse: list[ast.stmt]) -> list[ast.stmt]:
    """A case and, in ``orelse``, those after it."""
    tests, body = _tests(subject, case.pattern), list(case.body)
    kept: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store())], value)
        for name, value in _bindings(subject, case.pattern)
        if name
    ]
    if case.guard is not None and kept:
        # The names are bound whether the guard holds or not.
        if tests:
            kept = [ast.If(_all(tests), kept, [])]
        return [*kept, ast.If(_all([*tests, case.guard]), body, orelse)]
    if case.guard is not None:
        tests.append(case.guard)
    body = [*kept, *body]
    return [ast.If(_all(tests), body, orelse)] if tests else body


def _all(tests: Tests) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _tests(subject: ast.expr, pattern: ast.pattern) -> Tests:
    """What must hold for the pattern; nothing for ``_`` and a name."""
    match pattern:
        case ast.MatchOr(patterns):
            parts = [_tests(subject, p) for p in patterns]
            return [ast.BoolOp(ast.Or(), list(map(_all, parts)))] if all(parts) else []
        case ast.MatchAs(ast.pattern() as inner):
            return _tests(subject, inner)
        case ast.MatchSequence(patterns):
            assert isinstance(subject, ast.Tuple)
            if len(patterns) != len(subject.elts):
                return [ast.Constant(False)]
            pairs = zip(subject.elts, patterns, strict=True)
            return [t for part, p in pairs for t in _tests(part, p)]
        case ast.MatchSingleton(value):
            return [ast.Compare(subject, [ast.Is()], [ast.Constant(value)])]
        case ast.MatchValue(value):
            return [ast.Compare(subject, [ast.Eq()], [value])]
        case _:
            return []


def _bindings(subject: ast.expr, pattern: ast.pattern) -> Iterator[tuple[str, ast.expr]]:
    """The names that the pattern binds, and to what."""
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None:
            yield from _bindings(subject, pattern.pattern)
        if pattern.name is not None:
            yield pattern.name, subject
    elif isinstance(pattern, ast.MatchSequence):
        parts = subject.elts if isinstance(subject, ast.Tuple) else pattern.patterns
        if len(parts) == len(pattern.patterns):
            for part, inner in zip(parts, pattern.patterns, strict=True):
                yield from _bindings(part, inner)  # type: ignore[arg-type]
    elif isinstance(pattern, ast.MatchOr):
        for inner in pattern.patterns:
            yield from _bindings(subject, inner)


_NONE = ast.Constant(None)


def _place(made: Any, place: ast.AST) -> Any:
    """``made`` where ``place`` is, as far as it is new."""
    for inner in ast.walk(made):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return made
