"""Histograms: counts are data, edges follow the smallest and largest entry, weights add up."""

from __future__ import annotations

import ast
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
from ._emission import np_call, static
from .calculus import differences
from .composed import composed
from .elementwise import refuse
from .reshaping import ravel
from .static import known, need_static
from .table import SURFACE, nondiff, surface

Span = tuple[float, float] | None


def _inner(x: Any) -> np.dtype[Any]:
    return np.dtype(x if x.kind == "f" else np.float64)


def _edges(a: Expr, bins: int, range: Span = None) -> Any:
    b = a.builder
    ends = (f.min(a), f.max(a)) if range is None else [Expr(b, b.const(e)) for e in range]
    count = Expr(b, b.const(bins + 1))
    return f.linspace(*ends, count, dtype=_inner(a.dtype), endpoint=True)


composed(
    "histogram_bin_edges", "a", "np.histogram_bin_edges(a, bins)", _edges,
    attrs={"bins": REQUIRED}, kink="of equal extremes, each has a share",
    doc="The edges of bins of one width from the smallest to the largest entry.",
)  # fmt: skip


# -------------------------------------------------------------- counts, sums of weights
def _emit(inputs: list[ast.expr], attrs: dict[str, Any], **weights: ast.expr) -> ast.expr:
    a, *edges = inputs
    bins = edges[0] if edges else ast.Constant(attrs["bins"])
    span = {} if attrs["range"] is None else {"range": static(attrs["range"])}
    return ast.Subscript(np_call("histogram", a, bins, **span, **weights), ast.Constant(0))


def _emit_sums(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    a, weights, *edges = inputs
    return _emit([a, *edges], attrs, weights=weights)


def _count(dims: Any, edges: tuple[Value, ...], bins: Any) -> Any:
    if not edges:
        return bins
    [n] = edges[0].type.shape  # type: ignore[union-attr]
    return add(dims.canonical(n), -1)


def _infer_counts(dims: Any, inputs: tuple[Value, ...], bins: Any, range: Span) -> Type:
    return ArrayType(np.dtype(np.intp), (_count(dims, inputs[1:], bins),))


def _infer_sums(dims: Any, inputs: tuple[Value, ...], bins: Any, range: Span) -> Type:
    dtype = inputs[1].type.dtype  # type: ignore[union-attr]
    return ArrayType(dtype, (_count(dims, inputs[2:], bins),))


def _sums(a: Expr, weights: Expr, edges: tuple[Expr, ...], bins: Any, range: Span) -> Any:
    b, bounds = a.builder, edges[0] if edges else _edges(a, bins, range)
    count = bounds.length(0) - 1
    first, final = f.index(bounds, index=(0,)), f.index(bounds, index=(-1,))
    outside = f.logical_or(f.less(a, first), f.greater(a, final))
    places = f.searchsorted(bounds, a, side="right") - 1
    inside = f.minimum(f.maximum(places, 0), count - 1)
    return f.sum_rows(f.where(outside, 0, weights), inside, Expr(b, lift(b, count)))


_BINS = {"bins": None, "range": None}
nondiff("histogram_counts", "a *edges", _infer_counts, _emit, attrs=_BINS, traits="allocates",
        doc="How many entries lie in each bin.")  # fmt: skip
composed(
    "histogram_sums", "a weights *edges", _emit_sums, _sums, wrt="weights", attrs=_BINS,
    infer=_infer_sums, doc="The sum of the weights of the entries in each bin.",
)  # fmt: skip


# ------------------------------------------------------------------------------ surfaces
def _are_edges(bins: Any) -> bool:
    return isinstance(bins, tuple | list | np.ndarray) or bool(getattr(bins, "ndim", 0))


@surface(np.histogram_bin_edges)
def histogram_bin_edges(
    b: Builder, a: Any, bins: Any = 10, range: Any = None, weights: Any = None
) -> Expr:
    """``np.histogram_bin_edges``."""
    x, count = ravel(b, as_array(b, a)), known(bins)
    if _are_edges(count):
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
    bounds: tuple[Expr, ...] = (edges,)
    attrs: dict[str, Any] = {}
    if not _are_edges(known(bins)):
        span = None if range is None else tuple(float(e) for e in need_static(range))
        bounds, attrs = (), {"bins": int(need_static(bins)), "range": span}
    if weights is None:
        counts = f.histogram_counts(x, *bounds, **attrs)
    else:
        counts = f.histogram_sums(x, ravel(b, as_array(b, weights)), *bounds, **attrs)
    if need_static(density):
        counts = counts / differences(edges, 0) / f.sum(counts)
    return counts, edges


# -------------------------------------------------------------------------- in two axes
def _infer_grid(dims: Any, inputs: tuple[Value, ...], bins: Any, range: Any) -> Type:
    return ArrayType(np.dtype(np.float64), bins)


nondiff(
    "histogram2d_counts", "x y", _infer_grid, "np.histogram2d(x, y, bins, range=range)[0]",
    attrs={"bins": REQUIRED, "range": None}, doc="How many points lie in each cell.",
)  # fmt: skip


@surface(np.histogram2d)
def histogram2d(
    b: Builder, x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None,
    weights: Any = None,
) -> tuple[Expr, Expr, Expr]:  # fmt: skip
    """``np.histogram2d`` with numbers of bins."""
    refuse("np.histogram2d", {"weights": weights, "density": density},
           weights=None, density=None)  # fmt: skip
    points = [as_array(b, v) for v in (x, y)]
    given = need_static(bins)
    counts = tuple(given) if isinstance(given, tuple | list) else (given, given)
    if not all(isinstance(n, int | np.integer) for n in counts):
        raise UnsupportedFunctionError("np.histogram2d is supported with numbers of bins")
    spans = (
        [None, None]
        if range is None
        else [tuple(map(float, r)) for r in need_static(range)]
    )
    attrs = {
        "bins": tuple(map(int, counts)),
        "range": None if range is None else tuple(spans),
    }
    edges = [
        histogram_bin_edges(b, p, n, s)
        for p, n, s in zip(points, counts, spans, strict=True)
    ]
    return f.histogram2d_counts(*points, **attrs), edges[0], edges[1]
