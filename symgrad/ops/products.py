"""Cross, Kronecker and convolution products; covariance and correlation."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ir.builder import Builder
from ..ir.dims import add, maximum, minimum, multiply
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from .composed import composed
from .cumulative import flipped
from .indexing import getitem, setitem
from .joining import join
from .reductions import over
from .reshaping import moveaxis
from .rules.arguments import as_array, axis_of, dtype_of
from .rules.emission import np_call, static
from .static import known, need_static
from .table import bilinear, surface


def conj(x: Expr) -> Expr:
    """The complex conjugate; real arrays as they are."""
    return f.conjugate(x) if is_complex(x.type) else x


# ------------------------------------------------------------------------- cross and kron
def _infer_cross(dims: Any, inputs: tuple[Value, ...]) -> Type:
    x, y = (v.type for v in inputs)
    assert isinstance(x, ArrayType) and isinstance(y, ArrayType)
    shape = (*dims.broadcast_shapes(x.shape[:-1], y.shape[:-1]), 3)
    return ArrayType(np.promote_types(x.dtype, y.dtype), shape)


def _cross_letters(ranks: tuple[int, ...], attrs: Any) -> tuple[str, ...]:
    items = "abcdefgh"[: max(ranks) - 1]
    x, y = (items[len(items) - rank + 1 :] for rank in ranks)
    return f"{x}m", f"{y}n", f"{items}k"


bilinear(
    "cross", "x y", _infer_cross, "np.cross(x, y)", letters=_cross_letters,
    transpose={"x": lambda g, y: f.cross(conj(y), g), "y": lambda g, x: f.cross(g, conj(x))},
    doc="The cross product of vectors in space, along the last axes.",
)  # fmt: skip


@surface(np.cross)
def cross(
    b: Builder, a: Any, b_: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1,
    axis: Any = None,
) -> Expr:  # fmt: skip
    """``np.cross`` of vectors with three entries, or two, which lie in a plane."""
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    x, y = as_array(b, a), as_array(b, b_)
    x, y = moveaxis(b, x, axisa, -1), moveaxis(b, y, axisb, -1)
    lengths = [need_static(v.length(v.ndim - 1)) for v in (x, y)]
    for v, n in zip((x, y), lengths, strict=True):
        if n not in (2, 3):
            raise ShapeError(f"np.cross needs vectors with three entries, got {v.type}")
    if lengths == [2, 2]:
        return _area(x, y)
    x, y = (_in_space(b, v) if n == 2 else v for v, n in zip((x, y), lengths, strict=True))
    out = f.cross(x, y)
    return moveaxis(b, out, -1, axis_of(axisc, out.ndim))  # type: ignore[no-any-return]


def _area(x: Expr, y: Expr) -> Expr:
    (x0, x1), (y0, y1) = ([getitem(v.builder, v, (..., i)) for i in (0, 1)] for v in (x, y))
    return x0 * y1 - x1 * y0


def _in_space(b: Builder, v: Expr) -> Expr:
    height = f.zeros_like(getitem(b, v, (..., slice(0, 1))))
    return join(b, [v, height], v.ndim - 1)


def _kron(x: Expr, y: Expr) -> Any:
    rank = max(x.ndim, y.ndim)
    wide = [f.expand_dims(v, axes=tuple(range(rank - v.ndim))) if v.ndim < rank else v
            for v in (x, y)]  # fmt: skip
    if not rank:
        return x * y
    odd, even = (tuple(range(start, 2 * rank, 2)) for start in (1, 0))
    product = f.expand_dims(wide[0], axes=odd) * f.expand_dims(wide[1], axes=even)
    lengths = [m * n for m, n in zip(wide[0].shape, wide[1].shape, strict=True)]
    return f.reshape(product, *lengths)


composed("kron", "x y", "np.kron(x, y)", _kron, doc="Every entry of x times all of y.")


@surface(np.kron)
def kron(b: Builder, a: Any, b_: Any) -> Expr:
    """``np.kron``."""
    return f.kron(as_array(b, a), as_array(b, b_))  # type: ignore[no-any-return]


def _matvec(x: Expr, y: Expr) -> Any:
    product = x @ f.expand_dims(y, axes=(y.ndim,))
    return f.squeeze(product, axes=(product.ndim - 1,))


def _vecmat(x: Expr, y: Expr) -> Any:
    product = f.expand_dims(conj(x), axes=(x.ndim - 1,)) @ y
    return f.squeeze(product, axes=(product.ndim - 2,))


if hasattr(np, "matvec"):  # from NumPy 2.2
    composed("matvec", "x y", "np.matvec(x, y)", _matvec, doc="Matrices times vectors.")
    composed("vecmat", "x y", "np.vecmat(x, y)", _vecmat,
             doc="Conjugate vectors times matrices.")  # fmt: skip
    for _name in ("matvec", "vecmat"):
        surface(getattr(np, _name))(
            lambda b, x1, x2, name=_name: getattr(f, name)(as_array(b, x1), as_array(b, x2))
        )


# --------------------------------------------------------------------------- convolution
def _infer_convolved(dims: Any, inputs: tuple[Value, ...], mode: str) -> Type:
    x, y = (v.type for v in inputs)
    assert isinstance(x, ArrayType) and isinstance(y, ArrayType)
    [m], [n] = x.shape, y.shape
    m, n = dims.canonical(m), dims.canonical(n)
    lengths = {
        "full": add(add(m, n), -1),
        "same": maximum(m, n),
        "valid": add(add(maximum(m, n), multiply(-1, minimum(m, n))), 1),
    }
    return ArrayType(np.promote_types(x.dtype, y.dtype), (lengths[mode],))


def _in_full(g: Expr, x: Expr, y: Expr, mode: str) -> Expr:
    """The adjoint of the whole convolution, of which ``mode`` gives the middle."""
    if mode == "full":
        return g
    b, m, n = g.builder, x.length(0), y.length(0)
    shorter = f.minimum(Expr(b, lift(b, m)), Expr(b, lift(b, n)))
    start = shorter - 1 if mode == "valid" else (shorter - 1) // 2
    total = Expr(b, b.op("zeros", lift(b, m + n - 1), dtype=g.dtype))
    return setitem(b, total, slice(start, start + g.length(0)), g)


def _convolve_vjp(g: Expr, x: Expr, y: Expr, mode: str) -> Expr:
    """The adjoint of x in np.convolve(x, y)."""
    whole = _in_full(g, x, y, mode)
    return f.convolve(whole, flipped(conj(y), 0), mode="valid")  # type: ignore[no-any-return]


bilinear(
    "convolve", "x y", _infer_convolved, "np.convolve(x, y, mode=mode)", attrs={"mode": "full"},
    transpose={
        "x": lambda g, x, y, mode: _convolve_vjp(g, x, y, mode),
        "y": lambda g, x, y, mode: _convolve_vjp(g, y, x, mode),
    },
    doc="Sums of products of two sequences, one reversed and moved along the other.",
)  # fmt: skip


def _correlate(x: Expr, y: Expr, mode: str) -> Any:
    """In terms of the whole convolution: NumPy's "same" leans the other way if y is longer."""
    b, m, n = x.builder, x.length(0), y.length(0)
    whole = f.convolve(x, flipped(conj(y), 0))
    if mode == "full":
        return whole
    first, second = Expr(b, lift(b, m)), Expr(b, lift(b, n))
    shorter, longer = f.minimum(first, second), f.maximum(first, second)
    if mode == "valid":
        return getitem(b, whole, slice(shorter - 1, longer))
    start = f.where(f.less(first, second), first // 2, (second - 1) // 2)
    return getitem(b, whole, slice(start, start + longer))


composed(
    "correlate", "x y", "np.correlate(x, y, mode=mode)", _correlate, attrs={"mode": "valid"},
    infer=_infer_convolved, doc="Sums of products of two sequences, one moved along the other.",
)  # fmt: skip


MODES = ("valid", "same", "full")


def _sequences(name: str, mode_: str) -> Any:
    def call(b: Builder, a: Any, v: Any, mode: Any = mode_) -> Any:
        x, y = as_array(b, a), as_array(b, v)
        x, y = (
            v if v.ndim or name != "convolve" else f.expand_dims(v, axes=(0,))
            for v in (x, y)
        )
        if x.ndim != 1 or y.ndim != 1:
            raise ShapeError(f"np.{name} needs two arrays with one axis")
        how = need_static(mode)
        how = MODES[how] if isinstance(how, int) and 0 <= how < len(MODES) else how
        if how not in MODES:
            raise ShapeError(f"np.{name}: mode={how!r} is none of {', '.join(MODES)}")
        return getattr(f, name)(x, y, mode=how)

    return call


surface(np.convolve)(_sequences("convolve", "full"))
surface(np.correlate)(_sequences("correlate", "valid"))


# ---------------------------------------------------------------------------- covariance
def _rows(x: Expr, rowvar: bool) -> Expr:
    if x.ndim < 2:
        return f.expand_dims(x, axes=tuple(range(2 - x.ndim)))  # type: ignore[no-any-return]
    return x if rowvar else x.T


def _cov(
    x: Expr, rowvar: bool, ddof: int, weights: Any = (), given: Any = (), dtype: Any = None
) -> Any:
    rows = _rows(x, rowvar)
    if weights:
        out = _weighted(rows, ddof, dict(zip(given, weights, strict=True)))
    else:
        centred = rows - f.mean(rows, axis=(1,), keepdims=True)
        out = over(centred @ conj(centred).T, rows.length(1) - ddof)
        out = f.astype(out, dtype=rows.dtype) if out.dtype != rows.dtype else out
    single = rows.builder.dims.canonical(rows.dims[0]) == 1
    return f.index(out, index=(0, 0)) if single else out


def _weighted(rows: Expr, ddof: int, given: dict[str, Expr]) -> Any:
    """With frequencies (``fweights``) and weights of observations (``aweights``)."""
    w, *rest = (f.astype(v, dtype=np.dtype(float)) if v.dtype != float else v
                for v in given.values())  # fmt: skip
    w = w * rest[0] if rest else w
    total = f.sum(w)
    centred = rows - f.expand_dims(rows @ w / total, axes=(1,))
    less: Any = ddof
    if ddof and "aweights" in given:
        less = ddof * f.sum(w * given["aweights"]) / total
    return (centred * w) @ conj(centred).T / (total - less)


def _corrcoef(x: Expr, rowvar: bool, dtype: Any = None) -> Any:
    covariance = _cov(x, rowvar, 1)
    if not covariance.ndim:
        return covariance / covariance
    spread = f.sqrt(f.real(f.diagonal(covariance)) if is_complex(x.type)
                    else f.diagonal(covariance))  # fmt: skip
    return covariance / f.expand_dims(spread, axes=(1,)) / spread


def _emit_cov(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    x, *weights = inputs
    more: dict[str, Any] = {} if attrs["rowvar"] else {"rowvar": ast.Constant(False)}
    more |= dict(zip(attrs["given"], weights, strict=True))
    more |= {} if attrs["dtype"] is None else {"dtype": static(attrs["dtype"])}
    return np_call("cov", x, ddof=ast.Constant(attrs["ddof"]), **more)


composed(
    "cov", "x *weights", _emit_cov, _cov,
    attrs={"rowvar": True, "ddof": REQUIRED, "given": (), "dtype": None},
    doc="The covariance of rows.",
)  # fmt: skip
composed("corrcoef", "x", "np.corrcoef(x, rowvar=rowvar, dtype=dtype)", _corrcoef,
         attrs={"rowvar": True, "dtype": None}, doc="The correlation of rows.")  # fmt: skip


def _together(b: Builder, m: Any, y: Any, rowvar: bool, dtype: Any) -> Expr:
    x = as_array(b, m)
    if dtype is not None:
        # NumPy joins and centres in this dtype
        x = f.astype(x, dtype=dtype_of(dtype))
    elif x.dtype.kind not in "fc" or x.dtype.itemsize < 8:
        # np.cov computes in float64 at least
        x = f.astype(x, dtype=np.result_type(x.dtype, np.float64))
    if y is None:
        return x
    return join(
        b, [_rows(x, rowvar), _rows(_together(b, y, None, rowvar, dtype), rowvar)], 0
    )


@surface(np.cov)
def cov(
    b: Builder, m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """``np.cov``."""
    by_row = bool(need_static(rowvar))
    less = need_static(known(ddof))
    if less is not None and less != int(less):
        raise DTypeError(f"np.cov: ddof must be an integer, got {less}")
    less = int(less) if less is not None else int(not need_static(bias))
    x = _together(b, m, y, by_row, dtype)
    given = {"fweights": fweights, "aweights": aweights}
    weights = {k: as_array(b, w) for k, w in given.items() if w is not None}
    attrs = {"rowvar": by_row or y is not None, "ddof": less, "given": tuple(weights)}
    attrs["dtype"] = None if dtype is None else dtype_of(dtype)
    return f.cov(x, *weights.values(), **attrs)


@surface(np.corrcoef)
def corrcoef(
    b: Builder, x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None
) -> Any:
    """``np.corrcoef``."""
    by_row = bool(need_static(rowvar))
    value = _together(b, x, y, by_row, dtype)
    kind = None if dtype is None else dtype_of(dtype)
    return f.corrcoef(value, rowvar=by_row or y is not None, dtype=kind)
