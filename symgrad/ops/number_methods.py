"""Methods and attributes of Python's numbers, and of NumPy's where those have them."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ..errors import DTypeError
from ..ir.expr import Expr, f, lift, one
from ..ir.opdef import REQUIRED
from ..ir.types import FLOAT, INT, ScalarType, Type
from ..ir.values import Value
from .operators import power
from .table import SURFACE, Surface, nondiff

NUMBER_METHODS: dict[str, Surface] = {}
"""What is called of a number, by the method's name; attributes are those without arguments."""
NUMBER_ATTRIBUTES: dict[str, Surface] = {}


def _infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return INT


nondiff("bit_length", "x", _infer, "x.bit_length()", batch="each",
        doc="How many bits it takes to write the magnitude of an int.")  # fmt: skip
nondiff(
    "ratio_part", "x", _infer, "x.as_integer_ratio()[part]", attrs={"part": REQUIRED},
    traits="of_finite", batch="each",
    doc="Numerator or denominator of the fraction that a float is.",
)  # fmt: skip
nondiff(
    "power_modulo", "x y z", _infer, "pow(x, y, z)", traits="of_units", batch="each",
    doc="A power of an int modulo another one.",
)  # fmt: skip


def has(x: Any, name: str) -> bool:
    """Whether a number, of this type, has the method or attribute in Python."""
    known = name in NUMBER_METHODS or name in NUMBER_ATTRIBUTES
    return known and not x.ndim and hasattr(_class(x), name)


def _class(t: Any) -> type:
    if isinstance(t, ScalarType):
        found: type = getattr(builtins, t.kind)
        return found
    known: type = t.dtype.type
    return known


def _method(table: dict[str, Surface], name: str) -> Callable[[Surface], Surface]:
    def register(function: Surface) -> Surface:
        table[name] = function
        return function

    return register


def _number(b: Any, x: Any) -> Expr:
    """One of Python's numbers."""
    value = Expr(b, lift(b, x))
    if isinstance(value.type, ScalarType):
        return value
    return one("item", value, kind="float" if value.dtype.kind == "f" else "int")


@_method(NUMBER_METHODS, "is_integer")
def _is_integer(b: Any, x: Any) -> Any:
    value = _number(b, x)
    return f.equal(value % 1.0, 0.0) if value.type == FLOAT else True


@_method(NUMBER_METHODS, "bit_length")
def _bit_length(b: Any, x: Any) -> Any:
    return f.bit_length(_number(b, x))


@_method(NUMBER_METHODS, "bit_count")
def _bit_count(b: Any, x: Any) -> Any:
    return f.bitwise_count(_number(b, x))


@_method(NUMBER_METHODS, "as_integer_ratio")
def _as_integer_ratio(b: Any, x: Any) -> Any:
    value = _number(b, x)
    if value.type != FLOAT:
        return value, 1
    return f.ratio_part(value, part=0), f.ratio_part(value, part=1)


NUMBER_ATTRIBUTES["numerator"] = _number
NUMBER_ATTRIBUTES["denominator"] = lambda b, x: 1


def _pow(b: Any, base: Any, exp: Any, mod: Any = None) -> Any:
    """``pow(base, exp)``, ``pow(base, exp, mod)``."""
    if mod is None:
        return power(b, base, exp)
    values = [Expr(b, lift(b, v)) for v in (base, exp, mod)]
    if any(v.type != INT for v in values):
        raise DTypeError("pow() with three arguments takes Python's ints")
    return f.power_modulo(*values)


SURFACE[pow] = _pow

__all__ = ["NUMBER_ATTRIBUTES", "NUMBER_METHODS", "has"]
