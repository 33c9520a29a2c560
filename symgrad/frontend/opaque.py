"""Calls of Python code that is not compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ..ops.opaque import Due
from .leaftypes import as_value
from .machine import Machine


def call_opaque(
    m: Machine,
    node: ast.AST,
    callee: Callable[..., Any],
    args: Sequence[Any],
    results: Sequence[Due],
    *,
    name: str,
    rule: str = "",
) -> list[Any]:
    """Abstract values for what ``callee(*args)`` returns when the code runs.

    Args:
        callee: takes numbers and arrays, which it must not change, and has to return what
            ``results`` says: the value itself, or a tuple of several. It is called each time,
            in its place among other effects.
        args: runtime values and numbers.
        results: types as in ``symgrad.ops.opaque``; at least one (``"bool"`` if need be).
        name: what to call it in generated code and in messages.
        rule: the user's rule whose gradient it is, if it is one.
    """
    function = m.captures.callee(callee, name)
    values = [as_value(m, x) for x in args]
    op = m.builder.append(
        "call_python",
        (function, *values),
        {"results": tuple(results), "rule": rule, "name": name},
    )
    return [m.wrap(v) for v in op.results]


__all__ = ["call_opaque"]
