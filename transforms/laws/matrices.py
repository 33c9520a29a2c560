"""Laws of products of matrices in derivative code: of sums of them, and with vectors."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Expr, f
from ...ir.types import ArrayType, is_inexact
from ...ir.values import Op, Value
from .batches import is_identity
from .words import Site, law, rank


# ------------------------------------------------------------------------------ sums
@law("sum", adjoint=True, needed={"matmul"})
def sum_of_product(site: Site) -> Any:
    """``np.sum(x @ y, axis=0)`` is ``np.sum(x, axis=0) @ y``, and so for the columns of ``y``:
    a matrix less to make, and to multiply with."""
    [product] = site.inputs
    op = site.made_by(product, "matmul", once=True)
    if op is None or site.attrs["dtype"] is not None or not of_one_dtype(site, op):
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
    if op is None or site.attrs["dtype"] is not None or not of_one_dtype(site, op):
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
    if not site.builder.dims.equal(length(u, -1), length(y, -2)):
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
    if not site.builder.dims.equal(length(v, 0), length(x, -1)):
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


# ------------------------------------------------------------------------------- words
def shape_of(value: Value) -> tuple[Any, ...]:
    """The lengths of an array's axes."""
    assert isinstance(value.type, ArrayType)
    return value.type.shape


def length(value: Value, axis: int) -> Any:
    """The length of one axis."""
    return shape_of(value)[axis]


def of_one_dtype(site: Site, op: Op | None = None) -> bool:
    """Whether all is computed in the result's own floats: sums are as exact as products."""
    values = site.inputs if op is None else (*op.inputs, op.result)
    dtypes = {v.type.dtype for v in values}  # type: ignore[union-attr]
    return is_inexact(site.type) and dtypes == {site.type.dtype}  # type: ignore[union-attr]
