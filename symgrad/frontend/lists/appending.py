"""Lists from outside that are only added to, such as logs: they are, when the code gets there,
like something that is printed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...errors import AliasError, UnsupportedSyntaxError
from ...ir.tree import Tree, filled
from ..arguments.leaftypes import as_value
from ..machine import Machine
from ..names.captures import Found
from ..parts import skeleton
from ..requests import Place
from ..rules.opaque import call_opaque
from ..unpacking import spread_items
from ..values import Native, Ref


@dataclass(frozen=True, slots=True, eq=False)
class Appends:
    """What generated code calls: it appends an object, whose arrays are copied, to a list."""

    place: Place
    tree: Tree

    def __call__(self, *values: Any) -> bool:
        own = [x.copy() if isinstance(x, np.ndarray) else x for x in values]
        self.place.fetch().append(filled(self.tree, own))
        return True


def growing(m: Machine, owner: Found, name: str) -> Native | None:
    """The method ``append`` or ``extend`` of a list from outside; None where its elements are
    known, and so the list as a whole is changed."""
    if not m.writes_captured or id(owner.value) in m.opened:
        return None
    return Native(name, partial(_append if name == "append" else extend, owner))


def extend(owner: Found, m: Machine, node: ast.AST, items: Any) -> None:
    """``owner.extend(items)``."""
    for item in spread_items(m, node, items):
        _append(owner, m, node, item)


def _append(owner: Found, m: Machine, node: ast.AST, value: Any) -> None:
    m.captures.read(owner)
    m.grown.add(id(owner.value))
    found: list[Any] = []
    try:
        tree = skeleton(m, value, found)
    except LookupError:
        raise UnsupportedSyntaxError(
            "this exists while compiling only: it cannot be put into a list from outside",
            m.span(node),
        ) from None
    for x in found:
        if not isinstance(x, Ref):
            continue
        m.shown.add(x.storage)
        if x.storage.origin == "captured":
            raise AliasError(
                f"`{x.storage.name}` itself is put into a list from outside, which would see "
                "it change; put a copy there",
                m.span(node),
            )
    place = Place(owner.value) if owner.place is None else owner.place
    # What is put there is a constant to derivatives.
    values = [m.builder.op("stop_gradient", as_value(m, x)) for x in found]
    name = f"append_to_{place.name}"
    call_opaque(m, node, Appends(place, tree), values, ("bool",), name=name)


__all__: Sequence[str] = ["Appends", "extend", "growing"]
