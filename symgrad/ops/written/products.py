"""Values, sums and products of the series of ``numpy.polynomial``.

They are written so that lengths which are known at run time only give one code: NumPy's source
has branches for one and two coefficients. Coefficients at the end that are zero are left out
where NumPy leaves them out; what is left out has the derivative zero.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

SERIES: Any = Polynomial.__base__
"""The class of all series."""


def trimseq(seq):
    """Without zeros at the end; one entry at least."""
    last = len(seq)
    while last > 1 and seq[last - 1] == 0:
        last = last - 1
    return seq[:last]


def as_series(alist, trim=True):
    """Coefficients as new arrays of one dtype."""
    arrays = [np.array(a, ndmin=1) for a in alist]
    for a in arrays:
        if a.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
    if trim:
        arrays = [trimseq(a) for a in arrays]
    dtype = np.result_type(
        *[np.float64 if a.dtype.kind in "iub" else a.dtype for a in arrays]
    )
    return [np.array(a, copy=True, dtype=dtype) for a in arrays]


def _terms(x, c, tensor):
    """Points, coefficients that broadcast against them, and the last two of these: the second is
    zero where there is one only."""
    x = np.asarray(x) if isinstance(x, list | tuple) else x
    c = np.array(c, ndmin=1)
    c = c.astype(np.float64) if c.dtype.kind in "iub" else c
    number = isinstance(x, np.ndarray | np.generic | complex)
    if number and np.iscomplexobj(x) and not np.iscomplexobj(c):
        c = c.astype(np.result_type(c, np.complex64))
    if isinstance(x, np.ndarray) and tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    before, last = c[max(len(c) - 2, 0)], c[-1] if len(c) > 1 else np.zeros_like(c[-1])
    if isinstance(x, SERIES):  # what the recurrence starts with is a series, too
        before, last = before + 0 * x, last + 0 * x
    return x, c, before, last


def chebval(x, c, tensor=True):
    """``chebval``, by Clenshaw's recurrence as those that follow."""
    x, c, c0, c1 = _terms(x, c, tensor)
    for i in range(3, len(c) + 1):
        c0, c1 = c[-i] - c1, c0 + c1 * (2 * x)
    return c0 + c1 * x


def legval(x, c, tensor=True):
    """``legval``."""
    x, c, c0, c1 = _terms(x, c, tensor)
    for i in range(3, len(c) + 1):
        n = len(c) + 2 - i
        c0, c1 = c[-i] - c1 * ((n - 1) / n), c0 + c1 * x * ((2 * n - 1) / n)
    return c0 + c1 * x


def hermval(x, c, tensor=True):
    """``hermval``."""
    x, c, c0, c1 = _terms(x, c, tensor)
    for i in range(3, len(c) + 1):
        c0, c1 = c[-i] - c1 * (2 * (len(c) + 1 - i)), c0 + c1 * (x * 2)
    return c0 + c1 * (x * 2)


def hermeval(x, c, tensor=True):
    """``hermeval``."""
    x, c, c0, c1 = _terms(x, c, tensor)
    for i in range(3, len(c) + 1):
        c0, c1 = c[-i] - c1 * (len(c) + 1 - i), c0 + c1 * x
    return c0 + c1 * x


def lagval(x, c, tensor=True):
    """``lagval``."""
    x, c, c0, c1 = _terms(x, c, tensor)
    for i in range(3, len(c) + 1):
        n = len(c) + 2 - i
        c0, c1 = c[-i] - (c1 * (n - 1)) / n, c0 + (c1 * ((2 * n - 1) - x)) / n
    return c0 + c1 * (1 - x)


def _aligned(c1, c2):
    """Two series of one length; trimming what comes out is enough."""
    [c1, c2] = as_series([c1, c2], trim=False)
    if len(c1) == len(c2):
        return c1, c2
    first, second = (np.zeros(max(len(c1), len(c2)), c.dtype) for c in (c1, c2))
    first[: len(c1)] = c1
    second[: len(c2)] = c2
    return first, second


def add(c1, c2):
    """``polyadd`` and the like."""
    c1, c2 = _aligned(c1, c2)
    return trimseq(c1 + c2)


def sub(c1, c2):
    """``polysub`` and the like."""
    c1, c2 = _aligned(c1, c2)
    return trimseq(c1 - c2)


def polymul(c1, c2):
    """``polymul``."""
    [c1, c2] = as_series([c1, c2], trim=False)
    return trimseq(np.convolve(c1, c2))


def chebmul(c1, c2):
    """``chebmul``: each as one half of a symmetric series of powers."""
    [c1, c2] = as_series([c1, c2], trim=False)
    first, second = (np.concatenate([c[:0:-1] / 2, c[:1], c[1:] / 2]) for c in (c1, c2))
    half = np.convolve(first, second)[len(c1) + len(c2) - 2 :]
    return trimseq(np.concatenate([half[:1], half[1:] * 2]))


def _times_x(c, up, middle, down):
    """``x`` times a series whose last coefficient is zero, by what each term becomes."""
    zero = np.zeros(1, c.dtype)
    raised, lowered = (up * c)[:-1], (down * c)[1:]
    return np.concatenate([zero, raised]) + middle * c + np.concatenate([lowered, zero])


def _product(c1, c2, step, first):
    """The recurrence of the values, at a series in the place of a point."""
    [c1, c2] = as_series([c1, c2], trim=False)
    whole = np.zeros(len(c1) + len(c2) - 1, c1.dtype)
    whole[: len(c2)] = c2
    low, high = c1[-1] * whole, 0 * whole
    degree = np.arange(len(whole))
    for i in range(2, len(c1) + 1):
        n = len(c1) + 2 - i
        less, more = step(n, high, degree)
        low, high = c1[-i] * whole - less, low + more
    return trimseq(low + first(high, degree))


def legmul(c1, c2):
    """``legmul``."""

    def x(c, k):
        return _times_x(c, (k + 1) / (2 * k + 1), 0, k / (2 * k + 1))

    return _product(
        c1, c2, lambda n, c, k: (c * ((n - 1) / n), x(c, k) * ((2 * n - 1) / n)), x
    )


def hermmul(c1, c2):
    """``hermmul``."""

    def twice(c, k):
        return _times_x(c, 1, 0, 2 * k)

    return _product(c1, c2, lambda n, c, k: (c * (2 * (n - 1)), twice(c, k)), twice)


def hermemul(c1, c2):
    """``hermemul``."""

    def x(c, k):
        return _times_x(c, 1, 0, k)

    return _product(c1, c2, lambda n, c, k: (c * (n - 1), x(c, k)), x)


def lagmul(c1, c2):
    """``lagmul``."""

    def without(c, k, n=1):
        return _times_x(c, k + 1, 2 * n - 2 - 2 * k, k)

    return _product(
        c1, c2, lambda n, c, k: (c * (n - 1) / n, without(c, k, n) / n), without
    )


_HELPERS: Any = np.polynomial.polyutils
WRITTEN_PRODUCTS: dict[Any, Any] = {
    np.polynomial.chebyshev.chebval: chebval,
    np.polynomial.legendre.legval: legval,
    np.polynomial.hermite.hermval: hermval,
    np.polynomial.hermite_e.hermeval: hermeval,
    np.polynomial.laguerre.lagval: lagval,
    np.polynomial.polynomial.polymul: polymul,
    np.polynomial.chebyshev.chebmul: chebmul,
    np.polynomial.legendre.legmul: legmul,
    np.polynomial.hermite.hermmul: hermmul,
    np.polynomial.hermite_e.hermemul: hermemul,
    np.polynomial.laguerre.lagmul: lagmul,
    _HELPERS._add: add,
    _HELPERS._sub: sub,
    _HELPERS.trimseq: trimseq,
    _HELPERS.as_series: as_series,
}
"""By NumPy's function."""
