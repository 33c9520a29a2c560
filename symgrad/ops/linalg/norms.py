"""``np.linalg``: norms and condition numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.opdef import REQUIRED
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..indexing import getitem
from ..reductions import AXES
from ..reshaping import moveaxis
from ..roots import per_root
from ..rounding import direction
from ..rules import batching as batching
from ..rules.arguments import as_array, axes_of, strict_axes_of
from ..rules.infer import reduced_shape
from ..static import known, need_static
from ..table import op, surface
from .systems import inexact


def _infer_norm(dims: Any, inputs: tuple[Value, ...], axis: Any, keepdims: bool) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    dtype = np.zeros(0, inexact(t.dtype)).real.dtype
    return ArrayType(dtype, reduced_shape(t, axis, keepdims))


# ------------------------------------------------------------------------------- rules
def _spread(v: Expr, x: Expr, axis: Any, keepdims: bool) -> Expr:
    if keepdims or not v.ndim or axis is None:
        return v
    return f.expand_dims(v, axes=axis)  # type: ignore[no-any-return]


def _vjp(g: Expr, x: Expr, out: Expr, axis: Any, keepdims: bool) -> Expr:
    return _spread(per_root(g, out), x, axis, keepdims) * x


def _jvp(t: Expr, x: Expr, out: Expr, axis: Any, keepdims: bool) -> Expr:
    product = f.real(f.conjugate(x) * t) if x.dtype.kind == "c" else x * t
    return f.share(f.sum(product, axis=axis, keepdims=keepdims), out)  # type: ignore[no-any-return]


op(
    "norm", "x", _infer_norm, "np.linalg.norm(x, axis=axis, keepdims=keepdims)",
    attrs={"axis": None, "keepdims": False}, vjp={"x": _vjp}, jvp={"x": _jvp},
    traits="allocates",
    kink="0 at the zero vector, where second derivatives are inf or nan; its square is smooth; "
    "an entry's second derivative by itself is a difference, 0 where it is 1e8 times all others",
    batch=batching.norm, doc="The square root of the sum of squares.",
)  # fmt: skip
op(
    "hypot_reduce", "x", _infer_norm, "np.hypot.reduce(x, axis=axis, keepdims=keepdims)",
    attrs={"axis": REQUIRED, "keepdims": False}, vjp={"x": _vjp}, jvp={"x": _jvp},
    traits="allocates", kink="0 where all are 0; its square is smooth",
    doc="np.hypot over axes: a norm whose squares do not overflow.",
)  # fmt: skip


def _slope(x: Expr, out: Expr, order: Any, axis: Any, keepdims: bool) -> Expr:
    """Powers of entries over their norm, which do not over- or underflow."""
    size = _spread(out, x, axis, keepdims)
    nothing = f.equal(size, 0)
    share = f.absolute(x) / f.where(nothing, 1, size)
    if order < 2:  # a power that is steep at 0, where the direction is 0
        share = f.where(f.equal(share, 0), 1, share)
    return f.where(nothing, 0, direction(x) * share ** (order - 1))  # type: ignore[no-any-return]


def _order_vjp(g: Expr, x: Expr, out: Expr, order: Any, axis: Any, keepdims: bool) -> Expr:
    return _spread(g, x, axis, keepdims) * _slope(x, out, order, axis, keepdims)


def _order_jvp(t: Expr, x: Expr, out: Expr, order: Any, axis: Any, keepdims: bool) -> Expr:
    slope = _slope(x, out, order, axis, keepdims)
    product = f.real(f.conjugate(slope) * t) if x.dtype.kind == "c" else slope * t
    return f.sum(product, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]


for _name, _call in {
    "norm_order": "np.linalg.norm(x, order, axis=axis, keepdims=keepdims)",
    "vector_norm": "np.linalg.vector_norm(x, ord=order, axis=axis, keepdims=keepdims)",
}.items():
    op(
        _name, "x", lambda dims, inputs, order, axis, keepdims: _infer_norm(
            dims, inputs, axis, keepdims
        ),
        _call, attrs={"order": REQUIRED, **AXES}, batch="each",
        vjp={"x": _order_vjp}, jvp={"x": _order_jvp}, traits="allocates",
        kink="0 where it is 0, to entries that are 0, and to these from second derivatives on",
        doc="A vector's norm of any order.",
    )  # fmt: skip


# --------------------------------------------------------------------------- the surface
@surface(np.linalg.norm)
def norm(
    b: Builder, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Expr:
    """``np.linalg.norm``."""
    a, ord, keep = as_array(b, x), need_static(ord), bool(need_static(keepdims))
    axes = None if known(axis) is None else strict_axes_of(axis, a.ndim)
    if ord is None:
        return f.norm(a, axis=axes, keepdims=keep)  # type: ignore[no-any-return]
    if axes is None:
        axes = tuple(range(a.ndim))
    if a.dtype.kind not in "fc":
        a = f.astype(a, dtype=inexact(a.dtype))
    if len(axes) == 1:
        return vector_norm(a, ord, axes, keep)
    if len(axes) == 2:
        return _matrix_norm(a, ord, axes, keep)
    raise ShapeError(f"np.linalg.norm with ord={ord!r} needs one axis or two, got {axes}")


def vector_norm(a: Expr, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Expr:
    """Norms over axes taken together."""
    if not axes:  # one number
        return f.absolute(a)  # type: ignore[no-any-return]
    if isinstance(ord, str):
        raise ShapeError(f"a vector has no norm {ord!r}")
    if ord == 2 and len(axes) > 2:  # as one vector
        whole = len(axes) == a.ndim
        if not whole:
            squares = f.sum(f.square(f.absolute(a)), axis=axes, keepdims=keepdims)
            return f.sqrt(squares)  # type: ignore[no-any-return]
        return f.norm(a, axis=None, keepdims=keepdims)  # type: ignore[no-any-return]
    if ord == 2:
        return f.norm(a, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]
    if ord == 0:
        counted = f.astype(f.not_equal(a, 0), dtype=np.zeros(0, a.dtype).real.dtype)
        return f.sum(counted, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]
    size = f.absolute(a)
    if ord in (np.inf, -np.inf):
        return (f.max if ord > 0 else f.min)(size, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]
    if ord == 1:
        return f.sum(size, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]
    kind = f.norm_order if len(axes) == 1 else f.vector_norm
    return kind(a, order=ord, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]


def _matrix_norm(a: Expr, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Expr:
    rows, columns = axes
    if ord == "fro":
        return f.norm(a, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]
    if ord in (1, -1, np.inf, -np.inf):
        along, over = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = f.sum(f.absolute(a), axis=(along,))
        found = (f.max if ord > 0 else f.min)(sums, axis=(over - (along < over),))
        return f.expand_dims(found, axes=tuple(sorted(axes))) if keepdims else found  # type: ignore[no-any-return]
    reduce = {2: f.max, -2: f.min, "nuc": f.sum}.get(ord)
    if reduce is None:
        raise ShapeError(f"a matrix has no norm of order {ord!r}")
    last = moveaxis(a.builder, a, axes, (-2, -1))
    found = reduce(f.linalg_svdvals(last), axis=(a.ndim - 2,))
    return f.expand_dims(found, axes=tuple(sorted(axes))) if keepdims else found  # type: ignore[no-any-return]


@surface(np.linalg.vector_norm)
def linalg_vector_norm(
    b: Builder, x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2
) -> Expr:
    """``np.linalg.vector_norm``, over all axes if none are given."""
    a, order = as_array(b, x), need_static(ord)
    order = 2 if order is None else order
    if a.dtype.kind not in "fc":
        a = f.astype(a, dtype=inexact(a.dtype))
    axes = tuple(range(a.ndim)) if known(axis) is None else axes_of(axis, a.ndim)
    return vector_norm(a, order, axes, bool(need_static(keepdims)))


@surface(np.linalg.matrix_norm)
def matrix_norm(b: Builder, x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Expr:
    """``np.linalg.matrix_norm``."""
    return norm(b, x, ord, (-2, -1), keepdims)  # type: ignore[no-any-return]


@surface(np.linalg.cond)
def cond(b: Builder, x: Any, p: Any = None) -> Expr:
    """``np.linalg.cond``."""
    a, order = as_array(b, x), need_static(p)
    if order in (None, 2, -2):
        values = f.linalg_svdvals(a)
        ends = (getitem(b, values, (..., i)) for i in (0, -1))
        first, last = ends
        return last / first if order == -2 else first / last
    return norm(b, a, order, (-2, -1)) * norm(b, f.linalg_inv(a), order, (-2, -1))  # type: ignore[no-any-return]
