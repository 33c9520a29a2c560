"""Laws of triangular matrices in derivative code, as the adjoint of a Cholesky factor has them."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Expr, f
from ...ir.types import is_complex
from ...ir.values import Value
from .matrices import of_one_dtype
from .words import Site, is_number, law, rank

DEPTH = 4


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
        if inverse is None or is_complex(site.type) or not of_one_dtype(site):
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
    op = site.made_by(value, "tril", "add", "subtract", once=True)
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
