"""Roots: an infinite slope at 0, except where what is under the root has a minimum."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import ScalarType, is_complex
from ..ir.values import Op, Value
from .contraction import conj
from .elementwise import elementwise, in_numpy, ufunc_rule
from .finite import NONNEGATIVE, sign
from .formula import times
from .guards import WRITTEN
from .masks import scale_under_masks
from .table import op

DEPTH = 8


# ------------------------------------------------------------------ smooth powers of roots
def without_factor(product: Expr, factor: Value, depth: int = DEPTH) -> Expr | None:
    """``product`` without one factor, or None if it does not have it. What the factor is a
    root of is a power of it."""
    made = product.value.op
    if product.value is factor:
        return one_like(product)
    if factor.op is not None and factor.op.inputs and product.value is factor.op.inputs[0]:
        root = Expr(product.builder, factor)
        return {2: root, 3: root * root}.get(_degree(factor.op))
    if made is None or not depth:
        return None
    part = [Expr(product.builder, v) for v in made.inputs]
    if made.name == "multiply":
        for x, y in (part, part[::-1]):
            inner = y if x.value is factor else without_factor(x, factor, depth - 1)
            if inner is not None:
                return inner if x.value is factor else inner * y
        return None
    if made.name in ("power", "square"):
        return _lower(part, factor)
    return _without_in_terms(made, part, factor, depth - 1)


def one_like(x: Expr) -> Expr:
    """The number 1 in the dtype of ``x``."""
    one = 1.0 if isinstance(x.type, ScalarType) else x.dtype.type(1)
    return Expr(x.builder, x.builder.const(one))


def _without_in_terms(made: Op, part: list[Expr], factor: Value, depth: int) -> Expr | None:
    if made.name not in ("negative", "divide", "add", "subtract"):
        return None
    left = without_factor(part[0], factor, depth)
    if left is None or made.name == "negative":
        return None if left is None else -left
    if made.name == "divide":
        return left / part[1]
    right = without_factor(part[1], factor, depth)
    if right is None:
        return None
    return left + right if made.name == "add" else left - right


def _lower(part: list[Expr], factor: Value) -> Expr | None:
    """A power of the factor with the exponent one less."""
    if part[0].value is not factor:
        return None
    n = 2 if len(part) == 1 else part[1].value.constant if part[1].value.is_constant else 0
    if np.ndim(n) or not np.isreal(n) or n <= 1:
        return None
    return part[0] if n == 2 else part[0] ** (n - 1)


def _degree(made: Op) -> int:
    if made.name == "power":
        half = made.inputs[1].is_constant and np.all(made.inputs[1].constant == 0.5)
        return 2 if half else 0
    return {"sqrt": 2, "cbrt": 3}.get(made.name, 0)


def by_root(h: Expr, x: Expr, out: Expr, *, conjugate: bool) -> Any:
    """``h / (2 * out)`` for ``out = sqrt(x)``.

    ``sqrt(x)**2`` is smooth: a factor ``out`` in ``h`` is cancelled. A sum of squares or a
    variance has slope 0 where it is 0, and so has its root by convention (a 2-norm at 0).
    """
    if is_complex(out.type):
        return times(h, 1 / (2 * out), conjugate)
    cancelled = without_factor(h, out.value)
    if cancelled is not None:
        return 0.5 * cancelled
    known = sign(x.value)
    if known == NONNEGATIVE:
        return 0.5 * (f.per if conjugate else f.share)(h, out)
    if known:
        return h / (2 * out)
    return in_numpy(lambda t, root: _steep(t, 2 * root, conjugate), h, (out,))


def _by_cube_root(h: Expr, x: Expr, out: Expr, *, conjugate: bool) -> Any:
    """``h / (3 * out**2)``; factors ``out`` in ``h`` are cancelled."""
    less = without_factor(h, out.value)
    least = None if less is None else without_factor(less, out.value)
    if least is not None:
        return least / 3
    rest, n = (h, 2) if less is None else (less, 1)
    return in_numpy(lambda t, root: _steep(t, 3 * root**n, conjugate), rest, (out,))


def _steep(h: Expr, d: Expr, backward: bool) -> Any:
    """``h / d``; a tangent that is zero stays zero where ``d`` is."""
    return h / d if backward else f.over(h, d)


op(
    "over", "x y", ufunc_rule(np.divide), "x / np.where(x == 0, 1, y)",
    vjp={
        "x": lambda g, y: f.over(g, conj(y)),
        "y": lambda g, y, out: -f.over(g * conj(out), conj(y)),
    },
    jvp={"x": lambda t, y: f.over(t, y), "y": lambda t, y, out: -f.over(t * out, y)},
    traits="elementwise scales may_be_nonfinite", kink="0 where x is 0, whatever y is",
    doc="x / y, a tangent over what makes a slope infinite where it is 0.",
)  # fmt: skip


def _share_vjp(g: Expr, x: Expr, y: Expr) -> Any:
    return scale_under_masks(g, _steep_quotient, (y,))


def _steep_quotient(h: Expr, y: Expr) -> Any:
    return in_numpy(operator.truediv, h, (y,))


op(
    "share", "x y", ufunc_rule(np.divide), "x / np.where(y == 0, 1, y)",
    vjp={"x": _share_vjp, "y": lambda g, y, out: -g * conj(f.over(out, y))},
    jvp={"x": lambda t, y: f.over(t, y), "y": lambda t, y, out: -t * f.over(out, y)},
    traits="elementwise marker",
    doc="x / y for a root y of squares of what x is made of: 0 where it is 0, with an infinite "
    "slope.",
)  # fmt: skip
op(
    "per", "x y", ufunc_rule(np.divide), "x / np.where(y == 0, 1, y)",
    vjp={"x": lambda g, y: f.per(g, y), "y": lambda g, y, out: -_steep_quotient(g * conj(out), y)},
    jvp={"x": lambda t, y: f.per(t, y), "y": lambda t, y, out: -_steep_quotient(t * out, y)},
    traits="elementwise marker",
    doc="x / y for a root y of squares of what it is multiplied by, which makes it a share.",
)  # fmt: skip
for _name in ("share", "per"):
    WRITTEN[_name] = lambda x, y: x / f.where(f.equal(y, 0), 1, y)


def per_root(g: Expr, root: Expr) -> Expr:
    """``per(g, root)``; where ``root`` is a factor of ``g`` it is cancelled, so that the square
    of a norm is smooth at 0."""
    less = without_factor(g, root.value)
    return f.per(g, root) if less is None else less


def _rules(slope: Any) -> dict[str, Any]:
    def vjp(g: Expr, x: Expr, out: Expr) -> Any:
        def scale(h: Expr, x: Expr, out: Expr) -> Any:
            return slope(h, x, out, conjugate=True)

        return scale_under_masks(g, scale, (x, out))

    def jvp(t: Expr, x: Expr, out: Expr) -> Any:
        return slope(t, x, out, conjugate=False)

    return {"vjp": {"x": vjp}, "jvp": {"x": jvp}}


elementwise(
    "sqrt", "sqrt(x)", traits="singular may_be_nonfinite nonnegative monotone",
    kink="inf at 0, but 0 (inf or nan from the second derivative on) where x is a sum of squares "
    "or a variance; powers of it are smooth",
    **_rules(by_root),
)  # fmt: skip
elementwise(
    "cbrt", "cbrt(x)", traits="singular keeps_sign", kink="inf at 0; its cube is smooth",
    **_rules(_by_cube_root),
)  # fmt: skip
