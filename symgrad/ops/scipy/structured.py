"""``scipy.linalg``: matrices made of vectors (Toeplitz, circulant, ...) and bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, f, lift
from ...ir.opdef import REQUIRED
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..contraction import conj
from ..cumulative import flipped
from ..indexing import getitem, setitem
from ..linalg.systems import inexact
from ..reshaping import ravel
from ..rules.arguments import as_array, integer
from ..static import need_static
from ..table import op, surface


# -------------------------------------------------------------------------------- places
def _count(b: Builder, n: Any) -> Expr:
    ends = (b.const(0), lift(b, n), b.const(1))
    return Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))


def _grid(b: Builder, rows: Any, columns: Any) -> tuple[Expr, Expr]:
    """Row numbers and column numbers, to be broadcast together."""
    i, j = _count(b, rows), _count(b, columns)
    return f.expand_dims(i, axes=(1,)), f.expand_dims(j, axes=(0,))


def _vector(b: Builder, x: Any) -> Expr:
    """One vector: of more than one axis SciPy's versions make different things."""
    entries = as_array(b, x)
    if entries.ndim > 1:
        raise ShapeError(f"one vector is needed, got {entries.type}; use np.ravel or vmap")
    return ravel(b, entries)


def _tail(b: Builder, x: Expr) -> Expr:
    return getitem(b, x, slice(1, None))


# -------------------------------------------------------------------- matrices of vectors
@surface(scipy.linalg.toeplitz)
def toeplitz(b: Builder, c: Any, r: Any = None) -> Expr:
    """``scipy.linalg.toeplitz``."""
    column = _vector(b, c)
    row = conj(column) if r is None else _vector(b, r)
    entries = f.concatenate(flipped(_tail(b, row), 0), column, axis=0)
    i, j = _grid(b, column.length(0), row.length(0))
    return getitem(b, entries, i - j + (row.length(0) - 1))


@surface(scipy.linalg.hankel)
def hankel(b: Builder, c: Any, r: Any = None) -> Expr:
    """``scipy.linalg.hankel``."""
    column = _vector(b, c)
    row = f.zeros_like(column) if r is None else _vector(b, r)
    i, j = _grid(b, column.length(0), row.length(0))
    return getitem(b, f.concatenate(column, _tail(b, row), axis=0), i + j)


@surface(scipy.linalg.circulant)
def circulant(b: Builder, c: Any) -> Expr:
    """``scipy.linalg.circulant``."""
    column = _vector(b, c)
    n = column.length(0)
    i, j = _grid(b, n, n)
    return getitem(b, column, f.remainder(i - j, n))


@surface(scipy.linalg.companion)
def companion(b: Builder, a: Any) -> Expr:
    """``scipy.linalg.companion``."""
    p = _vector(b, a)
    first = -_tail(b, p) / getitem(b, p, 0)
    n = lift(b, first.length(0))
    below = Expr(b, b.op("eye", n, n, b.const(-1), dtype=first.dtype))
    return setitem(b, below, 0, first)


@surface(scipy.linalg.block_diag)
def block_diag(b: Builder, *arrs: Any) -> Expr:
    """``scipy.linalg.block_diag``."""
    blocks = [as_array(b, x) for x in arrs]
    blocks = [
        f.expand_dims(x, axes=tuple(range(2 - x.ndim))) if x.ndim < 2 else x for x in blocks
    ]
    rows = [x.length(x.ndim - 2) for x in blocks]
    columns = [x.length(x.ndim - 1) for x in blocks]
    dtype = np.result_type(*(x.dtype for x in blocks))
    batch = max(blocks, key=lambda x: x.ndim).shape[:-2]
    ends = (lift(b, n) for n in (*batch, _sum(rows), _sum(columns)))
    out = Expr(b, b.op("zeros", *ends, dtype=dtype))
    for k, x in enumerate(blocks):
        top, left = _sum(rows[:k]), _sum(columns[:k])
        key = (..., slice(top, top + rows[k]), slice(left, left + columns[k]))
        out = setitem(b, out, key, x)
    return out


def _sum(lengths: list[Any]) -> Any:
    total: Any = 0
    for n in lengths:
        total = n + total
    return total


@surface(scipy.linalg.khatri_rao)
def khatri_rao(builder: Builder, /, a: Any, b: Any) -> Expr:
    """``scipy.linalg.khatri_rao``."""
    x, y = as_array(builder, a), as_array(builder, b)
    product = f.expand_dims(x, axes=(1,)) * f.expand_dims(y, axes=(0,))
    return f.reshape(product, -1, x.length(1))  # type: ignore[no-any-return]


# ---------------------------------------------------------------------- products, systems
def _column_and_row(b: Builder, c_or_cr: Any) -> tuple[Any, Any]:
    return c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)


@surface(scipy.linalg.matmul_toeplitz)
def matmul_toeplitz(
    b: Builder, c_or_cr: Any, x: Any, check_finite: Any = False, workers: Any = None
) -> Expr:
    """``scipy.linalg.matmul_toeplitz``, by the matrix."""
    return toeplitz(b, *_column_and_row(b, c_or_cr)) @ as_array(b, x)  # type: ignore[no-any-return]


@surface(scipy.linalg.solve_toeplitz)
def solve_toeplitz(
    builder: Builder, /, c_or_cr: Any, b: Any, check_finite: Any = True
) -> Expr:
    """``scipy.linalg.solve_toeplitz``, by the matrix."""
    matrix = toeplitz(builder, *_column_and_row(builder, c_or_cr))
    return f.linalg_solve(matrix, as_array(builder, b))  # type: ignore[no-any-return]


@surface(scipy.linalg.solve_circulant)
def solve_circulant(builder: Builder, /, c: Any, b: Any) -> Expr:
    """``scipy.linalg.solve_circulant`` of vectors, by the matrix."""
    return f.linalg_solve(circulant(builder, c), as_array(builder, b))  # type: ignore[no-any-return]


# --------------------------------------------------------------------------------- bands
def _infer_banded(dims: Any, inputs: tuple[Value, ...], lower: int, upper: int) -> Type:
    ab, y = (v.type for v in inputs)
    assert isinstance(ab, ArrayType) and isinstance(y, ArrayType)
    dims.unify(ab.shape[1], y.shape[0])
    return ArrayType(inexact(np.result_type(ab.dtype, y.dtype)), y.shape)


def _turned(ab: Expr, lower: int, upper: int) -> Expr:
    """The bands of the transposed matrix: row r of them is row l + u - r, moved r - l."""
    b, n, wide = ab.builder, ab.length(1), max(lower, upper)
    padded = f.pad(ab, 0, 0, 0, wide, wide)
    r, j = _grid(b, lower + upper + 1, n)
    return getitem(b, padded, (lower + upper - r, j + r + (wide - lower)))


def _bands(column: Expr, row: Expr, lower: int, upper: int) -> Expr:
    """The bands of ``column @ row.T``, of vectors or matrices."""
    b, n, wide = column.builder, column.length(0), max(lower, upper)
    edges = (wide, wide, 0, 0)[: 2 * column.ndim]
    padded = f.pad(column, 0, *edges)
    r, j = _grid(b, lower + upper + 1, n)
    moved = getitem(b, padded, j + r + (wide - upper))
    product = moved * f.expand_dims(row, axes=(0,))
    return f.sum(product, axis=(2,)) if column.ndim > 1 else product  # type: ignore[no-any-return]


def _banded_back(g: Expr, ab: Expr, lower: int, upper: int) -> Expr:
    turned = conj(_turned(ab, lower, upper))
    return f.solve_banded(turned, g, lower=upper, upper=lower)  # type: ignore[no-any-return]


def _banded_vjp(g: Expr, ab: Expr, out: Expr, lower: int, upper: int) -> Expr:
    back = _banded_back(g, ab, lower, upper)
    return -_bands(back, conj(out), lower, upper)


def _times(ab: Expr, x: Expr, lower: int, upper: int) -> Expr:
    """The matrix of bands times ``x``: band by band, from the bands of the transpose."""
    b, n, wide = ab.builder, ab.length(1), max(lower, upper)
    edges = (wide, wide, 0, 0)[: 2 * x.ndim]
    r, j = _grid(b, lower + upper + 1, n)
    moved = getitem(b, f.pad(x, 0, *edges), j + r + (wide - lower))
    turned = _turned(ab, lower, upper)
    turned = f.expand_dims(turned, axes=(2,)) if x.ndim > 1 else turned
    return f.sum(turned * moved, axis=(0,))  # type: ignore[no-any-return]


op(
    "solve_banded", "ab y", _infer_banded, "linalg.solve_banded((lower, upper), ab, y)",
    attrs={"lower": REQUIRED, "upper": REQUIRED},
    vjp={"ab": _banded_vjp, "y": _banded_back},
    jvp={"ab": lambda t, ab, out, attrs: -f.solve_banded(ab, _times(t, out, **attrs), **attrs)},
    linear_in="y",
    imports=("from scipy import linalg",), traits="allocates", batch="each",
    doc="The solution x of a @ x = y, a given by its bands.",
)  # fmt: skip


@surface(scipy.linalg.solve_banded)
def solve_banded(
    builder: Builder, /, l_and_u: Any, ab: Any, b: Any, **options: Any
) -> Expr:
    """``scipy.linalg.solve_banded``."""
    lower, upper = (integer(n, "a number of bands") for n in l_and_u)
    bands, y = as_array(builder, ab), as_array(builder, b)
    return f.solve_banded(bands, y, lower=lower, upper=upper)  # type: ignore[no-any-return]


@surface(scipy.linalg.solveh_banded)
def solveh_banded(
    builder: Builder, /, ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False,
    lower: Any = False, check_finite: Any = True,
) -> Expr:  # fmt: skip
    """``scipy.linalg.solveh_banded`` as a general system of bands."""
    bands = as_array(builder, ab)
    count = integer(bands.length(0), "the number of bands") - 1
    if bands.dtype.kind == "c":  # LAPACK reads the real part of the diagonal
        row = 0 if need_static(lower) else count
        bands = setitem(builder, bands, row, f.real(getitem(builder, bands, row)))
    if need_static(lower):
        rest = getitem(builder, _turned(bands, count, 0), slice(0, count))
        whole = f.concatenate(conj(rest), bands, axis=0)
    else:
        rest = getitem(builder, _turned(bands, 0, count), slice(1, None))
        whole = f.concatenate(bands, conj(rest), axis=0)
    return f.solve_banded(whole, as_array(builder, b), lower=count, upper=count)  # type: ignore[no-any-return]
