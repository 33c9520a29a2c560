"""Choices made inside of a branch, handed out of it: ``w = x if a else (y if b else z)``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...ir.types import BOOL, ArrayType
from ...ir.values import Value
from ..memory import identity
from ..memory.selected import fits, selection
from ..values import MISSING, Ref, Selected, View


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The pattern of one of two arrays: ``condition`` is a leaf for what tells which it is,
    each of ``parts`` an array that is there outside, a leaf, or another ``Chosen``."""

    condition: Any
    parts: tuple[Any, Any]
    type: ArrayType
    path: tuple[View, ...]
    view_type: ArrayType


def chosen(joiner: Any, x: Ref, leaf: Any) -> Any:
    """The pattern of ``x``, made in a branch since ``joiner.birth``; None if none of what it may
    be is older. ``leaf`` makes leaves, given a type and perhaps an array."""
    storage = x.storage
    if not isinstance(storage, Selected) or any(view.operands for view in x.path):
        return None
    parts: list[Any] = []
    for side in (storage.first, storage.second):
        if not fits(side, side):
            return None
        if side.storage.birth < joiner.birth:
            parts.append(side)
            continue
        parts.append(chosen(joiner, side, leaf) or leaf(side.type, side))
    if not any(isinstance(part, Ref | Chosen) for part in parts):
        return None
    kind = storage.current.type
    assert isinstance(kind, ArrayType)
    return Chosen(leaf(BOOL, None), (parts[0], parts[1]), kind, x.path, x.type)


def pairs(pattern: Chosen, x: Any, pair: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves, each with what ``x`` has there."""
    inside = (MISSING, MISSING)
    if x is MISSING:
        yield pattern.condition, MISSING
    else:
        yield pattern.condition, x.storage.condition
        inside = (x.storage.first, x.storage.second)
    for part, side in zip(pattern.parts, inside, strict=True):
        if not isinstance(part, Ref):
            yield from pair(part, side)


def instantiate(pattern: Chosen, values: Iterator[Value], make: Any) -> Ref:
    """The array, with values at the leaves."""
    condition = next(values)
    first, second = (p if isinstance(p, Ref) else make(p) for p in pattern.parts)
    made = selection(condition, first, second, pattern.type)
    path, kind = pattern.path, pattern.view_type
    return Ref(made.storage, kind, path, identity.UNKNOWN) if path else made


__all__ = ["Chosen", "chosen", "instantiate", "pairs"]
