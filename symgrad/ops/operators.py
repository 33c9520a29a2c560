"""Python's operators: which surface function stands for which.

Each takes ``(b, x, y)`` with any mix of arrays, NumPy scalars and Python scalars, static or
not. Python scalars alone follow Python's rules, everything else NumPy's.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..ir.dims import at_least
from ..ir.expr import Expr, f
from ..ir.types import FLOAT, INT, ArrayType, ScalarType
from ..ir.values import Value
from .elementwise import strengthened
from .finite import sign
from .rules.arguments import as_array, as_expr
from .static import NeedsStatic, shown
from .table import SURFACE

Operator = Callable[..., Any]


def operands(b: Any, symbol: str, *args: Any) -> list[Expr]:
    """Operands as expressions; lists beside an array become arrays.

    Raises:
        InputTypeError: an operand that is neither a number nor an array.
    """
    has_array = any(
        isinstance(_type(a), ArrayType) or isinstance(a, np.ndarray) for a in args
    )
    for a in args:
        if isinstance(a, tuple | list) and has_array:
            continue
        number = isinstance(a, bool | int | float | complex | np.generic | np.ndarray)
        if not number and not isinstance(_type(a), ArrayType | ScalarType):
            raise InputTypeError(f"`{symbol}` of {shown(a)}: expected numbers or arrays")
    return [as_expr(b, a) for a in args]


def _type(x: Any) -> Any:
    return x.type if isinstance(x, Expr) else None


def plain(name: str, symbol: str) -> Operator:
    """The operator that is just the op."""

    def call(b: Any, *args: Any) -> Expr:
        return getattr(f, name)(*operands(b, symbol, *args))  # type: ignore[no-any-return]

    return call


def magnitude(b: Any, x: Any) -> Expr:
    """``abs(x)``."""
    [e] = operands(b, "abs", x)
    scalar = isinstance(e.type, ArrayType) and not e.type.shape
    return f.abs(e) if scalar else f.absolute(e)  # type: ignore[no-any-return]


def power(b: Any, x: Any, y: Any) -> Expr:
    """``x ** y``. An int to the power of an int is an int or a float, depending on the sign.

    Raises:
        NeedsStatic: two runtime ints, and the sign of the exponent is not known.
    """
    base, exponent = operands(b, "**", x, y)
    made: Expr = f.power(base, exponent)
    if base.type != INT or exponent.type != INT or _is_natural(b, exponent.value):
        return made
    if not b.dims.powers:
        raise NeedsStatic(exponent.value, sign=True)
    if b.dims.powers == "float":
        return f.joined(made, type=FLOAT)  # type: ignore[no-any-return]
    b.op("require", (exponent >= 0).value, error="TypeError", args=(_NO_INT,))
    return made


_NO_INT = "an int to a negative power is a float, and an int is needed"


def _is_natural(b: Any, exponent: Value) -> bool:
    """Whether an int is known not to be negative; a constant's sign is known to the op."""
    if exponent.is_constant or sign(exponent):
        return True
    d = exponent.dim
    return d is not None and at_least(b.dims.canonical(d), 0)


def matmul(b: Any, x: Any, y: Any) -> Any:
    """``x @ y``."""
    return SURFACE[np.matmul](b, *(as_array(b, v) for v in operands(b, "@", x, y)))


def positive(b: Any, x: Any) -> Expr:
    """``+x``."""
    return f.positive(*operands(b, "+", x))  # type: ignore[no-any-return]


def _divmod(b: Any, x: Any, y: Any) -> tuple[Expr, Expr]:
    x, y = operands(b, "divmod", x, y)
    known = y.value.is_constant and y.value.constant != 0
    if not known and all(isinstance(v.type, ScalarType) for v in (x, y)):
        text = _NO_QUOTIENT[FLOAT not in (x.type, y.type)]
        f.require(f.not_equal(y, 0), error="ZeroDivisionError", args=(text,))
    return f.floor_divide(x, y), f.remainder(x, y)


def _text(whole: bool) -> str:
    try:
        divmod(1 if whole else 1.0, 0)
    except ZeroDivisionError as error:
        return str(error)
    raise AssertionError


_NO_QUOTIENT = {whole: _text(whole) for whole in (True, False)}
"""What ``divmod`` by zero raises, of ints and of floats: not what ``//`` and ``%`` raise."""


def _np_divmod(b: Any, x: Any, y: Any) -> tuple[Expr, Expr]:
    return _divmod(b, *strengthened(b, (x, y)))


BINARY: dict[type[ast.operator], Operator] = {
    ast.Add: plain("add", "+"),
    ast.Sub: plain("subtract", "-"),
    ast.Mult: plain("multiply", "*"),
    ast.Div: plain("divide", "/"),
    ast.FloorDiv: plain("floor_divide", "//"),
    ast.Mod: plain("remainder", "%"),
    ast.Pow: power,
    ast.MatMult: matmul,
    ast.BitAnd: plain("bitwise_and", "&"),
    ast.BitOr: plain("bitwise_or", "|"),
    ast.BitXor: plain("bitwise_xor", "^"),
    ast.LShift: plain("left_shift", "<<"),
    ast.RShift: plain("right_shift", ">>"),
}
UNARY: dict[type[ast.unaryop], Operator] = {
    ast.USub: plain("negative", "-"),
    ast.UAdd: positive,
    ast.Invert: plain("invert", "~"),
    ast.Not: plain("not", "not"),
}
COMPARE: dict[type[ast.cmpop], Operator] = {
    ast.Eq: plain("equal", "=="),
    ast.NotEq: plain("not_equal", "!="),
    ast.Lt: plain("less", "<"),
    ast.LtE: plain("less_equal", "<="),
    ast.Gt: plain("greater", ">"),
    ast.GtE: plain("greater_equal", ">="),
}

_NAMED: dict[Any, Operator] = {
    operator.add: BINARY[ast.Add],
    operator.sub: BINARY[ast.Sub],
    operator.mul: BINARY[ast.Mult],
    operator.truediv: BINARY[ast.Div],
    operator.floordiv: BINARY[ast.FloorDiv],
    operator.mod: BINARY[ast.Mod],
    operator.pow: power,
    operator.matmul: matmul,
    operator.and_: BINARY[ast.BitAnd],
    operator.or_: BINARY[ast.BitOr],
    operator.xor: BINARY[ast.BitXor],
    operator.lshift: BINARY[ast.LShift],
    operator.rshift: BINARY[ast.RShift],
    operator.neg: UNARY[ast.USub],
    operator.pos: positive,
    operator.abs: magnitude,
    operator.invert: UNARY[ast.Invert],
    operator.not_: UNARY[ast.Not],
    operator.eq: COMPARE[ast.Eq],
    operator.ne: COMPARE[ast.NotEq],
    operator.lt: COMPARE[ast.Lt],
    operator.le: COMPARE[ast.LtE],
    operator.gt: COMPARE[ast.Gt],
    operator.ge: COMPARE[ast.GtE],
    abs: magnitude,
    pow: power,
    divmod: _divmod,
    np.divmod: _np_divmod,
}
SURFACE.update(_NAMED)
