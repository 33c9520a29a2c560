"""``sinc``, ``i0`` and the windows of signal processing."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from .contraction import conj
from .elementwise import elementwise
from .rules.arguments import as_array, as_expr, length_of
from .rules.emission import np_call
from .rules.infer import as_dimension
from .table import SURFACE, nondiff, op, surface

SINC_SLOPE = '''
def sinc_slope(x, order):
    """The derivative of np.sinc of an order, accurate near 0 as well."""
    near = np.abs(x) < 1
    far, small = np.where(near, 1, x), np.where(near, x, 0)
    turned = math.pi * (far - 2 * np.rint(far.real / 2))
    out = np.sin(turned) / (math.pi * far)
    for n in range(1, order + 1):
        wave = (-1) ** (n // 2) * math.pi ** (n - 1) * (np.cos if n % 2 else np.sin)(turned)
        out = (wave - n * out) / far
    series = np.zeros_like(small)
    for k in range(14 + order, (order - 1) // 2, -1):
        term = (-1) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(2 * k - order))
        series = series * small**2 + term
    return np.where(near, series * small ** (order % 2), out)[()]
'''

BESSEL_I = '''
def bessel_i(x, order):
    """The modified Bessel function: the mean of exp(x cos t) cos(order t) over t."""
    x = np.asarray(x)
    total, part = np.zeros_like(x), np.sinh if order % 2 else np.cosh
    for k in range(128):
        t = math.pi * (k + 0.5) / 256
        total += part(x * math.cos(t)) * math.cos(order * t)
    return (total / 128)[()]
'''


def _float_like(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    t = inputs[0].type
    dtype = t.dtype if t.dtype.kind in "fc" else np.dtype(float)  # type: ignore[union-attr]
    return ArrayType(dtype, t.shape)  # type: ignore[union-attr]


def _sinc_vjp(g: Expr, x: Expr, order: int) -> Expr:
    slope = f.sinc_slope(x, order=order + 1)
    return g * (f.conjugate(slope) if is_complex(x.type) else slope)  # type: ignore[no-any-return]


def _bessel_slope(x: Expr, order: int) -> Expr:
    below, above = (f.bessel_i(x, order=n) for n in (abs(order - 1), order + 1))
    return 0.5 * (below + above)  # type: ignore[no-any-return]


def _sinc_jvp(t: Expr, x: Expr, order: int) -> Expr:
    return t * f.sinc_slope(x, order=order + 1)  # type: ignore[no-any-return]


op(
    "sinc", "x", _float_like, "np.sinc(x)", traits="elementwise",
    vjp={"x": lambda g, x: _sinc_vjp(g, x, 0)}, jvp={"x": lambda t, x: _sinc_jvp(t, x, 0)},
    doc="sin(pi x) / (pi x), 1 at 0.",
)  # fmt: skip
op(
    "sinc_slope", "x", _float_like, "sinc_slope(x, order)", attrs={"order": REQUIRED},
    vjp={"x": _sinc_vjp}, jvp={"x": _sinc_jvp}, traits="elementwise", helper=SINC_SLOPE,
    doc="A derivative of sinc.",
)  # fmt: skip
elementwise("i0", infer=_float_like, derivative={"x": "bessel_i(x)"}, calls=(),
            emit_scalar="np.i0(x)", doc="The modified Bessel function of order 0.")  # fmt: skip
op(
    "bessel_i", "x", _float_like, "bessel_i(x, order)", attrs={"order": 1},
    vjp={"x": lambda g, x, order: g * conj(_bessel_slope(x, order))},
    jvp={"x": lambda t, x, order: t * _bessel_slope(x, order)},
    traits="elementwise may_overflow", helper=BESSEL_I,
    doc="The modified Bessel function of an order.",
)  # fmt: skip
for _name in ("sinc", "i0"):
    SURFACE[getattr(np, _name)] = lambda b, x, name=_name: getattr(f, name)(as_array(b, x))


# ----------------------------------------------------------------------------- windows
def _infer_window(dims: Any, inputs: tuple[Value, ...], name: str) -> Type:
    return ArrayType(np.dtype(float), (as_dimension(dims, inputs[0]),))


def _emit_window(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return np_call(attrs["name"], inputs[0])


nondiff("window", "n", _infer_window, _emit_window, attrs={"name": REQUIRED},
        traits="allocates", doc="A window of signal processing, by name.")  # fmt: skip
for _name in ("bartlett", "blackman", "hamming", "hanning"):
    SURFACE[getattr(np, _name)] = lambda b, M, name=_name: Expr(
        b, b.op("window", length_of(b, M), name=name)
    )


@surface(np.kaiser)
def _kaiser(b: Any, M: Any, beta: Any) -> Any:
    count, shape = Expr(b, length_of(b, M)), as_expr(b, beta)
    places = f.arange(0, count, 1, dtype=np.dtype(np.intp))
    middle = (count - 1) / 2.0
    rise = f.sqrt(1 - ((places - middle) / middle) ** 2.0)
    return f.i0(shape * rise) / f.i0(Expr(b, lift(b, shape)))
