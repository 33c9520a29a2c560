"""Methods of ufuncs: ``np.add.outer``, ``np.maximum.reduce``, ``np.add.accumulate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.indexing import FULL, NEWAXIS
from ._arguments import as_array
from .table import SURFACE

REDUCTIONS: dict[Any, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
RUNNING: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def _outer(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(b: Any, x: Any, y: Any, **options: Any) -> Any:
        first, second = as_array(b, x), as_array(b, y)
        if second.ndim and first.ndim:
            items = (FULL,) * first.ndim + (NEWAXIS,) * second.ndim
            first = f.index(first, index=items)
        return SURFACE[ufunc](b, first, second, **options)

    return call


def _reduce(function: Any) -> Callable[..., Any]:
    def call(b: Any, array: Any, axis: Any = 0, dtype: Any = None, **options: Any) -> Expr:
        if dtype is not None:
            options["dtype"] = dtype
        return SURFACE[function](b, array, axis, **options)  # type: ignore[no-any-return]

    return call


for _ufunc in [u for u in SURFACE if isinstance(u, np.ufunc) and u.nin == 2]:
    SURFACE[_ufunc.outer] = _outer(_ufunc)
for _ufunc, _function in REDUCTIONS.items():
    SURFACE[_ufunc.reduce] = _reduce(_function)
for _ufunc, _function in RUNNING.items():
    SURFACE[_ufunc.accumulate] = _reduce(_function)
