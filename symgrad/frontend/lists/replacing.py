"""A list that is kept as an array (``Rows``) becomes one that can be changed, wherever it is held:
under its names, in containers, and in what runs through it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import AliasError
from ..heap import reaches
from ..machine import Machine
from ..values import Cell, Iteration, ListObject, Rows, children
from .calls import listed
from .holding import filled_like


class RunThrough(Exception):  # for the loop, which begins again
    """A loop runs through the list, as an array: it has to be a list before that."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows = rows


def replace_rows(m: Machine, rows: Rows) -> ListObject:
    """The list in place of its array, under every name and in every container that has it.

    Raises:
        AliasError: something holds it that cannot be given the list.
        RunThrough: a loop does that at the moment.
    """
    if reaches(m.running, rows):
        raise RunThrough(rows)
    made = listed(m, rows)
    cells = _cells(m)
    for cell in cells:
        for key, held in list(cell.data.items()):
            now = having(held, rows, made)
            if now is not held:
                m.heap.write(cell, key, now)
    if any(reaches(cell.data.values(), rows) for cell in cells):
        raise AliasError(
            "this list is held by a function or method made before, and cannot be changed here; "
            "change a copy of it (`list(...)`)"
        )
    return made


def _cells(m: Machine) -> list[Cell]:
    """All scopes, containers, objects and iterators that can be reached from a name."""
    todo: list[Any] = [*m.temps, *m.fields.values()]
    for frame in m.frames:
        todo += [frame.scope, *frame.outer_scopes()]
    found: dict[int, Any] = {}
    while todo:
        x = todo.pop()
        if id(x) not in found:
            found[id(x)] = x
            todo += children(x)
    return [x for x in found.values() if isinstance(x, Cell)]


def having(x: Any, rows: Rows, made: ListObject) -> Any:
    """``x`` with the list in place of its array; ``x`` itself where it is not in there."""
    if x is rows:
        return made
    if isinstance(x, tuple):
        parts = [having(part, rows, made) for part in x]
        same = all(p is q for p, q in zip(parts, x, strict=True))
        return x if same else filled_like(x, parts)
    if isinstance(x, dict):
        entries = {key: having(part, rows, made) for key, part in x.items()}
        return x if all(entries[key] is x[key] for key in x) else entries
    if isinstance(x, Iteration):
        sources = having(x.parts, rows, made)
        return x if sources is x.parts else replace(x, parts=sources)
    return x


__all__ = ["RunThrough", "having", "replace_rows"]
