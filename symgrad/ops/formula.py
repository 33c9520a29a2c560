"""Derivative formulas: text in the names of inputs, ``out`` and ops, turned into rules.

A formula is a slope. ``scaled`` multiplies it by an adjoint in the form that is cheapest to
compute: ``1 / (2 * out)`` scales ``g`` to ``g / (2 * out)``, and ``where(c, a, 0)`` scales it
to ``where(c, g * a, 0)``, a hard zero. ``over(a, b)`` is ``a / b`` whose tangent stays zero
where it is zero, for slopes that are infinite at a point. A call whose first argument is
``seed``, in which it is linear, takes the adjoint there.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping
from typing import Any

from ..ir.expr import Expr, f
from ..ir.types import ScalarType, is_complex
from .masks import select

Names = Mapping[str, Any]

BINARY: dict[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}


def parse(text: str) -> ast.expr:
    """The formula's syntax tree.

    Raises:
        ValueError: something other than arithmetic, comparisons, names, numbers and calls.
    """
    node = ast.parse(text.strip(), mode="eval").body
    for part in ast.walk(node):
        if not isinstance(part, _ALLOWED):
            raise ValueError(
                f"{type(part).__name__} is not allowed in the formula {text!r}"
            )
    return node


_ALLOWED = (
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Call, ast.Compare,
    ast.operator, ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def build(node: ast.expr, names: Names) -> Any:
    """The formula's value: an expression, or a number where no input takes part."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names[name] if name in names else getattr(math, name)
        case ast.UnaryOp(operand=operand):
            return -build(operand, names)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, build(left, names), build(right, names))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return getattr(f, COMPARE[type(op)])(build(left, names), build(right, names))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, [build(a, names) for a in args])
    raise ValueError(f"{ast.unparse(node)} cannot stand in a formula")


def _binary(op: ast.operator, x: Any, y: Any) -> Any:
    # A Python float's ``**`` raises OverflowError where ``*`` gives inf.
    if isinstance(op, ast.Pow) and y == 2 and isinstance(x, Expr) and _is_scalar(x):
        return x * x
    return BINARY[type(op)](x, y)


def _call(name: str, args: list[Any]) -> Any:
    if any(isinstance(a, Expr) for a in args):
        return getattr(f, name)(*args)
    return getattr(math, name)(*args)


def _is_scalar(x: Expr) -> bool:
    return isinstance(x.type, ScalarType)


def scaled(node: ast.expr, g: Expr, names: Names, *, conjugate: bool) -> Any:
    """``g`` times the formula; None for zero. ``conjugate`` takes the slope's conjugate, as
    adjoints of complex numbers need it."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = scaled(operand, g, names, conjugate=conjugate)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            inner = scaled(left, g, names, conjugate=conjugate)
            divisor = _conjugated(build(right, names), conjugate)
            return None if inner is None else inner / divisor
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            inner = scaled(left, g, names, conjugate=conjugate)
            return None if inner is None else times(inner, build(right, names), conjugate)
        case ast.Call(func=ast.Name(id="over"), args=[above, below]):
            inner = scaled(above, g, names, conjugate=conjugate)
            divisor = _conjugated(build(below, names), conjugate)
            return inner / divisor if conjugate else f.over(inner, divisor)
        case ast.Call(func=ast.Name(id="where"), args=[condition, a, b]):
            parts = [scaled(p, g, names, conjugate=conjugate) for p in (a, b)]
            return _choice(build(condition, names), *parts)
        case ast.Call(args=[ast.Name(id="seed"), *_]):
            seeded = build(node, {**names, "seed": _conjugated(g, conjugate)})
            return _conjugated(seeded, conjugate)
    return times(g, build(node, names), conjugate)


def _choice(condition: Expr, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return select(condition, b if a is None else a, keep=a is not None)
    return f.where(condition, a, b)


def times(g: Expr, slope: Any, conjugate: bool = False) -> Any:
    """``g * slope``; None for a zero slope."""
    if isinstance(slope, int | float):
        return None if slope == 0 else g if slope == 1 else -g if slope == -1 else slope * g
    return g * _conjugated(slope, conjugate)


def _conjugated(slope: Any, conjugate: bool) -> Any:
    if conjugate and isinstance(slope, Expr) and is_complex(slope.type):
        return f.conjugate(slope)
    return slope
