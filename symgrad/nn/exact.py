"""Sums of arrays that do not depend on the order: each is kept exactly, and rounded once.

A sum is kept as several arrays, none of which may be left out, as in J. R. Shewchuk, "Adaptive
precision floating-point arithmetic", 1997; the last rounding is that of ``math.fsum``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

CHUNK = 1 << 14
"""So many numbers are worked on at a time that they stay in the processor's cache."""


class ExactSum:
    """The exact sum of what has been added, element by element.

    Args:
        first: an array of floats or complex numbers.
    """

    __slots__ = ("_parts", "_special")

    def __init__(self, first: Array) -> None:
        self._special: Array | None = None
        self._parts: list[Array] = []
        self.add(first)

    def add(self, x: Array) -> None:
        """Add an array like the first."""
        values = _reals(x)
        finite = np.isfinite(values)
        if not finite.all():
            special = np.where(finite, 0, values)
            # Infinities and nan have no parts; their sum does not depend on the order.
            with np.errstate(invalid="ignore"):
                self._special = special + (0 if self._special is None else self._special)
            values = np.where(finite, values, 0)
        top = values.copy()
        for part in self._parts:
            _two_sum(top, part)
        self._parts.append(top)
        self._sweep()
        while len(self._parts) > 1 and not self._parts[0].any():
            del self._parts[0]

    def _sweep(self) -> bool:
        """Move everything up as far as it goes; whether anything moved."""
        moved = False
        for lower, upper in pairwise(self._parts):
            moved |= _two_sum(upper, lower)
        return moved

    def rounded(self, like: Array) -> Array:
        """The sum, in the shape and dtype of ``like``."""
        while self._sweep():
            pass
        parts = self._parts
        total = parts[-1].copy()
        if len(parts) > 2:
            _break_ties(total, parts[-2], parts[-3])
        if self._special is not None:
            total = np.where(self._special == 0, total, self._special)
        if like.dtype.kind == "c":
            total = total.view(np.result_type(total.dtype, np.complex64))
        return total.reshape(like.shape).astype(like.dtype, copy=False)


def _reals(x: Array) -> Array:
    """The numbers of an array in a row, complex ones as two; at least double precision."""
    wide = np.ascontiguousarray(x).reshape(-1).astype(np.result_type(x.dtype, np.float64))
    return wide.view(wide.real.dtype) if wide.dtype.kind == "c" else wide


def _two_sum(upper: Array, lower: Array) -> bool:
    """Make ``upper`` the rounded sum of both, and ``lower`` what rounding left out."""
    moved = False
    for start in range(0, len(upper), CHUNK):
        a, b = upper[start : start + CHUNK], lower[start : start + CHUNK]
        if not b.any():
            continue
        total = a + b
        taken = total - a
        rest = (a - (total - taken)) + (b - taken)
        moved = moved or not np.array_equal(total, a)
        a[...], b[...] = total, rest
    return moved


def _break_ties(total: Array, half: Array, rest: Array) -> None:
    """Round up where ``half`` is half a unit and ``rest`` tells that it is more."""
    doubled = 2 * half
    moved = total + doubled
    more = (np.sign(half) * np.sign(rest) > 0) & (moved - total == doubled)
    np.copyto(total, moved, where=more)


__all__ = ["ExactSum"]
