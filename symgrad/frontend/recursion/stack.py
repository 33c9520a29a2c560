"""Recursion whose depth is known at run time only, as a loop with a stack.

The function, and those that it calls which call it again, are cut at these calls
(``recursion_cut``). Such a call puts away what is read after it, and where to go on, and starts
a function; a return takes up what was put away last::

    calling = True
    while True:
        if calling:
            ...                       # from the start to a call or a return
        elif len(points) == 0:
            break
        else:
            at = points.pop()
            if at == 0:
                a, b = kept_0.pop()
                ...                   # from call number 0 on

That is ordinary syntax, so that all there is to loops and lists holds for it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import SymgradError, UnsupportedFunctionError
from ..machine import Machine
from ..names.captures import Found
from ..names.scope import Frame, assigned, local_names, own_name
from ..sources.given import Given
from ..values import Bound, Closure
from .cut import Cut, Part
from .nodes import Again, Elsewhere


class Endless(Exception):
    """Functions that go on calling each other; ``error`` is the answer if nothing helps, but
    where they are known to end, after many calls (``ends``)."""

    def __init__(self, members: Sequence[Frame], error: SymgradError, ends: bool) -> None:
        super().__init__(error.message)
        self.members = tuple(members)
        self.error = error
        self.ends = ends


def looped(
    m: Machine, members: Sequence[Frame], error: SymgradError
) -> tuple[list[ast.stmt], set[str]]:
    """The body of the first of some functions that call each other as a loop, and the names
    that this needs.

    Raises:
        SymgradError: a function calls where it cannot be cut.
    """
    return _Group(m, members, error).body()


@dataclass(slots=True)
class _Member:
    """One of the functions: ``sites`` are the calls of it, with who calls."""

    frame: Frame
    definition: ast.FunctionDef
    params: list[str]
    body: list[ast.stmt]
    written: set[str]
    sites: list[tuple[int, list[ast.expr]]]


class _Group:
    def __init__(self, m: Machine, frames: Sequence[Frame], error: SymgradError) -> None:
        self.m = m
        self.error = error
        self.members = [self._member(f) for f in frames]
        for number, member in enumerate(self.members):
            member.body = [_Mark(self, number).visit(s) for s in member.body]

    def _member(self, frame: Frame) -> _Member:
        definition = frame.definition
        if isinstance(definition, ast.Lambda):
            body: list[ast.stmt] = [ast.Return(definition.body)]
        else:
            body = definition.body
        a = definition.args
        if a.vararg or a.kwarg:
            raise self.error
        written: set[str] = set()
        for statement in body:
            assigned(statement, written)
        params = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
        return _Member(frame, definition, params, copy.deepcopy(body), written, [])

    # -- who is called ----------------------------------------------------------------------
    def called(self, caller: int, call: ast.Call) -> Again | None:
        """The call in the form for cutting, if it is of a member."""
        frame = self.members[caller].frame
        found = self._resolve(frame, call.func)
        receiver: list[ast.expr] = []
        if isinstance(found, Bound):
            assert isinstance(call.func, ast.Attribute)
            receiver, found = [call.func.value], found.function
        definition = _definition_of(found)
        for number, member in enumerate(self.members):
            if definition is not None and member.definition is definition:
                args = self._arguments(member, call, receiver, frame)
                member.sites.append((caller, args))
                return ast.copy_location(Again(args, number), call)
        return None

    def _resolve(self, frame: Frame, func: ast.expr) -> Any:
        """What a name, or an attribute of one, is in a function; None for anything else."""
        from ..dispatch import evaluate

        root = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return None
        m = self.m
        state = m.checkpoint()
        m.frames.append(frame)
        try:
            return evaluate(m, func)
        except (SymgradError, AttributeError, LookupError):
            return None
        finally:
            m.frames.pop()
            m.restore(state)

    def _arguments(
        self, member: _Member, call: ast.Call, receiver: list[ast.expr], frame: Frame
    ) -> list[ast.expr]:
        args = [*receiver, *call.args]
        starred = any(isinstance(a, ast.Starred) for a in args)
        if starred or any(k.arg is None for k in call.keywords):
            raise self.refusal(call, frame, "with `*` or `**`")
        if len(args) > len(member.params):
            raise self.error
        given: dict[str, ast.expr] = dict(zip(member.params, args, strict=False))
        given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
        for name in member.params:
            if name not in given and member.frame.default is not None:
                try:
                    given[name] = Given(member.frame.default(name))
                except (LookupError, AttributeError):
                    raise self.error from None
        if set(given) != set(member.params):
            raise self.error
        return [given[p] for p in member.params]

    def refusal(self, node: ast.AST, frame: Frame, how: str) -> SymgradError:
        """The error for a call that cannot be cut at."""
        return UnsupportedFunctionError(
            f"`{frame.name}` calls itself {how}, and how often is known at run time only: call "
            "it in statements and branches, with all arguments, or write a loop",
            frame.span(node),
        )

    # -- what stays as it is ------------------------------------------------------------------
    def constant(self) -> list[dict[str, str]]:
        """For each member, its parameters that are one of the first member's in every call."""
        first = self.members[0]
        known: list[dict[str, str]] = [
            {p: p for p in first.params if p not in first.written}
        ]
        known += [{p: "" for p in x.params if p not in x.written} for x in self.members[1:]]
        while self._narrow(known):
            pass
        return [{p: r for p, r in found.items() if r} for found in known]

    def _narrow(self, known: list[dict[str, str]]) -> bool:
        """Drop what a call contradicts, and note what calls say."""
        changed = False
        for number, member in enumerate(self.members):
            for p in list(known[number]):
                position = member.params.index(p)
                roots = {
                    known[caller].get(arg.id) if isinstance(arg, ast.Name) else None
                    for caller, args in member.sites
                    for arg in (args[position],)
                } - {""}
                now = known[number][p]
                if None in roots or len(roots | ({now} - {""})) > 1:
                    del known[number][p]
                    changed = True
                elif roots and not now:
                    known[number][p] = str(*roots)
                    changed = True
        return changed

    # -- the whole ----------------------------------------------------------------------------
    def body(self) -> tuple[list[ast.stmt], set[str]]:
        constant = self.constant()
        parts = [
            self._part(number, member, constant[number])
            for number, member in enumerate(self.members)
        ]
        cut = Cut(parts, self.refusal_of(), self.error)
        return cut.body(), cut.names

    def refusal_of(self) -> Callable[[ast.AST, str], SymgradError]:
        frame = self.members[0].frame
        return lambda node, how: self.refusal(node, frame, how)

    def _part(self, number: int, member: _Member, constant: dict[str, str]) -> Part:
        """A member with names that are its own."""
        if number == 0:
            return Part(member.params, frozenset(constant), member.body)
        if member.frame.nonlocals:
            raise self.error
        names = dict(constant)
        called = getattr(member.definition, "name", "lambda")
        local = local_names(member.definition)
        for local_name in sorted(local - set(names)):
            names[local_name] = own_name(f"{called}_{number}_{local_name}")
        rename = _Rename(names, member.frame, local)
        body = [rename.visit(s) for s in member.body]
        first = self.members[0].definition
        if member.frame.source.filename != self.members[0].frame.source.filename:
            for s in body:
                for n in ast.walk(s):
                    if hasattr(n, "lineno"):
                        ast.copy_location(n, first)
        params = [names[p] for p in member.params]
        return Part(params, frozenset(constant.values()), body)


def _definition_of(x: Any) -> Any:
    """The syntax of a function with source."""
    import types

    from ..sources.getsource import parse

    if isinstance(x, Closure):
        return x.node
    function = x.value if isinstance(x, Found) else x
    if not isinstance(function, types.FunctionType):
        return None
    try:
        return parse(function).node
    except SymgradError:
        return None


class _Mark(ast.NodeTransformer):
    """Puts ``Again`` for calls of members."""

    def __init__(self, group: _Group, caller: int) -> None:
        self.group = group
        self.caller = caller

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return self.group.called(self.caller, node) or node


class _Rename(ast.NodeTransformer):
    """Gives the variables of a function new names, and looks up all others from there."""

    def __init__(self, names: dict[str, str], frame: Frame, local: frozenset[str]) -> None:
        self.names = names
        self.frame = frame
        self.local = local
        self.inner: list[set[str]] = []

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if any(node.id in names for names in self.inner):
            return node
        if node.id in self.names:
            return ast.copy_location(ast.Name(self.names[node.id], node.ctx), node)
        outer = _outer(self.frame, self.local)
        return ast.copy_location(Elsewhere(node.id, outer), node)

    def _inside(self, node: Any, names: set[str]) -> ast.AST:
        self.inner.append(names)
        try:
            return self.generic_visit(node)
        finally:
            self.inner.pop()

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._inside(node, set(local_names(node)))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self._inside(node, set(local_names(node)))

    def _comprehension(self, node: Any) -> ast.AST:
        own: set[str] = set()
        for g in node.generators:
            assigned(g.target, own)
        return self._inside(node, own)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def _outer(frame: Frame, local: frozenset[str]) -> Frame:
    """The frame as seen by names that are not the function's own."""
    if frame.parent is not None:
        return frame.parent
    from ..values import Scope

    return Frame(frame.name, frame.source, frame.parsed, Scope({}))
