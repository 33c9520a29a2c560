"""``match`` as the branches that it stands for: a condition for each pattern, in terms of the
subject and its parts, then the names that the pattern binds."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any

from ..names.scope import own_name
from . import match_tests as tests
from .given import Given

SUBJECT = own_name("subject")


def without_match(node: Any) -> Any:
    """``node`` with each ``match`` replaced."""
    if any(isinstance(inner, ast.Match) for inner in ast.walk(node)):
        return _Rewrite().visit(copy.deepcopy(node))  # the tree of a text is kept
    return node


class _Rewrite(ast.NodeTransformer):
    def __init__(self) -> None:
        self.depth = 0

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        self.depth += 1
        self.generic_visit(node)
        before: list[ast.stmt] = []
        subject: ast.expr = node.subject
        if not isinstance(subject, ast.Name):
            name = SUBJECT if self.depth == 1 else own_name(f"subject_{self.depth}")
            before = [ast.Assign([ast.Name(name, ast.Store())], subject)]
            subject = ast.Name(name, ast.Load())
        self.depth -= 1
        orelse: list[ast.stmt] = []
        for case in reversed(node.cases):
            orelse = _branch(case, subject, orelse)
        placed: list[ast.stmt] = [_place(s, node) for s in (*before, *orelse)]
        return placed or [_place(ast.Pass(), node)]


def _branch(case: Any, subject: ast.expr, orelse: list[ast.stmt]) -> list[ast.stmt]:
    """One case, and those after it."""
    found = _Found()
    _read(case.pattern, subject, found)
    conditions, body = list(found.conditions), list(case.body)
    if case.guard is not None:
        # The names are bound whether the guard holds or not.
        conditions += [_bound_now(name, value) for name, value in found.names]
        conditions.append(case.guard)
    else:
        body = [
            *(ast.Assign([ast.Name(n, ast.Store())], value) for n, value in found.names),
            *body,
        ]
    if conditions:
        test = conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)
        body = [ast.If(test, body, orelse)]
    return [_place(s, case.pattern) for s in body]


@dataclass(slots=True)
class _Found:
    """What must hold for a pattern, in order, and what it binds."""

    conditions: list[ast.expr] = field(default_factory=list)
    names: list[tuple[str, ast.expr]] = field(default_factory=list)


def _read(p: ast.pattern, subject: ast.expr, found: _Found) -> None:
    if isinstance(p, ast.MatchValue):
        found.conditions.append(ast.Compare(subject, [ast.Eq()], [p.value]))
    elif isinstance(p, ast.MatchSingleton):
        found.conditions.append(ast.Compare(subject, [ast.Is()], [ast.Constant(p.value)]))
    elif isinstance(p, ast.MatchAs):
        if p.pattern is not None:
            _read(p.pattern, subject, found)
        if p.name is not None:
            found.names.append((p.name, subject))
    elif isinstance(p, ast.MatchOr):
        _either(p, subject, found)
    elif isinstance(p, ast.MatchSequence):
        _sequence(p, subject, found)
    elif isinstance(p, ast.MatchMapping):
        _mapping(p, subject, found)
    elif isinstance(p, ast.MatchClass):
        _class(p, subject, found)


def _either(p: ast.MatchOr, subject: ast.expr, found: _Found) -> None:
    """The alternatives; where they bind names, the one that holds does so in its test."""
    parts: list[ast.expr] = []
    for alternative in p.patterns:
        inner = _Found()
        _read(alternative, subject, inner)
        tested = [*inner.conditions, *(_bound_now(n, value) for n, value in inner.names)]
        if not tested:
            tested = [ast.Constant(True)]
        parts.append(tested[0] if len(tested) == 1 else ast.BoolOp(ast.And(), tested))
    found.conditions.append(ast.BoolOp(ast.Or(), parts))


def _bound_now(name: str, value: ast.expr) -> ast.expr:
    """An expression that is true, and assigns."""
    walrus = ast.NamedExpr(ast.Name(name, ast.Store()), copy.copy(value))
    return _call(tests.ALWAYS, walrus)


def _sequence(p: ast.MatchSequence, subject: ast.expr, found: _Found) -> None:
    star = next((i for i, s in enumerate(p.patterns) if isinstance(s, ast.MatchStar)), None)
    count = len(p.patterns) - (star is not None)
    length = ast.Call(Given(len), [subject], [])
    relation: ast.cmpop = ast.Eq() if star is None else ast.GtE()
    found.conditions.append(_call(tests.IS_SEQUENCE, subject))
    found.conditions.append(ast.Compare(length, [relation], [ast.Constant(count)]))
    for i, part in enumerate(p.patterns):
        after = len(p.patterns) - i - 1
        if isinstance(part, ast.MatchStar):
            if part.name is not None:
                rest = ast.Slice(
                    ast.Constant(i), ast.Constant(-after) if after else None, None
                )
                items = ast.Subscript(subject, rest, ast.Load())
                found.names.append((part.name, ast.Call(Given(list), [items], [])))
            continue
        position = i if star is None or i < star else -after - 1
        item = ast.Subscript(subject, ast.Constant(position), ast.Load())
        _read(part, item, found)


def _mapping(p: ast.MatchMapping, subject: ast.expr, found: _Found) -> None:
    found.conditions.append(_call(tests.IS_MAPPING, subject))
    for key, part in zip(p.keys, p.patterns, strict=True):
        found.conditions.append(ast.Compare(key, [ast.In()], [subject]))
        _read(part, ast.Subscript(subject, key, ast.Load()), found)
    if p.rest is not None:
        found.names.append((p.rest, _call(tests.WITHOUT, subject, *p.keys)))


def _class(p: ast.MatchClass, subject: ast.expr, found: _Found) -> None:
    found.conditions.append(ast.Call(Given(isinstance), [subject, p.cls], []))
    given = ast.Constant(len(p.patterns))
    for i, part in enumerate(p.patterns):
        item = _call(tests.POSITIONAL, subject, p.cls, ast.Constant(i), given)
        _read(part, item, found)
    for name, part in zip(p.kwd_attrs, p.kwd_patterns, strict=True):
        there = ast.Call(Given(hasattr), [subject, ast.Constant(name)], [])
        found.conditions.append(there)
        _read(part, ast.Attribute(subject, name, ast.Load()), found)


def _call(function: Any, *args: ast.expr) -> ast.expr:
    return ast.Call(Given(function), list(args), [])


def _place(made: Any, place: ast.AST) -> Any:
    """``made`` where ``place`` is, as far as it is new."""
    for inner in ast.walk(made):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return made
