"""Values on their way through Python code that is not compiled, such as hooks.

``tap`` hands its last ``passed`` values to a function when the code runs, which returns them or
others of the same types. To derivatives it is as if it returned them: once a derivative is taken
(``used``), ``function.looks`` is called, which makes sure of that. ``tap_gradient`` does nothing to
values; the way back goes through a ``tap`` of their gradients, that through ``bend`` through
code that is compiled, at the first derivative that is taken.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from ..ir.opdef import REQUIRED
from ..ir.types import Type
from ..ir.values import Block, Value
from .table import op


@dataclass(slots=True, eq=False)
class Bend:
    """What gradients become on the way back: ``block`` takes them, and where there is a
    ``source`` after them those that left that one; it reads nothing else."""

    block: Block | None = None
    source: Bend | None = None


def _passed(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> tuple[Type, ...]:
    return tuple(v.type for v in inputs[len(inputs) - attrs["passed"] :])


def _emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    function = inputs[0]
    if attrs["used"]:
        function = ast.Attribute(function, "looks", ast.Load())
    return ast.Call(function, inputs[1:], [])


def _identity(g: Any) -> Any:
    return g


def _passing(name: str, inputs: str, attrs: dict[str, Any], traits: str, doc: str) -> None:
    """One of the ops that hand values on, which derivatives take for the identity."""
    rules = {"values": _identity}
    op(
        name, inputs, _passed, _emit, attrs={"passed": REQUIRED, **attrs}, vjp=rules, jvp=rules,
        traits=traits, batch="each", doc=doc,
    )  # fmt: skip


_passing(
    "tap", "function *values", {"used": False}, "effect returns shares",
    "The last values, or what a Python function returns in their place.",
)  # fmt: skip
_passing(
    "tap_gradient", "function *values", {"watched": 0, "flagged": True}, "marker",
    "The last values, whose gradients pass through a Python function. It is told whether the "
    "`watched` values before them have a gradient, too, and if `flagged` they themselves.",
)  # fmt: skip
_passing(
    "bend", "*values", {"by": REQUIRED}, "marker",
    "The values, whose gradients become others on the way back, by code that is compiled.",
)  # fmt: skip
