"""What has been changed since when: branches and loops are lowered by doing, and undoing.

Every change of a cell goes through ``write`` and onto the trail. Undoing the trail gives the
state at a branch back; what was undone is exactly what the branch has to hand out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..ir.values import Value
from .requests import Request
from .values import (
    MISSING,
    Bound,
    Cell,
    Closure,
    DictObject,
    Fields,
    Flat,
    Generator,
    Iteration,
    Iterator,
    Kinds,
    ListObject,
    Maybe,
    Method,
    Native,
    Partial,
    Poison,
    Record,
    Ref,
    Rows,
    Scope,
    Selected,
    Storage,
    Suspended,
)


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One key of one cell: its value before and after a stretch of code. ``narrowed``: it is the
    same value, of which more is known."""

    cell: Cell
    key: Any
    before: Any
    after: Any
    narrowed: bool = False

    @property
    def slot(self) -> tuple[int, Any]:
        """What identifies the place."""
        return (id(self.cell), self.key)


Changes = dict[tuple[int, Any], Change]


class Heap:
    """The trail of changes."""

    __slots__ = ("trail",)

    def __init__(self) -> None:
        self.trail: list[tuple[Cell, Any, Any, bool]] = []

    def write(self, cell: Cell, key: Any, value: Any, *, narrowed: bool = False) -> None:
        """Set ``cell.data[key]``; ``MISSING`` unbinds it. ``narrowed``: to what is there, said
        more exactly."""
        self.trail.append((cell, key, cell.data.get(key, MISSING), narrowed))
        _put(cell, key, value)

    @property
    def mark(self) -> int:
        """The present, to come back to."""
        return len(self.trail)

    def changes(self, mark: int) -> Changes:
        """What differs from the state at ``mark``, each place once, in order of first write."""
        found: Changes = {}
        for cell, key, old, narrowed in self.trail[mark:]:
            slot = (id(cell), key)
            known = found.get(slot)
            if known is None:
                after = cell.data.get(key, MISSING)
                found[slot] = Change(cell, key, old, after, narrowed)
            elif known.narrowed and not narrowed:
                found[slot] = replace(known, narrowed=False)
        return found

    def undo(self, mark: int) -> None:
        """Go back to the state at ``mark``."""
        while len(self.trail) > mark:
            cell, key, old, _ = self.trail.pop()
            _put(cell, key, old)

    def leave(self, mark: int, birth: float) -> Changes:
        """What differs from the state at ``mark``, which is there again; only what has been made
        since ``birth``, and so is held by nothing else, keeps what it holds."""
        found = self.changes(mark)
        self.undo(mark)
        for change in found.values():
            if change.cell.birth > birth and not isinstance(change.cell, Storage):
                _put(change.cell, change.key, change.after)
        return found

    def redo(self, changes: Changes) -> None:
        """Apply what was undone."""
        for change in changes.values():
            self.write(change.cell, change.key, change.after, narrowed=change.narrowed)


def _put(cell: Cell, key: Any, value: Any) -> None:
    if value is MISSING:
        cell.data.pop(key, None)
    else:
        cell.data[key] = value


def reaches(roots: Iterable[Any], wanted: Any, without: Iterable[Any] = ()) -> bool:
    """Whether one of these values is, or holds on to, the one that is wanted; not by way of
    those in ``without``."""
    todo = [*roots]
    seen: set[int] = {id(x) for x in without}
    while todo:
        x = todo.pop()
        if x is wanted:
            return True
        if id(x) not in seen:
            seen.add(id(x))
            todo += children(x)
    return False


def children(x: Any) -> tuple[Any, ...]:
    """The abstract values that ``x`` holds on to."""
    if isinstance(x, Selected):
        return (x.first, x.second)
    if isinstance(x, Storage | Value):
        return ()
    if isinstance(x, Ref):
        return (x.storage,)
    if isinstance(x, ListObject):
        return x.held
    if isinstance(x, DictObject):
        return tuple(x.items.values())
    if isinstance(x, Scope | Record | Fields):
        return tuple(x.data.values())
    if isinstance(x, Closure):
        return (
            x.frame.scope,
            *x.frame.outer_scopes(),
            *x.defaults,
            *x.keyword_defaults.values(),
        )
    if isinstance(x, Iterator):
        return (x.items,)
    if isinstance(x, Suspended):
        return (x.frame.scope, *x.frame.outer_scopes())
    if isinstance(x, Bound | Method):
        return (x.receiver, *((x.function,) if isinstance(x, Bound) else ()))
    if isinstance(x, Partial):
        return (x.function, *x.args, *x.kwargs.values())
    if isinstance(x, Iteration):
        return x.parts
    if isinstance(x, Native):
        return x.holds
    if isinstance(x, Generator):
        return (x.iterable,)
    if isinstance(x, Rows | Flat):
        return (x.array,)
    if isinstance(x, Poison):
        return (x.candidate,)
    if isinstance(x, Maybe):
        return (x.value,)
    if isinstance(x, Kinds):
        return (x.first, x.second)
    if isinstance(x, Request):
        return (x.fun,)
    if isinstance(x, tuple | list):
        return tuple(x)
    if isinstance(x, dict):
        return tuple(x.values())
    request = getattr(x, "__symgrad_request__", None)
    return () if request is None else (request.fun,)
