"""Laws of products of matrices in derivative code: of sums of them, and of factors that are
nothing but an outer product, a diagonal or a triangle."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Expr, f
from ...ir.indexing import Gather
from ...ir.types import ArrayType, is_complex, is_inexact
from ...ir.values import Op, Value
from .batches import is_identity
from .words import Site, is_number, law, rank

DEPTH = 4
TERMS = ("add", "subtract")


# ------------------------------------------------------------------------------ sums
@law("sum", adjoint=True, needed={"matmul"})
def sum_of_product(site: Site) -> Any:
    """``np.sum(x @ y, axis=0)`` is ``np.sum(x, axis=0) @ y``, and so for the columns of ``y``:
    a matrix less to make, and to multiply with."""
    [product] = site.inputs
    op = site.made_by(product, "matmul", once=True)
    if op is None or site.attrs["dtype"] is not None or not _of_one_dtype(site, op):
        return None
    ndim, axes = rank(product), site.attrs["axis"]
    axes = tuple(range(ndim)) if axes is None else axes
    x, y = map(site.expr, op.inputs)
    rows, columns = ndim - 2 in axes, ndim - 1 in axes
    if min(x.ndim, y.ndim) < 2 or not (rows or columns):
        return None
    flat = ndim == 2 and not site.attrs["keepdims"]
    if rows:
        x = f.sum(x, axis=(x.ndim - 2,), keepdims=not flat)
    if columns:
        y = f.sum(y, axis=(y.ndim - 1,), keepdims=not flat)
    return x @ y if flat else _rest_of_sum(site, x @ y, axes, ndim)


def _rest_of_sum(site: Site, total: Expr, axes: tuple[int, ...], ndim: int) -> Expr:
    """The sum over the other axes, where those of the matrices are summed over but kept."""
    batch = tuple(a for a in axes if a < ndim - 2)
    if batch:
        total = f.sum(total, axis=batch, keepdims=True)
    return total if site.attrs["keepdims"] else f.squeeze(total, axes=axes)


@law("sum", adjoint=True)
def sum_of_scaled_lines(site: Site) -> Any:
    """``np.sum(u[:, None] * y, axis=0)`` is ``u @ y``, ``np.sum(x * v, axis=1)`` is ``x @ v``, and
    so for each of several matrices, with either sign."""
    [product] = site.inputs
    minus = site.made_by(product, "negative")
    op = site.made_by(product if minus is None else minus.inputs[0], "multiply")
    if op is None or site.attrs["dtype"] is not None or not _of_one_dtype(site, op):
        return None
    for factor, other in (op.inputs, op.inputs[::-1]):
        if site.attrs["axis"] == (rank(product) - 2,):
            total = _scaled_rows(site, factor, other)
        elif site.attrs["axis"] == (rank(product) - 1,):
            total = _scaled_columns(site, factor, other, product)
        else:
            return None
        if total is not None:
            return total if minus is None else -total
    return None


def _scaled_rows(site: Site, column: Value, y: Value) -> Expr | None:
    made, axis = site.made_by(column, "expand_dims"), rank(y) - 2
    if made is None or made.attrs["axes"] != (rank(column) - 1,) or rank(y) < rank(column):
        return None
    u = made.inputs[0]
    if not site.builder.dims.equal(_length(u, -1), _length(y, -2)):
        return None
    if axis == 0 and not site.attrs["keepdims"]:
        return site.expr(u) @ site.expr(y)
    total: Expr = f.expand_dims(site.expr(u), axes=(rank(u) - 1,)) @ site.expr(y)
    return total if site.attrs["keepdims"] else f.squeeze(total, axes=(axis,))


def _scaled_columns(site: Site, v: Value, x: Value, product: Value) -> Expr | None:
    if rank(v) != 1 or rank(x) < 2 or not site.same(x.type, product.type):
        return None
    if site.attrs["keepdims"]:
        return None
    if not site.builder.dims.equal(_length(v, 0), _length(x, -1)):
        return None
    return site.expr(x) @ site.expr(v)


@law("sum", adjoint=True, needed={"multiply"})
def sum_along_diagonal(site: Site) -> Any:
    """``np.sum(x * np.eye(n))`` is the trace."""
    op = site.made_by(site.inputs[0], "multiply", once=True)
    if op is None or site.attrs["axis"] not in (None, (0, 1)) or site.attrs["keepdims"]:
        return None
    if rank(op.result) != 2 or site.attrs["dtype"] is not None:
        return None
    for x, unit in (op.inputs, op.inputs[::-1]):
        if is_identity(site, unit) and site.same(x.type, op.result.type):
            return f.sum(f.diagonal(site.expr(x)))
    return None


# ----------------------------------------------------------------------------- vectors
@law("squeeze", adjoint=True, needed={"matmul"})
def product_with_vector(site: Site) -> Any:
    """``np.squeeze(x @ v[:, None], axis=1)`` is ``x @ v``, and so from the left."""
    [product] = site.inputs
    op = site.made_by(product, "matmul", once=True)
    if op is None:
        return None
    x, y = op.inputs
    for thin, axis, new in ((y, rank(product) - 1, 1), (x, rank(product) - 2, 0)):
        made = site.made_by(thin, "expand_dims")
        if site.attrs["axes"] != (axis,) or made is None or made.attrs["axes"] != (new,):
            continue
        if rank(made.inputs[0]) == 1:
            v = site.expr(made.inputs[0])
            return site.expr(x) @ v if new else v @ site.expr(y)
    return None


# ------------------------------------------------------------------------- few numbers
@law("matmul", adjoint=True, needed={"multiply"})
def product_with_outer_product(site: Site) -> Any:
    """``x @ (u[:, None] * v)`` is ``x @ u[:, None] * v``, and so from the left."""
    x, y = site.inputs
    if min(rank(x), rank(y)) < 2 or not _of_one_dtype(site):
        return None
    if (thin := _outer(site, y)) is not None:
        column, row = thin
        return (site.expr(x) @ column) * row
    if (thin := _outer(site, x)) is not None:
        column, row = thin
        row = row if row.ndim > 1 else f.expand_dims(row, axes=(0,))
        return column * (row @ site.expr(y))
    return None


@law("matmul", adjoint=True)
def product_with_diagonal(site: Site) -> Any:
    """``x @ np.diag(d)`` is ``x * d``, and ``np.diag(d) @ x`` is ``d[:, None] * x``."""
    x, y = site.inputs
    if min(rank(x), rank(y)) < 2:
        return None
    if (d := _diagonal(site, y)) is not None and _of_one_dtype(site):
        return site.expr(x) * d
    if (d := _diagonal(site, x)) is not None and _of_one_dtype(site):
        return f.expand_dims(d, axes=(1,)) * site.expr(y)
    return None


@law("matmul", adjoint=True)
def product_with_thin_terms(site: Site) -> Any:
    """``x @ (y + z)`` is two products where both cost next to nothing."""
    for position, total in enumerate(site.inputs):
        op = site.made_by(total, *TERMS, once=True)
        if op is None or min(map(rank, site.inputs)) < 2 or not _of_one_dtype(site):
            continue
        other = site.expr(site.inputs[1 - position])
        if not all(site.same(v.type, total.type) and _thin(site, v) for v in op.inputs):
            continue
        y, z = map(site.expr, op.inputs)
        parts = (y @ other, z @ other) if position == 0 else (other @ y, other @ z)
        return getattr(f, op.name)(*parts)
    return None


def _thin(site: Site, value: Value) -> bool:
    return _outer(site, value) is not None or _diagonal(site, value) is not None


def _outer(site: Site, value: Value) -> tuple[Expr, Expr] | None:
    """The column and the row that a matrix is the product of."""
    op = site.made_by(value, "multiply", once=True)
    if op is None or rank(value) < 2:
        return None
    for column, row in (op.inputs, op.inputs[::-1]):
        flat = rank(row) == 1 or (rank(row) > 1 and _is_one(site, _length(row, -2)))
        if flat and rank(column) > 1 and _is_one(site, _length(column, -1)):
            return site.expr(column), site.expr(row)
    return None


def _diagonal(site: Site, value: Value) -> Expr | None:
    """The diagonal of a matrix that has zeros elsewhere."""
    if rank(value) != 2:
        return None
    op = site.made_by(value, "diag", once=True)
    if op is not None:
        return site.expr(op.inputs[0]) if op.attrs["k"] == 0 else None
    op = site.made_by(value, "store", once=True)
    if op is None or op.attrs["index"] != (Gather(0), Gather(1)):
        return None
    zeros, d, rows, columns = op.inputs
    if rank(d) != 1 or rows is not columns or not site.is_zero(zeros):
        return None
    counted = site.made_by(rows, "arange")
    if counted is None or not is_number(counted.inputs[0], 0):
        return None
    whole = all(site.builder.dims.equal(_length(rows, 0), n) for n in _shape(value))
    return site.expr(d) if whole and is_number(counted.inputs[2], 1) else None


# --------------------------------------------------------------------------- triangles
@law("lower_half", adjoint=True, needed={"matmul"})
def lower_half_of_product(site: Site) -> Any:
    """The lower triangle of ``chol.T @ y`` depends on that of ``y`` only: nobody needs to
    clear the other."""
    op = site.made_by(site.inputs[0], "matmul", once=True)
    if op is None or not _is_upper(site, op.inputs[0]):
        return None
    y = _uncleared(site, op.inputs[1], DEPTH)
    return None if y is None else f.lower_half(site.expr(op.inputs[0]) @ y)


@law("matmul", adjoint=True)
def product_with_inverse_of_triangle(site: Site) -> Any:
    """Where the user solves with a triangular matrix, that is done in place of a product with
    its inverse: SciPy is at hand."""
    for position, factor in enumerate(site.inputs):
        turned = site.made_by(factor, "transpose")
        inverse = site.made_by(factor if turned is None else turned.inputs[0], "inv_lower")
        if inverse is None or is_complex(site.type) or not _of_one_dtype(site):
            continue
        if site.at_hand("solve_triangular", *inverse.inputs) is None:
            continue
        if any(rank(v) != 2 for v in site.inputs):
            continue
        matrix, other = inverse.inputs[0], site.expr(site.inputs[1 - position])
        trans = (turned is not None) != (position == 1)
        x = f.solve_triangular(
            site.expr(matrix),
            other.mT if position else other,
            lower=True,
            trans=int(trans),
            check_finite=False,
        )
        x.value.name = x.value.name or "solved"
        return x.mT if position else x
    return None


def _is_upper(site: Site, value: Value) -> bool:
    """Whether a matrix is the transpose of a lower triangular one."""
    while (op := site.made_by(value, "conjugate")) is not None:
        value = op.inputs[0]
    op = site.made_by(value, "transpose")
    last = rank(value) - 1
    if op is None or op.attrs["axes"] != (*range(last - 1), last, last - 1):
        return False
    value = op.inputs[0]
    while (op := site.made_by(value, "conjugate")) is not None:
        value = op.inputs[0]
    return site.made_by(value, "linalg_cholesky", "inv_lower", "lower_half") is not None


def _uncleared(site: Site, value: Value, depth: int) -> Expr | None:
    """A matrix with the same lower triangle, for less; None if there is none."""
    op = site.made_by(value, "tril", *TERMS, once=True)
    if op is None or not depth:
        return None
    if op.name == "tril":
        return site.expr(op.inputs[0]) if is_number(op.inputs[1], 0) else None
    if not all(site.same(v.type, value.type) for v in op.inputs):
        return None
    parts = [_uncleared(site, v, depth - 1) for v in op.inputs]
    if all(p is None for p in parts):
        return None
    whole = [
        site.expr(v) if p is None else p for v, p in zip(op.inputs, parts, strict=True)
    ]
    return getattr(f, op.name)(*whole)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------- words
def _shape(value: Value) -> tuple[Any, ...]:
    assert isinstance(value.type, ArrayType)
    return value.type.shape


def _length(value: Value, axis: int) -> Any:
    return _shape(value)[axis]


def _is_one(site: Site, length: Any) -> bool:
    return bool(site.builder.dims.canonical(length) == 1)


def _of_one_dtype(site: Site, op: Op | None = None) -> bool:
    """Whether all is computed in the result's own floats: sums are as exact as products."""
    values = site.inputs if op is None else (*op.inputs, op.result)
    dtypes = {v.type.dtype for v in values}  # type: ignore[union-attr]
    return is_inexact(site.type) and dtypes == {site.type.dtype}  # type: ignore[union-attr]
