"""Laws of products with matrices that have few numbers of their own, in derivative code: outer
products and diagonals."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Expr, f
from ...ir.indexing import Gather
from ...ir.values import Value
from .matrices import length, of_one_dtype, shape_of
from .words import Site, is_number, law, rank

TERMS = ("add", "subtract")


@law("matmul", adjoint=True, needed={"multiply"})
def product_with_outer_product(site: Site) -> Any:
    """``x @ (u[:, None] * v)`` is ``x @ u[:, None] * v``, and so from the left."""
    x, y = site.inputs
    if min(rank(x), rank(y)) < 2 or not of_one_dtype(site):
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
    if (d := _diagonal(site, y)) is not None and of_one_dtype(site):
        return site.expr(x) * d
    if (d := _diagonal(site, x)) is not None and of_one_dtype(site):
        return f.expand_dims(d, axes=(1,)) * site.expr(y)
    return None


@law("matmul", adjoint=True)
def product_with_thin_terms(site: Site) -> Any:
    """``x @ (y + z)`` is two products where both cost next to nothing."""
    for position, total in enumerate(site.inputs):
        op = site.made_by(total, *TERMS, once=True)
        if op is None or min(map(rank, site.inputs)) < 2 or not of_one_dtype(site):
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
        flat = rank(row) == 1 or (rank(row) > 1 and is_one(site, length(row, -2)))
        if flat and rank(column) > 1 and is_one(site, length(column, -1)):
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
    whole = all(site.builder.dims.equal(length(rows, 0), n) for n in shape_of(value))
    return site.expr(d) if whole and is_number(counted.inputs[2], 1) else None


def is_one(site: Site, d: Any) -> bool:
    """Whether an axis has one entry."""
    return bool(site.builder.dims.canonical(d) == 1)
