"""Lists in lists whose length is known at run time only.

What such a list holds stands in the list around it and nowhere else: ``rows[i]`` is the way there,
read and written where that is asked for. So every name for it sees what is done through others.
A list that is put into another one is known by its place there from then on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...errors import AliasError
from ...ir.dims import at_least
from ...ir.structure import within
from ...ir.types import ANY, ArrayType, ListType, element_type, is_inexact
from ...ir.values import Value
from ..control.awaited import ElementPattern
from ..heap import children, reaches
from ..machine import Machine
from ..memory.storage import holders
from ..values import MISSING, Cell, Items, ListObject, birth, new_list
from .having import having
from .holding import build
from .structure import (
    Fixed,
    Inner,
    Steps,
    aligned,
    holds_lists,
    holes,
    locate,
    swapped,
)

HELD = "it is in a list whose length is known at run time only"
"""The owner of lists of known length that are in such a list."""


class Element(ListObject):
    """The list in ``root`` at ``path``; ``steps`` say where in the elements on the way. ``late`` is
    another last position, which holds where ``root`` grows."""

    __slots__ = ("late", "machine", "path", "root", "steps")

    def __init__(
        self,
        m: Machine,
        root: ListObject,
        path: tuple[Value, ...],
        steps: Steps,
        late: Value | None = None,
    ) -> None:
        self.machine, self.root, self.path, self.steps = m, root, path, steps
        self.late = late
        self.owner = root.owner
        self.birth = birth()

    @property
    def data(self) -> dict[Any, Any]:  # type: ignore[override]
        return {"items": read(self.machine, self)}

    @property
    def is_long(self) -> bool:
        return True

    @property
    def is_part(self) -> bool:
        return True

    @property
    def held(self) -> tuple[Any, ...]:
        return (self.root,)

    def beside(self, other: Element) -> bool:
        """Whether both are in the same lists, at some places or others."""
        same = self.root is other.root and self.steps == other.steps
        return same and len(self.path) == len(other.path)

    def pairs(self, pattern: ElementPattern, x: Any) -> Iterator[tuple[Any, Any]]:
        """The leaves of a pattern, each with the position that ``x`` has there."""
        path = [MISSING] * len(self.path) if x is MISSING else path_of(self.machine, x)
        yield from zip(pattern.leaves, path, strict=True)

    def moved_to(self, pattern: ElementPattern, values: Iterator[Value]) -> Element:
        """The list at the positions that have been found."""
        path = tuple(next(values) for _ in self.path)
        made = Element(self.machine, self.root, path, self.steps)
        made.birth = pattern.birth
        return made


def items_of(xs: ListObject) -> Items:
    """What a long list holds; of a list in a list, what that holds."""
    items = xs.root.data["items"] if isinstance(xs, Element) else xs.data["items"]
    assert isinstance(items, Items)
    return items


def steps_of(xs: ListObject) -> Steps:
    """The way to the list in the structure of what ``items_of`` it gives."""
    return xs.steps if isinstance(xs, Element) else ()


def element_of(xs: ListObject) -> Any:
    """The structure of a long list's elements."""
    return locate(items_of(xs).element, steps_of(xs))[1]


def columns_of(xs: ListObject) -> tuple[Value, ...]:
    """The IR lists that a long list is kept in; its own are at ``path_of`` it in these."""
    items = items_of(xs)
    first, element = locate(items.element, steps_of(xs))
    return items.lists[first : first + len(holes(element))]


def path_of(m: Machine, xs: ListObject) -> tuple[Value, ...]:
    """Where a list stands in the lists around it.

    Raises:
        AliasError: the lists around it have been changed since it was taken out.
    """
    if not isinstance(xs, Element):
        return ()
    since = m.moves.get(xs.root, {})
    if since.get("moved", 0) > xs.birth:
        raise _lost()
    if since.get("grown", 0) > xs.birth and not _from_front(xs.path[-1]):
        if xs.late is None:
            raise _lost()
        return (*xs.path[:-1], xs.late)
    return xs.path


def _from_front(i: Value) -> bool:
    """Whether a position is certainly counted from the front."""
    if i.is_constant:
        return bool(i.constant >= 0)
    return i.dim is not None and at_least(i.dim, 0)


def _lost() -> AliasError:
    return AliasError(
        "this list has been taken out of a list in which others have been put, or have changed "
        "places, since then; take it out again where it is used, or take a copy: list(...)"
    )


def note_move(m: Machine, xs: ListObject, how: str = "moved") -> None:
    """Note that what a list holds has got other places (``moved``), or that there is more of it
    (``grown``)."""
    if xs.is_long and holds_lists(element_of(xs)):
        root = xs.root if isinstance(xs, Element) else xs
        m.moves.setdefault(root, {})[how] = birth()


def read(m: Machine, xs: Element) -> Items:
    """What a list in a list holds at the moment."""
    path = path_of(m, xs)
    lists = tuple(
        m.builder.one("list_get", one, *path, type=within(one.type, len(path)))
        for one in columns_of(xs)
    )
    return Items(element_of(xs), lists, items_of(xs).memory)


def replace_columns(m: Machine, xs: ListObject, lists: list[Value]) -> None:
    """Write back what ``columns_of`` a list has become."""
    items = items_of(xs)
    first, element = locate(items.element, steps_of(xs))
    for old, new in zip(columns_of(xs), lists, strict=True):
        new.name = new.name or old.name
    if isinstance(xs, Element) and "shared" in m.moves.get(xs.root, {}):
        raise AliasError(
            "the lists in this list are in another one, too, which was made of it by a slice, "
            "list(...) or `+`; make copies of them there: [list(x) for x in xs]"
        )
    made = (*items.lists[:first], *lists, *items.lists[first + len(holes(element)) :])
    root = xs.root if isinstance(xs, Element) else xs
    m.heap.write(root, "items", Items(items.element, made, items.memory))


def refit(m: Machine, node: ast.AST, xs: ListObject, element: Any) -> None:
    """Give a list another structure of its elements, which those that it has fit in."""
    items = items_of(xs)
    due = swapped(items.element, steps_of(xs), element)
    if due == items.element:
        return
    b, span = m.builder, m.span(node)
    have = aligned(due, items.element, list(items.lists))
    pairs = zip(have, holes(due), strict=True)
    lists = tuple(build(b, one, ListType(t, True), span) for one, t in pairs)
    for old, new in zip(have, lists, strict=True):
        new.name = new.name or old.name
    root = xs.root if isinstance(xs, Element) else xs
    m.heap.write(root, "items", Items(due, lists, items.memory))


def stored(m: Machine, xs: Value, x: Value, at: tuple[Value, ...]) -> Value:
    """An IR list with another element; what has had another length is named for derivatives."""
    b, t = m.builder, within(xs.type, len(at) - 1).element
    varies = isinstance(t, ListType) or (isinstance(t, ArrayType) and ANY in t.shape)
    if not varies or not is_inexact(t):
        return b.one("list_set", xs, x, *at)
    kind = element_type(within(xs.type, len(at) - 1), b.dims)
    return b.one("list_replace", xs, x, b.one("list_get", xs, *at, type=kind), *at)


def assign(m: Machine, node: ast.AST, xs: ListObject, items: Any) -> None:
    """Give a list all that another holds (``items``)."""
    from .calls import fitted

    if not isinstance(xs, Element):
        m.heap.write(xs, "items", items)
        return
    note_move(m, xs)
    [*path, i] = path_of(m, xs)
    around = Element(m, xs.root, tuple(path), xs.steps[:-1]) if path else xs.root
    first, _ = locate(element_of(around), xs.steps[-1:])
    values = fitted(m, node, xs, ListObject({"items": items}), whole=True)
    lists = list(columns_of(around))
    size = len(holes(element_of(xs)))
    lists[first : first + size] = [
        stored(m, one, v, (*path, i))
        for one, v in zip(lists[first : first + size], values, strict=True)
    ]
    replace_columns(m, around, lists)


# --------------------------------------------------------------------------- put into a list
def adopt(m: Machine, node: ast.AST, xs: ListObject, x: Any, i: Value) -> None:
    """After ``x`` has been put into a list at ``i``: the lists in it are known by their place
    there."""
    inner = list(_lists_in(element_of(xs), x, ()))
    if not inner:
        return
    root, path = xs.root if isinstance(xs, Element) else xs, path_of(m, xs)
    for cell, step in inner:
        if not holders(m, cell):
            continue
        place: ListObject = (
            new_list(cell.items, HELD)
            if step is None
            else (Element(m, root, (*path, i), (*steps_of(xs), step)))
        )
        put_in_place(m, node, cell, place)


def _lists_in(
    element: Any, x: Any, step: tuple[int, ...]
) -> Iterator[tuple[Any, tuple[int, ...] | None]]:
    """The lists in an element, with their places in it; those of known length without."""
    if isinstance(element, Inner):
        yield x, step
    elif isinstance(element, Fixed):
        yield x, None
        for k, part in enumerate(element):
            yield from _lists_in(part, x.items[k], (*step, k))
    elif isinstance(element, tuple):
        for k, part in enumerate(element):
            yield from _lists_in(part, x[k], (*step, k))


def check_apart(m: Machine, node: ast.AST, x: Any) -> None:
    """Refuse to put something into a list that holds a list which is in another one already."""
    if isinstance(x, Element) or (isinstance(x, ListObject) and x.owner == HELD):
        raise AliasError(
            "this list is in another list already: put a copy of it there, list(...)",
            m.span(node),
        )
    if isinstance(x, tuple) or (isinstance(x, ListObject) and not x.is_long):
        for part in x if isinstance(x, tuple) else x.items:
            check_apart(m, node, part)


def put_in_place(m: Machine, node: ast.AST | None, old: Any, new: ListObject) -> None:
    """``new`` in place of ``old``, under every name and in every container that has it.

    Raises:
        AliasError: something holds it that cannot be given the new one.
    """
    cells = cells_of(m)
    for cell in cells:
        for key, held in list(cell.data.items()):
            now = having(held, old, new)
            if now is not held:
                m.heap.write(cell, key, now)
    if any(reaches(cell.data.values(), old) for cell in cells):
        raise AliasError(
            "this list is held by a function or method made before, and cannot be changed here; "
            "change a copy of it (`list(...)`)",
            None if node is None else m.span(node),
        )


def cells_of(m: Machine) -> list[Cell]:
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
    return [x for x in found.values() if isinstance(x, Cell) and not isinstance(x, Element)]


__all__ = [
    "HELD",
    "Element",
    "adopt",
    "assign",
    "cells_of",
    "check_apart",
    "columns_of",
    "element_of",
    "items_of",
    "note_move",
    "path_of",
    "put_in_place",
    "read",
    "refit",
    "replace_columns",
    "steps_of",
    "stored",
]
