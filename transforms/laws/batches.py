"""Laws for what batching leaves: products with the identity, and of large and small factors."""

from __future__ import annotations

from typing import Any

from ...ir.types import is_complex, is_inexact
from ...ir.values import Value
from .words import Site, law, rank


@law("matmul", adjoint=True)
def product_with_identity(site: Site) -> Any:
    """``np.eye(n) @ x`` and ``x @ np.eye(n)`` are ``x``: a Jacobian's basis goes in this way."""
    x, y = site.inputs
    if rank(x) == 2 and is_identity(site, x):
        return y if site.same(y.type, site.type) else None
    if rank(y) == 2 and is_identity(site, y):
        return x if site.same(x.type, site.type) else None
    return None


@law("tensordot", adjoint=True)
def contraction_with_identity(site: Site) -> Any:
    """The same where one axis of a larger array is contracted."""
    x, y = site.inputs
    first, second = site.attrs["axes"]
    if len(first) != 1 or rank(x) != 2 or not is_identity(site, x):
        return None
    if second != (0,):
        return None
    return y if site.same(y.type, site.type) else None


def is_identity(site: Site, value: Value) -> bool:
    """Whether a value is ``np.eye(n)``."""
    op = site.made_by(value, "eye")
    if op is None:
        return False
    rows, columns, k = op.inputs
    square = rows is columns or (
        rows.dim is not None
        and columns.dim is not None
        and site.builder.dims.equal(rows.dim, columns.dim)
    )
    return square and k.is_constant and k.constant == 0


@law("multiply", adjoint=True)
def small_factors_first(site: Site) -> Any:
    """``x * v * w`` is ``x * (v * w)`` where ``v`` and ``w`` have fewer axes than ``x``."""
    if not is_inexact(site.type) or is_complex(site.type):
        return None
    for large, small in (site.inputs, site.inputs[::-1]):
        if not 0 < rank(small) < rank(large):
            continue
        op = site.made_by(large, "multiply", once=True)
        if op is None or not site.same(large.type, site.type):
            continue
        for x, v in (op.inputs, op.inputs[::-1]):
            if rank(v) < rank(x) and site.same(x.type, site.type):
                return site.expr(x) * (site.expr(v) * site.expr(small))
    return None
