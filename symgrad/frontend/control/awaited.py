"""Values to come: what stands for them while branches and loops are joined."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...errors import SymgradError
from ...ir.types import ArrayType
from ...ir.values import Value
from ..values import Ref, Storage


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """An array to come after a branch: the one or the other, as the condition says. Those made
    in the branch are ``join.Leaf``; ``before`` are the two as they are in the branches."""

    condition: Value
    parts: tuple[Any, Any]
    before: tuple[Ref, Ref]
    type: ArrayType


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """One of some arrays that are there before a loop, to be told by a number: ``leaf``."""

    options: tuple[Ref, ...]
    leaf: Any
    type: ArrayType


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """The number that tells which of the options ``ref`` is."""

    ref: Ref
    options: tuple[Ref, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ListPattern:
    """``Items`` to come, after a branch or around a loop: ``columns`` are ``join.Leaf``."""

    element: Any
    columns: tuple[Any, ...]
    memory: Storage


@dataclass(frozen=True, slots=True, eq=False)
class ElementPattern:
    """A list in a list to come: ``one`` is what it may be, ``leaves`` are ``join.Leaf`` for its
    position in the lists around it; it is no younger than ``birth``."""

    one: Any
    leaves: tuple[Any, ...]
    birth: int


@dataclass(frozen=True, slots=True, eq=False)
class RowsPattern:
    """``Rows`` to come: ``leaf`` is a ``join.Leaf``."""

    leaf: Any
    kind: str
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The values that known elements have in one place, to be put into an IR list."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class KindsPattern:
    """``Kinds`` to come: ``condition`` is a value or a ``join.Leaf``. ``known`` says of values how
    they fit in: whether they are of the first kind, and what is of the first, and of the rest.
    What is not there is of the first, or of both in order."""

    condition: Any
    first: Any
    second: Any
    known: list[tuple[Any, tuple[Any, Any, Any]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Truths:
    """Whether all of some runtime truths are as they are said to be."""

    all: tuple[tuple[Value, bool], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """One of several kinds of a variable: what it is where all ``truths`` are like that."""

    truths: tuple[tuple[Value, bool], ...]
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Several:
    """What is of some of the kinds of a variable; ``error`` is that of what it is part of."""

    options: tuple[Option, ...]
    error: SymgradError


@dataclass(frozen=True, slots=True, eq=False)
class MaybePattern:
    """``Maybe`` to come: ``present`` is a ``join.Leaf``, ``value`` the pattern of what it may
    be."""

    present: Any
    value: Any
