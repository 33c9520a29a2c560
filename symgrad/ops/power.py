"""``x ** y``: constant exponents never touch ``log``, nor does a base that is not positive."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import FLOAT, ScalarType, Type, is_complex, is_inexact
from ..ir.values import Value
from .elementwise import (
    elementwise,
    in_numpy,
    python_scalar,
    refuse,
    scalar_kind,
    strengthened,
    ufunc_rule,
)
from .finite import POSITIVE, sign
from .formula import times
from .masks import levelled, scale_under_masks
from .roots import by_root
from .rules.arguments import as_array
from .table import SURFACE

_of_arrays = ufunc_rule(np.power, "same")


def _infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
    """Python's int to a negative power is a float."""
    x, y = inputs
    if isinstance(x.type, ScalarType) and isinstance(y.type, ScalarType):
        negative = y.is_constant and np.isreal(y.constant) and y.constant < 0
        return scalar_kind([x.type, y.type], "float" if negative else "same")
    return _of_arrays(dims, inputs)


def constant_exponent(y: Expr) -> Any:
    """The exponent as a number, or None if it is not one constant."""
    if y.value.is_constant and np.ndim(y.value.constant) == 0:
        return y.value.constant
    return None


def _raised(x: Expr, n: Any) -> Expr:
    """``x**n``; of Python numbers as a product, which is faster and does not overflow."""
    if n == 1:
        return x
    return x * x if n == 2 and isinstance(x.type, ScalarType) else x**n


def _is_level(y: Value, budget: int = 8) -> bool:
    """Whether an exponent has no derivatives: it is made of whole numbers and constants."""
    if not is_inexact(y.type) or y.is_constant:
        return True
    if y.op is None or y.op.regions or not y.op.inputs or not budget:
        return False
    return all(_is_level(v, budget - 1) for v in y.op.inputs)


def _by_base(h: Expr, x: Expr, y: Expr, out: Expr, conjugate: bool) -> Any:
    p = constant_exponent(y)
    if p is None:
        if _is_level(y.value):
            return times(times(h, y), x ** f.where(f.equal(y, 0), 1, y - 1), conjugate)
        # 0 where y is, also where x**-1 is infinite; with the slope x**-1 by y there
        made = times(times(h, y, conjugate), x ** (y - 1), conjugate)
        return f.counted(made, f.not_equal(y, 0))
    p = p.conjugate() if conjugate and np.iscomplexobj(p) else p
    if p == 0.5:
        return by_root(h, x, out, conjugate=conjugate)
    if p in (0, 1):
        return times(h, int(p))
    if np.isreal(p) and p < 0 and not is_complex(out.type):
        # x**(p - 1) underflows first
        return levelled(p * h * out / x, h if conjugate else None, x, out)
    if not conjugate and np.isreal(p) and 0 < p < 1 and not is_complex(out.type):
        return f.over(p * h, x ** (1 - p))
    return times(p * h, _raised(x, constant_exponent(y) - 1), conjugate)


def _by_exponent(h: Expr, x: Expr, y: Expr, out: Expr, conjugate: bool) -> Any:
    base = constant_exponent(x)
    if base is not None and np.isreal(base) and base > 0:
        return times(math.log(base) * h, out, conjugate)
    if is_complex(out.type):  # a negative base has a logarithm then
        safe = f.where(f.equal(x, 0), 1, as_array(x.builder, x))
        safe = safe if is_complex(safe.type) else f.astype(safe, dtype=out.dtype)
    else:
        safe = x if sign(x.value) == POSITIVE else f.where(x > 0, x, 1)
    return times(times(h, out, conjugate), f.log(safe), conjugate)


def _rule(
    slope: Callable[..., Any], h: Expr, inputs: Any, out: Expr, conjugate: bool
) -> Any:
    p = constant_exponent(inputs[1])
    if p is not None and (p in (0, 0.5) or (np.isreal(p) and p >= 1)):
        return slope(h, *inputs, out, conjugate)
    return in_numpy(lambda t, x, y, o: slope(t, x, y, o, conjugate), h, (*inputs, out))


def _vjp(slope: Callable[..., Any]) -> Callable[..., Any]:
    def vjp(g: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
        def scale(h: Expr, *values: Expr) -> Any:
            return _rule(slope, h, values[:-1], values[-1], True)

        return scale_under_masks(g, scale, (*inputs, out))

    return vjp


def _jvp(slope: Callable[..., Any]) -> Callable[..., Any]:
    def jvp(t: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
        return _rule(slope, t, inputs, out, False)

    return jvp


elementwise(
    "power", "x**y", inputs="x y", emit="x ** y", infer=_infer, traits="may_be_nonfinite",
    vjp={"x": _vjp(_by_base), "y": _vjp(_by_exponent)},
    jvp={"x": _jvp(_by_base), "y": _jvp(_by_exponent)},
    kink="at x = 0 the power rule; 0 to y where x is not positive", calls=(np.power, np.pow),
    math_name="",
)  # fmt: skip


def _float_power(b: Any, x: Any, y: Any, **options: Any) -> Any:
    refuse("np.float_power", options)
    values = []
    for v in strengthened(b, (x, y)):
        kind = np.complex128 if is_complex(v.type) else np.float64
        exact = isinstance(v.type, ScalarType) or v.dtype == kind
        values.append(v if exact else f.astype(v, dtype=np.dtype(kind)))
    return f.power(*values)


elementwise(
    "math_pow", None, inputs="x y", emit="x ** y", emit_scalar="math.pow(x, y)", infer=_infer,
    vjp={"x": _vjp(_by_base), "y": _vjp(_by_exponent)}, traits="may_be_nonfinite",
    jvp={"x": _jvp(_by_base), "y": _jvp(_by_exponent)}, calls=(), math_name="",
    kink="as for power", doc="math.pow, which raises where ``**`` gives complex numbers.",
)  # fmt: skip


def _math_pow(b: Any, x: Any, y: Any) -> Any:
    values = (python_scalar(b, v, "math.pow") for v in (x, y))
    floats = (v if v.type == FLOAT else f.item(v, kind="float") for v in values)
    return f.math_pow(*floats)


SURFACE[np.float_power] = _float_power
SURFACE[math.pow] = _math_pow
