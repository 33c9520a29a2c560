"""A call of each function that users of other tools expect, where the op table has no entry of
its name (those are in ``SAMPLES``): ``name: (function, arrays)``."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from .samples_linalg import SPD, TALL, Q, V, W, Z

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
B = np.array([[1.13, 0.83, -1.4], [-0.6, 2.1, 0.9]])
C = np.sin(np.arange(24.0) ** 2).reshape(2, 3, 4)
ZA = A + 1j * B
P = np.array([0.7, -1.2, 2.4, 0.5])
HOLES = np.where(A > 2, np.nan, A)
X = np.array([[0.3, 1.2, 2.5], [0.7, 1.9, 2.2]])
U = X / 4
SHARES = np.array([0.2, 0.5, 0.3])
F = np.fft
L = np.linalg

Given = tuple[Callable[..., Any], tuple[Any, ...]]

CALLS: dict[str, Given] = {
    "numpy.amax": (lambda x: np.amax(x, axis=1), (A,)),
    "numpy.amin": (lambda x: np.amin(x, axis=(0, 1)), (A,)),
    "numpy.append": (lambda x, y: np.append(x, y, axis=1), (A, B)),
    "numpy.array_split": (lambda x: np.array_split(x, 2, axis=1), (A,)),
    "numpy.atleast_1d": (lambda x, y: np.atleast_1d(x, y[0, 0]), (A, B)),
    "numpy.atleast_2d": (lambda x, y: np.atleast_2d(x, y), (A, V)),
    "numpy.atleast_3d": (lambda x, y: np.atleast_3d(x, y), (A, V)),
    "numpy.block": (lambda x, y: np.block([[x, y], [y, x]]), (A, B)),
    "numpy.c_": (lambda x, y: np.c_[x, y], (A, B)),
    "numpy.column_stack": (lambda x, y: np.column_stack([x, y]), (V, V + 1)),
    "numpy.degrees": (lambda x: np.degrees(x), (A,)),
    "numpy.diff": (lambda x: np.diff(x, n=2, axis=-1), (C,)),
    "numpy.dot": (lambda x, y: np.dot(x, y.T), (A, B)),
    "numpy.dsplit": (lambda x: np.dsplit(x, 2), (C,)),
    "numpy.dstack": (lambda x, y: np.dstack([x, y]), (A, B)),
    "numpy.fft.fft": (lambda x: F.fft(x, 4, axis=0, norm="ortho"), (ZA,)),
    "numpy.fft.fft2": (lambda x: F.fft2(x), (A,)),
    "numpy.fft.fftn": (lambda x: F.fftn(x, axes=(0, 2)), (C,)),
    "numpy.fft.fftshift": (lambda x: F.fftshift(x, axes=1), (A,)),
    "numpy.fft.ifft": (lambda x: F.ifft(x, norm="forward"), (ZA,)),
    "numpy.fft.ifft2": (lambda x: F.ifft2(x), (ZA,)),
    "numpy.fft.ifftn": (lambda x: F.ifftn(x), (ZA,)),
    "numpy.fft.ifftshift": (lambda x: F.ifftshift(x), (A,)),
    "numpy.fft.irfft": (lambda x: F.irfft(x, 5), (ZA,)),
    "numpy.fft.irfft2": (lambda x: F.irfft2(x), (ZA,)),
    "numpy.fft.irfftn": (lambda x: F.irfftn(x, axes=(1, 0)), (ZA,)),
    "numpy.fft.rfft": (lambda x: F.rfft(x), (A,)),
    "numpy.fft.rfft2": (lambda x: F.rfft2(x), (A,)),
    "numpy.fft.rfftn": (lambda x: F.rfftn(x, s=(3, 3), axes=(0, 1)), (A,)),
    "numpy.fliplr": (lambda x: np.fliplr(x), (A,)),
    "numpy.flipud": (lambda x: np.flipud(x), (A,)),
    "numpy.hsplit": (lambda x: np.hsplit(x, [1]), (A,)),
    "numpy.hstack": (lambda x, y: np.hstack([x, y]), (A, B)),
    "numpy.inner": (lambda x, y: np.inner(x, y), (A, B)),
    "numpy.linalg.norm": (lambda x: L.norm(x, "nuc"), (A,)),
    "numpy.moveaxis": (lambda x: np.moveaxis(x, 0, -1), (C,)),
    "numpy.outer": (lambda x, y: np.outer(x, y), (A, V)),
    "numpy.r_": (lambda x, y: np.r_[x, 1.5, y], (V, V + 1)),
    "numpy.radians": (lambda x: np.radians(x), (A,)),
    "numpy.real_if_close": (lambda x: np.real_if_close(x), (A,)),
    "numpy.rollaxis": (lambda x: np.rollaxis(x, 2, 1), (C,)),
    "numpy.rot90": (lambda x: np.rot90(x, 3), (A,)),
    "numpy.select": (lambda x: np.select([x > 1, x > 0], [x**2, np.sin(x)], -1.0), (A,)),
    "numpy.split": (lambda x: np.split(x, 3, axis=1), (A,)),
    "numpy.swapaxes": (lambda x: np.swapaxes(x, 0, 2), (C,)),
    "numpy.trace": (lambda x: np.trace(x, 1, 2, 0), (C,)),
    "numpy.vsplit": (lambda x: np.vsplit(x, 2), (A,)),
    "numpy.vstack": (lambda x, y: np.vstack([x, y]), (A, B)),
    # what others leave out
    "numpy.apply_along_axis": (
        lambda x: np.apply_along_axis(lambda row: np.sort(row) * row[0], 0, x), (A,),
    ),
    "numpy.asanyarray": (lambda x: np.asanyarray(x), (A,)),
    "numpy.ascontiguousarray": (lambda x: np.ascontiguousarray(x.T), (A,)),
    "numpy.asfortranarray": (lambda x: np.asfortranarray(x), (A,)),
    "numpy.bincount": (lambda w: np.bincount([0, 2, 2], w, 4), (V,)),
    "numpy.broadcast_arrays": (lambda x, y: np.broadcast_arrays(x, y), (A, V)),
    "numpy.compress": (lambda x: np.compress([True, False, True], x, axis=1), (A,)),
    "numpy.cumulative_prod": (
        lambda x: np.cumulative_prod(x, axis=1, include_initial=True), (A,),
    ),
    "numpy.cumulative_sum": (lambda x: np.cumulative_sum(x, axis=0), (A,)),
    "numpy.delete": (lambda x: np.delete(x, [0, 2], axis=1), (A,)),
    "numpy.diagflat": (lambda x: np.diagflat(x, 1), (V,)),
    "numpy.divmod": (lambda x, y: np.divmod(x, y), (A, B)),
    "numpy.ediff1d": (lambda x: np.ediff1d(x, to_begin=1.0, to_end=[2.0, 3.0]), (A,)),
    "numpy.extract": (lambda x: np.extract(x > 0, x), (A,)),
    "numpy.fft.hfft": (lambda x: F.hfft(x, 5), (ZA,)),
    "numpy.fft.ihfft": (lambda x: F.ihfft(x), (A,)),
    "numpy.flip": (lambda x: np.flip(x, axis=(0, 1)), (A,)),
    "numpy.float_power": (lambda x, y: np.float_power(x, y), (X, B)),
    "numpy.insert": (lambda x, y: np.insert(x, [0, 2], y, axis=1), (A, B[:, :2])),
    "numpy.linalg.cond": (lambda x: L.cond(x), (Q,)),
    "numpy.linalg.cross": (lambda x, y: L.cross(x, y), (A, B)),
    "numpy.linalg.diagonal": (lambda x: L.diagonal(x, offset=1), (C,)),
    "numpy.linalg.matmul": (lambda x, y: L.matmul(x, y), (A, Q)),
    "numpy.linalg.matrix_norm": (lambda x: L.matrix_norm(x), (C,)),
    "numpy.linalg.matrix_power": (lambda x: L.matrix_power(x, -3), (Q,)),
    "numpy.linalg.matrix_transpose": (lambda x: L.matrix_transpose(x), (C,)),
    "numpy.linalg.multi_dot": (lambda x, y, z: L.multi_dot([x, y, z]), (A, Q, V)),
    "numpy.linalg.outer": (lambda x, y: L.outer(x, y), (V, V + 1)),
    "numpy.linalg.tensordot": (lambda x, y: L.tensordot(x, y, axes=(1, 0)), (A, Q)),
    "numpy.linalg.tensorinv": (lambda x: L.tensorinv(x.reshape(3, 1, 3), ind=1), (Q,)),
    "numpy.linalg.tensorsolve": (lambda x, y: L.tensorsolve(x, y), (Q, V)),
    "numpy.linalg.trace": (lambda x: L.trace(x, offset=-1), (C,)),
    "numpy.linalg.vecdot": (lambda x, y: L.vecdot(x, y), (ZA, ZA**2)),
    "numpy.linalg.vector_norm": (lambda x: L.vector_norm(x, axis=1, ord=3), (A,)),
    "numpy.logspace": (lambda x, y: np.logspace(x, y, 4), (V, V + 1)),
    "numpy.matrix_transpose": (lambda x: np.matrix_transpose(x), (C,)),
    "numpy.meshgrid": (lambda x, y: np.meshgrid(x, y, indexing="ij"), (V, P)),
    "numpy.modf": (lambda x: np.modf(x), (A,)),
    "numpy.nancumprod": (lambda x: np.nancumprod(x, axis=1), (HOLES,)),
    "numpy.nancumsum": (lambda x: np.nancumsum(x), (HOLES,)),
    "numpy.piecewise": (
        lambda x: np.piecewise(x, [x < 0, x > 1], [lambda z: z**2, np.sin, 0.5]), (A,),
    ),
    "numpy.polyadd": (lambda x, y: np.polyadd(x, y), (V, P)),
    "numpy.polyder": (lambda x: np.polyder(x, 2), (P,)),
    "numpy.polyfit": (lambda x, y: np.polyfit(x, y, 2), (P, P**2 + 1)),
    "numpy.polyint": (lambda x: np.polyint(x, k=0.5), (P,)),
    "numpy.polymul": (lambda x, y: np.polymul(x, y), (V, P)),
    "numpy.polysub": (lambda x, y: np.polysub(x, y), (V, P)),
    "numpy.ptp": (lambda x: np.ptp(x, axis=1), (A,)),
    "numpy.resize": (lambda x: np.resize(x, (3, 4)), (A,)),
    "numpy.sort_complex": (lambda x: np.sort_complex(x), (ZA[0],)),
    "numpy.take": (lambda x: np.take(x, [2, 0, 2], axis=1), (A,)),
    "numpy.trapezoid": (lambda x, y: np.trapezoid(x, y, axis=1), (A, V)),
    "numpy.unstack": (lambda x: np.unstack(x, axis=1), (A,)),
    "numpy.vdot": (lambda x, y: np.vdot(x, y), (ZA, ZA**2)),
    "numpy.vecdot": (lambda x, y: np.vecdot(x, y, axis=0), (A, B)),
}  # fmt: skip

if find_spec("scipy") is not None:
    from scipy import linalg, special, stats

    normal, several = stats.norm, stats.multivariate_normal
    CALLS |= {
        **{
            f"scipy.special.{name}": (getattr(special, name), (X,))
            for name in "digamma erfc gamma gammaln i1 j0 j1 psi rgamma y0 y1".split()
        },
        **{
            f"scipy.special.{name}": (getattr(special, name), (U,))
            for name in "erfcinv erfinv expit logit".split()
        },
        **{
            f"scipy.special.{name}": (lambda x, n=name: getattr(special, n)(2, x), (X,))
            for name in "gammainc gammaincc iv ive jn polygamma yn".split()
        },
        "scipy.special.beta": (special.beta, (X, U)),
        "scipy.special.betaln": (special.betaln, (X, U)),
        "scipy.special.betainc": (lambda x: special.betainc(2.0, 3.0, x), (U,)),
        "scipy.special.multigammaln": (lambda x: special.multigammaln(x, 3), (X + 2,)),
        **{
            f"scipy.stats.beta.{name}": (getattr(stats.beta, name), (U, X, X[::-1]))
            for name in ("logpdf", "pdf")
        },
        "scipy.stats.beta.cdf": (lambda x: stats.beta.cdf(x, 2.0, 3.0), (U,)),
        **{
            f"scipy.stats.{name}.{way}": (getattr(getattr(stats, name), way), (X, X[::-1]))
            for name in ("chi2", "gamma", "t")
            for way in ("logpdf", "pdf")
        },
        **{
            f"scipy.stats.{name}.cdf": (lambda x, n=name: getattr(stats, n).cdf(x, 2.5), (X,))
            for name in ("chi2", "gamma", "t")
        },
        "scipy.stats.t.logcdf": (lambda x: stats.t.logcdf(x, 2.5), (X,)),
        **{
            f"scipy.stats.dirichlet.{name}": (getattr(stats.dirichlet, name), (SHARES, X[0]))
            for name in ("logpdf", "pdf")
        },
        "scipy.stats.multivariate_normal.entropy": (several.entropy, (V, SPD)),
        "scipy.stats.multivariate_normal.logpdf": (several.logpdf, (A, V, SPD)),
        "scipy.stats.multivariate_normal.pdf": (several.pdf, (A, V, SPD)),
        **{
            f"scipy.stats.norm.{name}": (getattr(normal, name), (A, B, X))
            for name in "cdf logcdf logpdf logsf pdf sf".split()
        },
        **{
            f"scipy.stats.poisson.{name}": (
                lambda x, n=name: getattr(stats.poisson, n)([0, 3, 7], x), (X,),
            )
            for name in "cdf logpmf pmf".split()
        },
        "scipy.linalg.block_diag": (linalg.block_diag, (A, Q)),
        "scipy.linalg.cho_factor": (lambda x: linalg.cho_factor(x)[0], (SPD,)),
        "scipy.linalg.cho_solve": (lambda x, y: linalg.cho_solve((x, True), y), (Q, V)),
        "scipy.linalg.circulant": (linalg.circulant, (V,)),
        "scipy.linalg.companion": (linalg.companion, (P,)),
        "scipy.linalg.hankel": (linalg.hankel, (P, P[::-1] - 0.2)),
        "scipy.linalg.khatri_rao": (linalg.khatri_rao, (A, B)),
        "scipy.linalg.lu": (linalg.lu, (TALL,)),
        "scipy.linalg.lu_solve": (
            lambda x, y: linalg.lu_solve(linalg.lu_factor(x), y), (W, V),
        ),
        "scipy.linalg.matmul_toeplitz": (linalg.matmul_toeplitz, (V, V)),
        "scipy.linalg.pinvh": (linalg.pinvh, (SPD,)),
        "scipy.linalg.polar": (linalg.polar, (TALL,)),
        "scipy.linalg.solve_circulant": (linalg.solve_circulant, (V, V + 1)),
        "scipy.linalg.solve_continuous_lyapunov": (
            linalg.solve_continuous_lyapunov, (Z, W + 0j),
        ),
        "scipy.linalg.solve_toeplitz": (linalg.solve_toeplitz, (V + 3 * (V == 0.4), V)),
        "scipy.linalg.solveh_banded": (
            linalg.solveh_banded, (np.array([[0.3, -0.4, 0.7], [3.1, 2.8, 4.1]]), V),
        ),
        "scipy.linalg.toeplitz": (linalg.toeplitz, (V, V + 1)),
    }  # fmt: skip
