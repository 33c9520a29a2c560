"""Histograms: counts are data, edges follow the smallest and largest entry, weights add up."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.dims import add
from ..ir.expr import Expr, f, lift
from ..ir.indexing import FULL
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .calculus import differences
from .composed import composed
from .reshaping import ravel
from .rules.arguments import as_array, as_expr
from .rules.emission import np_call, static
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


def _placed(x: Expr, bounds: Expr) -> tuple[Expr, Expr, Any]:
    """In which bin each entry lies, which lie in none, and how many bins there are."""
    count = bounds.length(0) - 1
    first, final = f.index(bounds, index=(0,)), f.index(bounds, index=(-1,))
    outside = f.logical_or(f.less(x, first), f.greater(x, final))
    places = f.searchsorted(bounds, x, side="right") - 1
    return f.minimum(f.maximum(places, 0), count - 1), outside, count


def _sums(a: Expr, weights: Expr, edges: tuple[Expr, ...], bins: Any, range: Span) -> Any:
    b, bounds = a.builder, edges[0] if edges else _edges(a, bins, range)
    inside, outside, count = _placed(a, bounds)
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


# ------------------------------------------------------------------------ in several axes
def _halves(parts: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """The coordinates of the points, and the edges."""
    return parts[: len(parts) // 2], parts[len(parts) // 2 :]


def _emit_cells(
    inputs: list[ast.expr], attrs: dict[str, Any], **weights: ast.expr
) -> ast.expr:
    points, edges = _halves(inputs)
    call = np_call("histogramdd", ast.Tuple([*points]), ast.Tuple([*edges]), **weights)
    return ast.Subscript(call, ast.Constant(0))


def _infer_cells(dims: Any, inputs: tuple[Value, ...]) -> Type:
    shape = (_count(dims, (edge,), None) for edge in _halves(inputs)[1])
    return ArrayType(np.dtype(np.float64), tuple(shape))


def _infer_cell_sums(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return _infer_cells(dims, inputs[1:])


def _cell_sums(weights: Expr, parts: tuple[Expr, ...]) -> Expr:
    b = weights.builder
    flat, outside, total = None, None, None
    counts = []
    for x, bounds in zip(*_halves(parts), strict=True):
        place, beyond, count = _placed(x, bounds)
        size = Expr(b, lift(b, count))
        flat = place if flat is None else flat * size + place
        outside = beyond if outside is None else f.logical_or(outside, beyond)
        total = size if total is None else total * size
        counts.append(count)
    inside = f.where(outside, 0, f.astype(weights, dtype=np.dtype(np.float64)))
    return f.reshape(f.sum_rows(inside, flat, total), *counts)  # type: ignore[no-any-return]


nondiff("histogramdd_counts", "*parts", _infer_cells, _emit_cells, traits="allocates",
        doc="How many points lie in each cell between the edges.")  # fmt: skip
composed(
    "histogramdd_sums", "weights *parts", lambda inputs, attrs: _emit_cells(
        inputs[1:], attrs, weights=inputs[0]), _cell_sums, wrt="weights", infer=_infer_cell_sums,
    batch="each", doc="The sum of the weights of the points in each cell.",
)  # fmt: skip


def _cells(
    b: Builder, points: list[Expr], bins: Any, range: Any, density: Any, weights: Any
) -> tuple[Expr, list[Expr]]:
    given = known(bins)
    several = isinstance(given, tuple | list)
    counts = list(given) if several else [given] * len(points)
    spans = [None] * len(points) if range is None else list(known(range))
    if len(counts) != len(points) or len(spans) != len(points):
        raise ShapeError(
            f"a histogram in {len(points)} axes takes as many bins and ranges, got "
            f"{len(counts)} and {len(spans)}"
        )
    edges = [
        histogram_bin_edges(b, p, n, s)
        for p, n, s in zip(points, counts, spans, strict=True)
    ]
    for edge in edges:
        edge.value.name = edge.value.name or "edges"
    if weights is None:
        cells = f.histogramdd_counts(*points, *edges)
    else:
        cells = f.histogramdd_sums(ravel(b, as_array(b, weights)), *points, *edges)
    cells.value.name = "cells"
    if not need_static(density):
        return cells, edges
    total = f.sum(cells)
    for axis, edge in enumerate(edges):
        column = (-1, *(1,) * (len(edges) - 1 - axis))
        cells = cells / f.reshape(differences(edge, 0), *column)
    return cells / total, edges


@surface(np.histogram2d)
def histogram2d(
    b: Builder, x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None,
    weights: Any = None,
) -> tuple[Expr, Expr, Expr]:  # fmt: skip
    """``np.histogram2d``; one array of edges is for both axes."""
    points = [as_array(b, v) for v in (x, y)]
    both = known(bins)
    if not isinstance(both, tuple | list) or len(both) not in (1, 2):
        bins = (both, both)
    cells, edges = _cells(b, points, bins, range, density, weights)
    return cells, edges[0], edges[1]


@surface(np.histogramdd)
def histogramdd(
    b: Builder, sample: Any, bins: Any = 10, range: Any = None, density: Any = None,
    weights: Any = None,
) -> tuple[Expr, tuple[Expr, ...]]:  # fmt: skip
    """``np.histogramdd`` of points in rows, or of a sequence of their coordinates."""
    if isinstance(sample, tuple | list):
        points = [as_array(b, v) for v in sample]
    else:
        rows = as_array(b, sample)
        count = need_static(rows.length(1)) if rows.ndim > 1 else 1
        flat = rows if rows.ndim > 1 else f.expand_dims(rows, axes=(1,))
        points = [f.index(flat, index=(FULL, i)) for i in builtins.range(count)]
    cells, edges = _cells(b, points, bins, range, density, weights)
    return cells, tuple(edges)
