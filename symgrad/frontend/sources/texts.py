"""Texts with runtime values in them: f-strings, ``%`` and ``str.format``, for ``print`` and
``raise``. What is known when compiling is formatted then."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from itertools import islice
from types import FunctionType
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..dispatch import evaluate, expression
from ..machine import Machine
from ..names.static import plain
from ..values import Formatted, Maybe, Record, Ref, any_runtime

PLAIN = str | int | float | bool | None


@expression(ast.JoinedStr)
def joined(m: Machine, node: ast.JoinedStr) -> Any:
    """``f"..."``."""
    text = ""
    values: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += _escaped(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        value = evaluate(m, part.value)
        told = of_error(value)
        value = value if told is NotImplemented else told
        suffix = "" if part.conversion < 0 else f"!{chr(part.conversion)}"
        if part.format_spec is not None:
            suffix += f":{_spec(m, part)}"
        if isinstance(value, Formatted):
            text += value.text
            values += value.values
        elif isinstance(value, Value | Ref):
            text += "{" + suffix + "}"
            values.append(_read(m, value))
        elif type(value) is tuple and not suffix:
            shown, inner = _shown(m, part, value)
            text += shown
            values += inner
        else:
            known = _known(m, part, value)
            text += _escaped(("{0" + suffix + "}").format(known))
    return Formatted(text, tuple(values)) if values else text.format()


def _shown(m: Machine, node: ast.AST, x: Any) -> tuple[str, list[Value]]:
    """``repr`` of a tuple, or of what is in one."""
    if isinstance(x, Value | Ref):
        return "{!r}", [_read(m, x)]
    if type(x) is not tuple:
        return _escaped(repr(_known(m, node, x))), []
    parts = [_shown(m, node, each) for each in x]
    inside = ", ".join(text for text, _ in parts) + ("," if len(x) == 1 else "")
    return f"({inside})", [v for _, values in parts for v in values]


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _read(m: Machine, x: Value | Ref) -> Value:
    return m.read(x) if isinstance(x, Ref) else x


def _spec(m: Machine, part: ast.FormattedValue) -> str:
    found = joined(m, part.format_spec)
    if not isinstance(found, str):
        raise UnsupportedSyntaxError(
            "the format of a value has to be known when compiling", m.span(part)
        )
    return found


def _known(m: Machine, node: ast.AST, value: Any) -> Any:
    if isinstance(value, Maybe):
        raise UnsupportedSyntaxError(
            "this may be None when the code runs: format it behind a test (`if x is not None`)",
            m.span(node),
        )
    try:
        return plain(m, value)
    except LookupError:
        raise UnsupportedSyntaxError(
            "containers of runtime values cannot be formatted; put the values themselves into "
            "the text",
            m.span(node),
        ) from None


def modulo(m: Machine, node: ast.AST, text: str, given: Any) -> Any:
    """``text % given`` with a runtime value in ``given``."""
    args = given if isinstance(given, tuple) else (given,)
    return _inserted(m, node, text, args, {}, "%")


def formatted(
    m: Machine, node: ast.AST, text: str, args: tuple[Any, ...], named: Mapping[str, Any]
) -> Any:
    """``text.format(*args)``."""
    return _inserted(m, node, text, args, named, "format")


def _inserted(
    m: Machine,
    node: ast.AST,
    text: str,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    how: str,
) -> Formatted:
    values: list[Value] = []
    for x in args:
        known = x if isinstance(x, Value | Ref) else _known(m, node, x)
        if isinstance(known, Value | Ref):
            values.append(_read(m, known))
        elif isinstance(known, int | float):
            values.append(m.builder.const(known))
    if named or len(values) < len(args):
        raise UnsupportedSyntaxError(
            "only numbers and arrays can be put into a text beside runtime values this way; "
            "use an f-string",
            m.span(node),
        )
    return Formatted(text, tuple(values), how)


def error(
    m: Machine, cls: type[BaseException], entries: Sequence[Any], values: Sequence[Value]
) -> Record | None:
    """An exception, its arguments written as ``message`` has them; None where its class does
    something of its own with these."""
    if any(isinstance(getattr(cls, n), FunctionType) for n in ("__init__", "__str__")):
        return None
    rest = iter(values)
    args: list[Any] = []
    for entry in entries:
        if not isinstance(entry, tuple):
            args.append(entry)
        elif entry[0]:
            args.append(Formatted(entry[1], tuple(islice(rest, entry[2])), entry[0]))
        else:
            args.append(m.wrap(next(rest)))
    return Record(cls, {"args": tuple(args)})


def of_error(x: Any) -> Any:
    """``str(x)`` of an exception with a single argument; ``NotImplemented`` of anything else."""
    if not isinstance(x, Record) or not issubclass(x.cls, BaseException):
        return NotImplemented
    args = x.data["args"]
    if len(args) != 1:
        return NotImplemented
    [only] = args
    if isinstance(only, Value | Ref):
        return NotImplemented if isinstance(only, Ref) else Formatted("{}", (only,))
    return only if isinstance(only, Formatted) else str(only)


def message(m: Machine, node: ast.AST, x: Any) -> tuple[Any, list[Value]]:
    """An argument of ``print`` or of an exception: how the entry is written, and the runtime
    values in it."""
    told = of_error(x)
    x = x if told is NotImplemented else told
    if type(x) is tuple and any_runtime(x):
        text, values = _shown(m, node, x)
        x = Formatted(text, tuple(values))
    if isinstance(x, Formatted):
        return (x.how, x.text, len(x.values)), list(x.values)
    if isinstance(x, Value | Ref):
        return ("", "", 1), [_read(m, x)]
    try:
        known = plain(m, x)
    except LookupError:
        raise UnsupportedSyntaxError(
            "containers of runtime values cannot be shown; show the values themselves",
            m.span(node),
        ) from None
    return (known if isinstance(known, PLAIN) else str(known)), []
