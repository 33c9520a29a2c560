"""Lists of which a name has one or another, after a branch or around a loop: where nobody else has
either, that is a list of its own, which may be changed."""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedSyntaxError
from ...ir.builder import Builder
from ..control.join import Joiner, Shell
from ..machine import Machine
from ..names.lookup import Unsettled
from ..values import ListObject, Poison
from .holding import generalise, is_known


def is_own(m: Machine, name: Any, x: Any, live: frozenset[str]) -> bool:
    """Whether a list is held by that variable only; ``live`` are the variables that are read
    later."""
    if isinstance(x, Shell):
        return _is_merged(x)
    plain = isinstance(x, ListObject) and not x.is_part and not x.owner
    return plain and not is_known(m, x, (), live - {name}, [*m.temps, *m.running])


def _is_merged(x: Shell) -> bool:
    return isinstance(x.cell, ListObject) and not x.owner and list(x.parts) == ["items"]


def merged(
    joiner: Joiner, builder: Builder, a: Any, b: ListObject, *, may_grow: bool = True
) -> Shell | None:
    """The pattern of a list that is ``a`` (a list or a pattern of this kind) or ``b``; None where
    they do not fit together."""
    cell = a.cell if isinstance(a, Shell) else a
    held = a.parts["items"] if isinstance(a, Shell) else a.data["items"]
    try:
        found = generalise(joiner, builder, cell, held, b.data["items"], may_grow=may_grow)
    except (UnsupportedSyntaxError, Unsettled):
        return None
    return None if isinstance(found, Poison) else Shell(cell, {"items": found}, "")


__all__ = ["is_own", "merged"]
