"""A list that is kept as an array (``Rows``) becomes one that can be changed, wherever it is held:
under its names, in containers, and in what runs through it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..heap import children, reaches
from ..machine import Machine
from ..values import ListObject, Rows
from .calls import get, listed
from .elements import cells_of, put_in_place
from .having import having


class RunThrough(Exception):  # for the loop, which begins again
    """A loop runs through the list, as an array: it has to be a list before that."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows = rows


def replace_rows(m: Machine, node: ast.AST, rows: Rows) -> ListObject:
    """The list in place of its array, under every name and in every container that has it; with
    the list that it is in, which is the same array.

    Raises:
        AliasError: something holds it that cannot be given the list.
        RunThrough: a loop does that at the moment.
    """
    if rows.home is not None:
        around, i = rows.home
        made: ListObject = get(m, node, replace_rows(m, node, around), i)
        put_in_place(m, node, rows, made)
        return made
    if reaches(m.running, rows):
        raise RunThrough(rows)
    made = listed(m, rows)
    parts = [x for x in _known_rows(m) if x is not rows and _around(x) is rows]
    put_in_place(m, node, rows, made)
    for part in parts:
        put_in_place(m, node, part, _place(m, node, part, made))
    return made


def _around(x: Rows) -> Rows:
    """The whole list that one in it, kept as an array, belongs to."""
    while x.home is not None:
        x = x.home[0]
    return x


def _place(m: Machine, node: ast.AST, x: Rows, made: ListObject) -> Any:
    """What ``x`` is in the list that has been made of the whole."""
    if x.home is None:
        return made
    around, i = x.home
    return get(m, node, _place(m, node, around, made), i)


def _known_rows(m: Machine) -> Iterator[Rows]:
    """All lists kept as arrays that names and containers hold."""
    found: dict[int, Rows] = {}
    for cell in cells_of(m):
        todo = [*children(cell)]
        while todo:
            x = todo.pop()
            if isinstance(x, Rows):
                found[id(x)] = x
            elif isinstance(x, tuple | dict):
                todo += children(x)
    yield from found.values()


__all__ = ["RunThrough", "having", "replace_rows"]
