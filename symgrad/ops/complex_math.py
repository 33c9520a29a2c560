"""``cmath``: functions of Python's complex numbers."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..ir.expr import Expr, f, lift
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from .elementwise import elementwise
from .static import need_static
from .table import SURFACE, nondiff, surface

IMPORTS = ("import cmath",)


def _infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    t = inputs[0].type
    complex_ = ScalarType("complex")
    return ArrayType(complex_.dtype, t.shape) if isinstance(t, ArrayType) else complex_


def _number(b: Any, x: Any, name: str) -> Expr:
    """A number as Python's complex one.

    Raises:
        InputTypeError: an array.
    """
    value = Expr(b, lift(b, x))
    if not isinstance(value.type, ScalarType | ArrayType) or value.type.ndim:
        raise InputTypeError(f"cmath.{name} takes a number, got {value.type}")
    return f.item(value, kind="complex")  # type: ignore[no-any-return]


def _function(name: str, numpy: str, slope: str) -> None:
    elementwise(
        f"cmath_{name}", infer=_infer, emit=f"np.{numpy}(x)", emit_scalar=f"cmath.{name}(x)",
        calls=(), math_name="", derivative={"x": slope}, imports=IMPORTS,
        doc=f"cmath.{name}, which raises where NumPy's warns.",
    )  # fmt: skip

    def call(b: Any, x: Any) -> Any:
        return getattr(f, f"cmath_{name}")(_number(b, x, name))

    SURFACE[getattr(cmath, name)] = call


_function("exp", "exp", "out")
_function("log", "log", "1 / x")
_function("log10", "log10", f"{1 / math.log(10)} / x")
_function("sqrt", "sqrt", "0.5 / out")
_function("sin", "sin", "cmath_cos(x)")
_function("cos", "cos", "-cmath_sin(x)")
_function("tan", "tan", "1 + out * out")
_function("asin", "arcsin", "1 / (cmath_sqrt(1 - x) * cmath_sqrt(1 + x))")
_function("acos", "arccos", "-1 / (cmath_sqrt(1 - x) * cmath_sqrt(1 + x))")
_function("atan", "arctan", "1 / (1 + x * x)")
_function("sinh", "sinh", "cmath_cosh(x)")
_function("cosh", "cosh", "cmath_sinh(x)")
_function("tanh", "tanh", "1 - out * out")
_function("asinh", "arcsinh", "1 / cmath_sqrt(1 + x * x)")
_function("acosh", "arccosh", "1 / (cmath_sqrt(x - 1) * cmath_sqrt(x + 1))")
_function("atanh", "arctanh", "1 / (1 - x * x)")


@surface(cmath.log)
def _log(b: Any, z: Any, base: Any = None) -> Any:
    top = f.cmath_log(_number(b, z, "log"))
    return top if base is None else top / f.cmath_log(_number(b, base, "log"))


@surface(cmath.phase)
def _phase(b: Any, z: Any) -> Any:
    value = _number(b, z, "phase")
    return f.arctan2(f.imag(value), f.real(value))


@surface(cmath.polar)
def _polar(b: Any, z: Any) -> Any:
    value = _number(b, z, "polar")
    return f.absolute(value), _phase(b, value)


@surface(cmath.rect)
def _rect(b: Any, r: Any, phi: Any) -> Any:
    length, angle = (f.real(_number(b, x, "rect")) for x in (r, phi))
    return f.complex_of(length * f.cos(angle), length * f.sin(angle))


def _infer_truth(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    t = inputs[0].type
    return (
        ArrayType(np.dtype(bool), t.shape)
        if isinstance(t, ArrayType)
        else ScalarType("bool")
    )


for _name in ("isfinite", "isinf", "isnan"):
    elementwise(
        f"cmath_{_name}", infer=_infer_truth, emit=f"np.{_name}(x)",
        emit_scalar=f"cmath.{_name}(x)", calls=(), math_name="", traits="nondiff",
        imports=IMPORTS, doc=f"cmath.{_name}.",
    )  # fmt: skip
    SURFACE[getattr(cmath, _name)] = lambda b, x, _name=_name: getattr(f, f"cmath_{_name}")(
        _number(b, x, _name)
    )
nondiff(
    "cmath_isclose", "x y", _infer_truth,
    "cmath.isclose(x, y, rel_tol=rel_tol, abs_tol=abs_tol)",
    attrs={"rel_tol": 1e-09, "abs_tol": 0.0}, imports=IMPORTS, batch="each",
    doc="Whether two complex numbers are nearly equal.",
)  # fmt: skip


@surface(cmath.isclose)
def _isclose(b: Any, a: Any, other: Any, **options: Any) -> Any:
    known = {key: need_static(value) for key, value in options.items()}
    values = (_number(b, x, "isclose") for x in (a, other))
    return f.cmath_isclose(*values, **known)
