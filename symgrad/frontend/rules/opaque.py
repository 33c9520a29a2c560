"""Calls of Python code that is not compiled."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Sequence
from typing import Any

from ...ir.types import ObjectType
from ...ops.opaque import Due
from ..arguments.leaftypes import as_value
from ..machine import Machine


def call_opaque(
    m: Machine,
    node: ast.AST,
    callee: Callable[..., Any],
    args: Sequence[Any],
    results: Sequence[Due],
    *,
    name: str,
    rule: str = "",
    hint: str = "",
    effect: bool = True,
) -> list[Any]:
    """Abstract values for what ``callee(*args)`` returns when the code runs.

    Args:
        callee: takes numbers and arrays, which it must not change, and has to return what
            ``results`` says: the value itself, or a tuple of several.
        args: runtime values and numbers.
        results: types as in ``symgrad.ops.opaque``; at least one (``"bool"`` if need be).
        name: what to call it in generated code and in messages.
        rule: the user's rule whose gradient it is, if it is one.
        hint: a name for the results.
        effect: whether it is called each time, in its place among other effects, even where
            nobody reads what it returns, and once more where a derivative does so.
    """
    name, hint = plain_name(name), plain_name(hint) if hint else ""
    function = m.captures.callee(callee, name)
    values = [as_value(m, x) for x in args]
    op = m.builder.append(
        "call_python" if effect else "call_rule",
        (function, *values),
        {"results": tuple(results), "rule": rule, "name": name},
    )
    for v in op.results:
        v.name = "kept" if isinstance(v.type, ObjectType) else hint
    return [m.wrap(v) for v in op.results]


def plain_name(text: str) -> str:
    """``text`` as a variable may be called."""
    found = re.sub(r"\W+", "_", text).strip("_")
    return found if found.isidentifier() and not keyword.iskeyword(found) else f"f_{found}"


__all__ = ["call_opaque"]
