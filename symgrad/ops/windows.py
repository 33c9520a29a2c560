"""Sliding windows and their adjoint."""

from __future__ import annotations

from typing import Any

from numpy.lib.stride_tricks import sliding_window_view

from ..errors import ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.dims import add
from ..ir.expr import Expr, f
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .kernels import _overlap_add, text_of
from .rules.arguments import as_array, axes_of, integer
from .static import known, need_static
from .table import linear, surface


def _infer_windows(
    dims: Any, inputs: tuple[Value, ...], window: tuple[int, ...], axes: tuple[int, ...]
) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    shape = list(t.shape)
    for axis, length in zip(axes, window, strict=True):
        left = add(dims.canonical(shape[axis]), 1 - length)
        if isinstance(left, int) and left < 1:
            raise ShapeError(f"a window of length {length} does not fit axis {axis} of {t}")
        shape[axis] = left
    return ArrayType(t.dtype, (*shape, *window))


def _infer_overlap(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    g, x = inputs[0].type, inputs[1].type
    assert isinstance(g, ArrayType) and isinstance(x, ArrayType)
    return ArrayType(g.dtype, x.shape)


linear(
    "sliding_window_view",
    "x",
    _infer_windows,
    "np.lib.stride_tricks.sliding_window_view(x, window, axis=axes)",
    attrs={"window": REQUIRED, "axes": REQUIRED},
    transpose={
        "x": lambda g, x, window, axes: f.overlap_add(g, x, window=window, axes=axes)
    },
    traits="moves cheap view",
    doc="All windows of a given size, as further axes at the end; a view, not to be written.",
)
linear(
    "overlap_add",
    "windows x",
    _infer_overlap,
    "_overlap_add(windows, x.shape, axes)",
    attrs={"window": REQUIRED, "axes": REQUIRED},
    transpose={
        "windows": lambda g, window, axes: f.sliding_window_view(
            g, window=window, axes=axes
        )
    },
    shape_only="x",
    traits="allocates",
    helper=text_of(_overlap_add),
    doc="Windows added up where they overlap, in the shape of x.",
)


@surface(sliding_window_view)
def sliding_window(
    b: Builder, x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False,
    writeable: Any = False,
) -> Expr:  # fmt: skip
    """``np.lib.stride_tricks.sliding_window_view``."""
    array = as_array(b, x)
    window = known(window_shape)
    listed = window if isinstance(window, tuple | list) else (window,)
    sizes = tuple(integer(n, "a window's length") for n in listed)
    axes = tuple(range(array.ndim)) if axis is None else axes_of(axis, array.ndim)
    if len(sizes) != len(axes):
        raise ShapeError(f"sliding_window_view: {len(sizes)} lengths for {len(axes)} axes")
    if need_static(writeable):
        raise UnsupportedFunctionError(
            "sliding_window_view(..., writeable=True) is not supported; write into the array "
            "itself"
        )
    return f.sliding_window_view(array, window=sizes, axes=axes)  # type: ignore[no-any-return]
