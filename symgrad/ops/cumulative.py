"""Running sums and products, and the product: exact without division, zeros or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.indexing import FULL, Slice
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from .elementwise import refuse
from .reductions import AXES, Axis, expand, narrowed, reduced_rule, reduction
from .rules.arguments import as_array, axis_of, dtype_of
from .static import known
from .table import SURFACE, linear, method, op

RECURRENCE = '''
def linear_recurrence(a, b, axis):
    """y with y[0] = b[0] and y[k] = a[k] * y[k - 1] + b[k] along an axis."""
    y = np.array(b)
    steps, factors = np.moveaxis(y, axis, 0), np.moveaxis(a, axis, 0)
    for k in range(1, len(steps)):
        steps[k] += factors[k] * steps[k - 1]
    return y
'''


def _along(axis: int, item: Slice) -> tuple[Any, ...]:
    return (*(FULL,) * axis, item)


def flipped(x: Expr, axis: int) -> Expr:
    """``np.flip(x, axis)``."""
    return f.index(x, index=_along(axis, Slice(None, None, -1)))  # type: ignore[no-any-return]


def shifted(x: Expr, axis: int, first: Expr) -> Expr:
    """``x`` moved one place up along an axis; ``first`` (a whole array) gives the first."""
    inner = f.index(x, index=_along(axis, Slice(None, -1)))
    return f.store(first, inner, index=_along(axis, Slice(1, None)))  # type: ignore[no-any-return]


def _conjugate(x: Expr) -> Expr:
    return f.conjugate(x) if is_complex(x.type) else x


# ------------------------------------------------------------------------------ entries
def _infer_running(function: Callable[..., Any]) -> Callable[..., Type]:
    reduced = reduced_rule(function)

    def infer(dims: Any, inputs: tuple[Value, ...], axis: int, dtype: Any = None) -> Type:
        t = reduced(dims, inputs, None, True, dtype)
        assert isinstance(t, ArrayType) and isinstance(inputs[0].type, ArrayType)
        return ArrayType(t.dtype, inputs[0].type.shape)

    return infer


def _infer_recurrence(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    return inputs[1].type


linear(
    "cumsum", "x", _infer_running(np.cumsum), "np.cumsum(x, axis=axis, dtype=dtype)",
    attrs={"axis": REQUIRED, "dtype": None},
    transpose={"x": lambda g, axis: flipped(f.cumsum(flipped(g, axis), axis=axis), axis)},
    doc="Running sums along an axis.",
)  # fmt: skip


def _backward(a: Expr, g: Expr, axis: int) -> Expr:
    """The adjoint of b in y[k] = a[k] * y[k - 1] + b[k]: the recurrence from the end."""
    back = flipped(_conjugate(a), axis)
    factors = shifted(back, axis, f.zeros_like(back))
    return flipped(f.linear_recurrence(factors, flipped(g, axis), axis=axis), axis)


def _before(y: Expr, axis: int) -> Expr:
    return shifted(y, axis, f.zeros_like(y))


def _recurrence_jvp(t_a: Any, t_b: Any, out: Expr, a: Expr, axis: int) -> Expr:
    parts = [] if t_a is None else [t_a * _before(out, axis)]
    parts += [] if t_b is None else [t_b]
    driven = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    return f.linear_recurrence(a, driven, axis=axis)  # type: ignore[no-any-return]


op(
    "linear_recurrence", "a b", _infer_recurrence, "linear_recurrence(a, b, axis)",
    attrs={"axis": REQUIRED},
    vjp={
        "a": lambda g, out, a, axis: _backward(a, g, axis) * _conjugate(_before(out, axis)),
        "b": lambda g, a, axis: _backward(a, g, axis),
    },
    jvp=_recurrence_jvp, helper=RECURRENCE,
    doc="y[k] = a[k] * y[k - 1] + b[k] along an axis, from y[0] = b[0].",
)  # fmt: skip


def _before_product(out: Expr, axis: int) -> Expr:
    return shifted(out, axis, f.ones_like(out))


def _cumprod_vjp(g: Expr, out: Expr, x: Expr, axis: int) -> Expr:
    return _backward(x, g, axis) * _conjugate(_before_product(out, axis))


def _cumprod_jvp(t: Expr, out: Expr, x: Expr, axis: int) -> Any:
    return f.linear_recurrence(x, t * _before_product(out, axis), axis=axis)


op(
    "cumprod", "x", _infer_running(np.cumprod), "np.cumprod(x, axis=axis, dtype=dtype)",
    attrs={"axis": REQUIRED, "dtype": None}, vjp={"x": _cumprod_vjp}, jvp={"x": _cumprod_jvp},
    doc="Running products along an axis.",
)  # fmt: skip


def others(x: Expr, axis: Axis) -> Expr:
    """For each entry the product of all others that it is multiplied with."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    if len(axes) == 1:
        return _others_along(x, axes[0])
    rest = tuple(a for a in range(x.ndim) if a not in axes)
    order = (*rest, *axes)
    moved = f.transpose(x, axes=order)
    size: Any = 1
    for a in axes:
        size = x.length(a) * size
    flat = f.reshape(moved, *(x.length(a) for a in rest), size)
    back = f.reshape(_others_along(flat, len(rest)), *moved.shape)
    return f.transpose(back, axes=tuple(order.index(a) for a in range(x.ndim)))  # type: ignore[no-any-return]


def _others_along(x: Expr, axis: int) -> Expr:
    before = _before_product(f.cumprod(x, axis=axis), axis)
    back = flipped(x, axis)
    after = flipped(_before_product(f.cumprod(back, axis=axis), axis), axis)
    return before * after


def _prod_vjp(g: Expr, x: Expr, axis: Axis, keepdims: bool) -> Expr:
    return expand(g, x.ndim, axis, keepdims) * _conjugate(others(x, axis))


op(
    "prod", "x", reduced_rule(np.prod), "np.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)",
    attrs={**AXES, "dtype": None}, vjp={"x": _prod_vjp},
    jvp={
        "x": lambda t, x, axis, keepdims: f.sum(
            t * others(x, axis), axis=axis, keepdims=keepdims
        )
    },
    traits="keeps_sign", doc="Product over axes.", kink="exact where entries are 0",
)  # fmt: skip


# ------------------------------------------------------------------------------ surfaces
def _running(name: str) -> Callable[..., Any]:
    def call(b: Any, a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Expr:
        refuse(f"np.{name}", options)
        x = as_array(b, a)
        place = known(axis)
        if x.ndim == 0 or (place is None and x.ndim > 1):
            x = SURFACE[np.ravel](b, x)
        place = axis_of(0 if place is None else place, x.ndim)
        wanted = None if dtype is None else dtype_of(dtype)
        x = x if wanted is None else narrowed(x, wanted, f"np.{name}")
        return getattr(f, name)(x, axis=place, dtype=wanted)  # type: ignore[no-any-return]

    return call


for _name in ("cumsum", "cumprod"):
    SURFACE[getattr(np, _name)] = method(_name)(_running(_name))
SURFACE[np.prod] = method("prod")(reduction("prod", dtype=True))
