"""``scipy.signal``: convolution in any number of dimensions."""

from __future__ import annotations

from typing import Any

import scipy.signal

from ..errors import ShapeError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import is_complex
from ._arguments import as_array
from .contraction import conj
from .cumulative import flipped
from .fft import fitted
from .indexing import getitem
from .static import known, need_static
from .table import surface


def _full(builder: Builder, x: Expr, y: Expr) -> Expr:
    """The whole convolution; of several dimensions by Fourier transforms."""
    if x.ndim == 1:
        return f.convolve(x, y, mode="full")  # type: ignore[no-any-return]
    lengths = [m + n - 1 for m, n in zip(x.shape, y.shape, strict=True)]
    axes = tuple(range(x.ndim))
    for axis, n in enumerate(lengths):
        x, y = (fitted(builder, v, n, axis) for v in (x, y))
    product = f.ifft(f.fft(x, axes=axes) * f.fft(y, axes=axes), axes=axes)
    return product if is_complex(x.type) or is_complex(y.type) else f.real(product)  # type: ignore[no-any-return]


def _middle(builder: Builder, full: Expr, x: Expr, y: Expr, mode: str) -> Expr:
    key = []
    for m, n in zip(x.shape, y.shape, strict=True):
        if mode == "same":
            start = (n - 1) // 2
            key.append(slice(start, start + m))
            continue
        small = known(n)
        if isinstance(small, int) and isinstance(known(m), int) and known(m) < small:
            m, n = n, m
        key.append(slice(n - 1, m))
    return getitem(builder, full, tuple(key))


@surface(scipy.signal.convolve)
def convolve(
    builder: Builder, in1: Any, in2: Any, mode: Any = "full", method: Any = "auto"
) -> Expr:
    """``scipy.signal.convolve``; with mode "valid" the first array is the longer one."""
    x, y, wanted = as_array(builder, in1), as_array(builder, in2), need_static(mode)
    if x.ndim != y.ndim or wanted not in ("full", "same", "valid"):
        raise ShapeError(f"scipy.signal.convolve of {x.type} and {y.type}, mode={wanted!r}")
    full = _full(builder, x, y)
    return full if wanted == "full" else _middle(builder, full, x, y, wanted)


@surface(scipy.signal.correlate)
def correlate(
    builder: Builder, in1: Any, in2: Any, mode: Any = "full", method: Any = "auto"
) -> Expr:
    """``scipy.signal.correlate``: the convolution with the second array turned around."""
    y = conj(as_array(builder, in2))
    for axis in range(y.ndim):
        y = flipped(y, axis)
    return convolve(builder, in1, y, mode)  # type: ignore[no-any-return]
