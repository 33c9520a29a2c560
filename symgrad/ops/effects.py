"""Prints, asserts and raises: kept, in their order, and never done twice."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any, NoReturn

from ..ir.opdef import REQUIRED
from ..ir.types import BOOL, Type
from ..ir.values import Value
from .kernels import text_of
from .rules import batching as batching
from .table import op


def _infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return BOOL


def _error(attrs: dict[str, Any]) -> ast.expr:
    args: list[ast.expr] = [ast.Constant(a) for a in attrs["args"]]
    return ast.Call(ast.Name(attrs["error"]), args, [])


def _emit_require(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Call(ast.Name("_require"), [inputs[0], _error(attrs)], [])


def _raised(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """The exception that a ``raise`` makes."""
    rest = iter(inputs)
    cls = ast.Name(attrs["error"]) if attrs["error"] else next(rest)
    return ast.Call(cls, [_message(a, rest) for a in attrs["args"]], [])


def _message(part: Any, values: Iterator[ast.expr]) -> ast.expr:
    if not isinstance(part, tuple):
        return ast.Constant(part)
    how, text, count = part
    if how in ("tuple", "list", "dict"):
        keys, *parts = text
        made = [_message(p, values) for p in parts]
        if how == "dict":
            return ast.Dict([ast.Constant(k) for k in keys], list(made))
        return ast.Tuple(made) if how == "tuple" else ast.List(made, ast.Load())
    filled = [next(values) for _ in range(count)]
    if not how:
        return filled[0]
    if how == "%":
        given = filled[0] if count == 1 else ast.Tuple(filled)
        return ast.BinOp(ast.Constant(text), ast.Mod(), given)
    return ast.Call(ast.Attribute(ast.Constant(text), "format"), filled, [])


def _emit_raise(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Call(ast.Name("_raise"), [_raised(inputs, attrs)], [])


def _require_statement(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    test = ast.UnaryOp(ast.Not(), inputs[0])
    return ast.If(test, [ast.Raise(_error(attrs), None)], [])


def _raise_statement(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    return ast.Raise(_raised(inputs, attrs), None)


def _emit_require_length(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    args = [inputs[0], ast.Constant(attrs["count"])]
    least = [ast.keyword("least", ast.Constant(True))] if attrs["least"] else []
    return ast.Call(ast.Name("_require_length"), args, least)


def _emit_print(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    rest = iter(inputs)
    args = [_message(part, rest) for part in attrs["parts"]]
    options = [ast.keyword(k, ast.Constant(v)) for k, v in attrs["options"]]
    return ast.Call(ast.Name("print"), args, options)


def is_builtin_error(cls: Any) -> bool:
    """Whether generated code can raise ``cls`` by its name."""
    return (
        isinstance(cls, type)
        and issubclass(cls, Exception)
        and getattr(builtins, cls.__name__, None) is cls
    )


def _require(condition: Any, error: BaseException) -> bool:
    """Raise ``error`` unless the condition holds."""
    if not condition:
        raise error
    return True


op(
    "require",
    "condition",
    _infer,
    _emit_require,
    emit_effect=_require_statement,
    attrs={"error": "AssertionError", "args": ()},
    traits="effect nondiff",
    helper=text_of(_require),
    batch=batching.require,
    doc="An assert: the error, named and with its arguments, where the condition is false.",
)


def _require_length(length: int, count: int, least: bool = False) -> bool:
    """Raise Python's error unless ``length`` elements can be assigned to ``count`` names."""
    if length < count:
        text = "not enough values to unpack (expected %s%d, got %d)"
        raise ValueError(text % ("at least " if least else "", count, length))
    if length > count and not least:
        text = "too many values to unpack (expected %d)"
        raise ValueError(text % count)
    return True


op(
    "require_length",
    "length",
    _infer,
    _emit_require_length,
    attrs={"count": REQUIRED, "least": False},
    traits="effect nondiff unpacks",
    helper=text_of(_require_length),
    doc="What ``a, b = x`` asks of the length of ``x``; ``least``: ``a, b, *c = x``.",
)


def _raise(error: BaseException) -> NoReturn:
    """Raise ``error``; for use in an expression."""
    raise error


op(
    "raise",
    "*values",
    _infer,
    _emit_raise,
    emit_effect=_raise_statement,
    attrs={"error": REQUIRED, "args": ()},
    traits="effect nondiff",
    helper=text_of(_raise),
    doc=(
        "A raise of a builtin error, or where `error` is empty of the class that is the first "
        'value. Tuples in `args` are made of values: `("format", text, count)` and '
        '`("%", text, count)` of that many, `("", "", 1)` is one as it is, and '
        '`("tuple", (keys, *parts), count)`, also "list" and "dict", is a container of such.'
    ),
)
op(
    "print",
    "*values",
    _infer,
    _emit_print,
    attrs={"parts": REQUIRED, "options": ()},
    traits="effect nondiff",
    doc="A print; parts that are tuples are made of the inputs, as in `raise`.",
)
op(
    "discard",
    "x",
    _infer,
    "x",
    emit_effect=lambda inputs, attrs: ast.Expr(inputs[0]),
    traits="effect nondiff",
    batch=batching.discard,
    doc="Something computed only because it may raise.",
)
op(
    "try_note",
    "function *values",
    _infer,
    lambda inputs, attrs: ast.Call(inputs[0], inputs[1:], []),
    attrs={"key": REQUIRED},
    traits="effect nondiff notes",
    batch="each",
    doc="From here on, `function(*values)` gives what is to be called if the code raises.",
)
op(
    "try_begin",
    "",
    _infer,
    "True",
    attrs={"key": REQUIRED},
    traits="effect nondiff",
    doc="From here to the `try_end` of the same key, raising code calls what was noted last.",
)
op(
    "try_end",
    "*values",
    _infer,
    lambda inputs, attrs: ast.Constant(True),
    attrs={"key": REQUIRED},
    traits="effect nondiff",
    batch=batching.try_end,
    doc="The end of what began with `try_begin`; the values are in use until here.",
)

__all__ = ["is_builtin_error"]
