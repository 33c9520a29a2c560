"""``assert``, ``raise`` and ``print``: effects that stay where they are."""

from __future__ import annotations

import ast
from typing import Any

from ..errors import UnsupportedSyntaxError
from ..ir.values import Value
from ..ops.effects import is_builtin_error
from . import conditions
from .dispatch import Flow, evaluate, statement
from .machine import Machine
from .static import plain
from .values import Ref


@statement(ast.Assert)
def assert_(m: Machine, node: ast.Assert) -> Flow | None:
    """``assert``: static ones are decided now, others when running."""
    test = conditions.truth(m, node.test, evaluate(m, node.test))
    if test is True:
        return None
    args = () if node.msg is None else (_message(m, node.msg),)
    if isinstance(test, Value):
        m.builder.op("require", test, error="AssertionError", args=args)
        return None
    m.builder.op("raise", error="AssertionError", args=args)
    return frozenset()


@statement(ast.Raise)
def raise_(m: Machine, node: ast.Raise) -> Flow:
    """``raise`` of a builtin error."""
    error, args = node.exc, []
    if isinstance(error, ast.Call):
        args = [_message(m, a) for a in error.args]
        error = error.func
    found = evaluate(m, error) if error is not None else None
    if found is None or not is_builtin_error(found):
        name = ast.unparse(error) if error is not None else "raise"
        raise UnsupportedSyntaxError(
            f"`{name}` is no builtin error: generated code raises builtin errors only, since it "
            "stands on its own; raise ValueError or another builtin one",
            m.span(node),
        )
    m.builder.op("raise", error=found.__name__, args=tuple(args))
    return frozenset()


def _message(m: Machine, node: ast.expr) -> Any:
    """A message's text; what is known at run time only is left as it is written."""
    if isinstance(node, ast.JoinedStr):
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
            else:
                assert isinstance(part, ast.FormattedValue)
                parts.append(_formatted(m, part))
        return "".join(parts)
    try:
        known = plain(m, evaluate(m, node))
    except LookupError:
        return ast.unparse(node)
    return known if isinstance(known, str | int | float | bool | None) else str(known)


def _formatted(m: Machine, part: ast.FormattedValue) -> str:
    try:
        whole = ast.copy_location(ast.JoinedStr([part]), part)
        return str(evaluate(m, whole))
    except UnsupportedSyntaxError:
        return "{" + ast.unparse(part.value) + "}"


def print_(
    m: Machine, node: ast.AST, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """``print``: of runtime values and of what is known when compiling."""
    parts: list[Any] = []
    values: list[Value] = []
    for x in args:
        if isinstance(x, Ref | Value):
            parts.append(None)
            values.append(m.read(x) if isinstance(x, Ref) else x)
            continue
        try:
            known = plain(m, x)
        except LookupError:
            raise UnsupportedSyntaxError(
                "containers of runtime values cannot be printed; print the values themselves",
                m.span(node),
            ) from None
        parts.append(str(known))
    options = {k: plain(m, v) for k, v in kwargs.items()}
    if set(options) - {"sep", "end", "flush"}:
        raise UnsupportedSyntaxError("print takes sep, end and flush here", m.span(node))
    m.builder.op("print", *values, parts=tuple(parts), options=tuple(options.items()))
