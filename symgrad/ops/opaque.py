"""Python code that runs as it is: calls of functions that are not compiled.

The callee is a runtime input like any other; it takes numbers and arrays and has to return
what ``results`` says, one value or a tuple of several. It may keep what it is given and may
return memory that is in use elsewhere, so neither is written to (the trait ``shares``).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, ObjectType, ScalarType, Type
from ..ir.values import Value
from .rules.refusals import pull, pull_first, push, push_first, refusal
from .table import op

Due = Any
"""A result's type: the name of a Python scalar's class, ``("object", class name)``, or
``(dtype, lengths)`` with for each length an int, ``(position, axis)`` for that of an argument,
or None for one that is known when running."""


def like(t: Type, position: int | None = None) -> Due:
    """A result of type ``t``: with the lengths of argument number ``position``, or any."""
    if isinstance(t, ScalarType):
        return t.kind
    if isinstance(t, ObjectType):
        return ("object", t.name)
    assert isinstance(t, ArrayType)
    lengths = (None if position is None else (position, axis) for axis in range(t.ndim))
    return (t.dtype.name, tuple(lengths))


def typed(due: Due, dims: Any = None, args: Sequence[Value] = ()) -> Type:
    """The type of a result."""
    if isinstance(due, str):
        return ScalarType(due)  # type: ignore[arg-type]
    first, rest = due
    if first == "object":
        return ObjectType(rest)
    shape = []
    for length in rest:
        if isinstance(length, tuple):
            position, axis = length
            length = args[position].type.shape[axis]  # type: ignore[union-attr]
        shape.append(dims.fresh() if length is None else length)
    return ArrayType(np.dtype(first), tuple(shape))


def _infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> tuple[Type, ...]:
    return tuple(typed(due, dims, inputs[1:]) for due in attrs["results"])


def _emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Call(inputs[0], inputs[1:], [])


def _call(name: str, traits: str, doc: str) -> None:
    op(
        name,
        "function *args",
        _infer,
        _emit,
        attrs={"results": REQUIRED, "rule": "", "name": "function"},
        vjp={"args": pull},
        jvp={"args": push},
        traits=f"shares once {traits}",
        batch="each",
        doc=f"{doc} A derivative through it is refused: of the gradient of `rule`, or of `name`.",
    )


_call(
    "call_python",
    "effect returns",
    "A call of Python code that is not compiled: made each time, in its place among others.",
)
_call(
    "call_rule",
    "",
    "A call of a rule that is not compiled: made in its place, unless nothing is read of it.",
)
op(
    "first_order",
    "x *args",
    lambda dims, inputs, **attrs: inputs[0].type,
    "x",
    attrs={"rule": REQUIRED, "name": ""},
    vjp={"x": pull_first, "args": pull_first},
    jvp={"x": push_first, "args": push_first},
    traits="view cheap marker once",
    put=lambda base, new, *args, **attrs: new,
    doc=(
        "A gradient by the rule called `rule`, which has been computed from `args` and is not "
        "differentiated again; or without a rule, a result of `name` that has none."
    ),
)


__all__ = ["Due", "like", "refusal", "typed"]
