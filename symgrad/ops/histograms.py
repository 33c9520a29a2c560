"""Histograms: counts are data, edges follow the smallest and largest entry, weights add up."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.dims import add
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from ._arguments import as_array, as_expr
from .calculus import differences
from .composed import composed
from .reshaping import ravel
from .static import known, need_static
from .table import SURFACE, nondiff, surface


def _infer_counts(dims: Any, inputs: tuple[Value, ...]) -> Type:
    [n] = inputs[1].type.shape  # type: ignore[union-attr]
    return ArrayType(np.dtype(np.intp), (add(dims.canonical(n), -1),))


def _edges(a: Expr, bins: int) -> Any:
    b, dtype = a.builder, np.dtype(np.result_type(a.dtype, np.float64))
    low, high = f.min(a), f.max(a)
    return f.linspace(low, high, Expr(b, b.const(bins + 1)), dtype=dtype, endpoint=True)


def _edges_dtype(a: Any, bins: int) -> Any:
    return np.histogram_bin_edges(np.zeros(1, a), 1).dtype


composed(
    "histogram_bin_edges", "a", "np.histogram_bin_edges(a, bins)", _edges, dtype=_edges_dtype,
    attrs={"bins": REQUIRED}, kink="of equal extremes, each has a share",
    doc="The edges of bins of one width from the smallest to the largest entry.",
)  # fmt: skip
nondiff("histogram_counts", "a edges", _infer_counts, "np.histogram(a, edges)[0]",
        traits="allocates", doc="How many entries lie in each bin.")  # fmt: skip


def _weighted(a: Expr, edges: Expr, weights: Expr) -> Any:
    b, last = a.builder, edges.length(0) - 2
    places = f.searchsorted(edges, a, side="right") - 1
    first, final = f.index(edges, index=(0,)), f.index(edges, index=(-1,))
    outside = f.logical_or(f.less(a, first), f.greater(a, final))
    inside = f.minimum(f.maximum(places, 0), last)
    counted = f.where(outside, 0, weights)
    return f.bin_sums(inside, counted, Expr(b, lift(b, edges.length(0) - 1)))


def _infer_weighted(dims: Any, inputs: tuple[Value, ...]) -> Type:
    counts = _infer_counts(dims, inputs[:2])
    return ArrayType(inputs[2].type.dtype, counts.shape)  # type: ignore[union-attr]


composed(
    "histogram_sums", "a edges weights", "np.histogram(a, edges, weights=weights)[0]", _weighted,
    wrt="weights", infer=_infer_weighted, doc="The sum of the weights in each bin.",
)  # fmt: skip


@surface(np.histogram_bin_edges)
def histogram_bin_edges(
    b: Builder, a: Any, bins: Any = 10, range: Any = None, weights: Any = None
) -> Expr:
    """``np.histogram_bin_edges``."""
    x, count = ravel(b, as_array(b, a)), known(bins)
    if isinstance(count, tuple | list | np.ndarray) or getattr(count, "ndim", 0):
        return as_array(b, count)
    if isinstance(count, str):
        raise UnsupportedFunctionError(
            f"bins={count!r} depends on the data; give the number of bins, or their edges"
        )
    n = int(need_static(count))
    if range is None:
        return f.histogram_bin_edges(x, bins=n)  # type: ignore[no-any-return]
    low, high = (as_expr(b, end) for end in range)
    return SURFACE[np.linspace](b, low, high, n + 1)  # type: ignore[no-any-return]


@surface(np.histogram)
def histogram(
    b: Builder, a: Any, bins: Any = 10, range: Any = None, density: Any = None,
    weights: Any = None,
) -> tuple[Expr, Expr]:  # fmt: skip
    """``np.histogram``."""
    x, edges = ravel(b, as_array(b, a)), histogram_bin_edges(b, a, bins, range)
    if weights is None:
        counts = f.histogram_counts(x, edges)
    else:
        counts = f.histogram_sums(x, edges, ravel(b, as_array(b, weights)))
    if need_static(density):
        counts = counts / differences(edges, 0) / f.sum(counts)
    return counts, edges
