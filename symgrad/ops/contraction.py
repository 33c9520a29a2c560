"""Products that sum over an axis: matmul, dot, inner, outer, tensordot, vdot."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..ir.builder import Builder
from ..ir.dims import Dimension
from ..ir.expr import Expr, f
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from .elementwise import resolve
from .reshaping import permute, ravel
from .rules import batching_products as batching
from .rules import following as following
from .rules.arguments import as_array, axis_of
from .rules.emission import np_call
from .static import known, need_static
from .table import SURFACE, bilinear, method, op, surface


# ------------------------------------------------------------------------------- types
def _contract(dims: Any, x: Value, y: Value, m: Dimension, n: Dimension) -> None:
    """Note that two lengths that are summed over together are equal."""
    try:
        dims.unify(m, n)
    except ShapeError:
        raise ShapeError(
            f"{x.type} and {y.type} do not fit: lengths {m} and {n} are summed over together"
        ) from None


def _infer_matmul(dims: Any, inputs: tuple[Value, ...]) -> Type:
    x, y = inputs
    a, b = x.type, y.type
    if (
        not isinstance(a, ArrayType)
        or not isinstance(b, ArrayType)
        or not (a.ndim and b.ndim)
    ):
        raise ShapeError(f"matmul needs arrays of rank 1 or more, got {a} and {b}")
    _contract(dims, x, y, a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0])
    batch = dims.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows = a.shape[-2:-1]
    columns = b.shape[-1:] if b.ndim > 1 else ()
    return ArrayType(resolve(np.matmul, (a.dtype, b.dtype)), (*batch, *rows, *columns))


def _infer_tensordot(dims: Any, inputs: tuple[Value, ...], axes: Any, called: str) -> Type:
    x, y = inputs
    a, b = x.type, y.type
    assert isinstance(a, ArrayType) and isinstance(b, ArrayType)
    for i, j in zip(*axes, strict=True):
        _contract(dims, x, y, a.shape[i], b.shape[j])
    kept = [n for i, n in enumerate(a.shape) if i not in axes[0]]
    kept += [n for j, n in enumerate(b.shape) if j not in axes[1]]
    return ArrayType(resolve(np.matmul, (a.dtype, b.dtype)), tuple(kept))


def _emit_tensordot(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """The call that was written: they differ in the order of their sums."""
    if attrs["called"] != "tensordot":
        return np_call(attrs["called"], *inputs)
    pairs = (ast.Tuple([ast.Constant(i) for i in axes]) for axes in attrs["axes"])
    return np_call("tensordot", *inputs, axes=ast.Tuple(list(pairs)))


# ------------------------------------------------------------------------------- rules
def conj(x: Expr) -> Expr:
    """The complex conjugate; real numbers as they are."""
    return f.conjugate(x) if is_complex(x.type) else x


def _column(x: Expr) -> Expr:
    return f.expand_dims(x, axes=(x.ndim,))  # type: ignore[no-any-return]


def _row(x: Expr) -> Expr:
    return f.expand_dims(x, axes=(x.ndim - 1,))  # type: ignore[no-any-return]


def _matmul_x(g: Expr, x: Expr, y: Expr) -> Expr:
    y = conj(y)
    if y.ndim == 1:
        return g * y if x.ndim == 1 else _column(g) * y
    if x.ndim == 1:
        product = y @ _column(g)
        return f.squeeze(product, axes=(product.ndim - 1,))  # type: ignore[no-any-return]
    return g @ y.mT


def _matmul_y(g: Expr, x: Expr, y: Expr) -> Expr:
    x = conj(x)
    if x.ndim == 1:
        return g * x if y.ndim == 1 else _column(x) * _row(g)
    if x.ndim == 2:
        return x.T @ g
    if y.ndim > 2:
        return x.mT @ g
    rows = f.reshape(x, -1, x.length(x.ndim - 1))  # one product instead of a batch, summed
    return rows.T @ (  # type: ignore[no-any-return]
        f.reshape(g, -1) if y.ndim == 1 else f.reshape(g, -1, g.length(g.ndim - 1))
    )


def _kept(x: Expr, gone: tuple[int, ...]) -> list[int]:
    return [i for i in range(x.ndim) if i not in gone]


def window_axes(x: Expr) -> frozenset[int]:
    """The axes of ``x`` that count through the entries of sliding windows."""
    op, axes = x.value.op, None
    if op is not None and op.name == "transpose":
        axes, op = op.attrs["axes"], op.inputs[0].op
    if op is None or op.name != "sliding_window_view":
        return frozenset()
    rank = x.ndim
    found = range(rank - len(op.attrs["window"]), rank)
    return frozenset(found if axes is None else (axes.index(i) for i in found))


def _contracted(x: Expr, y: Expr, axes: Any) -> Expr:
    """``tensordot``, the factors in the order in which sliding windows are copied fast: with
    the places of the windows innermost, not their few entries."""
    left, right = window_axes(x), window_axes(y)
    if not (left & set(axes[0]) or (right and not right & set(axes[1]))):
        return f.tensordot(x, y, axes=axes)  # type: ignore[no-any-return]
    out = f.tensordot(y, x, axes=axes[::-1])
    mine = y.ndim - len(axes[1])
    return permute(out, [*range(mine, out.ndim), *range(mine)])


def _tensordot_x(g: Expr, x: Expr, y: Expr, axes: Any) -> Expr:
    """Sum over y's own axes; what comes out is in the order kept x axes, axes of y."""
    x_kept, y_kept = _kept(x, axes[0]), _kept(y, axes[1])
    tail = tuple(range(len(x_kept), g.ndim))
    order = [axes[0][k] for k in np.argsort(axes[1])]
    if window_axes(x) & set(axes[0]):  # windows are added up fast with places innermost
        out = f.tensordot(conj(y), g, axes=(tuple(y_kept), tail))
        order = [*order, *x_kept]
    else:
        out = _contracted(g, conj(y), (tail, tuple(y_kept)))
        order = [*x_kept, *order]
    return permute(out, [order.index(i) for i in range(x.ndim)])


def _tensordot_y(g: Expr, x: Expr, y: Expr, axes: Any) -> Expr:
    x_kept, y_kept = _kept(x, axes[0]), _kept(y, axes[1])
    head = tuple(range(len(x_kept)))
    order = [axes[1][k] for k in np.argsort(axes[0])]
    if window_axes(y) & set(y_kept):
        out = f.tensordot(g, conj(x), axes=(head, tuple(x_kept)))
        order = [*y_kept, *order]
    else:
        out = _contracted(conj(x), g, (tuple(x_kept), head))
        order = [*order, *y_kept]
    return permute(out, [order.index(j) for j in range(y.ndim)])


# ----------------------------------------------------------------------------- letters
_ITEMS, _OTHERS, _MORE = "abcdefgh", "mnopqrst", "uvwxyz"


def _matmul_letters(ranks: tuple[int, ...], attrs: Any) -> tuple[str, ...]:
    m, n = ranks
    items = _ITEMS[: max(m, n, 2) - 2]
    x = items[len(items) - max(m - 2, 0) :] + ("mk" if m > 1 else "k")
    y = items[len(items) - max(n - 2, 0) :] + ("kn" if n > 1 else "k")
    return x, y, items + "m" * (m > 1) + "n" * (n > 1)


def _tensordot_letters(ranks: tuple[int, ...], attrs: Any) -> tuple[str, ...]:
    x, y = list(_ITEMS[: ranks[0]]), list(_OTHERS[: ranks[1]])
    for letter, i, j in zip(_MORE, *attrs["axes"], strict=False):
        x[i] = y[j] = letter
    kept = [c for c in (*x, *y) if c not in _MORE]
    return "".join(x), "".join(y), "".join(kept)


bilinear(
    "matmul",
    "x y",
    _infer_matmul,
    "x @ y",
    transpose={"x": _matmul_x, "y": _matmul_y},
    traits="allocates contraction",
    letters=_matmul_letters,
    batch=batching.matmul,
    follow=following.multiplied,
    doc="Matrix product over the last two axes; vectors as NumPy has it.",
)
op(
    "tensordot", "x y", _infer_tensordot, _emit_tensordot,
    attrs={"axes": REQUIRED, "called": "tensordot"},
    vjp={"x": _tensordot_x, "y": _tensordot_y},
    jvp={
        "x": lambda t, y, axes: _contracted(t, y, axes),
        "y": lambda t, x, axes: _contracted(x, t, axes),
    },
    traits="allocates contraction", letters=_tensordot_letters, batch=batching.tensordot,
    follow=following.contracted, doc="Sum of products over pairs of axes.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
@surface(np.matmul, operator.matmul)
def matmul(b: Builder, x1: Any, x2: Any) -> Expr:
    """``x1 @ x2``."""
    return as_array(b, x1) @ as_array(b, x2)


@surface(np.dot)
@method("dot")
def dot(b: Builder, a: Any, b_: Any) -> Expr:
    """``np.dot``."""
    x, y = as_array(b, a), as_array(b, b_)
    if not x.ndim or not y.ndim:
        return x * y
    if y.ndim <= 2 and x.ndim <= 2:
        return x @ y
    axes = ((x.ndim - 1,), (max(y.ndim - 2, 0),))
    return f.tensordot(x, y, axes=axes, called="dot")  # type: ignore[no-any-return]


@surface(np.vdot)
def vdot(b: Builder, a: Any, b_: Any) -> Expr:
    """``np.vdot``."""
    return conj(ravel(b, a)) @ ravel(b, b_)


@surface(np.vecdot)
def vecdot(b: Builder, x1: Any, x2: Any) -> Expr:
    """``np.vecdot``."""
    product = conj(as_array(b, x1)) * as_array(b, x2)
    return f.sum(product, axis=(product.ndim - 1,))  # type: ignore[no-any-return]


@surface(np.linalg.vecdot)
def linalg_vecdot(b: Builder, x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    """``np.linalg.vecdot``."""
    return SURFACE[np.vecdot](b, x1, x2, axis=axis)


@surface(np.inner)
def inner(b: Builder, a: Any, b_: Any) -> Expr:
    """``np.inner``."""
    x, y = as_array(b, a), as_array(b, b_)
    if not x.ndim or not y.ndim:
        return x * y
    if y.ndim == 1:
        return x @ y
    axes = ((x.ndim - 1,), (y.ndim - 1,))
    return f.tensordot(x, y, axes=axes, called="inner")  # type: ignore[no-any-return]


@surface(np.linalg.outer)
def linalg_outer(b: Builder, x1: Any, x2: Any, /) -> Expr:
    """``np.linalg.outer``, of vectors only."""
    x, y = as_array(b, x1), as_array(b, x2)
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeError(f"np.linalg.outer takes vectors, got {x.type} and {y.type}")
    return outer(b, x, y)  # type: ignore[no-any-return]


@surface(np.outer)
def outer(b: Builder, a: Any, b_: Any) -> Expr:
    """``np.outer``."""
    x, y = ravel(b, as_array(b, a)), ravel(b, as_array(b, b_))
    return _column(x) * y


@surface(np.tensordot, np.linalg.tensordot)
def tensordot(b: Builder, a: Any, b_: Any, axes: Any = 2) -> Expr:
    """``np.tensordot``."""
    x, y = as_array(b, a), as_array(b, b_)
    axes = need_static(known(axes))
    if isinstance(axes, int | np.integer):
        n = int(axes)
        axes = (range(x.ndim - n, x.ndim), range(n))
    first, second = (a if isinstance(a, tuple | list | range) else (a,) for a in axes)
    if len(first) != len(second):
        raise ShapeError(f"np.tensordot: axes {axes} do not pair up")
    pairs = (
        tuple(axis_of(i, x.ndim) for i in first),
        tuple(axis_of(j, y.ndim) for j in second),
    )
    return f.tensordot(x, y, axes=pairs)  # type: ignore[no-any-return]
