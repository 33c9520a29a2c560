"""Laws of zeros in derivative code: what is known to be zero costs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InternalError
from ...ir.expr import f
from ...ir.opdef import OpDef
from ...ir.types import ArrayType, ScalarType
from ...ir.values import Value
from .words import Site, law

MADE_ZERO = frozenset({"zeros", "zeros_like"})
SIGNS = ("negative", "positive")
BILINEAR = frozenset("matmul dot vecdot matvec vecmat inner outer tensordot einsum".split())


def is_zero(value: Value) -> bool:
    """Whether every entry is known to be zero."""
    op = value.op
    while op is not None and (keeps_zero(op.kind) or op.kind.name in SIGNS):
        op = op.inputs[0].op
    if op is None:
        return False
    if op.kind.name == "const":
        return not np.any(op.attrs["value"])
    if op.kind.name in ("full", "full_like"):
        return is_zero(op.inputs[0 if op.kind.name == "full" else 1])
    return op.kind.name in MADE_ZERO


def keeps_zero(kind: OpDef) -> bool:
    """Whether zeros as the first input make the result zero."""
    return (
        kind.has("linear")
        and not kind.has("store")
        and set(kind.vjp) == set(kind.inputs[:1])
    )


def zeros_of(site: Site) -> Any:
    """Zeros of the op's type, or None where nothing at hand has its shape."""
    t = site.type
    if isinstance(t, ScalarType):
        return {"float": 0.0, "complex": 0j, "int": 0, "bool": False}[t.kind]
    if not isinstance(t, ArrayType):
        return None
    if t.ndim == 0:
        return t.dtype.type(0)
    for value in site.inputs:
        if isinstance(value.type, ArrayType) and site.same(
            ArrayType(t.dtype, value.type.shape), t
        ):
            dtype = None if value.type.dtype == t.dtype else t.dtype
            return f.zeros_like(site.expr(value), dtype=dtype)
    try:
        lengths = [site.builder.length(site.builder.dims.canonical(d)) for d in t.shape]
    except InternalError:
        return None
    return site.builder.op("zeros", *lengths, dtype=t.dtype)


@law("multiply", *BILINEAR, adjoint=True)
def product_with_zero(site: Site) -> Any:
    """x * 0 is 0."""
    return zeros_of(site) if any(map(site.is_zero, site.inputs)) else None


@law("divide", adjoint=True)
def zero_divided(site: Site) -> Any:
    """0 / x is 0."""
    return zeros_of(site) if site.is_zero(site.inputs[0]) else None


@law("where", adjoint=True)
def zero_selected(site: Site) -> Any:
    """Either way 0."""
    return zeros_of(site) if all(map(site.is_zero, site.inputs[1:])) else None


@law(trait="linear", adjoint=True)
def linear_of_zero(site: Site) -> Any:
    """A linear op of zeros gives zeros, in memory of their own."""
    if not keeps_zero(site.kind) or not site.is_zero(site.inputs[0]):
        return None
    return zeros_of(site)
