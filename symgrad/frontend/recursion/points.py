"""The points of functions that are cut: which values each is given, and the loop that leads
from one to the next."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from ..names.scope import loaded, own_name
from ..sources.given import Given
from . import nodes as nodes
from .nodes import Goto, assign, method, name


@dataclass(slots=True)
class Point:
    """A block; ``bound`` has for each way there the names that are bound on it. ``takes`` are
    the names that a function's entry is given."""

    block: list[ast.stmt] = field(default_factory=list)
    bound: list[set[str]] = field(default_factory=list)
    takes: list[str] | None = None
    result: str | None = None
    live: list[str] = field(default_factory=list)


class Points:
    """All points. ``fixed`` are names that need not be given to them."""

    def __init__(self, fixed: frozenset[str]) -> None:
        self.fixed = fixed
        self.all: list[Point] = []
        self.names: set[str] = set()
        self.calling, self.value = own_name("calling"), own_name("result")
        self.stack, self.at = own_name("points"), own_name("point")

    def new(self, result: str | None = None, takes: list[str] | None = None) -> int:
        """The number of a new point."""
        self.all.append(Point(result=result, takes=takes))
        return len(self.all) - 1

    def way(self, number: int, bound: set[str], *, now: bool = False) -> Goto:
        """Go there, ``bound`` being the names that are bound."""
        self.all[number].bound.append(set(bound))
        return Goto(number, now=now)

    def assembled(self, start: list[ast.stmt], place: ast.stmt) -> list[ast.stmt]:
        """The loop: ``start``, and the blocks of all points."""
        self._settle()
        put = _Put(self)
        start = [s for old in start for s in _listed(put.visit(old))]
        blocks = {
            number: self._resumed(number, put)
            for number, point in enumerate(self.all)
            if not self.is_inside(point)
        }
        return [nodes.placed(s, place) for s in self._main(start, blocks)]

    def is_inside(self, point: Point) -> bool:
        """Whether one way only leads to a block, which then stands there."""
        return len(point.bound) == 1 and point.takes is None and point.result is None

    def _main(
        self, start: list[ast.stmt], blocks: dict[int, list[ast.stmt]]
    ) -> list[ast.stmt]:
        resume: list[ast.stmt] = []
        for number, block in reversed(list(blocks.items())):
            test = ast.Compare(name(self.at), [ast.Eq()], [ast.Constant(number)])
            resume = [ast.If(test, block, resume)] if resume else block
        popped = [assign(self.at, method(self.stack, "pop")), *resume]
        size = ast.Call(Given(len), [name(self.stack)], [])
        empty = ast.Compare(size, [ast.Eq()], [ast.Constant(0)])
        going_on = ast.If(empty, [ast.Break()], popped)
        turn = ast.If(name(self.calling), start, [going_on])
        kept = [self.kept(k) for k in blocks if self.all[k].live]
        lists = [self.stack, *kept] if blocks else []
        if not blocks:
            turn = ast.If(name(self.calling), start, [ast.Break()])
        self.names = {self.calling, self.value, self.at, *lists}
        return [
            assign(self.calling, ast.Constant(True)),
            *(assign(n, ast.List([], ast.Load())) for n in lists),
            ast.While(ast.Constant(True), [turn], []),
            ast.Return(name(self.value)),
        ]

    def kept(self, number: int) -> str:
        """The list for what is read from a point on."""
        return own_name(f"kept_{number}")

    def _settle(self) -> None:
        """Which values each point is given."""
        reads = [set().union(*(loaded(s) for s in p.block), set()) for p in self.all]
        to = [
            {n.point for s in p.block for n in ast.walk(s) if isinstance(n, Goto)}
            for p in self.all
        ]
        grown = True
        while grown:
            grown = False
            for number, targets in enumerate(to):
                more = set().union(
                    *(reads[t] for t in targets if self.all[t].takes is None), set()
                )
                grown |= not more <= reads[number]
                reads[number] |= more
        for number, point in enumerate(self.all):
            there = set.intersection(*point.bound) if point.bound else set()
            live = sorted((reads[number] & there) - self.fixed)
            point.live = live if point.takes is None else point.takes

    def _resumed(self, number: int, put: _Put) -> list[ast.stmt]:
        """A block with what it is given taken from its list."""
        point = self.all[number]
        block = [s for old in point.block for s in _listed(put.visit(old))]
        if point.result is not None:
            block.insert(0, assign(point.result, name(self.value)))
        if point.live:
            block.insert(0, nodes.unpack(point.live, method(self.kept(number), "pop")))
        return block


class _Put(ast.NodeTransformer):
    """Replaces each ``Goto`` by what it does."""

    def __init__(self, points: Points) -> None:
        self.points = points

    def visit_Goto(self, node: Goto) -> list[ast.stmt]:
        point = self.points.all[node.point]
        if self.points.is_inside(point):
            return [s for old in point.block for s in _listed(self.visit(old))]
        values: Any = node.values
        made: list[ast.stmt] = []
        if point.live:
            held = (
                nodes.packed(point.live)
                if values is None
                else ast.Tuple(values, ast.Load())
            )
            made.append(ast.Expr(method(self.points.kept(node.point), "append", held)))
        number = ast.Constant(node.point)
        made.append(ast.Expr(method(self.points.stack, "append", number)))
        if node.now:
            made.append(assign(self.points.calling, ast.Constant(False)))
        return [nodes.placed(s, node) if hasattr(node, "lineno") else s for s in made]


def _listed(x: Any) -> list[ast.stmt]:
    return x if isinstance(x, list) else [x]
