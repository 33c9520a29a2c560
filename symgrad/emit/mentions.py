"""Which variables statements read and assign."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

N = TypeVar("N", bound=ast.AST)
Block = list[ast.stmt]


def blocks(node: ast.stmt) -> Iterator[Block]:
    """The blocks of a loop or a branch."""
    if isinstance(node, ast.If | ast.For | ast.While):
        yield node.body
        yield node.orelse


def filled(node: ast.stmt, body: Block, orelse: Block) -> Block:
    """A loop or a branch with these blocks; nothing if that is a branch with nothing in it."""
    assert isinstance(node, ast.If | ast.For | ast.While)
    if isinstance(node, ast.If) and not body and not orelse:
        return []
    node.body, node.orelse = body or [ast.Pass()], orelse
    return [node]


def statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement in a block, however deep."""
    for node in block:
        yield from (n for n in ast.walk(node) if isinstance(n, ast.stmt))


def assigned(node: ast.stmt) -> set[str]:
    """The variables that a statement itself assigns."""
    match node:
        case ast.Assign(targets=targets):
            return {name for target in targets for name in _names(target)}
        case ast.AugAssign(target=target) | ast.For(target=target):
            return set(_names(target))
    return set()


def _names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(name):
            yield name
        case ast.Tuple(parts):
            for part in parts:
                yield from _names(part)


def reads(block: Sequence[ast.AST]) -> Counter[str]:
    """How often each variable is read."""
    found: Counter[str] = Counter()
    for node in block:
        found.update(_read(node))
    return found


def _read(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
        return
    pure = isinstance(node, ast.Assign | ast.For)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else (value,):
            if pure and name in ("targets", "target") and [*_names(child)]:
                continue
            if isinstance(child, ast.AST):
                yield from _read(child)


def plain(value: ast.expr) -> bool:
    """Whether an expression is a name or a constant, so that nobody misses it."""
    match value:
        case ast.Name() | ast.Constant():
            return True
        case ast.UnaryOp(ast.USub(), operand):
            return plain(operand)
        case ast.Call(ast.Attribute(ast.Name("np")), [ast.Constant()], []):
            return True
    return False


def replaced(node: N, values: Mapping[str, ast.expr]) -> N:
    """A node with expressions in place of names."""
    return _Replacing(values).visit(node)  # type: ignore[no-any-return]


class _Replacing(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)
