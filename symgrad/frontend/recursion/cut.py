"""Functions cut at their calls of each other, into blocks between which a stack leads.

A *point* is a block to go on with: after a call, at the head of a loop that has a call in it,
or where ways come together again. To go there, the values that are read from there on are
appended to the point's list and its number to ``points``; whoever is done pops the last one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import SymgradError
from ..names.scope import assigned, assigned_in, own_name
from . import nodes as nodes
from .lift import Lift, Refuse
from .nodes import Again, Goto, assign, name, touches
from .points import Points
from .ranges import counted, display

Next = Callable[[set[str]], list[ast.stmt]]
"""What comes after some statements, given the names that are bound by then."""


@dataclass(frozen=True, slots=True)
class Part:
    """A function to cut: ``fixed`` are the parameters that no call changes."""

    params: list[str]
    fixed: frozenset[str]
    body: list[ast.stmt]


@dataclass(frozen=True, slots=True)
class _Loop:
    """Where ``break`` and ``continue`` lead."""

    leave: Next
    again: Next


class Cut:
    """The loop that runs some functions, the first of them to begin with."""

    def __init__(self, parts: Sequence[Part], refuse: Refuse, error: SymgradError) -> None:
        self.parts = parts
        self.refuse = refuse
        self.error = error
        self.entries: dict[int, int] = {}
        self.names: set[str] = set()
        self.counts: dict[str, int] = {}
        self.withs: list[ast.With] = []
        self.fixed = frozenset[str]().union(*(p.fixed for p in parts))
        self.points = Points(self.fixed)
        self.lift = Lift(self.fresh, refuse)

    def fresh(self, called: str) -> str:
        """A variable that no function can have."""
        number = self.counts[called] = self.counts.get(called, 0) + 1
        made = own_name(f"{called.strip('<~>')}_{number}")
        self.names.add(made)
        return made

    # -- the whole --------------------------------------------------------------------------
    def body(self) -> list[ast.stmt]:
        """The statements that stand for the first function's body."""
        for number, part in enumerate(self.parts[1:], 1):
            takes = [p for p in part.params if p not in self.fixed]
            self.names |= set(takes)
            for statement in part.body:
                self._own(statement)
            self.entries[number] = self.points.new(takes=takes)
        start = self._function(self.parts[0])
        for number, part in enumerate(self.parts[1:], 1):
            self.points.all[self.entries[number]].block = self._function(part)
        whole = [start, *(p.block for p in self.points.all if p.result is None)]
        if not any(self.points.value in assigned_in(block) for block in whole):
            raise self.error  # no way ends without a call
        made = self.points.assembled(start, self.parts[0].body[0])
        self.names |= self.points.names
        return made

    def _own(self, statement: ast.stmt) -> None:
        found: set[str] = set()
        assigned(statement, found)
        self.names |= {n for n in found if n.startswith("<")}

    def _function(self, part: Part) -> list[ast.stmt]:
        bound = {*part.params, *self.fixed}
        return self.cut(part.body, bound, lambda b: self.returned(ast.Constant(None)), None)

    # -- statements -------------------------------------------------------------------------
    def cut(
        self, body: Sequence[ast.stmt], bound: set[str], then: Next, loop: _Loop | None
    ) -> list[ast.stmt]:
        """Statements up to the next call or return on every way."""
        if not body:
            return then(bound)
        first, *rest = body

        def after(b: set[str]) -> list[ast.stmt]:
            return self.cut(copy.deepcopy(rest), b, then, loop)

        if isinstance(first, ast.Return):
            return self._return(first, bound)
        if isinstance(first, ast.Break | ast.Continue) and loop is not None:
            return (loop.leave if isinstance(first, ast.Break) else loop.again)(bound)
        if not self._matters(first, loop is not None):
            assigned(first, bound)
            return [first, *self.cut(rest, bound, then, loop)]
        if isinstance(first, ast.If):
            return self._if(first, bound, rest, after, loop)
        if isinstance(first, ast.While):
            return self._while(first, bound, after, loop)
        if isinstance(first, ast.For):
            return self._for(first, bound, after, loop)
        if isinstance(first, ast.With):
            return self._with(first, bound, after, loop)
        return self._simple(first, rest, bound, then, loop)

    def _matters(self, s: ast.stmt, in_loop: bool) -> bool:
        """Whether there is a call or a return in a statement, or a way out of a loop."""
        if touches(s) or any(isinstance(n, ast.Return) for n in _statements(s)):
            return True
        return in_loop and _leaves(s)

    def _simple(
        self,
        s: Any,
        rest: Sequence[ast.stmt],
        bound: set[str],
        then: Next,
        loop: _Loop | None,
    ) -> list[ast.stmt]:
        kinds = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr
        if not isinstance(s, kinds) or s.value is None or _in_target(s):
            raise self.refuse(s, "inside a block or a place that is assigned")
        if isinstance(s.value, Again) and not any(map(touches, s.value.args)):
            return self._call(s, rest, bound, then, loop)
        if isinstance(s, ast.AugAssign) and not isinstance(s.target, ast.Name):
            before = self.fresh("before")
            read = copy.deepcopy(s.target)
            read.ctx = ast.Load()
            spelled = [
                assign(before, read),
                ast.AugAssign(ast.Name(before, ast.Store()), s.op, s.value),
                ast.Assign([s.target], name(before)),
            ]
            _put_at(spelled, s)
            return self.cut([*spelled, *rest], bound, then, loop)
        made, value = self.lift.expression(s.value)
        s = copy.copy(s)
        s.value = value
        _put_at(made, s)
        return self.cut([*made, s, *rest], bound, then, loop)

    def _call(
        self,
        s: Any,
        rest: Sequence[ast.stmt],
        bound: set[str],
        then: Next,
        loop: _Loop | None,
    ) -> list[ast.stmt]:
        """Put away what comes after a call, and start the function."""
        kept = self.fresh("call")
        call, s = s.value, copy.copy(s)
        s.value = name(kept)
        number = self.points.new(result=kept)
        way = self.points.way(number, bound)
        body = self.cut([s, *rest], {*bound, kept}, then, loop)
        self.points.all[number].block = self._wrapped(body)
        return [way, *self._enter(call, ast.copy_location(ast.Pass(), s))]

    def _enter(self, call: Again, place: ast.stmt) -> list[ast.stmt]:
        """Start a function with its arguments."""
        part = self.parts[call.member]
        pairs = zip(part.params, call.args, strict=True)
        moving = [(p, a) for p, a in pairs if p not in self.fixed]
        values = [a for _, a in moving]
        if call.member != 0:
            made: list[ast.stmt] = [Goto(self.entries[call.member], values, now=True)]
        else:
            made = [assign(self.points.calling, ast.Constant(True))]
            if moving:
                target = nodes.unpack((p for p, _ in moving), ast.Constant(None))
                assert isinstance(target, ast.Assign)
                target.value = ast.Tuple(values, ast.Load())
                made.append(target)
        _put_at(made, place)
        return made

    def _return(self, s: ast.Return, bound: set[str]) -> list[ast.stmt]:
        value = s.value or ast.Constant(None)
        if not touches(value):
            return self.returned(value)
        if (
            isinstance(value, Again)
            and not any(map(touches, value.args))
            and not self.withs
        ):
            return self._enter(value, s)
        made, value = self.lift.expression(value)
        end = ast.copy_location(ast.Return(value), s)
        _put_at(made, s)
        return self.cut([*made, end], bound, lambda b: [], None)

    def returned(self, value: ast.expr) -> list[ast.stmt]:
        """The function is done: what was put away last comes next."""
        return [
            assign(self.points.value, value),
            assign(self.points.calling, ast.Constant(False)),
        ]

    # -- blocks -----------------------------------------------------------------------------
    def _if(
        self,
        s: ast.If,
        bound: set[str],
        rest: Sequence[ast.stmt],
        after: Next,
        loop: _Loop | None,
    ) -> list[ast.stmt]:
        if touches(s.test):
            made, test = self.lift.expression(s.test)
            branch = ast.copy_location(ast.If(test, s.body, s.orelse), s)
            _put_at(made, s)
            return self.cut([*made, branch], bound, after, loop)
        if any(map(touches, rest)):
            after = self._shared(after)
        sides = [self.cut(side, set(bound), after, loop) for side in (s.body, s.orelse)]
        sides = [side or [ast.copy_location(ast.Pass(), s)] for side in sides]
        return [ast.copy_location(ast.If(s.test, sides[0], sides[1]), s)]

    def _while(
        self, s: ast.While, bound: set[str], after: Next, loop: _Loop | None
    ) -> list[ast.stmt]:
        leave, head = self._shared(after), self.points.new()

        def again(b: set[str]) -> list[ast.stmt]:
            return self._go(head, b)

        way = again(set(bound))
        inner = _Loop(leave, again)
        made, test = self.lift.expression(s.test)
        _put_at(made, s)
        mark: ast.stmt = ast.copy_location(_Round(test, s.body, s.orelse), s)
        self.points.all[head].block = self._wrapped(
            self._round([*made], mark, set(bound), inner, leave, loop)
        )
        return way

    def _round(
        self,
        made: list[ast.stmt],
        mark: Any,
        bound: set[str],
        inner: _Loop,
        leave: Next,
        outer: _Loop | None,
    ) -> list[ast.stmt]:
        """The head of a loop: a round, or ``else`` and what follows."""

        def rounds(b: set[str]) -> list[ast.stmt]:
            body = self.cut(mark.body, set(b), inner.again, inner)
            orelse = self.cut(mark.orelse, set(b), leave, outer)
            if isinstance(mark.test, ast.Constant) and mark.test.value:
                return body
            return [ast.copy_location(ast.If(mark.test, body, orelse), mark)]

        return self.cut(made, bound, rounds, None)

    def _for(
        self, s: ast.For, bound: set[str], after: Next, loop: _Loop | None
    ) -> list[ast.stmt]:
        made, iterable = self.lift.expression(s.iter)
        items = display(iterable)
        if items is not None:
            return self._each(s, made, items, bound, after, loop)
        k, n = self.fresh("k"), self.fresh("n")
        before, item, step, test = counted(iterable, k, n, self.fresh, self.refuse)
        turn = [
            ast.Assign([s.target], item),
            ast.AugAssign(ast.Name(k, ast.Store()), ast.Add(), step),
            *s.body,
        ]
        spelled = [*made, *before, ast.While(test, turn, s.orelse)]
        _put_at(spelled, s)
        return self.cut(spelled, bound, after, loop)

    def _each(
        self,
        s: ast.For,
        made: list[ast.stmt],
        items: list[ast.expr],
        bound: set[str],
        after: Next,
        loop: _Loop | None,
    ) -> list[ast.stmt]:
        """A loop over a few written elements, each round on its own."""
        kept = [self.fresh("item") for _ in items]
        values: list[ast.stmt] = [assign(k, e) for k, e in zip(kept, items, strict=True)]
        leave = self._shared(after)

        def rounds(number: int) -> Next:
            def turn(b: set[str]) -> list[ast.stmt]:
                if number == len(kept):
                    return self.cut(copy.deepcopy(s.orelse), b, leave, loop)
                again = self._shared(rounds(number + 1))
                start = ast.Assign([copy.deepcopy(s.target)], name(kept[number]))
                body = [ast.copy_location(start, s), *copy.deepcopy(s.body)]
                return self.cut(body, b, again, _Loop(leave, again))

            return turn

        _put_at([*made, *values], s)
        return self.cut([*made, *values], bound, rounds(0), None)

    def _with(
        self, s: ast.With, bound: set[str], after: Next, loop: _Loop | None
    ) -> list[ast.stmt]:
        """Every piece of the block gets a ``with`` of its own."""
        outer = list(self.withs)

        def outside(way: Next) -> Next:
            def run(b: set[str]) -> list[ast.stmt]:
                with self._inside(outer):
                    return way(b)

            return self._shared(run)

        inner = _Loop(outside(loop.leave), outside(loop.again)) if loop else None
        then = outside(after)
        with self._inside([*outer, s]):
            body = self.cut(s.body, bound, then, inner)
            return [ast.copy_location(ast.With(s.items, body), s)]

    @contextmanager
    def _inside(self, withs: list[ast.With]) -> Iterator[None]:
        kept, self.withs = self.withs, withs
        try:
            yield
        finally:
            self.withs = kept

    def _wrapped(self, body: list[ast.stmt]) -> list[ast.stmt]:
        for around in reversed(self.withs):
            items = copy.deepcopy(around.items)
            body = [ast.copy_location(ast.With(items, body), around)]
        return body

    # -- points -----------------------------------------------------------------------------
    def _go(self, number: int, bound: set[str]) -> list[ast.stmt]:
        """Go to a point."""
        return [self.points.way(number, bound, now=True)]

    def _shared(self, way: Next) -> Next:
        """``way`` as one block for all who go on with it."""
        made: list[int] = []
        withs = list(self.withs)

        def go(bound: set[str]) -> list[ast.stmt]:
            if not made:
                made.append(self.points.new())
                found = self._go(made[0], bound)
                with self._inside(withs):
                    block = self._wrapped(way(set(bound)))
                self.points.all[made[0]].block = block
                return found
            return self._go(made[0], bound)

        return go


class _Round(ast.stmt):
    """A loop to be: its test, a round, and its ``else``."""

    _fields = ("test", "body", "orelse")
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, test: Any = None, body: Any = (), orelse: Any = ()) -> None:
        super().__init__()
        self.test, self.body, self.orelse = test, body, orelse


def _in_target(s: Any) -> bool:
    targets = s.targets if isinstance(s, ast.Assign) else [getattr(s, "target", None)]
    return any(t is not None and touches(t) for t in targets)


def _statements(s: ast.AST) -> Iterator[ast.AST]:
    """The statements in ``s``, not those of functions inside."""
    yield s
    for child in ast.iter_child_nodes(s):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from _statements(child)


def _leaves(s: ast.AST) -> bool:
    """Whether a loop around ``s`` may be left, or its round."""
    if isinstance(s, ast.Break | ast.Continue):
        return True
    if isinstance(s, ast.For | ast.While):
        return any(map(_leaves, s.orelse))
    return any(_leaves(c) for c in ast.iter_child_nodes(s) if isinstance(c, ast.stmt))


def _put_at(made: Sequence[ast.stmt], place: ast.AST) -> None:
    """Place new statements where ``place`` stands."""
    for one in made:
        nodes.placed(ast.copy_location(one, place), place)
