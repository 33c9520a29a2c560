"""Dicts whose keys are known at run time only: which ones they are, and where their keys stand.

A dict is first taken for one with keys that are known. Where one turns out not to be, all is
lowered again, and where this dict is made, ``Keyed`` of ``ops/written/keyed.py`` is made instead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.expr import NeedsStatic
from ...ir.types import INT, ArrayType, ListType, ScalarType
from ...ir.values import Value
from ...ops.written import keyed
from ..machine import Machine
from ..names.specialise import UnknownPositionError, need
from ..names.static import opened
from ..values import DictObject, ListObject, Record, is_long
from .calls import made_long

PLACES = ListType(INT, True)
"""The type of the positions."""


def made(m: Machine, node: ast.AST, items: dict[Any, Any]) -> Any:
    """A new dict that ``node`` makes."""
    from ..construct import instance

    span = m.span(node)
    origin = (span.source.filename, span.line, span.column)
    if origin not in m.keyed:
        known = DictObject({"items": items})
        known.maker = origin
        return known
    record = instance(m, node, keyed.Keyed, (), {})
    for key, value in items.items():
        put(m, node, record, key, value)
    return record


def put(m: Machine, node: ast.AST, d: DictObject | Record, key: Any, value: Any) -> None:
    """``d[key] = value`` for a dict that was just made."""
    from .. import protocols

    if isinstance(d, DictObject):
        d.data["items"] = {**d.items, key_of(m, node, d, key): value}
        return
    protocols.call_special(m, node, d, "__setitem__", key, value)


@contextmanager
def needed_by(m: Machine, owner: Any) -> Iterator[None]:
    """Where a key of a dict is not known when compiling, say which dict needs it."""
    try:
        yield
    except (NeedsStatic, UnknownPositionError) as unknown:
        if isinstance(owner, DictObject):
            unknown.maker = getattr(owner, "maker", None)
        raise


def beside(a: Any, b: Any, error: UnsupportedSyntaxError) -> UnsupportedSyntaxError:
    """The error for two values that do not go together: a dict that is made here and one whose
    keys are known at run time only do, once the first is such a one, too."""
    for known, other in ((a, b), (b, a)):
        maker = getattr(known, "maker", None)
        if maker is not None and isinstance(other, Record) and other.cls is keyed.Keyed:
            made = UnknownPositionError(error.message, error.span)
            made.maker = maker
            return made
    return error


def key_of(m: Machine, node: ast.AST, d: DictObject, key: Any) -> Any:
    """A key of a dict, which has to be known when compiling."""
    with needed_by(m, d):
        return need(m, node, key, "a dict key")


def _parts(m: Machine, node: ast.AST, key: Any) -> list[Value]:
    """The numbers that a key is made of."""
    key = opened(m, key)
    if isinstance(key, tuple):
        return [part for inner in key for part in _parts(m, node, inner)]
    if isinstance(key, bool | int | float | np.generic):
        return [m.builder.const(key)]
    if isinstance(key, Value) and isinstance(key.type, ArrayType | ScalarType):
        return [key]
    if isinstance(key, str | bytes) or key is None:
        return []
    raise UnsupportedSyntaxError(
        "the keys of a dict of which some are known at run time only have to be numbers or "
        "tuples of numbers",
        m.span(node),
    )


def _done(m: Machine, node: ast.AST, op: str, places: Any, key: Any) -> Any:
    parts = _parts(m, node, key)
    if not parts:
        raise UnsupportedSyntaxError(
            "the keys of a dict of which some are known at run time only have to be numbers or "
            "tuples of numbers",
            m.span(node),
        )
    made = m.builder.one(op, places, *parts, together=isinstance(opened(m, key), tuple))
    return m.wrap(made)


def no_places(m: Machine, node: ast.AST) -> Any:
    """No positions."""
    return m.builder.one("places_new", type=PLACES)


def has(m: Machine, node: ast.AST, places: Any, key: Any, names: Any) -> Any:
    """Whether a key, perhaps one of ``names``, has a position."""
    if not is_long(names) and not names.items:
        return False
    return _done(m, node, "places_has", places, key)


def place(m: Machine, node: ast.AST, places: Any, key: Any) -> Any:
    """The position of a key."""
    return _done(m, node, "places_get", places, key)


def added(m: Machine, node: ast.AST, places: Any, key: Any) -> Any:
    """With one more key."""
    return _done(m, node, "places_add", places, key)


def dropped(m: Machine, node: ast.AST, places: Any, key: Any) -> Any:
    """Without a key."""
    return _done(m, node, "places_drop", places, key)


def lengthen(m: Machine, node: ast.AST, xs: ListObject) -> None:
    """Make a list one whose length is known at run time only."""
    if not is_long(xs):
        m.heap.write(xs, "items", made_long(m, node, xs).data["items"])


HANDLERS: dict[Any, Callable[..., Any]] = {
    keyed.no_places: no_places,
    keyed.has: has,
    keyed.place: place,
    keyed.added: added,
    keyed.dropped: dropped,
    keyed.lengthen: lengthen,
}
"""What calls of these functions do."""

__all__ = ["HANDLERS", "key_of", "made", "needed_by", "put"]
