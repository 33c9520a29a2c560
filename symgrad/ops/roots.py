"""Square roots: an infinite slope at 0, except where what is under the root has a minimum."""

from __future__ import annotations

from typing import Any

from ..ir.expr import Expr, f
from ..ir.types import is_complex
from ..ir.values import Value
from .elementwise import elementwise, in_numpy
from .finite import NONNEGATIVE, sign
from .formula import times
from .masks import scale_under_masks

DEPTH = 8


def by_root(h: Expr, x: Expr, out: Expr, *, conjugate: bool) -> Any:
    """``h / (2 * out)`` for ``out = sqrt(x)``.

    ``sqrt(x)**2`` is smooth: a factor ``out`` in ``h`` is cancelled. A sum of squares or a
    variance has slope 0 where it is 0, and so has its root by convention (a 2-norm at 0).
    """
    cancelled = without_factor(h, out.value)
    if cancelled is not None and not is_complex(out.type):
        return 0.5 * cancelled
    if is_complex(out.type):
        return times(h, 1 / (2 * out), conjugate)
    known = sign(x.value)
    if known == NONNEGATIVE:
        out = f.where(f.equal(out, 0), 1, out)
    if known:
        return h / (2 * out)
    return in_numpy(lambda t, root: t / (2 * root), h, (out,))


def without_factor(product: Expr, factor: Value) -> Expr | None:
    """``product`` without one factor, or None if it does not have it."""
    return _without(product, factor, DEPTH)


def _without(product: Expr, factor: Value, depth: int) -> Expr | None:
    op = product.value.op
    if op is None or op.name != "multiply" or not depth:
        return None
    for x, y in (op.inputs, op.inputs[::-1]):
        rest = Expr(product.builder, y)
        if x is factor:
            return rest
        inner = _without(Expr(product.builder, x), factor, depth - 1)
        if inner is not None:
            return inner * rest
    return None


def _vjp(g: Expr, x: Expr, out: Expr) -> Any:
    def scale(h: Expr, x: Expr, out: Expr) -> Any:
        return by_root(h, x, out, conjugate=True)

    return scale_under_masks(g, scale, (x, out))


def _jvp(t: Expr, x: Expr, out: Expr) -> Any:
    return by_root(t, x, out, conjugate=False)


elementwise(
    "sqrt", "sqrt(x)", traits="singular may_be_nonfinite nonnegative monotone",
    kink="inf at 0, but 0 where x is a sum of squares or a variance",
    vjp={"x": _vjp}, jvp={"x": _jvp},
)  # fmt: skip
