"""Names that only one of two branches binds: flags that tell whether they are bound."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from ...ir.types import ArrayType
from ...ir.values import Value
from ..heap import Change
from ..machine import Machine
from ..names.scope import bound_flag, flagged, is_variable
from ..values import MISSING, Scope
from . import conditions

if TYPE_CHECKING:
    from .branches import Side


def flag_half_bound(
    then: Side, orelse: Side, dead: Container[Any]
) -> dict[bool, list[tuple[Scope, str]]]:
    """Have both branches say whether they leave those names bound that only one of them
    assigns, or of which one cannot be sure.

    Returns:
        The flags that are no more than the condition (at True) or its contrary.
    """
    hanging: dict[bool, list[tuple[Scope, str]]] = {True: [], False: []}
    for change in list({**then.changes, **orelse.changes}.values()):
        name = flagged(change.key) or change.key
        if not isinstance(change.cell, Scope) or not is_variable(name):
            continue
        if (id(change.cell), name) in dead:
            continue
        bound = [side.binds(change.cell, name) for side in (then, orelse)]
        if bound == [True, True] and change.key == name:
            continue
        flag = bound_flag(name)
        if bound in ([True, False], [False, True]):
            then.changes.pop((id(change.cell), flag), None)
            orelse.changes.pop((id(change.cell), flag), None)
            hanging[bound[0]].append((change.cell, flag))
            continue
        before = change.cell.data.get(flag, MISSING)
        for side, after in zip((then, orelse), bound, strict=True):
            made = Change(change.cell, flag, before, after)
            side.changes[made.slot] = made
    return hanging


def write_hanging(
    m: Machine, condition: Value, hanging: dict[bool, list[tuple[Scope, str]]]
) -> None:
    """Write the flags that are no more than the condition."""
    if not hanging[True] and not hanging[False]:
        return
    if isinstance(condition.type, ArrayType):
        condition = m.builder.one("item", condition, kind="bool")
    for way, flags in hanging.items():
        bound = condition if way else conditions.negate(m, condition)
        for scope, flag in flags:
            m.heap.write(scope, flag, bound)


__all__ = ["flag_half_bound", "write_hanging"]
