"""astor, used so that its weak spots never show: one statement at a time, never wrapped."""

from __future__ import annotations

import ast
import warnings

with warnings.catch_warnings():
    # astor looks up syntax-tree classes that Python 3.12 and later call deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    import astor


def _joined(parts: list[str]) -> str:
    return "".join(parts)


def text_of(node: ast.AST) -> str:
    """The text of one simple statement or of a compound statement's header."""
    text: str = astor.to_source(node, pretty_source=_joined)
    return text.rstrip("\n")


def header(node: ast.stmt) -> str:
    """The first line of a compound statement: everything up to its body."""
    if isinstance(node, ast.For):
        return text_of(ast.For(node.target, node.iter, [], []))
    if isinstance(node, ast.While):
        return text_of(ast.While(node.test, [], []))
    if isinstance(node, ast.With):
        return text_of(ast.With(node.items, []))
    if isinstance(node, ast.Try):
        return "try:"
    assert isinstance(node, ast.If)
    return text_of(ast.If(node.test, [], []))
