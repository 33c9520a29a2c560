"""Laws of sums in derivative code: over axes that repeat, over axes of one or two entries; of
terms that have a number in common."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Expr, f
from ...ir.indexing import FULL
from ...ir.types import ArrayType, is_complex, is_inexact
from ...ir.values import Value
from .words import Site, law, rank, scalar_constant


@law("sum", adjoint=True)
def sum_over_ones(site: Site) -> Any:
    """A sum over axes of length 1 only drops them."""
    [x] = site.inputs
    axes = _axes(site)
    canonical = site.builder.dims.canonical
    assert isinstance(x.type, ArrayType)
    if any(canonical(x.type.shape[a]) != 1 for a in axes):
        return None
    if site.attrs["keepdims"] or not axes:
        return x
    return f.squeeze(site.expr(x), axes=axes)


@law("sum", adjoint=True)
def sum_of_sum(site: Site) -> Any:
    """Two sums are one."""
    [x] = site.inputs
    op = site.made_by(x, "sum", once=True)
    if op is None or op.attrs["keepdims"] or site.attrs["keepdims"]:
        return None
    if op.attrs["dtype"] is not None or site.attrs["dtype"] is not None:
        return None
    gone = _all_axes(op.inputs[0], op.attrs["axis"])
    left = [a for a in range(rank(op.inputs[0])) if a not in gone]
    axes = tuple(sorted((*gone, *(left[a] for a in _axes(site)))))
    whole = len(axes) == rank(op.inputs[0])
    return f.sum(site.expr(op.inputs[0]), axis=None if whole else axes)


@law("sum", adjoint=True)
def sum_of_repeated(site: Site) -> Any:
    """The sum of n equal entries is n times one of them."""
    [x] = site.inputs
    op = site.made_by(x, "broadcast_to")
    if op is None or site.attrs["keepdims"] or site.attrs["dtype"] is not None:
        return None
    inner, *lengths = op.inputs
    extra = rank(x) - rank(inner)
    canonical = site.builder.dims.canonical
    shape = getattr(inner.type, "shape", ())
    ones = {a for a, d in enumerate(shape, extra) if canonical(d) == 1}
    axes = _axes(site)
    repeated = [a for a in axes if a < extra or a in ones]
    if not repeated:
        return None
    total = site.expr(inner)
    own = tuple(a - extra for a in axes if a >= extra)
    if own:
        total = f.sum(total, axis=own)
    for a in repeated:
        total = total * site.expr(lengths[a])
    kept = [n for a, n in enumerate(lengths) if a not in axes]
    return site.builder.op("broadcast_to", total.value, *kept) if kept else total


@law("sum", adjoint=True)
def factor_before_sum(site: Site) -> Any:
    """``sum(x * s)`` is ``sum(x) * s`` where s is the same for all that is added up."""
    [product] = site.inputs
    op = site.made_by(product, "multiply", "divide", once=True)
    if op is None or not is_inexact(site.type) or site.attrs["dtype"] is not None:
        return None
    for position in (1, 0) if op.kind.name == "multiply" else (1,):
        x, s = op.inputs[1 - position], op.inputs[position]
        if not site.same(x.type, product.type) or not _constant_along(site, s, rank(x)):
            continue
        total = site.builder.op("sum", x, **site.attrs)
        if rank(s) and not site.attrs["keepdims"]:
            s = f.squeeze(site.expr(s), axes=_axes(site)).value
        inputs = (total, s) if position else (s, total)
        return Expr(site.builder, site.builder.op(op.kind, *inputs))
    return None


def _constant_along(site: Site, s: Value, ndim: int) -> bool:
    """Whether a factor has length 1 on all axes that are summed over."""
    if not isinstance(s.type, ArrayType) or not s.type.ndim:
        return True
    axes, canonical = _axes(site), site.builder.dims.canonical
    return s.type.ndim == ndim and all(canonical(s.type.shape[a]) == 1 for a in axes)


@law("sum", adjoint=True)
def sum_of_pairs(site: Site) -> Any:
    """A sum over axes of length 2 that a reshape made is a sum of slices: NumPy's own is slow
    where so little is summed at a time."""
    [x] = site.inputs
    axes = _axes(site)
    if not _reshaped(site, x) or not 0 < len(axes) < rank(x):
        return None
    if site.attrs["dtype"] is not None:
        return None
    assert isinstance(x.type, ArrayType)
    if any(x.type.shape[a] != 2 for a in axes):
        return None
    total = site.expr(x)
    for gone, axis in enumerate(axes):
        before = (FULL,) * (axis - gone)
        total = f.index(total, index=(*before, 0)) + f.index(total, index=(*before, 1))
    return f.expand_dims(total, axes=axes) if site.attrs["keepdims"] else total


def _reshaped(site: Site, x: Value) -> bool:
    product = site.made_by(x, "multiply")
    made = (x,) if product is None else product.inputs
    return any(site.made_by(v, "reshape") is not None for v in made)


def _axes(site: Site) -> tuple[int, ...]:
    return _all_axes(site.inputs[0], site.attrs["axis"])


def _all_axes(x: Value, axis: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(range(rank(x))) if axis is None else axis


# -------------------------------------------------------------------------------- two terms
SMALL, LARGE = 2.0**-10, 2.0**10
"""Sizes of numbers that make nothing overflow or vanish which did not before."""
DEPTH = 4


@law("add", "subtract", adjoint=True)
def number_in_common(site: Site) -> Any:
    """``c * x + c * y`` is ``c * (x + y)``."""
    if (
        not is_inexact(site.type)
        or is_complex(site.type)
        or not getattr(site.type, "ndim", 0)
    ):
        return None
    x, y = site.inputs
    if x is y or not (site.same(x.type, site.type) and site.same(y.type, site.type)):
        return None
    first, second = _number_in(site, x, DEPTH), _number_in(site, y, DEPTH)
    if first is None or second is None or abs(first) != abs(second):
        return None
    if not SMALL <= abs(first) <= LARGE:
        return None
    left, right = _without_number(site, x), _without_number(site, y)
    plus = (site.kind.name == "add") == (first == second)
    return first * (left + right if plus else left - right)


def _number_in(site: Site, value: Value, depth: int) -> Any:
    """The constant that a product which nobody else reads has as a factor."""
    op = site.made_by(value, "multiply", once=True)
    if op is None or op.role == "" or not depth:
        return None
    for constant, other in (op.inputs, op.inputs[::-1]):
        number = scalar_constant(constant)
        if number is not None and site.same(other.type, value.type):
            return number if isinstance(number, int | float) else None
    for part in op.inputs:
        found = _number_in(site, part, depth - 1)
        if found is not None:
            return found
    return None


def _without_number(site: Site, value: Value) -> Expr:
    """The product without that constant."""
    op = value.op
    assert op is not None
    for constant, other in (op.inputs, op.inputs[::-1]):
        if scalar_constant(constant) is not None and site.same(other.type, value.type):
            return site.expr(other)
    parts = [site.expr(v) for v in op.inputs]
    for position, part in enumerate(op.inputs):
        if _number_in(site, part, DEPTH) is not None:
            parts[position] = _without_number(site, part)
            break
    return parts[0] * parts[1]
