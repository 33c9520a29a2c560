"""Texts with runtime values in them: f-strings, ``%``, ``str.format``, ``str``, ``repr``, and what
is put together of these, for ``print`` and ``raise``. What is known when compiling is formatted
then."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from string import Formatter
from types import FunctionType
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.types import ArrayType, ScalarType
from ...ir.values import Value
from ..dispatch import evaluate, expression
from ..heap import children
from ..machine import Machine
from ..names.captures import Found
from ..names.static import opened, plain
from ..values import (
    MISSING,
    Cell,
    DictObject,
    Formatted,
    ListObject,
    Maybe,
    Record,
    Ref,
    Rows,
    any_runtime,
    is_long,
)

LITERAL = (str, int, float, bool, type(None), complex, bytes)
"""Types of what is written into the code as it is."""


@expression(ast.JoinedStr)
def joined(m: Machine, node: ast.JoinedStr) -> Any:
    """``f"..."``."""
    made = _Made()
    for part in node.values:
        if isinstance(part, ast.Constant):
            made.add(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        value = evaluate(m, part.value)
        suffix = "" if part.conversion < 0 else f"!{chr(part.conversion)}"
        if part.format_spec is not None:
            suffix += f":{_spec(m, part)}"
        made.put(m, part, value, suffix)
    return made.text()


class _Made:
    """A text being put together: known parts, and runtime values with the way each is shown."""

    def __init__(self) -> None:
        self.format = ""
        self.values: list[Value] = []

    def add(self, text: str) -> None:
        """Known text."""
        self.format += text.replace("{", "{{").replace("}", "}}")

    def put(self, m: Machine, node: ast.AST, value: Any, suffix: str = "") -> None:
        """A value, formatted as ``suffix`` says."""
        value = _looked_at(m, value)
        if isinstance(value, Value | Ref):
            self.format += "{" + suffix + "}"
            self.values.append(_read(m, value))
        elif isinstance(value, Formatted):
            if suffix not in ("", "!s") or value.how != "format":
                raise UnsupportedSyntaxError(
                    "a text with runtime values in it cannot be formatted once more: format the "
                    "values themselves",
                    m.span(node),
                )
            self.format += value.text
            self.values += value.values
        elif _holds_values(value) and suffix in ("", "!s", "!r"):
            self._show(m, node, value)
        else:
            self.add(("{0" + suffix + "}").format(_known(m, node, value)))

    def text(self) -> Any:
        """The whole."""
        if not self.values:
            return self.format.format()
        return Formatted(self.format, tuple(self.values))

    def _show(self, m: Machine, node: ast.AST, x: Any) -> None:
        """``repr`` of a container, or of what is in one."""
        if not _holds_values(x):
            self.put(m, node, x, "!r")
            return
        if isinstance(x, DictObject):
            entries = [((repr(k) + ": "), v) for k, v in x.items.items()]
            first, last = "{", "}"
        else:
            entries = [("", item) for item in (x if type(x) is tuple else x.items)]
            first, last = ("(", ",)" if len(x) == 1 else ")") if type(x) is tuple else "[]"
        self.add(first)
        for number, (key, value) in enumerate(entries):
            self.add((", " if number else "") + key)
            self._show(m, node, value)
        self.add(last)


def _holds_values(x: Any) -> bool:
    """Whether ``x`` is a container of a known number of things, with runtime values in it."""
    if type(x) is not tuple and not isinstance(x, ListObject | DictObject):
        return False
    return not is_long(x) and any_runtime(children(x))


def together(m: Machine, node: ast.AST, parts: Iterable[Any], between: Any = "") -> Any:
    """``between.join(parts)``, one with runtime values among them."""
    made = _Made()
    for number, part in enumerate(parts):
        for one in (between, part) if number else (part,):
            if not isinstance(one, str | Formatted):
                raise UnsupportedSyntaxError("only texts can be joined", m.span(node))
            made.put(m, node, one)
    return made.text()


def shown(m: Machine, node: ast.AST, x: Any, suffix: str) -> Any:
    """``str(x)``, ``repr(x)`` or ``format(x, ...)``; ``NotImplemented`` of objects."""
    x = _looked_at(m, x)
    mine = isinstance(x, Value | Ref | Formatted | np.generic) or type(x) in LITERAL
    if not mine and not _is_container(x):
        return NotImplemented
    made = _Made()
    made.put(m, node, x, suffix)
    return made.text()


def _looked_at(m: Machine, x: Any) -> Any:
    """What is shown of ``x``: of a caught exception its message, a list whose length is known at
    run time only as the list that the code has."""
    told = of_error(x)
    if told is not NotImplemented:
        return told
    if isinstance(x, Rows) and not x.depth:
        from ..lists.calls import listed

        x = listed(m, x)
    if is_long(x) and isinstance(x.data["items"].element, ScalarType | ArrayType):
        return x.data["items"].lists[0]
    return opened(m, x) if isinstance(x, Found) else x


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
    """``text % given`` with a runtime value in ``given``: as ``str.format`` has it where that
    says the same."""
    args = given if isinstance(given, tuple) else (given,)
    made = _as_format(m, node, text, list(args), given)
    if made is not None:
        return made.text()
    if not all(isinstance(x, Value | Ref | int | float) for x in args):
        raise _not_so(m, node)
    read = [m.builder.const(x) if isinstance(x, int | float) else _read(m, x) for x in args]
    return Formatted(text, tuple(read), "%")


def _as_format(
    m: Machine, node: ast.AST, text: str, args: list[Any], given: Any
) -> _Made | None:
    made, end = _Made(), 0
    for found in _PERCENT.finditer(text):
        made.add(text[end : found.start()])
        end = found.end()
        if found["kind"] == "%":
            made.add("%")
        else:
            key = found["key"]
            named = isinstance(given, DictObject) and key is not None
            value = given.items.get(key, MISSING) if named else MISSING
            value = args.pop(0) if args and not named else value
            suffix = _suffix(found, value)
            if suffix is None:
                return None
            made.put(m, node, value, suffix)
    made.add(text[end:])
    if "%" in _PERCENT.sub("", text) or (args and not isinstance(given, DictObject)):
        return None
    return made


_PERCENT = re.compile(
    r"%(\((?P<key>\w+)\))?(?P<flags>[-+ 0]*)(?P<width>\d*(\.\d+)?)(?P<kind>[srdifFeEgG%])"
)


def _suffix(found: re.Match[str], value: Any) -> str | None:
    """What ``str.format`` takes for a place of the operator ``%``; None where that is not the
    same."""
    kind, flags, width = found["kind"], found["flags"], found["width"]
    whole = isinstance(value, int) or (
        isinstance(value, Value)
        and isinstance(value.type, ArrayType | ScalarType)
        and value.type.dtype.kind in "iu"
    )
    number = isinstance(value, Value | int | float)
    if (
        value is MISSING
        or (kind in "di" and not whole)
        or (kind not in "sr" and not number)
    ):
        return None
    if kind in "sr":
        side = "" if not width else "<" if "-" in flags else ">"
        return f"!{kind}" + (f":{side}{width}" if width else "")
    side = "<" if "-" in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and not side else ""
    return f":{side}{sign}{zero}{width}{'d' if kind == 'i' else kind}"


def _not_so(m: Machine, node: ast.AST) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        "runtime values cannot be put into this text this way; use an f-string",
        m.span(node),
    )


def formatted(
    m: Machine, node: ast.AST, text: str, args: tuple[Any, ...], named: Mapping[str, Any]
) -> Any:
    """``text.format(*args, **named)``."""
    made, number = _Made(), 0
    for before, field, spec, conversion in Formatter().parse(text):
        made.add(before)
        if field is None:
            continue
        key: Any = field
        if not field:
            key, number = number, number + 1
        elif field.isdigit():
            key = int(field)
        places: Any = args if isinstance(key, int) else named
        there = key < len(args) if isinstance(key, int) else key in named
        if not there or "{" in (spec or ""):
            raise _not_so(m, node)
        suffix = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        made.put(m, node, places[key], suffix)
    return made.text()


def error(cls: type[BaseException], args: tuple[Any, ...]) -> Record | None:
    """An exception with these arguments; None where its class does something of its own with
    them."""
    if any(isinstance(getattr(cls, n), FunctionType) for n in ("__init__", "__str__")):
        return None
    return Record(cls, {"args": args})


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
    whole = isinstance(only, Formatted | Cell) or any_runtime(only)
    return only if whole else str(only)


def message(m: Machine, node: ast.AST, x: Any) -> tuple[Any, list[Value]]:
    """An argument of ``print`` or of an exception: how the entry is written, and the runtime
    values in it."""
    x = _looked_at(m, x)
    if _is_container(x):
        try:
            return _container(m, node, x)
        except _NoLiteral:
            made = _Made()
            made._show(m, node, x)
            x = made.text()
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
    if isinstance(known, np.generic | np.ndarray):
        return ("", "", 1), [m.builder.const(known)]
    return (known if type(known) in LITERAL else str(known)), []


class _NoLiteral(Exception):
    """Something in a container cannot be written into the code."""


def _is_container(x: Any) -> bool:
    return type(x) is tuple or isinstance(x, ListObject | DictObject) and not is_long(x)


def _is_literal(x: Any) -> bool:
    return all(map(_is_literal, x)) if type(x) is tuple else type(x) in LITERAL


_KINDS: dict[type, str] = {ListObject: "list", DictObject: "dict"}


def _container(
    m: Machine, node: ast.AST, x: tuple[Any, ...] | ListObject | DictObject
) -> tuple[Any, list[Value]]:
    items = x if isinstance(x, tuple) else x.items
    keys = tuple(items) if isinstance(items, dict) else ()
    parts, values = [], []
    if not _is_literal(keys):
        raise _NoLiteral
    for item in items.values() if isinstance(items, dict) else items:
        part, inserted = (_container if _is_container(item) else message)(m, node, item)
        if type(part) is str and part is not item:
            raise _NoLiteral
        parts.append(part)
        values += inserted
    kind = "tuple" if isinstance(x, tuple) else _KINDS[type(x)]
    return (kind, (keys, *parts), len(values)), values
