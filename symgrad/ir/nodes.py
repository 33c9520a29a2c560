"""Objects as nodes of nested structures: dataclasses, and classes that were registered."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

NODES: dict[type, frozenset[str]] = {}
"""Registered classes, and the attributes of each that are known when compiling."""


def register(cls: type, static: Iterable[str] = ()) -> None:
    """Make the objects of a class nodes; ``static`` attributes are no leaves."""
    NODES[cls] = frozenset(static)


def attributes_of(x: Any) -> tuple[str, ...] | None:
    """The names of an object's parts; None if it is no node."""
    cls = type(x)
    if dataclasses.is_dataclass(cls):
        return _fields(cls)
    if cls not in NODES:
        return None
    if hasattr(x, "__dict__"):
        return tuple(vars(x))
    return tuple(name for name in getattr(cls, "__slots__", ()) if hasattr(x, name))


def is_static(x: Any, name: str) -> bool:
    """Whether an attribute is known when compiling whatever it is."""
    return name in NODES.get(type(x), ())


@cache
def _fields(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(cls))


def revived(cls: type, names: Sequence[str], values: Sequence[Any]) -> Any:
    """An object with these attributes, made without its ``__init__``."""
    made: Any = object.__new__(cls)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


__all__ = ["NODES", "attributes_of", "is_static", "register", "revived"]
