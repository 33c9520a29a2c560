"""Recursion whose depth is known at run time only, as a loop with a stack.

The function is cut at its calls of itself. Such a call puts away what is read after it, and
where to go on, and starts the function anew; a return takes up what was put away last::

    calling = True
    while True:
        if calling:
            ...                       # from the start to a call or a return
        elif len(points) == 0:
            break
        else:
            at = points.pop()
            if at == 0:
                a, b = saved_0.pop()
                ...                   # from call number 0 on

That is ordinary syntax, so that all there is to loops and lists holds for it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import SymgradError, UnsupportedFunctionError
from .machine import Machine
from .scope import assigned, assigned_in, loaded, own_name


class Endless(Exception):
    """A function that goes on calling itself; ``error`` is the answer if nothing helps."""

    def __init__(self, definition: Any, error: SymgradError) -> None:
        super().__init__(error.message)
        self.definition = definition
        self.error = error


def looped(
    m: Machine, definition: Any, error: SymgradError
) -> tuple[list[ast.stmt], set[str]]:
    """The body of a function as a loop, and the names that this needs.

    Raises:
        SymgradError: the function calls itself where it cannot be cut.
    """
    if not isinstance(definition, ast.FunctionDef):
        raise error
    work = _Cut(m, definition, error)
    body = work.body()
    return body, work.names


@dataclass(slots=True)
class _Cut:
    m: Machine
    definition: ast.FunctionDef
    error: SymgradError
    params: list[str] = field(init=False)
    fixed: set[str] = field(init=False)
    after: list[list[ast.stmt]] = field(init=False, default_factory=list)
    names: set[str] = field(init=False, default_factory=set)
    count: int = field(init=False, default=0)
    calling: str = field(init=False)
    value: str = field(init=False)
    points: str = field(init=False)
    at: str = field(init=False)

    def __post_init__(self) -> None:
        self.calling, self.value = self.fresh("calling"), self.fresh("result")
        self.points, self.at = self.fresh("points"), self.fresh("point")
        a = self.definition.args
        if a.vararg or a.kwarg:
            raise self.error
        self.params = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
        calls = [n for n in ast.walk(self.definition) if self.is_call(n)]
        given = [self.arguments(c) for c in calls if isinstance(c, ast.Call)]
        written: set[str] = set()
        for statement in self.definition.body:
            assigned(statement, written)
        self.fixed = {
            p
            for p in self.params
            if p not in written
            and all(isinstance(g[p], ast.Name) and g[p].id == p for g in given)
        }

    # -- calls ----------------------------------------------------------------------------
    def is_call(self, node: Any) -> bool:
        """Whether a node is a call of the function itself."""
        if not isinstance(node, ast.Call):
            return False
        f, name = node.func, self.definition.name
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name):
            return f.attr == name and f.value.id == self.params[0]
        return isinstance(f, ast.Name) and f.id == name

    def arguments(self, call: ast.Call) -> dict[str, Any]:
        """The arguments of a call by parameter; every one has to be given."""
        args = list(call.args)
        if isinstance(call.func, ast.Attribute):
            args.insert(0, call.func.value)
        if any(isinstance(a, ast.Starred) for a in args) or len(args) > len(self.params):
            raise self.error
        found: dict[str, Any] = dict(zip(self.params, args, strict=False))
        found.update({k.arg: k.value for k in call.keywords if k.arg is not None})
        for name, default in self.defaults().items():
            found.setdefault(name, default)
        if set(found) != set(self.params):
            raise self.refusal(
                call, "with arguments that have their defaults, or with `**`"
            )
        return found

    def defaults(self) -> dict[str, ast.expr]:
        """Defaults of parameters that are written as numbers and the like."""
        a = self.definition.args
        listed = [arg.arg for arg in (*a.posonlyargs, *a.args)]
        pairs = list(zip(reversed(listed), reversed(a.defaults), strict=False))
        pairs += [(k.arg, d) for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d]
        return {name: d for name, d in pairs if isinstance(d, ast.Constant)}

    def refusal(self, node: ast.AST, how: str) -> SymgradError:
        return UnsupportedFunctionError(
            f"`{self.definition.name}` calls itself {how}, and how often is known at run time "
            "only: call it in statements and branches, with all arguments, or write a loop",
            self.m.span(node),
        )

    # -- the whole --------------------------------------------------------------------------
    def body(self) -> list[ast.stmt]:
        start = self.cut(copy.deepcopy(self.definition.body), set(self.params))
        if self.value not in assigned_in(start):
            raise self.error  # no way ends without a call
        resume: list[ast.stmt] = []
        for number, block in reversed(list(enumerate(self.after))):
            test = ast.Compare(_name(self.at), [ast.Eq()], [ast.Constant(number)])
            resume = [ast.If(test, block, resume)] if resume else block
        popped = [_assign(self.at, _call(self.points, "pop")), *resume]
        size = ast.Call(_name("len"), [_name(self.points)], [])
        empty = ast.Compare(size, [ast.Eq()], [ast.Constant(0)])
        going_on = ast.If(empty, [ast.Break()], popped)
        turn = ast.If(_name(self.calling), start, [going_on])
        lists = [self.points, *(self.saved(k) for k in range(len(self.after)))]
        self.names |= {self.calling, self.value, self.at, *lists}
        made: list[ast.stmt] = [
            _assign(self.calling, ast.Constant(True)),
            *(_assign(name, ast.List([], ast.Load())) for name in lists),
            ast.While(ast.Constant(True), [turn], []),
            ast.Return(_name(self.value)),
        ]
        return [_placed(s, self.definition) for s in made]

    def saved(self, number: int) -> str:
        """The name of the list for what is read after a call."""
        return self.fresh(f"kept_{number}")

    def fresh(self, name: str) -> str:
        """A variable that the function cannot have, called ``name`` in the generated code."""
        return own_name(name)

    def cut(self, body: Sequence[ast.stmt], bound: set[str]) -> list[ast.stmt]:
        """Statements up to the next call or return on every way; ``bound`` are the names that
        have been assigned."""
        if not body:
            return self.returned(ast.Constant(None))
        first, *rest = body
        branch = self.as_branch(first)
        if branch is not None:
            return self.cut([branch, *rest], bound)
        if isinstance(first, ast.Return):
            value = first.value or ast.Constant(None)
            calls = self.hoisted(first, value)
            if calls is None:
                return self.returned(value)
            return self.called(calls, [ast.Return(calls.rest)], bound, first)
        if isinstance(first, ast.If) and self.matters(first.body + first.orelse):
            calls = self.hoisted(first, first.test)
            if calls is not None:
                again = ast.copy_location(
                    ast.If(calls.rest, first.body, first.orelse), first
                )
                return self.called(calls, [again, *rest], bound, first)
            sides = [
                self.cut([*side, *copy.deepcopy(rest)], set(bound))
                for side in (first.body, first.orelse)
            ]
            return [ast.copy_location(ast.If(first.test, sides[0], sides[1]), first)]
        assigned_value: ast.expr | None = getattr(first, "value", None)
        if (
            isinstance(first, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr)
            and assigned_value is not None
        ):
            calls = self.hoisted(first, assigned_value)
            if calls is not None:
                first.value = calls.rest
                return self.called(calls, [first, *rest], bound, first)
        elif self.matters([first]):
            raise self.refusal(first, "or returns inside a loop or another block")
        assigned(first, bound)
        return [first, *self.cut(rest, bound)]

    def as_branch(self, s: ast.stmt) -> ast.stmt | None:
        """``return a if test else b`` with a call in it, as a branch."""
        choice = s.value if isinstance(s, ast.Return | ast.Assign) else None
        if not isinstance(choice, ast.IfExp) or not any(
            map(self.is_call, ast.walk(choice))
        ):
            return None
        sides = []
        for value in (choice.body, choice.orelse):
            side = copy.copy(s)
            side.value = value  # type: ignore[attr-defined]
            sides.append(side)
        return ast.copy_location(ast.If(choice.test, [sides[0]], [sides[1]]), s)

    def matters(self, body: Sequence[ast.stmt]) -> bool:
        """Whether there is a call or a return in these statements."""
        nodes = [n for s in body for n in ast.walk(s)]
        return any(isinstance(n, ast.Return) or self.is_call(n) for n in nodes)

    def returned(self, value: ast.expr) -> list[ast.stmt]:
        return [_assign(self.value, value), _assign(self.calling, ast.Constant(False))]

    def hoisted(self, place: ast.stmt, value: ast.expr) -> _Call | None:
        """The first call that is evaluated in an expression, and the expression with a name in
        its place; None if there is none."""
        found = next((n for n in _in_order(value) if self.is_call(n)), None)
        if not isinstance(found, ast.Call):
            return None
        for n in ast.walk(value):
            lazy = ast.IfExp | ast.BoolOp | ast.Lambda | ast.ListComp | ast.GeneratorExp
            if isinstance(n, lazy) and any(inner is found for inner in ast.walk(n)):
                raise self.refusal(
                    found, "in part of an expression that may not be evaluated"
                )
        self.count += 1
        name = self.fresh(f"call_{self.count}")
        self.names.add(name)
        rest = _Replace(found, name).visit(value)
        return _Call(found, name, rest)

    def called(
        self, call: _Call, rest: list[ast.stmt], bound: set[str], place: ast.stmt
    ) -> list[ast.stmt]:
        """Put away what ``rest`` reads, and start anew."""
        rest = [ast.copy_location(s, place) for s in rest]
        live = sorted({n for s in rest for n in loaded(s)} & (bound - self.fixed))
        number = len(self.after)
        self.after.append([])
        takes = [_assign(call.name, _name(self.value))]
        made: list[ast.stmt] = []
        if live:
            held = ast.Tuple([_name(n) for n in live], ast.Load())
            made.append(ast.Expr(_call(self.saved(number), "append", held)))
            target = ast.Tuple([ast.Name(n, ast.Store()) for n in live], ast.Store())
            takes.append(ast.Assign([target], _call(self.saved(number), "pop")))
        self.after[number] = [*takes, *self.cut(rest, {*live, *self.fixed, call.name})]
        self.after[number].insert(0, _assign(self.calling, ast.Constant(True)))
        made.append(ast.Expr(_call(self.points, "append", ast.Constant(number))))
        given = self.arguments(call.node)
        moving = [p for p in self.params if p not in self.fixed]
        if moving:
            values = ast.Tuple([given[p] for p in moving], ast.Load())
            target = ast.Tuple([ast.Name(p, ast.Store()) for p in moving], ast.Store())
            made.append(ast.Assign([target], values))
        return [ast.copy_location(s, place) for s in made]


@dataclass(frozen=True, slots=True)
class _Call:
    """A call, the name for its result, and the expression with that name in its place."""

    node: ast.Call
    name: str
    rest: ast.expr


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, name: str) -> None:
        self.node = node
        self.name = name

    def visit(self, node: ast.AST) -> Any:
        return _name(self.name) if node is self.node else super().visit(node)


def _in_order(node: ast.AST) -> Iterable[ast.AST]:
    """Nodes as they are evaluated: operands before what is done with them."""
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)
    yield node


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _call(owner: str, method: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name(owner), method, ast.Load()), list(args), [])


def _placed(node: Any, place: ast.AST) -> Any:
    """What has no place is put where that around it stands."""
    if not hasattr(node, "lineno") and "lineno" in node._attributes:
        ast.copy_location(node, place)
    for child in ast.iter_child_nodes(node):
        _placed(child, node if hasattr(node, "lineno") else place)
    return node
