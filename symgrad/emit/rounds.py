"""Rounds of loops, and tests, as a person writes them: ``continue``, ``and``, ``or``.

The IR has branches only: what is not to be done in a round stands in the other branch, and the
second half of ``a and b`` in a branch on the first.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from .inline import room_at
from .mentions import Block, assigned, filled, reads, statements
from .printing import header
from .statements import Origin, negated


@dataclass(slots=True)
class Rounds:
    """The work on one function's statements.

    ``nameless`` are the compiler's own variables, ``turned`` the branches whose first side was
    empty, ``heads`` the tests of loops that stand in their bodies."""

    nameless: frozenset[str]
    turned: set[ast.stmt]
    heads: set[ast.stmt]
    origins: dict[ast.stmt, Origin]

    def tidy(self, body: Block) -> Block:
        """The body with its tests and rounds."""
        made = Counter(name for node in statements(body) for name in assigned(node))
        body = self._tested(body, reads(body), made, 1)
        body = _without(body, _only_counted(body))
        return self._inside(body)

    def _as(self, new: ast.stmt, old: ast.stmt) -> ast.stmt:
        if old in self.origins:
            self.origins[new] = self.origins[old]
        for marked in (self.turned, self.heads):
            if old in marked:
                marked.add(new)
        return new

    # -- tests ----------------------------------------------------------------------------
    def _tested(
        self, block: Block, read: Counter[str], made: Counter[str], depth: int
    ) -> Block:
        result: Block = []
        for node in block:
            if isinstance(node, ast.If | ast.For | ast.While):
                node.body = self._tested(node.body, read, made, depth + 1)
                node.orelse = self._tested(node.orelse, read, made, depth + 1)
            before = result[-1] if result else None
            new = self._with_test(before, node, read, made) if before is not None else None
            if new is not None and len(header(new)) <= room_at(depth):
                result[-1] = self._as(new, node)
            else:
                result.append(self._headed(node, depth))
        return result

    def _with_test(
        self, before: ast.stmt, node: ast.stmt, read: Counter[str], made: Counter[str]
    ) -> ast.stmt | None:
        """The branch with what has been found out ``before`` in its test."""
        match node:
            case ast.If(ast.Name(flag), body, orelse):
                pass
            case ast.If(ast.UnaryOp(ast.Not(), ast.Name(flag)), body, orelse):
                pass
            case _:
                return None
        if flag not in self.nameless or read[flag] != 1:
            return None
        sets = sum(flag in assigned(n) for n in statements([before]))
        test = _both([before], flag)
        if test is None or isinstance(before, ast.Assign) or sets != made[flag]:
            return None
        return ast.If(
            test if isinstance(node.test, ast.Name) else negated(test), body, orelse
        )

    def _headed(self, node: ast.stmt, depth: int) -> ast.stmt:
        """``while a and b:`` for a loop whose body begins with ``if not (a and b): break``."""
        match node:
            case ast.While(
                ast.Constant(True),
                [ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], []) as head, *rest],
                orelse,
            ) if head in self.heads:
                new = ast.While(test, rest or [ast.Pass()], orelse)
                return self._as(new, node) if len(header(new)) <= room_at(depth) else node
        return node

    # -- rounds ---------------------------------------------------------------------------
    def _inside(self, block: Block) -> Block:
        for node in block:
            if isinstance(node, ast.For | ast.While):
                node.body = self._round(self._inside(node.body))
                node.orelse = self._inside(node.orelse)
            elif isinstance(node, ast.If):
                node.body = self._inside(node.body)
                node.orelse = self._inside(node.orelse)
        return block

    def _round(self, block: Block) -> Block:
        """The end of a round, where nothing is left to be done on one side."""
        match block:
            case [*before, ast.If(test, body, []) as node] if node in self.turned:
                skip = ast.If(negated(test), [self._as(ast.Continue(), node)], [])
                return [*before, self._as(skip, node), *self._round(body)]
            case [*_, ast.If() as node]:
                node.body = self._round(node.body)
                if len(node.orelse) > 1:
                    node.orelse = self._round(node.orelse)
        return block


def _only_counted(body: Block) -> set[str]:
    """Variables that nobody reads but to count them up."""
    read = reads(body)
    own: Counter[str] = Counter()
    fixed: set[str] = set()
    for node in statements(body):
        match node:
            case ast.AugAssign(ast.Name(name), _, ast.Constant()):
                own[name] += 1
            case ast.Assign([ast.Name()], ast.Constant()):
                pass
            case _:
                fixed |= assigned(node)
    return {
        name for name, count in own.items() if read[name] == count and name not in fixed
    }


def _without(block: Block, names: set[str]) -> Block:
    """The block without what is assigned to these variables."""
    if not names:
        return block
    result: Block = []
    for node in block:
        if isinstance(node, ast.If | ast.For | ast.While):
            result += filled(node, _without(node.body, names), _without(node.orelse, names))
        elif not (isinstance(node, ast.Assign | ast.AugAssign) and assigned(node) & names):
            result.append(node)
    return result


def _both(block: Block, flag: str) -> ast.expr | None:
    """The test that statements set ``flag`` by, if that is all that they do."""
    match block:
        case [ast.Assign([ast.Name(name)], ast.Call(ast.Name("bool"), [value]))]:
            return value if name == flag else None
        case [ast.Assign([ast.Name(name)], value)]:
            return value if name == flag else None
        case [ast.If(test, body, orelse)]:
            pass
        case _:
            return None
    first, second = _both(body, flag), _both(orelse, flag)
    if first is None or second is None:
        return None
    if _is_constant(second, False):
        return _joined(ast.And(), test, first)
    if _is_constant(first, True):
        return _joined(ast.Or(), test, second)
    return None


def _joined(op: ast.boolop, *tests: ast.expr) -> ast.expr:
    parts: list[ast.expr] = []
    for test in tests:
        if isinstance(test, ast.BoolOp) and type(test.op) is type(op):
            parts += test.values
        else:
            parts.append(test)
    return ast.BoolOp(op, parts)


def _is_constant(node: ast.expr, value: bool) -> bool:
    match node:
        case ast.Constant(bool(found)):
            return found is value
        case ast.Call(ast.Attribute(ast.Name("np"), "bool_"), [ast.Constant(bool(found))]):
            return found is value
    return False
