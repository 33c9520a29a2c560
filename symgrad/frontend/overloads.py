"""Operators and comparisons of objects of the user's classes: which method Python asks first
(Python reference, data model, 3.3.8), and how NumPy treats such objects on its right."""

from __future__ import annotations

import ast
import dataclasses
import types
from typing import Any

from ..errors import UnsupportedSyntaxError
from ..ir.types import ArrayType, ScalarType
from .machine import Machine
from .names.captures import Found
from .protocols import call_special, user_class
from .values import Record, is_runtime

BINARY: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
UNARY: dict[type[ast.AST], str] = {
    ast.USub: "__neg__",
    ast.UAdd: "__pos__",
    ast.Invert: "__invert__",
}
COMPARE: dict[type[ast.AST], tuple[str, str]] = {
    ast.Eq: ("__eq__", "__eq__"),
    ast.NotEq: ("__ne__", "__ne__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
}

_ITEMS = {"f": "float", "i": "int", "u": "int", "b": "bool", "c": "complex"}
_ARRAYLIKE = ("__array__", "__array_interface__", "__buffer__", "__getitem__")


def concerns(*operands: Any) -> bool:
    """Whether an operator on ``operands`` may be a method of the user's: one is an object made
    in the function, or one is captured and meets a runtime value."""
    if any(isinstance(x, Record) for x in operands):
        return True
    if not any(user_class(x) is not None for x in operands):
        return False
    return any(is_runtime(x) for x in operands) or not any(
        isinstance(x, Found) for x in operands
    )


def binary(m: Machine, node: ast.AST, op: ast.operator, x: Any, y: Any) -> Any:
    """``x op y`` by ``__op__`` of one or ``__rop__`` of the other."""
    name = BINARY[type(op)]
    return _either(
        m, node, x, y, f"__{name}__", f"__r{name}__", user_class(x) is user_class(y)
    )


def in_place(m: Machine, node: ast.AST, op: ast.operator, x: Any, y: Any) -> Any:
    """``x op= y`` by ``__iop__``."""
    return call_special(m, node, x, f"__i{BINARY[type(op)]}__", y)


def compare(m: Machine, node: ast.AST, op: ast.cmpop, x: Any, y: Any) -> Any:
    """``x op y`` by the methods of either, the fields of dataclasses, or identity."""
    name, reflected = COMPARE[type(op)]
    if _is_generated(x, name) or _is_generated(y, reflected):
        return _by_fields(m, node, op, x, y)
    found = _either(m, node, x, y, name, reflected, False)
    tuples = isinstance(x, tuple) and isinstance(y, tuple)  # compared as such
    if found is not NotImplemented or tuples or not isinstance(op, ast.Eq | ast.NotEq):
        return found
    if isinstance(op, ast.NotEq):
        from .operations import compare_values, negated

        return negated(m, node, compare_values(m, node, ast.Eq(), x, y))
    return x is y


def _either(
    m: Machine, node: ast.AST, x: Any, y: Any, name: str, reflected: str, once: bool
) -> Any:
    """The first method that answers; a subclass on the right is asked first."""
    attempts = [(x, name, y), (y, reflected, x)]
    if _overrides(user_class(y), user_class(x), reflected):
        attempts.reverse()
    for receiver, method, other in attempts[: 1 if once else 2]:
        other = _as_numpy_passes_it(m, node, other, receiver) if receiver is y else other
        result = call_special(m, node, receiver, method, other)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _overrides(cls: type | None, base: type | None, name: str) -> bool:
    """Whether ``cls`` is a subclass of ``base`` with a method of its own."""
    if cls is None or base is None or cls is base or not issubclass(cls, base):
        return False
    return getattr(cls, name, None) is not getattr(base, name, None)


def _as_numpy_passes_it(m: Machine, node: ast.AST, x: Any, receiver: Any) -> Any:
    """What the reflected method gets of a runtime value on the left: a number of Python's is
    passed as it is, everything if the class asks for that, else of a NumPy scalar its item."""
    cls = user_class(receiver)
    if not is_runtime(x) or isinstance(x.type, ScalarType):
        return x
    if cls is None or getattr(cls, "__array_ufunc__", cls) is None:
        return x
    if (
        isinstance(x.type, ArrayType)
        and not x.type.shape
        and not any(hasattr(cls, name) for name in _ARRAYLIKE)
    ):
        return m.wrap(m.builder.op("item", x, kind=_ITEMS[x.type.dtype.kind]))
    raise UnsupportedSyntaxError(
        f"NumPy takes a {cls.__name__} on the right of an array for an array or an element; "
        f"swap the operands, or set `__array_ufunc__ = None` in {cls.__name__}",
        m.span(node),
    )


def _is_generated(x: Any, name: str) -> bool:
    """Whether ``dataclasses`` has written the method."""
    cls = user_class(x)
    method = getattr(cls, name, None)
    return (
        dataclasses.is_dataclass(cls)
        and isinstance(method, types.FunctionType)
        and method.__code__.co_filename.startswith("<")
    )


def _by_fields(m: Machine, node: ast.AST, op: ast.cmpop, x: Any, y: Any) -> Any:
    from .attributes import get_attribute
    from .operations import compare_values

    cls = user_class(x)
    if cls is None or cls is not user_class(y):
        equality = isinstance(op, ast.Eq | ast.NotEq)
        return isinstance(op, ast.NotEq) if equality else NotImplemented
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    a, b = (tuple(get_attribute(m, node, z, name) for name in names) for z in (x, y))
    return compare_values(m, node, op, a, b)
