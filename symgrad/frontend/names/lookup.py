"""Names: local, of an enclosing function, captured, or built in."""

from __future__ import annotations

import ast
from typing import Any

from ...errors import SymgradError, UnboundVariableError
from ...ir.values import Value
from ..dispatch import NeverReturns
from ..machine import Machine
from ..values import MISSING, Kinds, Maybe, Poison, Ref, Scope
from .scope import CONTENT, Frame, bound_flag, outside, owner, variable_name
from .static import unwrap


class Unsettled(Exception):
    """A value that has no single type over the rounds of a loop or over branches.

    Loops whose number of rounds is known are unrolled then; else ``error`` is the answer.
    ``condition`` is the runtime value that the question hangs on, if there is one. ``nones``:
    it is None in some rounds only. ``held``: what the name holds, or what the expression gives
    that is ``of``.
    """

    def __init__(
        self,
        error: SymgradError,
        condition: Value | None = None,
        *,
        nones: bool = False,
        held: Poison | None = None,
        of: ast.AST | None = None,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.condition = condition
        self.nones = nones
        self.held = held
        self.of = of


def read_name(m: Machine, node: ast.Name) -> Any:
    """The value of a name."""
    frame: Frame | None = m.frame
    while frame is not None:
        if node.id in frame.local:
            value = frame.scope.data.get(node.id, MISSING)
            if value is MISSING:
                _await(m, frame, node)
            value = checked(m, node, value, node.id)
            _require_bound(m, frame.scope, node)
            if m.chosen and isinstance(value, Value):
                return m.chosen.get(value, value)
            return value
        if frame.parent is None:
            break
        frame = frame.parent
    assert frame is not None
    if m.fields and frame.parsed is not None:
        cell = frame.parsed.cells.get(node.id)
        held = m.fields.get(id(cell))
        if held is not None:
            return checked(m, node, held.data[CONTENT], node.id)
    with m.located(node):
        found = m.captures.lookup(frame.parsed, node.id)
        if found is None:
            raise UnboundVariableError(f"the name `{node.id}` is not defined")
        return unwrap(m, found)


def _await(m: Machine, frame: Frame, node: ast.Name) -> None:
    """In the first round of a loop, reading what only later rounds can read raises."""
    for awaiting in frame.awaiting:
        if node.id in awaiting.names:
            awaiting.read.append(node)
            with m.located(node):
                m.builder.op("raise", error="UnboundLocalError", args=(_unbound(node.id),))
            raise NeverReturns


def unbound(m: Machine, node: ast.Name) -> UnboundVariableError:
    """The error of reading a variable that nothing has assigned."""
    return UnboundVariableError(f"`{node.id}` is read before it is assigned", m.span(node))


def _unbound(name: str) -> str:
    return f"cannot access local variable '{name}' where it is not associated with a value"


def _require_bound(m: Machine, scope: Scope, node: ast.Name) -> None:
    """Have the running code check that the way to here has assigned the name."""
    bound = scope.data.get(bound_flag(node.id), True)
    if bound is True:
        return
    if bound is False:
        raise unbound(m, node)
    with m.located(node):
        m.builder.op("require", bound, error="UnboundLocalError", args=(_unbound(node.id),))
    m.heap.write(scope, bound_flag(node.id), True)


def checked(m: Machine, node: ast.AST, value: Any, name: str) -> Any:
    """``value``, unless it is unbound or cannot be said."""
    if value is MISSING:
        raise UnboundVariableError(f"`{name}` is read before it is assigned", m.span(node))
    if isinstance(value, Poison):
        error = value.error
        placed = type(error)(_with_reader(m, node, error), m.span(node))
        nones = isinstance(value.candidate, Maybe)
        raise Unsettled(placed, value.condition, nones=nones, held=value)
    return value


def _with_reader(m: Machine, node: ast.AST, error: SymgradError) -> str:
    where = f" (line {error.span.line})" if error.span is not None else ""
    return f"{error.message}{where}"


def bind(m: Machine, name: str, value: Any) -> None:
    """Assign a local variable; a new result gets the name."""
    if hint := variable_name(name):
        suggest(m, value, hint)
    cell = outside(m.frame, name)
    if cell is not None:
        from .fields import write_outside

        write_outside(m, cell, name, value)
        return
    assign_name(m, owner(m.frame, name).scope, name, value)


def assign_name(m: Machine, scope: Scope, name: str, value: Any) -> None:
    """Write a variable, which is bound from here on."""
    m.heap.write(scope, name, value)
    if bound_flag(name) in scope.data:
        m.heap.write(scope, bound_flag(name), value is not MISSING)


def suggest(m: Machine, value: Any, name: str) -> None:
    """Name a fresh result after the variable it is assigned to."""
    target = value if isinstance(value, Value) else None
    if isinstance(value, Maybe):
        suggest(m, value.value, name)
        target, name = value.present, f"{name}_given"
    if isinstance(value, Poison) and isinstance(value.candidate, Kinds):
        flag = value.candidate.condition
        if flag.op is not None and flag.op.regions:
            flag.name = flag.name or f"{name}_first"
        for part in (value.candidate.first, value.candidate.second):
            if not isinstance(part, Ref) or not part.path:
                suggest(m, part, name)
    if isinstance(value, Ref):
        target = m.read(value)
    if target is not None and not target.name and target.op is not None:
        target.name = name
