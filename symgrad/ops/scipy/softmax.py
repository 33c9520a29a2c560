"""``scipy.special``: the logarithm of a sum of exponentials, and the shares in it."""

from __future__ import annotations

from functools import partial
from typing import Any

import scipy.special

from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type, is_complex
from ...ir.values import Value
from ..composed import composed
from ..contraction import conj
from ..linalg.systems import inexact
from ..logsum import rules
from ..rules.arguments import as_array, axes_of
from ..rules.infer import reduced_shape
from ..static import known, need_static
from ..table import op, surface

IMPORT = "from scipy import special"
ABSOLUTE = (
    "an entry's slope by itself is 1 less its share, so 0 where the others share 1e-16"
)


def _infer_total(dims: Any, inputs: tuple[Value, ...], axis: Any, keepdims: bool) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    return ArrayType(inexact(t.dtype), reduced_shape(t, axis, keepdims))


def _infer_shares(dims: Any, inputs: tuple[Value, ...], axis: Any) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    return ArrayType(inexact(t.dtype), t.shape)


def _softmax_step(x: Expr, out: Expr, axis: Any) -> Expr:
    """The tangent, and with the conjugate of ``out`` the adjoint: the matrix of slopes is
    symmetric."""
    return out * (x - f.sum(x * out, axis=axis, keepdims=True))  # type: ignore[no-any-return]


op(
    "logsumexp", "x", _infer_total, "special.logsumexp(x, axis=axis, keepdims=keepdims)",
    attrs={"axis": None, "keepdims": False}, imports=(IMPORT,),
    doc="The logarithm of a sum of exponentials.", **rules("exp"),
)  # fmt: skip
op(
    "softmax", "x", _infer_shares, "special.softmax(x, axis=axis)", attrs={"axis": None},
    vjp={"x": lambda g, out, axis: _softmax_step(g, conj(out), axis)}, imports=(IMPORT,),
    jvp={"x": lambda t, out, axis: _softmax_step(t, out, axis)},
    kink=ABSOLUTE, doc="The shares of exponentials in their sum.",
)  # fmt: skip
op(
    "log_softmax", "x", _infer_shares, "special.log_softmax(x, axis=axis)", attrs={"axis": None},
    vjp={"x": lambda g, out, axis: g - conj(f.exp(out)) * f.sum(g, axis=axis, keepdims=True)},
    jvp={"x": lambda t, out, axis: t - f.sum(t * f.exp(out), axis=axis, keepdims=True)},
    imports=(IMPORT,), kink=ABSOLUTE, doc="The logarithms of softmax.",
)  # fmt: skip


def _weighted(x: Expr, b: Expr, axis: Any, keepdims: bool, kind: str) -> Any:
    """The logarithm of a weighted sum (of its size, where the sign comes extra), or its sign."""
    top = f.max(f.real(x), axis=axis, keepdims=True)
    top = f.stop_gradient(f.where(f.isfinite(top), top, 0))
    sums = f.sum(b * f.exp(x - top), axis=axis, keepdims=keepdims)
    if kind == "sign":
        return sums / f.absolute(sums) if is_complex(sums.type) else f.sign(sums)
    gone = tuple(range(x.ndim)) if axis is None else axis
    top = top if keepdims or not x.ndim else f.squeeze(top, axes=gone)
    return f.log(f.absolute(sums) if kind == "size" else sums) + top


_WEIGHTED = "special.logsumexp(x, axis=axis, b=b, keepdims=keepdims{})"
for _kind, _emit in (
    ("whole", _WEIGHTED.format("")),
    ("size", _WEIGHTED.format(", return_sign=True") + "[0]"),
    ("sign", _WEIGHTED.format(", return_sign=True") + "[1]"),
):
    composed(
        f"weighted_logsumexp_{_kind}", "x b", _emit, partial(_weighted, kind=_kind),
        attrs={"axis": None, "keepdims": False}, imports=(IMPORT,), kink="0 of a real sign",
        doc="The logarithm of a weighted sum of exponentials: all of it, of the size, the sign.",
    )  # fmt: skip


# --------------------------------------------------------------------------- the surface
def _axes(x: Expr, axis: Any) -> Any:
    return None if known(axis) is None else axes_of(axis, x.ndim)


@surface(scipy.special.logsumexp)
def logsumexp(
    builder: Builder, /, a: Any, axis: Any = None, b: Any = None, keepdims: Any = False,
    return_sign: Any = False,
) -> Any:  # fmt: skip
    """``scipy.special.logsumexp``; the sign of a real sum has no derivative."""
    x, keep, signed = (
        as_array(builder, a),
        bool(need_static(keepdims)),
        need_static(return_sign),
    )
    axes = _axes(x, axis)
    if b is None and not signed:
        return f.logsumexp(x, axis=axes, keepdims=keep)
    weights = as_array(builder, 1.0 if b is None else b)
    parts = tuple(
        getattr(f, f"weighted_logsumexp_{kind}")(x, weights, axis=axes, keepdims=keep)
        for kind in (("size", "sign") if signed else ("whole",))
    )
    return parts if signed else parts[0]


def _soft(name: str) -> Any:
    def call(b: Builder, x: Any, axis: Any = None) -> Expr:
        a = as_array(b, x)
        return getattr(f, name)(a, axis=_axes(a, axis))  # type: ignore[no-any-return]

    return call


surface(scipy.special.softmax)(_soft("softmax"))
surface(scipy.special.log_softmax)(_soft("log_softmax"))
