"""``numpy.polynomial``: Python written with NumPy, which is compiled from its own source like the
user's code. Written out here is what that source does by means that cannot be compiled.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.polynomial import polyutils

from .products import SERIES, WRITTEN_PRODUCTS, as_series, trimseq

PACKAGES = ("numpy.polynomial.", "symgrad.ops.written.")
"""Modules whose functions and classes are compiled from their source; lines are the caller's."""


def as_int(x, desc):
    """A degree, an order or an axis."""
    return operator.index(x)


def axis_index(axis, ndim):
    """An axis counted from the front."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError("the axis is out of bounds")
    return axis % ndim


def mapdomain(x, old, new):
    """``x`` with the interval ``old`` stretched and moved to ``new``; of a series, too."""
    offset, scale = polyutils.mapparms(old, new)
    return offset + scale * (np.asarray(x) if isinstance(x, list | tuple) else x)


def fromroots(line_f, mul_f, roots):
    """The product of lines through the roots, halves first."""
    if len(roots) == 0:
        return np.ones(1)
    [roots] = as_series([roots], trim=False)
    factors = [line_f(-r, 1) for r in tuple(np.sort(roots))]
    while len(factors) > 1:
        half, left = divmod(len(factors), 2)
        products = [mul_f(factors[i], factors[i + half]) for i in range(half)]
        if left:
            products[0] = mul_f(products[0], factors[-1])
        factors = products
    return factors[0]


def valnd(val_f, c, *args):
    """Values at points of several coordinates."""
    points = [np.asarray(a) for a in args]
    for a in points[1:]:
        if a.shape != points[0].shape:
            raise ValueError("the coordinates of the points have to have one shape")
    c = val_f(points[0], c)
    for x in points[1:]:
        c = val_f(x, c, tensor=False)
    return c


def vander_nd(vander_fs, points, degrees):
    """The products of functions of one coordinate each."""
    arrays = np.asarray(tuple(points)) + 0.0
    product = 1
    for i in range(len(vander_fs)):
        place: list[Any] = [np.newaxis] * len(vander_fs)
        place[i] = slice(None)
        product = product * vander_fs[i](arrays[i], degrees[i])[(..., *place)]
    return product


def fit(vander_f, x, y, deg, rcond=None, full=False, w=None):
    """Least squares, each column scaled to length 1."""
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if x.ndim != 1 or y.ndim not in (1, 2) or len(x) != len(y):
        raise TypeError("expected x of one axis, and y as long with one or two")
    degrees = [*range(deg + 1)] if np.ndim(deg) == 0 else sorted(deg)
    rows = vander_f(x, degrees[-1])[:, degrees]
    values = y
    if w is not None:
        w = np.asarray(w) + 0.0
        rows = rows * w[:, np.newaxis]
        values = (y.T * w).T
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    scale = np.sqrt(np.sum(np.abs(rows) ** 2, axis=0))
    scale = np.where(scale == 0, 1, scale)
    solution, *rest = np.linalg.lstsq(rows / scale, values, rcond)
    found = (solution.T / scale).T
    if np.ndim(deg) != 0:
        each = np.zeros((degrees[-1] + 1, *found.shape[1:]), found.dtype)
        each[degrees] = found
        found = each
    return (found, [*rest, rcond]) if full else found


def constants(companion, degree):
    """The matrix of the series that ends in 1 after zeros, whose upper left corners are those of
    lower degrees; in column n - 1 what ones in their place take off the last column of the n-th.
    """
    taken = np.zeros((degree, degree))
    for n in range(1, degree + 1):
        whole = companion(np.array([0.0] * n + [1.0]))
        taken[:n, n - 1] = whole[:, -1] - companion(np.ones(n + 1))[:, -1]
    return np.stack([whole, taken])


def _companion(original):
    def matrix(c):
        [c] = as_series([c], trim=False)
        most = len([*c]) - 1
        if most < 1:
            return np.zeros((0, 0), c.dtype)
        parts = constants(original, most).astype(c.dtype)
        c = trimseq(c)
        n = len(c) - 1
        taken = c[:-1] / c[-1] * parts[1, :n, n - 1]
        return parts[0, :n, :n] - taken[:, np.newaxis] * (np.arange(n) == n - 1)

    return matrix


def _checked(matrix):
    def companion(c):
        """``polycompanion`` and the like: a matrix whose eigenvalues are the roots."""
        found = matrix(c)
        if len(found) == 0:
            raise ValueError("Series must have maximum degree of at least 1.")
        return found

    return companion


def _roots(matrix):
    def roots(c):
        """``polyroots`` and the like: the roots, complex and sorted."""
        return np.sort(np.linalg.eigvals(matrix(c)[::-1, ::-1]))

    return roots


def new(self, coef, domain=None, window=None, symbol="x"):
    """``Polynomial(coef, domain, window)`` and the like."""
    [self.coef] = as_series([coef], trim=False)
    if domain is not None:
        [self.domain] = as_series([domain], trim=False)
    if window is not None:
        [self.window] = as_series([window], trim=False)
    if len(self.domain) != 2 or len(self.window) != 2:
        raise ValueError("Domain and window have two elements")
    self._symbol = symbol


def _made(like, coef):
    return like.__class__(coef, like.domain, like.window, like.symbol)


def convert(self, domain=None, kind=None, window=None):
    """``p.convert``: the coefficients in turn."""
    kind = self.__class__ if kind is None else kind
    domain = kind.domain if domain is None else domain
    window = kind.window if window is None else window
    offset, scale = polyutils.mapparms(window, domain)
    x = kind(kind._line(offset, scale), domain, window, self.symbol)
    return self(x)


def added(self, other):
    """``self + other``."""
    return _made(self, self._add(self.coef, self._get_coefficients(other)))


def subtracted(self, other):
    """``self - other``."""
    return _made(self, self._sub(self.coef, self._get_coefficients(other)))


def multiplied(self, other):
    """``self * other``."""
    return _made(self, self._mul(self.coef, self._get_coefficients(other)))


def divided(self, other):
    """``divmod(self, other)``."""
    quotient, rest = self._div(self.coef, self._get_coefficients(other))
    return _made(self, quotient), _made(self, rest)


def added_to(self, other):
    """``other + self``."""
    return _made(self, self._add(other, self.coef))


def subtracted_from(self, other):
    """``other - self``."""
    return _made(self, self._sub(other, self.coef))


def divided_by(self, other):
    """``divmod(other, self)``."""
    quotient, rest = self._div(other, self.coef)
    return _made(self, quotient), _made(self, rest)


_HELPERS: Any = polyutils
WRITTEN_SERIES: dict[Any, Any] = WRITTEN_PRODUCTS | {
    np.lib.array_utils.normalize_axis_index: axis_index,
    _HELPERS._as_int: as_int,
    _HELPERS.mapdomain: mapdomain,
    _HELPERS._fromroots: fromroots,
    _HELPERS._valnd: valnd,
    _HELPERS._vander_nd: vander_nd,
    _HELPERS._fit: fit,
    SERIES.__init__: new,
    SERIES.convert: convert,
    SERIES.__add__: added,
    SERIES.__sub__: subtracted,
    SERIES.__mul__: multiplied,
    SERIES.__divmod__: divided,
    SERIES.__radd__: added_to,
    SERIES.__rsub__: subtracted_from,
    SERIES.__rmul__: multiplied,
    SERIES.__rdivmod__: divided_by,
}
"""By NumPy's function."""
RUN_NOW: set[Any] = {constants}
"""Functions of numbers, which are run when compiling."""
for _family, _name in {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
}.items():
    _module = vars(getattr(np.polynomial, _family))
    _whole = _module[f"{_name}companion"]
    WRITTEN_SERIES[_whole] = _checked(_companion(_whole))
    WRITTEN_SERIES[_module[f"{_name}roots"]] = _roots(_companion(_whole))
    for _function in [f for f in _module.values() if hasattr(f, "_implementation")]:
        WRITTEN_SERIES[_function] = _function._implementation
    RUN_NOW |= {_module[k] for k in _module if k.endswith(("gauss", "pts1", "pts2"))}
