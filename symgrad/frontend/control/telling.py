"""Changes of the caller's containers and objects where the code raises after them: what has been
changed by then is told as the code runs, and put in place when it raises.

As with a ``finally``, the generated code has a ``try`` of its own, and a variable that knows what
to call, made anew wherever what is to be put in place has changed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...errors import SymgradError, UnsupportedSyntaxError
from ...ir.tree import Node, Tree, filled, static
from ...ir.values import Block, Op, Value
from ...ops.raising import raised_by
from ..arguments.keys import value_at
from ..heap import children
from ..machine import Machine, Region
from ..names import fields
from ..requests import Target
from ..results import Results
from ..values import Cell, Storage, new_dict

Told = tuple[tuple[Target, ...], tuple[Tree, ...], Sequence[Any]]
"""Where to put something, what, and the values in that."""

_TOLD: ContextVar[list[Told] | None] = ContextVar("symgrad_told", default=None)


@dataclass(frozen=True, slots=True, eq=False)
class Tells:
    """What generated code calls: gives what is to be called if it raises."""

    targets: tuple[Target, ...]
    trees: tuple[Tree, ...]

    def __call__(self, *values: Any) -> Callable[[], None]:
        return partial(self._late, values)

    def _late(self, values: Sequence[Any]) -> None:
        told = _TOLD.get()
        if told is not None:
            told[:] = [(self.targets, self.trees, values)]


@contextmanager
def listening() -> Iterator[list[Told]]:
    """What is told by code that raises inside."""
    told: list[Told] = []
    token = _TOLD.set(told)
    try:
        yield told
    finally:
        _TOLD.reset(token)


def grounded(told: Told, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
    """What is to be put in place, by a call with these arguments."""

    def known(tree: Tree) -> Tree:
        if not isinstance(tree, Node):
            return tree
        if tree.kind == "argument":
            return static(value_at(args, kwargs, tree.value))
        return replace(tree, children=tuple(map(known, tree.children)))

    _, trees, values = told
    return [filled(known(tree), values) for tree in trees]


# ------------------------------------------------------------------------- while lowering
@dataclass(frozen=True, slots=True, eq=False)
class _Note:
    """What was told last in a region: ``op`` tells it, of ``given``, which was in this state."""

    op: Op
    given: tuple[Any, ...]
    state: Any


@dataclass(frozen=True, slots=True, eq=False)
class Telling:
    """Tells what has changed since the beginning; stands among ``m.watches``. ``made`` has the
    callees by what they tell."""

    node: ast.AST
    noted: dict[Region, _Note] = field(default_factory=dict)
    made: list[tuple[Any, Value]] = field(default_factory=list)

    def begin(self, m: Machine) -> None:
        """The start of the code."""
        self.note(m)
        m.builder.append("try_begin", (), {"key": _KEY})
        m.watches.append(self)

    def end(self, m: Machine) -> None:
        """Its end: what has been told last is in use until here."""
        m.watches.remove(self)
        last = self._last(m)
        values = last.op.inputs[1:] if last is not None else ()
        m.builder.append("try_end", values, {"key": _KEY})

    def note(self, m: Machine) -> None:
        """After a statement."""
        if _within_another(m):
            return
        try:
            given = fields.assigned(m, self.node)
            state = tuple((id(a.cell), a.removed, _state(a.values)) for a in given)
            last = self._last(m)
            if last is not None and last.state == state:
                return
            found = Results(m, True, self.node)
            trees = tuple(found.tree(new_dict(a.values)) for a in given)
        except SymgradError:
            return  # it cannot be said here, and what was told before holds
        if any(map(_is_open, trees)):
            raise UnsupportedSyntaxError("what is there on some ways only cannot be told")
        callee = self._callee(m, (tuple(a.target for a in given), trees))
        op = m.builder.append("try_note", (callee, *found.values), {"key": _KEY})
        self.noted[m.region] = _Note(op, given, state)

    def _callee(self, m: Machine, what: tuple[Any, Any]) -> Value:
        for known, callee in self.made:
            with suppress(ValueError):  # of arrays that are known when compiling
                if known == what:
                    return callee
        name = f"changed_{len(self.made)}" if self.made else _UNCHANGED
        made: Value = m.captures.callee(Tells(*what), name)
        self.made.append((what, made))
        return made

    def _last(self, m: Machine) -> _Note | None:
        """What was told last on the way to here."""
        region: Region | None = m.region
        while region is not None:
            known = self.noted.get(region)
            if known is not None and known.op in region.builder.ops:
                return known
            region = region.parent
        return None


def check_finally(m: Machine, node: ast.Try) -> None:
    """Tell nothing where a ``finally`` may change something, too, when the code raises.

    Raises:
        UnsupportedSyntaxError: it may; what has been changed is not put in place, then.
    """
    if not any(isinstance(watch, Telling) for watch in m.watches):
        return
    for inner in (n for statement in node.finalbody for n in ast.walk(statement)):
        written = isinstance(getattr(inner, "ctx", None), ast.Store | ast.Del)
        if isinstance(inner, ast.Call) or (written and not isinstance(inner, ast.Name)):
            raise UnsupportedSyntaxError("a `finally` changes something", m.span(inner))


_KEY, _UNCHANGED = -1, "unchanged"


def _within_another(m: Machine) -> bool:
    """Whether this is the block of a derivative or checkpoint: what changes there changes when
    that is done."""
    region: Region | None = m.region
    while region is not None and region.parent is not None:
        if region.always:
            return True
        region = region.parent
    return False


def _state(x: Any) -> Any:
    """Something that is another where what is to be put in place is."""
    if isinstance(x, dict):
        return tuple((key, _state(part)) for key, part in x.items())
    if isinstance(x, Storage):
        return id(x.current)
    held = tuple(map(id, x.data.values())) if isinstance(x, Cell) else id(x)
    return held, tuple(map(_state, children(x)))


def _is_open(tree: Tree) -> bool:
    """Whether something in it is there on some ways only."""
    if not isinstance(tree, Node):
        return False
    return tree.kind in ("maybe", "either") or any(map(_is_open, tree.children))


def raises(op: Op) -> bool:
    """Whether an operation may raise."""
    return op.name == "raise" or bool(raised_by(op))


def matters(block: Block) -> bool:
    """Whether anything may raise after the first change that is told."""
    return _raises(block, False)[0]


def _raises(block: Block, changed: bool) -> tuple[bool, bool]:
    """Whether something raises after a change; and whether there has been one."""
    for op in block.ops:
        changed = changed or _notes(op)
        if changed and raises(op):
            return True, True
        if op.name in ("for", "while"):
            changed = changed or any(_notes(i) for b in op.regions for i in b.walk())
        sides = [_raises(inner, changed) for inner in op.regions]
        if any(found for found, _ in sides):
            return True, True
        changed = changed or any(after for _, after in sides)
    return False, changed


def _notes(op: Op) -> bool:
    """Whether an operation tells of a change."""
    mine = op.name == "try_note" and op.attrs["key"] == _KEY
    return mine and op.inputs[0].name != _UNCHANGED


__all__ = [
    "Telling",
    "Told",
    "check_finally",
    "grounded",
    "listening",
    "matters",
    "raises",
]
