"""The total norm of several arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import NonFiniteGradientError

Array = np.ndarray[Any, Any]


def get_total_norm(
    tensors: Array | Iterable[Array],
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
) -> Any:
    """The norm of the norms of some arrays: for a p-norm, that of all entries as one vector.

    Returns:
        A scalar of the arrays' dtype; 0.0 if there are none.

    Raises:
        TypeError: something is no array.
        ValueError: ``norm_type`` is no norm.
        NonFiniteGradientError: it is infinite or nan, and ``error_if_nonfinite``.

    >>> nn.utils.get_total_norm([np.array([3.0]), np.array([4.0])])
    np.float64(5.0)
    """
    arrays = [tensors] if isinstance(tensors, np.ndarray) else list(tensors)
    for x in arrays:
        if not isinstance(x, np.ndarray):
            raise TypeError(f"norms are taken of arrays, not of {type(x).__name__}")
    order = float(norm_type)
    if math.isnan(order):
        raise ValueError("norm_type is nan, which is no norm")
    if not arrays:
        return np.float64(0.0)
    dtype = np.abs(
        np.zeros((), np.result_type(np.float16, *(x.dtype for x in arrays)))
    ).dtype
    with np.errstate(all="ignore"):
        norms = np.array([_norm(x, order) for x in arrays], dtype)
        total = dtype.type(_norm(norms, order))
    if error_if_nonfinite and not np.isfinite(total):
        raise NonFiniteGradientError(f"the total norm is {total}")
    return total


def _norm(x: Array, order: float) -> Any:
    """The norm of all entries; squares that overflow or vanish are taken again, scaled."""
    if x.size == 0 and order < 0:
        return math.inf
    if x.size == 0:
        return 0.0
    flat = x.reshape(-1)
    if flat.dtype == np.float16:
        flat = flat.astype(np.float32)
    out = np.linalg.norm(flat, order)
    if order in (0, math.inf, -math.inf) or (np.isfinite(out) and out > 0):
        return out
    largest = np.max(np.abs(flat))
    if not 0 < largest < math.inf:
        return out
    return largest * np.linalg.norm(flat / largest, order)
