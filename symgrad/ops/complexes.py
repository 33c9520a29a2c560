"""Parts of complex numbers. A gradient is dL/dRe + i dL/dIm, the direction of steepest ascent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DTypeError
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType, Type, is_complex
from ..ir.values import Value
from .elementwise import weak
from .rounding import direction
from .rules.arguments import as_array, as_expr
from .rules.infer import same
from .table import SURFACE, attribute, linear, method, op


def _put_real(base: Expr, new: Expr) -> Expr:
    return new + 1j * f.imag(base) if is_complex(base.type) else new


def _infer_part(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = inputs[0].type
    if isinstance(t, ScalarType):
        return ScalarType("float") if t.kind == "complex" else t
    assert isinstance(t, ArrayType)
    return ArrayType(np.zeros(0, t.dtype).real.dtype, t.shape)


def _infer_whole(dims: Any, inputs: tuple[Value, ...]) -> Type:
    types = [v.type for v in inputs]
    if any(map(is_complex, types)):
        raise DTypeError("`complex_of` takes real numbers")
    if all(isinstance(t, ScalarType) for t in types):
        return ScalarType("complex")
    dtype = np.result_type(*(weak(t) for t in types), np.complex64)
    return ArrayType(dtype, dims.broadcast_shapes(*(t.shape for t in types)))  # type: ignore[union-attr]


linear(
    "real", "x", _infer_part, "x.real",
    transpose={"x": lambda g: g},
    put=_put_real,
    traits="elementwise view cheap", doc="The real part: a view.",
)  # fmt: skip
linear(
    "imag", "x", _infer_part, "x.imag",
    transpose={"x": lambda g, x: 1j * g if is_complex(x.type) else None},
    put=lambda base, new: f.real(base) + 1j * new,
    traits="elementwise view cheap", doc="The imaginary part: a view.",
)  # fmt: skip
op(
    "complex_of", "x y", _infer_whole, "x + 1j * y", emit_scalar="complex(x, y)",
    vjp={"x": lambda g: f.real(g), "y": lambda g: f.imag(g)},
    jvp={"x": lambda t: f.complex_of(t, 0.0), "y": lambda t: f.complex_of(0.0, t)},
    traits="elementwise additive", doc="A complex number of its two parts.",
)  # fmt: skip
op(
    "conjugate", "x", same, "np.conjugate(x)", emit_scalar="x.conjugate()",
    vjp={"x": lambda g: f.conjugate(g)}, jvp={"x": lambda t: f.conjugate(t)},
    traits="elementwise inplace additive", doc="The complex conjugate.",
)  # fmt: skip


def _angle_vjp(g: Expr, x: Expr) -> Any:
    # d angle = Im(dx / x), so the steepest ascent is i x / abs(x)**2
    if not is_complex(x.type):
        return None
    size = f.absolute(x)
    return 1j * g * direction(x) / f.where(f.equal(size, 0), 1, size)


def _angle_jvp(t: Expr, x: Expr) -> Any:
    if not is_complex(x.type):
        return None
    size = f.absolute(x)
    return f.imag(t * f.conjugate(direction(x))) / f.where(f.equal(size, 0), 1, size)


def _infer_angle(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    return ArrayType(np.angle(np.zeros(1, t.dtype)).dtype, t.shape)


op(
    "angle", "x", _infer_angle, "np.angle(x)",
    vjp={"x": _angle_vjp}, jvp={"x": _angle_jvp},
    traits="elementwise", kink="0 at 0", doc="The argument of a complex number.",
)  # fmt: skip


@attribute("real")
def _real_attribute(b: Any, x: Expr) -> Expr:
    return f.real(x) if is_complex(x.type) or not x.ndim else x


@attribute("imag")
def _imag_attribute(b: Any, x: Expr) -> Expr:
    return f.imag(x)  # type: ignore[no-any-return]


def _real(b: Any, val: Any) -> Expr:
    return _real_attribute(b, as_expr(b, val))  # type: ignore[no-any-return]


def _imag(b: Any, val: Any) -> Expr:
    return f.imag(as_expr(b, val))  # type: ignore[no-any-return]


@method("conj", "conjugate")
def _conjugate(b: Any, x: Expr) -> Expr:
    return f.conjugate(x) if is_complex(x.type) or not x.ndim else x


def _np_conjugate(b: Any, x: Any) -> Expr:
    return f.conjugate(as_array(b, x))  # type: ignore[no-any-return]


def _angle(b: Any, z: Any, deg: bool = False) -> Expr:
    result = f.angle(as_array(b, z))
    return f.rad2deg(result) if deg else result  # type: ignore[no-any-return]


SURFACE[np.real] = _real
SURFACE[np.imag] = _imag
SURFACE[np.conjugate] = _np_conjugate
SURFACE[np.angle] = _angle
