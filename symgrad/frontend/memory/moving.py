"""One part of an array at one time, another at another: ``best = a[i]`` of an earlier round. What
differs are whole numbers in the index, so these are what a branch or a loop hands on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...ir.indexing import Operand, Slice
from ...ir.types import INT, ArrayType
from ...ir.values import Value
from ..machine import Machine
from ..values import MISSING, Ref, Selected, Storage, View
from .identity import UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """A part of ``storage`` by ``path``, in which each index takes its operands from
    ``leaves``."""

    storage: Storage
    path: tuple[View, ...]
    leaves: tuple[Any, ...]


def moving(known: Any, x: Any, birth: float, leaf: Any) -> Moving | None:
    """The pattern of ``known``, an array or such a pattern, and the array ``x``; None if they
    are no parts of one array that is older than ``birth`` by indices of one kind."""
    if not isinstance(known, Ref | Moving) or not isinstance(x, Ref):
        return None
    storage = x.storage
    if storage is not known.storage or storage.birth >= birth:
        return None
    if isinstance(storage, Selected) or not _indexed(x.path):
        return None
    path, operands = _lifted(x.path)
    mine = known.path if isinstance(known, Moving) else _lifted(known.path)[0]
    if not operands or not _alike(mine, path):
        return None
    if any(isinstance(v, Value) and v.type != INT for v in operands):
        return None
    if isinstance(known, Moving):
        return known
    return Moving(storage, path, tuple(leaf(INT, None) for _ in operands))


def _indexed(path: tuple[View, ...]) -> bool:
    return all(view.kind.name == "index" or not view.operands for view in path)


def _alike(a: tuple[View, ...], b: tuple[View, ...]) -> bool:
    return len(a) == len(b) and all(
        p.kind is q.kind and dict(p.attrs) == dict(q.attrs)
        for p, q in zip(a, b, strict=True)
    )


def _lifted(path: tuple[View, ...]) -> tuple[tuple[View, ...], list[Any]]:
    """A path with every whole number in an index as an operand; the operands of all of it."""
    views: list[View] = []
    operands: list[Any] = []
    for view in path:
        if view.kind.name != "index":
            views.append(view)
            continue
        items: list[Any] = []
        given: list[Any] = []
        for item in view.attrs["index"]:
            if isinstance(item, Slice):
                ends = [_bound(end, view, given) for end in (item.start, item.stop)]
                step = item.step
                if isinstance(step, Operand):
                    step = _bound(step, view, given)
                item = Slice(ends[0], ends[1], step)
            elif isinstance(item, int | Operand):
                item = _bound(item, view, given)
            items.append(item)
        views.append(View(view.kind, (), {"index": tuple(items)}))
        operands += given
    return tuple(views), operands


def _bound(item: Any, view: View, given: list[Any]) -> Any:
    if item is None:
        return None
    given.append(view.operands[item.k] if isinstance(item, Operand) else item)
    return Operand(len(given) - 1)


def pairs(pattern: Moving, x: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves, each with what ``x`` has there."""
    operands = [MISSING] * len(pattern.leaves) if x is MISSING else _lifted(x.path)[1]
    yield from zip(pattern.leaves, operands, strict=True)


def instantiate(m: Machine, pattern: Moving, values: Iterator[Value]) -> Ref:
    """The part, with values for the numbers."""
    path: list[View] = []
    for view in pattern.path:
        count = _count(view)
        operands = tuple(next(values) for _ in range(count))
        path.append(View(view.kind, operands, view.attrs) if count else view)
    value = pattern.storage.current
    for view in path:
        value = m.view(value, view)
    assert isinstance(value.type, ArrayType)
    return Ref(pattern.storage, value.type, tuple(path), UNKNOWN)


def _count(view: View) -> int:
    index = view.attrs.get("index", ()) if view.kind.name == "index" else ()
    ends = [
        end
        for item in index
        for end in ((item.start, item.stop) if isinstance(item, Slice) else (item,))
    ]
    return sum(isinstance(end, Operand) for end in ends)


def same(a: Moving, b: Moving) -> bool:
    """Whether two patterns ask for the same."""
    return a.storage is b.storage and _alike(a.path, b.path)


__all__ = ["Moving", "instantiate", "moving", "pairs", "same"]
