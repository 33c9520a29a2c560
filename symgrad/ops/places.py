"""Dicts whose keys are known at run time only: what is kept is where each key's value stands in a
list. Keys are numbers, or tuples of numbers, and have no derivative."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..ir.opdef import REQUIRED
from ..ir.types import BOOL, INT, Type
from ..ir.values import Value
from .kernels import text_of
from .rules.infer import same
from .table import nondiff


def _forget(places: Any, key: Any) -> None:
    """Take a key out; those behind it move up."""
    taken = places.pop(key)
    for other, at in places.items():
        if at > taken:
            places[other] = at - 1


def _infer(result: Type) -> Callable[..., Type]:
    def infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
        return result

    return infer


def _made(dims: Any, inputs: tuple[Value, ...], type: Type) -> Type:
    return type


def _key(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    parts = inputs[1:]
    return ast.Tuple(parts, ast.Load()) if attrs["together"] else parts[0]


def _get(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Subscript(inputs[0], _key(inputs, attrs), ast.Load())


def _has(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Compare(_key(inputs, attrs), [ast.In()], [inputs[0]])


def _add(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    size = ast.Call(ast.Name("len"), [inputs[0]], [])
    return ast.Assign([ast.Subscript(inputs[0], _key(inputs, attrs), ast.Store())], size)


def _drop(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    call = ast.Call(ast.Name("_forget"), [inputs[0], _key(inputs, attrs)], [])
    return ast.Expr(call)


KEY: dict[str, Any] = {"together": REQUIRED}
"""The attribute of what takes a key: its parts are a tuple ``together``, or it has one only."""

nondiff(
    "places_new",
    "",
    _made,
    "{}",
    attrs={"type": REQUIRED},
    traits="list allocates",
    doc="An empty dict, for positions in a list by key.",
)
nondiff(
    "places_get",
    "places *key",
    _infer(INT),
    _get,
    attrs=KEY,
    traits="list",
    doc="The position of a key that is there.",
)
nondiff(
    "places_has",
    "places *key",
    _infer(BOOL),
    _has,
    attrs=KEY,
    traits="list",
    doc="Whether a key is there.",
)
nondiff(
    "places_add",
    "places *key",
    same,
    None,
    emit_store=_add,
    attrs=KEY,
    traits="list store",
    doc="With one more key, at the end.",
)
nondiff(
    "places_drop",
    "places *key",
    same,
    None,
    emit_store=_drop,
    attrs=KEY,
    traits="list store",
    helper=text_of(_forget),
    doc="Without a key; those behind it move up.",
)
