"""``scipy.signal``: convolution in any number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import is_complex
from ..composed import composed
from ..contraction import conj
from ..cumulative import flipped
from ..fft import fitted
from ..indexing import getitem
from ..rules.arguments import as_array
from ..static import need_static
from ..table import surface


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


def _middle(full: Expr, x: Expr, y: Expr, mode: str) -> Expr:
    key = []
    for m, n in zip(x.shape, y.shape, strict=True):
        if mode == "same":
            key.append(slice((n - 1) // 2, (n - 1) // 2 + m))
        else:  # whichever is the longer one
            key.append(slice(f.minimum(m, n) - 1, f.maximum(m, n)))
    return getitem(full.builder, full, tuple(key))


def _convolved(x: Expr, y: Expr, mode: str, method: str) -> Expr:
    full = _full(x.builder, x, y)
    return full if mode == "full" else _middle(full, x, y, mode)


def _correlated(x: Expr, y: Expr, mode: str, method: str) -> Expr:
    """The convolution with the second array turned around."""
    y = conj(y)
    for axis in range(y.ndim):
        y = flipped(y, axis)
    return _convolved(x, y, mode, method)


def _surface_of(name: str) -> Any:
    def call(
        b: Builder, in1: Any, in2: Any, mode: Any = "full", method: Any = "auto"
    ) -> Expr:
        x, y, wanted = as_array(b, in1), as_array(b, in2), need_static(mode)
        if x.ndim != y.ndim or wanted not in ("full", "same", "valid"):
            raise ShapeError(
                f"scipy.signal.{name} of {x.type} and {y.type}, mode={wanted!r}"
            )
        return getattr(f, f"signal_{name}")(x, y, mode=wanted, method=need_static(method))  # type: ignore[no-any-return]

    return call


for _name, _by in (("convolve", _convolved), ("correlate", _correlated)):
    composed(
        f"signal_{_name}", "x y", f"signal.{_name}(x, y, mode=mode, method=method)", _by,
        attrs={"mode": "full", "method": "auto"}, imports=("from scipy import signal",),
        dtype=lambda x, y, **_: np.result_type(x, y), traits="allocates", batch="each",
        doc=f"scipy.signal.{_name}.",
    )  # fmt: skip
    surface(getattr(scipy.signal, _name))(_surface_of(_name))
