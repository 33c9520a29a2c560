"""``scipy.stats``: densities and distribution functions, as compositions.

A distribution is a few formulas in ``z``, the standardised argument, and its shape parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats

from ...errors import UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.expr import Expr, f, lift
from ..elementwise import strengthened
from ..linalg.spectral import mirrored
from ..rules.arguments import as_array
from ..static import known
from ..table import SURFACE
from . import special as scipy_special

LOG_2PI = math.log(2 * math.pi)
Formula = Callable[..., Any]


def _exp_of(function: Formula) -> Formula:
    return lambda b, /, *args, **options: f.exp(function(b, *args, **options))


def _standard(
    b: Builder, names: tuple[str, ...], args: Any, options: Any, what: str
) -> Any:
    """Standardised argument, shape parameters and scale, given by position or by name."""
    order = ("x", *names, "loc", "scale")
    given = dict(zip(order, args, strict=False)) | options
    if len(args) > len(order) or not set(given) <= {*order, "k"}:
        raise UnsupportedFunctionError(f"{what} takes {', '.join(order)}")
    given.setdefault("x", given.pop("k", None))
    x, *shape = (given[name] for name in ("x", *names))
    numbers = strengthened(b, [x, *shape, given.get("loc", 0.0), given.get("scale", 1.0)])
    at, *parameters, loc, scale = numbers
    return _wide((at - loc) / scale), [_wide(p) for p in parameters], _wide(scale)


def _wide(x: Expr) -> Expr:
    """SciPy's densities are double precision, whatever the numbers given are."""
    double = np.dtype(np.float64)
    return x if x.dtype == double else f.astype(x, dtype=double)


def distribution(
    name: str,
    shape: str,
    log: Formula,
    inside: Formula | None = None,
    pdf: Formula | None = None,
    **others: Formula,
) -> None:
    """One distribution with a density.

    Args:
        log: the logarithm of the density of ``z``.
        inside: where there is a density.
        pdf: the density of ``z``, if not the exponential of its logarithm.
        others: ``cdf``, ``sf``, ``logcdf``, ``logsf`` as functions of ``z`` and the shape.
    """
    target, names = getattr(scipy.stats, name), tuple(shape.split())

    def standardised(
        formula: Formula, b: Builder, args: Any, options: Any
    ) -> tuple[Expr, Any, Expr]:
        z, parameters, scale = _standard(b, names, args, options, f"stats.{name}")
        return z, formula(z, *parameters), scale

    def within(z: Expr, value: Any, outside: float) -> Any:
        return value if inside is None else f.where(inside(z), value, outside)

    def log_density(b: Builder, /, *args: Any, **options: Any) -> Any:
        z, value, scale = standardised(log, b, args, options)
        return within(z, value - f.log(scale), -math.inf)

    def density(b: Builder, /, *args: Any, **options: Any) -> Any:
        z, value, scale = standardised(
            pdf or (lambda *given: f.exp(log(*given))), b, args, options
        )
        return within(z, value / scale, 0)

    def function(formula: Formula) -> Formula:
        def call(b: Builder, /, *args: Any, **options: Any) -> Any:
            z, parameters, _ = _standard(b, names, args, options, f"stats.{name}")
            return formula(z, *parameters)

        return call

    SURFACE[target.logpdf] = log_density
    SURFACE[target.pdf] = density
    for method, formula in others.items():
        SURFACE[getattr(target, method)] = function(formula)


# ---------------------------------------------------------------------------- one number
def _gamma_log(z: Expr, a: Expr) -> Any:
    return f.special_xlogy(a - 1.0, z) - z - f.special_gammaln(a)


def _beta_log(z: Expr, a: Expr, b: Expr) -> Any:
    edges = f.special_xlogy(a - 1.0, z) + f.special_xlog1py(b - 1.0, -z)
    return edges - f.special_betaln(a, b)


def _t_log(z: Expr, df: Expr) -> Any:
    constant = -f.special_betaln(0.5 * df, 0.5) - 0.5 * f.log(df)
    return constant - 0.5 * (df + 1.0) * f.log1p(z * z / df)


def _clipped(z: Expr) -> Any:
    return f.minimum(f.maximum(z, 0), 1)


distribution(
    "norm", "", lambda z: -0.5 * z * z - 0.5 * LOG_2PI,
    cdf=lambda z: f.special_ndtr(z), sf=lambda z: f.special_ndtr(-z),
    logcdf=lambda z: f.special_log_ndtr(z), logsf=lambda z: f.special_log_ndtr(-z),
)  # fmt: skip
distribution(
    "t", "df", _t_log, cdf=lambda z, df: f.special_stdtr(df, z),
    sf=lambda z, df: f.special_stdtr(df, -z), logcdf=lambda z, df: f.log(f.special_stdtr(df, z)),
)  # fmt: skip
distribution(
    "gamma", "a", _gamma_log, lambda z: f.greater_equal(z, 0),
    pdf=lambda z, a: f.gamma_density(a, z),
    cdf=lambda z, a: f.special_gammainc(a, f.maximum(z, 0)),
    sf=lambda z, a: f.special_gammaincc(a, f.maximum(z, 0)),
)  # fmt: skip
distribution(
    "chi2", "df", lambda z, df: _gamma_log(0.5 * z, 0.5 * df) - math.log(2),
    lambda z: f.greater_equal(z, 0), pdf=lambda z, df: 0.5 * f.gamma_density(0.5 * df, 0.5 * z),
    cdf=lambda z, df: f.special_gammainc(0.5 * df, 0.5 * f.maximum(z, 0)),
    sf=lambda z, df: f.special_gammaincc(0.5 * df, 0.5 * f.maximum(z, 0)),
)  # fmt: skip
distribution(
    "beta", "a b", _beta_log,
    lambda z: f.logical_and(f.greater_equal(z, 0), f.less_equal(z, 1)),
    pdf=lambda z, a, b: f.beta_density(a, b, z),
    cdf=lambda z, a, b: f.special_betainc(a, b, _clipped(z)),
)  # fmt: skip
distribution(
    "expon", "", lambda z: -z, lambda z: f.greater_equal(z, 0),
    cdf=lambda z: -f.expm1(-f.maximum(z, 0)), sf=lambda z: f.exp(-f.maximum(z, 0)),
)  # fmt: skip


# ------------------------------------------------------------------------------- Poisson
def _poisson(formula: Formula, outside: float) -> Formula:
    def call(b: Builder, k: Any, mu: Any, loc: Any = 0) -> Any:
        count, mean, start = strengthened(b, [k, mu, loc])
        n = _wide(count - start)
        return f.where(f.less(n, 0), outside, formula(n, _wide(mean)))

    return call


def _poisson_log(n: Expr, mu: Expr) -> Any:
    whole = f.special_xlogy(n, mu) - f.special_gammaln(n + 1.0) - mu
    return f.where(f.equal(n, f.floor(n)), whole, -math.inf)


def _poisson_cdf(n: Expr, mu: Expr) -> Any:
    return f.special_gammaincc(f.maximum(f.floor(n), 0) + 1.0, mu)


# ------------------------------------------------------------------------ several numbers
def _covariance(b: Builder, cov: Any, size: Expr) -> Expr:
    """A matrix from a number, variances or a matrix, of which the lower triangle is read."""
    c = as_array(b, cov)
    if c.ndim == 2:
        return mirrored(c)
    if c.ndim == 1:
        return f.diag(c)  # type: ignore[no-any-return]
    unit = b.op("eye", size.value, size.value, b.const(0), dtype=np.dtype(float))
    return Expr(b, unit) * c


def _normal_log(b: Builder, x: Any, mean: Any = None, cov: Any = 1.0, **rest: Any) -> Expr:
    """``scipy.stats.multivariate_normal.logpdf`` of a regular covariance."""
    if any(value is not False for value in rest.values()):
        raise UnsupportedFunctionError(
            "multivariate_normal is not supported with allow_singular=True; its density needs a "
            "regular covariance"
        )
    at, c = _wide(as_array(b, x)), _wide(as_array(b, cov))
    centre = None if mean is None else as_array(b, mean)
    one = c.ndim == 0 or known(c.length(0)) == 1
    one = one and (centre is None or not centre.ndim or known(centre.length(0)) == 1)
    at = at if centre is None else at - centre
    if not at.ndim or (one and at.ndim == 1):  # numbers, not a vector
        at = f.expand_dims(at, axes=(at.ndim,))
    size = Expr(b, lift(b, at.length(at.ndim - 1)))
    matrix = _covariance(b, c, size)
    columns = f.reshape(at, -1, size).T
    _, log_det = f.linalg_slogdet(matrix)
    squares = f.sum(columns * f.linalg_solve(matrix, columns), axis=(0,))
    squares = f.reshape(squares, *at.shape[:-1]) if at.ndim > 1 else f.sum(squares)
    return -0.5 * (squares + log_det + size * LOG_2PI)  # type: ignore[no-any-return]


def _normal_entropy(b: Builder, mean: Any = None, cov: Any = 1.0) -> Expr:
    """``scipy.stats.multivariate_normal.entropy``."""
    centre = None if mean is None else as_array(b, mean)
    c = _wide(as_array(b, cov))
    lengths = c.length(0) if c.ndim else 1 if centre is None else centre.length(0)
    size = Expr(b, lift(b, lengths))
    _, log_det = f.linalg_slogdet(_covariance(b, c, size))
    return 0.5 * (log_det + size * (LOG_2PI + 1))  # type: ignore[no-any-return]


def _dirichlet_log(b: Builder, x: Any, alpha: Any) -> Expr:
    """``scipy.stats.dirichlet.logpdf``."""
    at, a = as_array(b, x), as_array(b, alpha)
    constant = f.sum(f.special_gammaln(a)) - f.special_gammaln(f.sum(a))
    return f.sum(f.special_xlogy(a - 1.0, at.T), axis=(at.ndim - 1,)) - constant  # type: ignore[no-any-return]


SURFACE[scipy.stats.poisson.logpmf] = _poisson(_poisson_log, -math.inf)
SURFACE[scipy.stats.poisson.pmf] = _exp_of(_poisson(_poisson_log, -math.inf))
SURFACE[scipy.stats.poisson.cdf] = _poisson(_poisson_cdf, 0)
SURFACE[scipy.stats.multivariate_normal.logpdf] = _normal_log
SURFACE[scipy.stats.multivariate_normal.pdf] = _exp_of(_normal_log)
SURFACE[scipy.stats.multivariate_normal.entropy] = _normal_entropy
SURFACE[scipy.stats.dirichlet.logpdf] = _dirichlet_log
SURFACE[scipy.stats.dirichlet.pdf] = _exp_of(_dirichlet_log)

__all__ = ["distribution", "scipy_special"]
