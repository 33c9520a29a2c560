"""Changes of objects from outside, such as a module's counters: attributes that are assigned,
lists and dicts that are changed.

Reading gives what has been put there. What is there at the end is a further result of the code,
and whoever calls the code puts it in place: so generated code changes no object. Where it raises,
what it has told before (``control.telling``) is put in place.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..arguments.keys import NUMBERS
from ..arguments.lending import lent_at
from ..heap import Change
from ..machine import NOT_CHANGED, Machine
from ..parts import Parts, rebuild, settled
from ..requests import NeedsSpecialisation, Path, Place, Target
from ..values import (
    MISSING,
    Cell,
    DictObject,
    Fields,
    ListObject,
    Record,
    Ref,
    Scope,
    is_long,
    new_dict,
)
from .captures import Found
from .scope import CONTENT
from .static import unwrap


@dataclass(frozen=True, slots=True)
class Assigned:
    """What there is at the end, by key of a cell that stands for ``owner``: ``values`` now,
    ``parts`` also when the changes have been undone. A variable has no owner."""

    cell: Cell
    owner: Found | Path | None
    parts: Parts
    values: dict[Any, Any]
    removed: tuple[Any, ...] = ()
    apart: tuple[Place, ...] = ()

    @property
    def target(self) -> Target:
        """Where it has to go."""
        assert self.owner is not None
        if not isinstance(self.owner, Found):
            kind = "whole" if is_long(self.cell) else _KINDS[type(self.cell)]
            return Target(kind, None, self.removed, self.owner, self.apart)
        place = self.owner.place
        at = Place(self.owner.value) if place is None else place
        if isinstance(self.cell, Fields):
            return Target("attributes", at)
        return Target("items", at, self.removed)


_KINDS: dict[type, Literal["attributes", "items", "elements"]] = {
    Record: "attributes",
    DictObject: "items",
    ListObject: "elements",
}


def read(m: Machine, owner: Found, name: str) -> Any:
    """What ``owner.name`` has been assigned; ``MISSING`` where it has not."""
    cell = m.fields.get(id(owner.value))
    return MISSING if cell is None else cell.data.get(name, MISSING)


def write(m: Machine, node: ast.AST, owner: Found, name: str, value: Any) -> None:
    """``owner.name = value``.

    Raises:
        UnsupportedSyntaxError: the object's class decides what that means, or the attribute
            is a parameter or module.
        NeedsSpecialisation: the attribute was a known number, and is one that changes.
    """
    _check(m, node, owner, name, value)
    _write(m, owner, name, value)


def write_outside(m: Machine, cell: types.CellType, name: str, value: Any) -> None:
    """``name = value`` of a variable that belongs to a function which is not compiled."""
    if not m.writes_captured:
        raise UnsupportedSyntaxError(
            f"`{name}` cannot be assigned: it is from outside of the function, {NOT_CHANGED}; "
            "return the new value",
            m.builder.span,
        )
    _write(m, Found(cell, Place(cell, label=name)), CONTENT, value)


def _write(m: Machine, owner: Found, name: str, value: Any) -> None:
    cell = m.fields.setdefault(id(owner.value), Fields(owner))
    if name not in cell.data and hasattr(owner.value, name):
        number = type(getattr(owner.value, name)) in NUMBERS
        if number or not m.region.certain:  # the other branch, or the next round, reads it
            cell.data[name] = _before(m, owner, name)
    m.stored.add(cell)
    m.heap.write(cell, name, value)


def _before(m: Machine, owner: Found, name: str) -> Any:
    """What the attribute is when the function is called."""
    found = m.captures.attribute(owner, name).found
    made = unwrap(m, found)
    if type(made) in NUMBERS and found.place is not None:
        path = ("varies", found.place)
        if not m.captures.is_static(found.place) and not m.captures.varies(path):
            raise NeedsSpecialisation(path)
    return made


def _check(m: Machine, node: ast.AST, owner: Found, name: str, value: Any) -> None:
    cls, text = type(owner.value), f"the attribute `{name}` cannot be assigned"
    if not m.writes_captured:
        raise UnsupportedSyntaxError(
            f"{text}: its object is from outside of the function, {NOT_CHANGED}; return the "
            "new value",
            m.span(node),
        )
    written = inspect.getattr_static(cls, "__setattr__")
    plain = written is object.__setattr__ or hasattr(cls, "__symgrad_static__")
    declared = inspect.getattr_static(cls, name, None)
    if (
        isinstance(owner.value, type | types.ModuleType)
        or not plain
        or hasattr(type(declared), "__set__")
        and not isinstance(declared, types.MemberDescriptorType)
    ):
        raise UnsupportedSyntaxError(
            f"{text}: what that does is up to `{cls.__name__}`; return the new value instead",
            m.span(node),
        )
    held = inspect.getattr_static(owner.value, name, None)
    if hasattr(type(held), "__symgrad_static__"):
        kind = type(held).__name__
        raise UnsupportedSyntaxError(
            f"{text}: it is a {kind}, which compiled code reads and does not replace; give an "
            "array under another name, or change the object outside of the function",
            m.span(node),
        )
    _check_value(m, node, name, value)


def boxed(m: Machine) -> list[Any]:
    """The memory of arrays that are held by boxes."""
    return [made.storage for _, made in m.captures.boxes]


# ------------------------------------------------------------------------------ at the end
def assigned(m: Machine, node: ast.AST, mark: int = 0) -> tuple[Assigned, ...]:
    """What has been put into objects since ``mark``."""
    by_cell: dict[int, list[Change]] = {}
    for change in m.heap.changes(mark).values():
        same = change.narrowed or change.before is change.after
        if owner_of(m, change) is not None and not same:
            by_cell.setdefault(id(change.cell), []).append(change)
    return tuple(_assigned(m, node, changes, mark) for changes in by_cell.values())


def assigned_inside(
    m: Machine, node: ast.AST, mark: int, birth: int
) -> tuple[Assigned, ...]:
    """What has been put since ``mark`` into objects, and into variables older than ``birth`` that
    an inner function calls ``nonlocal``."""
    from ..control.describing import describe

    found: dict[Cell, dict[Any, Any]] = {}
    for change in m.heap.changes(mark).values():
        if is_outer(m, change, birth) and change.before is not change.after:
            if not _is_number(change.after):
                raise UnsupportedSyntaxError(
                    f"the variable `{change.key}` of a function around this one becomes "
                    f"{describe(change.after)} while it is differentiated: numbers may be assigned "
                    "there; return anything else (with has_aux=True)",
                    m.span(node),
                )
            found.setdefault(change.cell, {})[change.key] = change.after
    variables = (
        Assigned(scope, None, settled(m, new_dict(new)), new)
        for scope, new in found.items()
    )
    return (*assigned(m, node, mark), *variables)


def is_outer(m: Machine, change: Change, birth: int) -> bool:
    """Whether a variable is changed that a function inside of its own calls ``nonlocal``."""
    shared = isinstance(change.cell, Scope) and change.cell in m.shared
    return shared and change.cell.birth < birth and not change.narrowed


_LITERALS = bool | int | float | complex | np.generic | str | None


def _is_number(x: Any) -> bool:
    return isinstance(x, Value | _LITERALS)


def _assigned(m: Machine, node: ast.AST, changes: list[Change], mark: int) -> Assigned:
    cell, owner = changes[0].cell, owner_of(m, changes[0])
    assert owner is not None
    apart = () if isinstance(owner, Found) else tuple(_passed_through(m))
    if is_long(cell):
        if not mark and not isinstance(owner, Found):
            held = ListObject({"items": cell.data["items"]})
            return Assigned(cell, owner, Parts(None), {0: held}, (), apart)
        raise UnsupportedSyntaxError(
            "a list of the caller's becomes one whose length is known at run time only; return "
            "what is to be in it",
            m.span(node),
        )
    removed: tuple[Any, ...] = ()
    new: dict[Any, Any]
    if isinstance(cell, Fields | Record):
        new = {str(c.key): c.after for c in changes}
    elif isinstance(cell, ListObject) and not isinstance(owner, Found):
        new = dict(enumerate(changes[0].after))
    else:
        new, removed = _changed(cell, changes[0])
    for key, value in new.items():
        _check_value(m, node, key, value)
        if is_long(value) and not mark:
            return Assigned(cell, owner, Parts(None), new, removed, apart)
        if is_long(value):
            raise UnsupportedSyntaxError(
                f"{_text(key)} becomes a list whose length is known at run time only; make an "
                "array of it (np.stack)",
                m.span(node),
            )
    whole = settled(m, new_dict(new), keeping=True)
    if whole.opaque is not None:
        raise UnsupportedSyntaxError(
            f"{_text(next(iter(new)))} becomes {whole.opaque}, which exists while compiling "
            "only; put arrays, numbers, containers of them, or what is known there",
            m.span(node),
        )
    return Assigned(cell, owner, whole, new, removed, apart)


def _passed_through(m: Machine) -> Iterator[Place]:
    """The containers and objects from outside that something is read from."""
    places = [x.place for x in (*m.captures.captures, *m.captures.guards)]
    met: set[Place] = set()
    for place in places:
        for count, (kind, _) in enumerate(place.steps):
            at = Place(place.root, place.steps[:count])
            if kind in ("item", "attr") and at not in met:
                met.add(at)
                yield at


def _changed(cell: Cell, change: Change) -> tuple[dict[Any, Any], tuple[Any, ...]]:
    """Entries of a list or dict that are others now, and keys that are gone."""
    listed = isinstance(cell, ListObject)
    before, after = (
        dict(enumerate(x)) if listed else x for x in (change.before, change.after)
    )
    new = {k: v for k, v in after.items() if k not in before or v is not before[k]}
    return new, tuple(k for k in before if k not in after)


def _check_value(m: Machine, node: ast.AST, key: Any, value: Any) -> None:
    if isinstance(value, Ref) and any(box is value.storage for box in boxed(m)):
        raise UnsupportedSyntaxError(
            f"{_text(key)} becomes the array of the parameter `{value.storage.name}`; put a "
            "copy of it there",
            m.span(node),
        )


def _text(key: Any) -> str:
    return f"the attribute `{key}`" if isinstance(key, str) else f"item {key!r}"


def owner_of(m: Machine, change: Change) -> Found | Path | None:
    """The object from outside that is changed, or where it is among the arguments, if it is one
    that can be."""
    cell = change.cell
    path = lent_at(cell)
    if path is not None:
        return path
    if isinstance(cell, Fields):
        owner: Found = cell.found
        return owner if m.fields.get(id(owner.value)) is cell else None
    if not isinstance(cell, ListObject | DictObject) or not m.writes_captured:
        return None
    return next((found for _, made, found in m.opened.values() if made is cell), None)


def put(m: Machine, what: Assigned, values: list[Any]) -> None:
    """Make the change again, outside of the block in which it was, with its values there."""
    whole = rebuild(m, what.parts, [m.wrap(v) for v in values])
    new, cell = whole.items, what.cell
    if isinstance(cell, Fields | Record | Scope):
        for key, value in new.items():
            m.heap.write(cell, key, value)
    elif isinstance(cell, ListObject) and not isinstance(what.owner, Found):
        m.heap.write(cell, "items", tuple(new.values()))
    elif isinstance(cell, ListObject):
        items = {**dict(enumerate(cell.items)), **new}
        m.heap.write(cell, "items", tuple(items.values()))
    else:
        items = {**cell.data["items"], **new}
        kept = {k: v for k, v in items.items() if k not in what.removed}
        m.heap.write(cell, "items", kept)


__all__ = [
    "Assigned",
    "assigned",
    "assigned_inside",
    "boxed",
    "is_outer",
    "owner_of",
    "put",
    "read",
    "write",
    "write_outside",
]
