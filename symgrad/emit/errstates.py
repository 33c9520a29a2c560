"""Statements under ``with np.errstate(...)``, as the places that they come from remember."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

State = tuple[tuple[str, str], ...]
States = tuple[State, ...]


def states_of(span: Any) -> States:
    """The error states around a place."""
    found: States = () if span is None else span.errstates
    return found


def wrapped(
    statements: Sequence[ast.stmt], origins: Mapping[ast.stmt, Any], around: States = ()
) -> list[ast.stmt]:
    """The statements with those in one more error state than ``around`` put under a ``with``,
    neighbours together; what is inside of compound statements likewise."""
    result: list[ast.stmt] = []
    group: list[ast.stmt] = []
    current: State | None = None

    def close() -> None:
        if current is not None and group:
            inside = wrapped(group, origins, (*around, current))
            result.append(_with(current, inside))
        group.clear()

    for node in statements:
        origin = origins.get(node)
        states = states_of(origin.span) if origin is not None else around
        inner = states[: len(around)] == around and len(states) > len(around)
        state = states[len(around)] if inner else None
        if state != current:
            close()
            current = state
        if state is not None:
            group.append(node)
            continue
        _inside(node, origins, around)
        result.append(node)
    close()
    return result


def _inside(node: ast.stmt, origins: Mapping[ast.stmt, Any], around: States) -> None:
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if block:
            setattr(node, name, wrapped(block, origins, around))


def _with(state: State, body: list[ast.stmt]) -> ast.stmt:
    keywords = [ast.keyword(k, ast.Constant(v)) for k, v in state]
    call = ast.Call(ast.Attribute(ast.Name("np"), "errstate"), [], keywords)
    return ast.With([ast.withitem(call, None)], body)
