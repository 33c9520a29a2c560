"""Running functions: their variables, and where names that are not theirs are found."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...source import Source, Span
from ..sources.liveness import Liveness
from ..sources.spans import span_of
from ..values import Scope

RETURNED = "<returned>"
"""Key in a scope: whether the function has returned."""
RESULT = "<result>"
"""Key in a scope: what it has returned."""
CONTENT = "cell_contents"
"""The attribute of a closure cell that has the variable's value."""
_BOUND = "<bound>"


def bound_flag(name: str) -> str:
    """Key in a scope: whether ``name`` is bound, where that hangs on the way taken. Without
    the key, a name is bound if it is there."""
    return _BOUND + name


def is_variable(key: Any) -> bool:
    """Whether a key of a scope is a name of the user's."""
    return isinstance(key, str) and not key.startswith("<")


def own_name(name: str) -> str:
    """Key in a scope: a variable of the compiler's that the generated code calls ``name``."""
    return f"<~{name}>"


def variable_name(key: Any) -> str:
    """What a value that is kept under ``key`` is called in the generated code."""
    flag = flagged(key)
    if flag is not None:
        return f"{flag}_bound"
    if isinstance(key, str) and key.startswith("<~"):
        return key[2:-1]
    return key if is_variable(key) else ""


def flagged(key: Any) -> str | None:
    """The name whose flag ``key`` is, if it is one."""
    is_flag = isinstance(key, str) and key.startswith(_BOUND)
    return key.removeprefix(_BOUND) if is_flag else None


@dataclass(frozen=True, slots=True, eq=False)
class Awaiting:
    """Names that a round of a loop assigns, perhaps after it has read them: ``read`` are the
    readings of those of which nothing is known yet."""

    names: frozenset[str]
    read: list[ast.Name] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Feed:
    """The loop that a generator runs for: its body is what a ``yield`` does.

    Args:
        loop: the loop, which is being lowered in ``frame``.
        tryings: how many ``try`` there are around it.
        ways: how the loop's body has been seen to leave it.
        ends: the generator has been seen to come to its end.
    """

    loop: ast.For
    frame: Frame
    tryings: int
    ways: set[str] = field(default_factory=set)
    ends: bool = False


@dataclass(slots=True, eq=False)
class Frame:
    """One running function (or comprehension).

    Args:
        name: for messages.
        parsed: what ``getsource.parse`` found: how globals and closure cells are reached.
        parent: the frame whose variables are visible here.
        local: names that belong to this frame.
        switches: how many ``with`` around the code turn derivatives on or off.
        region: where it was entered.
        definition: the syntax of the function.
        default: gives the default values of its parameters.
        calls: how often the function calls itself, in all, on runtime conditions.
        looped: it runs as a loop with a stack, since it calls itself without an end.
        patient: it ends when compiling, and cannot run as a loop.
        done: the call is over, and its variables do not change any more.
        shared: functions inside assign its variables, perhaps when the call is over.
        nonlocals: names that are assigned in an enclosing frame.
        feed: what a generator runs for.
    """

    name: str
    source: Source
    parsed: Any
    scope: Scope
    parent: Frame | None = None
    local: frozenset[str] = frozenset()
    liveness: Liveness | None = None
    loops: list[ast.stmt] = field(default_factory=list)
    finals: list[ast.Try] = field(default_factory=list)
    tryings: list[Any] = field(default_factory=list)
    switches: int = 0
    awaiting: list[Awaiting] = field(default_factory=list)
    place: Any = None
    called: Span | None = None
    region: Any = None
    definition: Any = None
    default: Callable[[str], Any] | None = None
    calls: int = 0
    looped: bool = False
    patient: bool = False
    done: bool = False
    shared: bool = False
    nonlocals: frozenset[str] = frozenset()
    feed: Feed | None = None

    def span(self, node: ast.AST) -> Span:
        """Where ``node`` is: in a function that is not the user's, where the user calls it."""
        return self.called or span_of(self.source, node)

    def outer_scopes(self) -> tuple[Scope, ...]:
        """The scopes of the enclosing frames."""
        found: list[Scope] = []
        frame = self.parent
        while frame is not None:
            found.append(frame.scope)
            frame = frame.parent
        return tuple(found)


def feeds(frame: Frame) -> Iterator[Feed]:
    """The loops that a running generator feeds: its own, and those that it yields to on."""
    feed = frame.feed
    while feed is not None:
        yield feed
        feed = feed.frame.feed


def needed(feed: Feed, key: Any) -> bool:
    """Whether the frame that a loop over a generator is in reads a place after a round."""
    if key in (RESULT, RETURNED):
        return "return" in feed.ways
    if isinstance(key, tuple):
        return key == ("break", feed.loop) and bool(feed.loop.orelse)
    liveness = feed.frame.liveness
    if liveness is None or feed.loop not in liveness.head:
        return True
    name = flagged(key) or key
    return name in liveness.live_at_head(feed.loop) | liveness.live_after(feed.loop)


def local_names(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Parameters and the names that the function assigns."""
    a = node.args
    listed = [*a.posonlyargs, *a.args, *a.kwonlyargs]
    listed += [star for star in (a.vararg, a.kwarg) if star is not None]
    names = {arg.arg for arg in listed}
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    for statement in body:
        assigned(statement, names)
    return frozenset(names) - nonlocal_names(node)


def nonlocal_names(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function declares ``nonlocal``."""
    found: set[str] = set()
    todo: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else []
    while todo:
        inner = todo.pop()
        if isinstance(inner, ast.Nonlocal):
            found |= set(inner.names)
        elif not isinstance(inner, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(inner)
    return frozenset(found)


def owner(frame: Frame, name: str) -> Frame:
    """The frame in which assigning ``name`` changes it."""
    if name not in frame.nonlocals:
        return frame
    outer = frame.parent
    while outer is not None and name not in outer.local:
        outer = outer.parent
    if outer is None:
        raise UnsupportedSyntaxError(
            f"`{name}` belongs to a function that is not compiled: it can be assigned by "
            f"`{name} = ...`, and not be deleted, or be assigned within an expression"
        )
    return outer


def outside(frame: Frame, name: str) -> types.CellType | None:
    """The closure cell that assigning ``name`` changes; None where that is a variable of a
    function that is being lowered."""
    if name not in frame.nonlocals:
        return None
    while frame.parent is not None:
        frame = frame.parent
        if name in frame.local:
            return None
    return None if frame.parsed is None else frame.parsed.cells.get(name)


def assigned(node: ast.AST, names: set[str]) -> None:
    """Add the names that ``node`` assigns, not those of functions inside it."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        return
    if isinstance(node, ast.FunctionDef):
        names.add(node.name)
        return
    if isinstance(node, ast.ExceptHandler) and node.name:
        names.add(node.name)
    if isinstance(node, ast.alias):
        names.add(node.asname or node.name.partition(".")[0])
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        # Its targets are its own; only walrus assignments come out.
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                names.add(inner.target.id)
        return
    for child in ast.iter_child_nodes(node):
        assigned(child, names)


def assigned_in(body: Iterable[ast.stmt]) -> set[str]:
    """The names that statements assign."""
    names: set[str] = set()
    for statement in body:
        assigned(statement, names)
    return names


def loaded(node: ast.AST) -> set[str]:
    """Every name read anywhere in ``node``."""
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }
