"""Functions of whole numbers, and of the parts that floats are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from .elementwise import PYTHON, elementwise
from .rules.arguments import as_array
from .table import SURFACE, surface

elementwise("gcd", inputs="x y", scalar="same", traits="nondiff commutative",
            doc="The greatest common divisor.")  # fmt: skip
elementwise("lcm", inputs="x y", scalar="same", traits="nondiff commutative",
            emit_scalar="math.lcm(x, y)", doc="The least common multiple.")  # fmt: skip
elementwise("bitwise_count", scalar="int", emit_scalar="x.bit_count()", traits="nondiff",
            doc="How many bits are 1 in the magnitude.")  # fmt: skip
elementwise("spacing", traits="nondiff", emit_scalar="float(np.spacing(x))",
            kink="0 everywhere", doc="The distance to the next float.")  # fmt: skip
elementwise("nextafter", inputs="x y", derivative={"x": "1"}, kink="1 to x, 0 to y",
            doc="The float after x on the way to y.")  # fmt: skip
elementwise(
    "ldexp", inputs="x y", vjp={"x": lambda g, y: f.ldexp(g, y)},
    jvp={"x": lambda t, y: f.ldexp(t, y)}, doc="x * 2**y.",
)  # fmt: skip


def _infer_mantissa(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = inputs[0].type
    dtype = np.frexp(np.zeros(0, t.dtype))[0].dtype  # type: ignore[union-attr]
    return ArrayType(dtype, t.shape)  # type: ignore[union-attr]


def _infer_exponent(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.int32), inputs[0].type.shape)  # type: ignore[union-attr]


elementwise(
    "exponent", infer=_infer_exponent, emit="np.frexp(x)[1]", calls=(), traits="nondiff",
    doc="The power of 2 in a float.",
)  # fmt: skip
elementwise(
    "mantissa", infer=_infer_mantissa, emit="np.frexp(x)[0]", calls=(),
    vjp={"x": lambda g, x: f.ldexp(g, -f.exponent(x))},
    jvp={"x": lambda t, x: f.ldexp(t, -f.exponent(x))},
    kink="constant exponent", doc="A float without its power of 2, 0.5 to 1.",
)  # fmt: skip
for _name, _text in {
    "isposinf": "plus infinity", "isneginf": "minus infinity",
}.items():  # fmt: skip
    elementwise(
        _name, ufunc=np.isinf, emit=f"np.{_name}(x)", calls=(getattr(np, _name),), scalar="bool",
        traits="nondiff", doc=f"Where x is {_text}.",
    )  # fmt: skip
for _name, _text in {"iscomplex": "not real", "isreal": "real"}.items():
    elementwise(
        _name, ufunc=np.isfinite, emit=f"np.{_name}(x)", calls=(getattr(np, _name),),
        scalar="bool", traits="nondiff", doc=f"Where x is {_text}.",
    )  # fmt: skip


@surface(np.frexp)
def _frexp(b: Any, x: Any) -> Any:
    value = as_array(b, x)
    return f.mantissa(value), f.exponent(value)


SURFACE[np.iscomplexobj] = lambda b, x: as_array(b, x).dtype.kind == "c"
SURFACE[np.isrealobj] = lambda b, x: as_array(b, x).dtype.kind != "c"


@surface(np.real_if_close)
def _real_if_close(b: Any, a: Any, tol: Any = 100) -> Any:
    x = as_array(b, a)
    if x.dtype.kind == "c":
        raise UnsupportedFunctionError(
            "whether np.real_if_close of a complex array is real is known at run time only; "
            "use x.real"
        )
    return x


@surface(np.result_type)
def _result_type(b: Any, *arrays_and_dtypes: Any) -> Any:
    """``np.result_type`` of arrays: their dtypes are known, Python's numbers are weak."""
    return np.result_type(*map(_weak, arrays_and_dtypes))


def _weak(x: Any) -> Any:
    if not isinstance(x, Expr):
        return x
    if isinstance(x.type, ScalarType):
        return PYTHON.get(x.type.kind, bool)(0)
    return x.dtype
