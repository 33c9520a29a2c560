"""Expressions: an op's template filled with the expressions of its inputs and attributes."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InternalError
from ..ir.opdef import OpDef
from ..ir.types import ScalarType
from ..ir.values import Op


def dotted(*names: str) -> ast.expr:
    """``a.b.c``."""
    node: ast.expr = ast.Name(names[0])
    for name in names[1:]:
        node = ast.Attribute(node, name)
    return node


def constant(value: Any) -> ast.expr:
    """A constant as it is written: Python and NumPy scalars, arrays, dtypes, containers.

    >>> ast.unparse(constant(np.float32(0.5)))
    'np.float32(0.5)'
    """
    if isinstance(value, np.bool_):
        return ast.Call(dotted("np", "bool_"), [ast.Constant(bool(value))], [])
    if isinstance(value, np.generic):
        return ast.Call(dotted("np", value.dtype.name), [constant(_shortest(value))], [])
    if isinstance(value, np.ndarray):
        dtype = ast.keyword("dtype", constant(value.dtype))
        return ast.Call(dotted("np", "array"), [constant(value.tolist())], [dtype])
    if isinstance(value, np.dtype):
        return dotted("np", "bool_" if value == np.bool_ else value.name)
    if isinstance(value, type) and issubclass(value, np.generic):
        return constant(np.dtype(value))
    if isinstance(value, tuple):
        return ast.Tuple([constant(v) for v in value])
    if isinstance(value, list):
        return ast.List([constant(v) for v in value])
    if isinstance(value, dict):
        return ast.Dict([constant(k) for k in value], [constant(v) for v in value.values()])
    if isinstance(value, slice):
        parts = [constant(p) for p in (value.start, value.stop, value.step)]
        return ast.Call(ast.Name("slice"), parts, [])
    if isinstance(value, float | complex):
        return _number(value)
    if value is None or value is ... or isinstance(value, bool | int | str | bytes):
        return _number(value) if type(value) is int else ast.Constant(value)
    raise InternalError(f"{value!r} cannot be written as a constant")


def _shortest(value: np.generic) -> Any:
    """The Python number with the fewest digits that NumPy rounds to ``value``."""
    if value.dtype.kind == "f" and np.isfinite(value):
        short = float(str(value))
        if value.dtype.type(short) == value:
            return short
    return value.item()


def _number(value: Any) -> ast.expr:
    if isinstance(value, complex):
        if value.real == 0 and np.isfinite(value.imag) and np.copysign(1, value.real) > 0:
            return _number_sign(value.imag, lambda x: ast.Constant(complex(0, x)))
        return ast.Call(ast.Name("complex"), [_number(value.real), _number(value.imag)], [])
    if isinstance(value, float) and np.isnan(value):
        return dotted("np", "nan")
    if isinstance(value, float) and np.isinf(value):
        inf = dotted("np", "inf")
        return inf if value > 0 else ast.UnaryOp(ast.USub(), inf)
    return _number_sign(value, ast.Constant)


def _number_sign(value: Any, make: Any) -> ast.expr:
    if np.copysign(1, value) < 0:
        return ast.UnaryOp(ast.USub(), make(-value))
    return make(value)  # type: ignore[no-any-return]


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
    """The op's expression."""
    emit = template_of(op.kind, is_scalar(op))
    if emit is None:
        raise InternalError(f"op {op.name!r} has no expression")
    if not isinstance(emit, ast.AST):
        return emit(list(inputs), dict(op.attrs))  # type: ignore[no-any-return]
    return _Fill(op.kind, inputs, op.attrs).visit(emit)  # type: ignore[no-any-return]


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


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return (type(value), value)
