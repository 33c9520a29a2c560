"""Which variables are still read after a statement: only those have to be joined."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

Names = frozenset[str]
Targets = tuple[set[str], set[str]]
"""What is live where ``break`` and where ``continue`` lead."""

_DEFERRED = (ast.Lambda, ast.FunctionDef, ast.GeneratorExp)
_CONSUMERS = ("sum", "max", "min", "any", "all", "list", "tuple", "dict", "sorted")


class Liveness:
    """Live variables around the compound statements of one function.

    ``after[s]`` is what is read after the compound statement (or last of a block) ``s``;
    ``head[s]``, for loops, what is read from the loop's head on. Names read in inner
    functions count as read everywhere.
    """

    def __init__(self, body: Iterable[ast.stmt]) -> None:
        statements = list(body)
        self.after: dict[ast.stmt, Names] = {}
        self.head: dict[ast.stmt, Names] = {}
        self.always = frozenset(_captured(statements))
        self.finals: set[str] = set()
        self.yields = any(True for _ in yields(ast.Module(statements, [])))
        self._block(statements, set(), (set(), set()))

    def live_after(self, statement: ast.stmt) -> Names:
        """What may be read after ``statement``."""
        return self.after[statement] | self.always

    def live_at_head(self, loop: ast.stmt) -> Names:
        """What may be read from the start of a round of ``loop`` on."""
        return self.head[loop] | self.always

    def same(self, statement: ast.stmt, other: ast.stmt) -> None:
        """``other`` stands where ``statement`` does."""
        for live in (self.after, self.head):
            if statement in live:
                live[other] = live[statement]

    def note(self, made: Iterable[ast.stmt], names: Names) -> None:
        """Behind statements that the compiler has made anything of ``names`` may be read."""
        for statement in made:
            for inner in ast.walk(statement):
                if isinstance(inner, ast.stmt):
                    self.after.setdefault(inner, names)
                    self.head.setdefault(inner, names)

    def _block(self, body: list[ast.stmt], out: set[str], to: Targets) -> set[str]:
        live = set(out)
        if body:
            self.after[body[-1]] = frozenset(out)
        for statement in reversed(body):
            live = self._statement(statement, live, to)
        return live

    def _statement(self, s: ast.stmt, live: set[str], to: Targets) -> set[str]:
        """What is read from ``s`` on, also by ``finally`` if it raises."""
        return self._read_from(s, live, to) | self.finals

    def _read_from(self, s: ast.stmt, live: set[str], to: Targets) -> set[str]:
        if isinstance(s, ast.If):
            self.after[s] = frozenset(live)
            then, orelse = self._block(s.body, live, to), self._block(s.orelse, live, to)
            return then | orelse | _reads(s.test)
        if isinstance(s, ast.While | ast.For):
            return self._loop(s, live, to)
        if isinstance(s, ast.With):
            return self._block(s.body, live, to) | _reads(*s.items)
        if isinstance(s, ast.Try):
            return self._try(s, live, to)
        if isinstance(s, ast.Return):
            return _reads(s)
        if isinstance(s, ast.Break | ast.Continue):
            return to[0] if isinstance(s, ast.Break) else to[1]
        live -= _kills(s)
        live |= _reads(s)
        return live

    def _try(self, s: ast.Try, live: set[str], to: Targets) -> set[str]:
        """Whatever the way out, ``finally`` comes; every ``except`` may come from anywhere."""
        self.after[s] = frozenset(live)
        outer = self.finals
        end = self._block(s.finalbody, live, to)
        self.finals = outer | _reads(*s.finalbody)
        caught = set[str]().union(*(self._block(h.body, end, to) for h in s.handlers))
        rest = self._block(s.orelse, end, to)
        self.finals |= caught
        body = self._block(s.body, rest, to)
        self.finals = outer
        return body | caught | _reads(*(h.type for h in s.handlers if h.type))

    def _loop(self, s: ast.While | ast.For, live: set[str], to: Targets) -> set[str]:
        self.after[s] = frozenset(live)
        ends = self._block(s.orelse, live, to)
        target = _kills(s) if isinstance(s, ast.For) else set()
        test = _reads(s.test) if isinstance(s, ast.While) else set()
        head = ends | live | test
        while True:
            body = self._block(s.body, head, (live, head))
            grown = head | (body - target)
            if grown == head:
                break
            head = grown
        self.head[s] = frozenset(head)
        return head | (_reads(s.iter) if isinstance(s, ast.For) else set())


def _reads(*nodes: ast.AST) -> set[str]:
    found: set[str] = set()
    todo = [*nodes]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        if isinstance(node, _COMPREHENSIONS):
            found |= _of_comprehension(node)
        else:
            todo += ast.iter_child_nodes(node)
    return found


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _of_comprehension(node: Any) -> set[str]:
    """What a comprehension reads that is not its own."""
    first, *_ = node.generators
    own = {name for g in node.generators for name in _stored(g.target)}
    inside = [first.target, *first.ifs, *node.generators[1:]]
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return (_reads(*inside, *parts) - own) | _reads(first.iter)


def _stored(target: ast.expr) -> set[str]:
    return {
        inner.id
        for inner in ast.walk(target)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }


def _kills(s: ast.stmt) -> set[str]:
    targets: list[ast.expr] = []
    if isinstance(s, ast.Assign):
        targets = s.targets
    elif isinstance(s, ast.AnnAssign | ast.For):
        targets = [s.target]
    elif isinstance(s, ast.FunctionDef):
        return {s.name}
    return set().union(*map(_stored, targets))


def yields(node: ast.AST) -> Iterator[ast.Yield | ast.YieldFrom]:
    """Every ``yield`` in a function or statement that is not one of a function inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Yield | ast.YieldFrom):
            yield child
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from yields(child)


def _captured(body: list[ast.stmt]) -> set[str]:
    found: set[str] = set()
    for statement in body:
        nodes = list(ast.walk(statement))
        at_once = {id(arg) for call in nodes for arg in _consumed(call)}
        for node in nodes:
            if isinstance(node, _DEFERRED) and id(node) not in at_once:
                found |= _reads(node)
    return found


def _consumed(node: ast.AST) -> list[ast.expr]:
    """The generator expressions that a call of a builtin runs through where it stands."""
    match node:
        case ast.Call(ast.Name(name), args) if name in _CONSUMERS:
            return args
        case _:
            return []
