"""Names: local, of an enclosing function, captured, or built in."""

from __future__ import annotations

import ast
from typing import Any

from ..errors import SymgradError, UnboundVariableError
from ..ir.values import Value
from .machine import Machine
from .scope import Frame
from .static import unwrap
from .values import MISSING, Poison, Ref


class Unsettled(Exception):
    """A value that has no single type over the rounds of a loop or over branches.

    Loops whose number of rounds is known are unrolled then; else ``error`` is the answer.
    ``condition`` is the runtime value that the question hangs on, if there is one.
    """

    def __init__(self, error: SymgradError, condition: Value | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.condition = condition


def read_name(m: Machine, node: ast.Name) -> Any:
    """The value of a name."""
    frame: Frame | None = m.frame
    while frame is not None:
        if node.id in frame.local:
            return checked(m, node, frame.scope.data.get(node.id, MISSING), node.id)
        if frame.parent is None:
            break
        frame = frame.parent
    assert frame is not None
    with m.located(node):
        found = m.captures.lookup(frame.parsed, node.id)
        if found is None:
            raise UnboundVariableError(f"the name `{node.id}` is not defined")
        return unwrap(m, found)


def checked(m: Machine, node: ast.AST, value: Any, name: str) -> Any:
    """``value``, unless it is unbound or cannot be said."""
    if value is MISSING:
        raise UnboundVariableError(f"`{name}` is read before it is assigned", m.span(node))
    if isinstance(value, Poison):
        error = value.error
        raise Unsettled(
            type(error)(_with_reader(m, node, error), m.span(node)), value.condition
        )
    return value


def _with_reader(m: Machine, node: ast.AST, error: SymgradError) -> str:
    where = f" (line {error.span.line})" if error.span is not None else ""
    return f"{error.message}{where}"


def bind(m: Machine, name: str, value: Any) -> None:
    """Assign a local variable; a new result gets the name."""
    if not name.startswith("<"):
        suggest(m, value, name)
    m.heap.write(m.frame.scope, name, value)


def suggest(m: Machine, value: Any, name: str) -> None:
    """Name a fresh result after the variable it is assigned to."""
    target = value if isinstance(value, Value) else None
    if isinstance(value, Ref):
        target = m.read(value)
    if target is not None and not target.name and target.op is not None:
        target.name = name
