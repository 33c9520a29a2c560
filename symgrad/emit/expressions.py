"""Expressions: an op's template filled with the expressions of its inputs and attributes."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InternalError, UnsupportedFunctionError
from ..ir.literals import Unwritable, constant
from ..ir.opdef import OpDef
from ..ir.types import ScalarType
from ..ir.values import Op


def dotted(*names: str) -> ast.expr:
    """``a.b.c``."""
    node: ast.expr = ast.Name(names[0])
    for name in names[1:]:
        node = ast.Attribute(node, name)
    return node


def attribute(name: str, value: Any) -> ast.expr:
    """An attribute of an op; one axis is written without its tuple."""
    if name == "axis" and isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    return constant(value)


def is_scalar(op: Op) -> bool:
    """Whether the op works on Python scalars alone."""
    return bool(op.inputs) and all(isinstance(v.type, ScalarType) for v in op.inputs)


def template_of(kind: OpDef, scalar: bool) -> Any:
    """The template that fits."""
    return kind.emit_scalar if scalar and kind.emit_scalar is not None else kind.emit


def build(op: Op, inputs: Sequence[ast.expr]) -> ast.expr:
    """The op's expression.

    Raises:
        UnsupportedFunctionError: an argument is an object that cannot be written down.
    """
    emit = template_of(op.kind, is_scalar(op))
    if emit is None:
        raise InternalError(f"op {op.name!r} has no expression", spot=op)
    try:
        if not isinstance(emit, ast.AST):
            return emit(list(inputs), dict(op.attrs))  # type: ignore[no-any-return]
        return _Fill(op.kind, inputs, op.attrs).visit(emit)  # type: ignore[no-any-return]
    except Unwritable as error:
        raise UnsupportedFunctionError(
            f"`{op.name}`: {error}; its arguments are arrays, numbers, texts, None, dtypes, and "
            "tuples and lists of these",
            op.span,
        ) from None


class _Fill:
    """A template with names replaced and default keyword arguments left out."""

    def __init__(
        self, kind: OpDef, inputs: Sequence[ast.expr], attrs: Mapping[str, Any]
    ) -> None:
        self.inputs = kind.named_inputs(tuple(inputs))
        self.attrs = attrs
        self.defaults = kind.attrs
        self.used: set[str] = set()

    def visit(self, node: Any) -> Any:
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Call):
            args = [part for arg in node.args for part in self._argument(arg)]
            keywords = [
                ast.keyword(k.arg, self.visit(k.value))
                for k in node.keywords
                if not self._default(k.value)
            ]
            return ast.Call(self.visit(node.func), args, keywords)
        if isinstance(node, list):
            return [self.visit(item) for item in node]
        if not isinstance(node, ast.AST) or isinstance(node, ast.Constant):
            return node
        return type(node)(
            **{name: self.visit(value) for name, value in ast.iter_fields(node)}
        )

    def _name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if name in self.inputs:
            found = self.inputs[name]
            if isinstance(found, tuple):
                return ast.Tuple(list(found))
            if name in self.used:
                return copy.deepcopy(found)  # type: ignore[no-any-return]
            self.used.add(name)
            return found  # type: ignore[no-any-return]
        if name in self.attrs:
            return attribute(name, self.attrs[name])
        return ast.Name(name)

    def _argument(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
            found = self.inputs.get(node.value.id)
            if isinstance(found, tuple):
                return list(found)
        return [self.visit(node)]

    def _default(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name) or node.id not in self.attrs:
            return False
        value, default = self.attrs[node.id], self.defaults.get(node.id)
        return type(value) is type(default) and bool(value == default)


class Widths:
    """Columns that an op's expression takes besides its inputs, measured once per kind."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def of(self, op: Op) -> int:
        """The width of ``op`` without its inputs."""
        attrs = tuple((name, _hashable(op.attrs[name])) for name in sorted(op.attrs))
        key = (op.kind, len(op.inputs), is_scalar(op), attrs)
        if key not in self._known:
            node = build(op, [ast.Name("x") for _ in op.inputs])
            self._known[key] = len(ast.unparse(node)) - len(op.inputs)
        return self._known[key]

    def of_store(self, op: Op) -> int:
        """The width of a statement that changes its first input, without its inputs."""
        assert op.kind.emit_store is not None
        names = ["long_name", *("x" for _ in op.inputs[1:])]
        node = op.kind.emit_store([ast.Name(name) for name in names], dict(op.attrs))
        return len(ast.unparse(ast.fix_missing_locations(node))) - sum(map(len, names))


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return (type(value), value)
