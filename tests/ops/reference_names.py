"""Names that users of other tools for the derivatives of NumPy expect, in the libraries' order."""

KNOWN = """
numpy: abs absolute acos acosh add amax amin angle append arccos arccosh arcsin arcsinh
numpy: arctan arctan2 arctanh array array_split asin asinh astype atan atan2 atanh
numpy: atleast_1d atleast_2d atleast_3d block broadcast_to c_ clip column_stack concat
numpy: concatenate conj conjugate cos cosh cross cumsum deg2rad degrees diag diagonal
numpy: diff divide dot dsplit dstack einsum exp exp2 expand_dims expm1 fabs fliplr
numpy: flipud fmax fmin full gradient hsplit hstack hypot imag inner kron linspace log
numpy: log10 log1p log2 logaddexp logaddexp2 matmul max maximum mean min minimum mod
numpy: moveaxis multiply nan_to_num negative outer pad partition permute_dims pow power
numpy: prod r_ rad2deg radians ravel real real_if_close reciprocal remainder repeat
numpy: reshape roll rollaxis rot90 select sin sinc sinh sort split sqrt square squeeze
numpy: stack std subtract sum swapaxes tan tanh tensordot tile trace transpose tril triu
numpy: true_divide var vsplit vstack where
numpy.fft: fft fft2 fftn fftshift ifft ifft2 ifftn ifftshift irfft irfft2 irfftn rfft
numpy.fft: rfft2 rfftn
numpy.linalg: cholesky det eig eigh inv norm pinv slogdet solve svd
scipy.integrate: odeint
scipy.linalg: solve_banded solve_sylvester solve_triangular sqrtm
scipy.signal: convolve
scipy.special: beta betainc betaln digamma erf erfc erfcinv erfinv expit gamma gammainc
scipy.special: gammaincc gammaln gammasgn i0 i1 iv ive j0 j1 jn logit logsumexp
scipy.special: multigammaln polygamma psi rgamma y0 y1 yn
scipy.stats.beta: cdf logpdf pdf
scipy.stats.chi2: cdf logpdf pdf
scipy.stats.dirichlet: logpdf pdf
scipy.stats.gamma: cdf logpdf pdf
scipy.stats.multivariate_normal: entropy logpdf pdf
scipy.stats.norm: cdf logcdf logpdf logsf pdf sf
scipy.stats.poisson: cdf logpmf pmf
scipy.stats.t: cdf logcdf logpdf pdf
"""
"""Differentiated by most such tools."""

MORE = """
numpy: apply_along_axis asanyarray asarray ascontiguousarray asfortranarray average
numpy: bincount broadcast_arrays cbrt choose compress convolve copy copysign corrcoef
numpy: correlate cov cumprod cumulative_prod cumulative_sum delete diagflat divmod
numpy: ediff1d extract flip float_power fmod geomspace heaviside i0 insert interp ldexp
numpy: logspace matrix_transpose matvec median meshgrid modf nancumprod nancumsum nanmax
numpy: nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar
numpy: percentile piecewise poly polyadd polyder polyfit polyint polymul polysub polyval
numpy: positive ptp quantile resize roots sort_complex take take_along_axis trapezoid
numpy: unstack unwrap vander vdot vecdot vecmat
numpy.fft: hfft ihfft
numpy.linalg: cond cross diagonal eigvals eigvalsh lstsq matmul matrix_norm matrix_power
numpy.linalg: matrix_transpose multi_dot outer qr svdvals tensordot tensorinv
numpy.linalg: tensorsolve trace vecdot vector_norm
scipy.linalg: block_diag cho_factor cho_solve cholesky circulant companion coshm cosm
scipy.linalg: det eig eigh eigvals eigvalsh expm fractional_matrix_power hankel inv
scipy.linalg: khatri_rao logm lstsq lu lu_factor lu_solve matmul_toeplitz norm pinv
scipy.linalg: pinvh polar qr schur signm sinhm sinm solve solve_circulant
scipy.linalg: solve_continuous_lyapunov solve_discrete_lyapunov solve_toeplitz
scipy.linalg: solveh_banded svd svdvals tanhm tanm toeplitz
"""
"""Differentiable, and left out by some of them."""

DATA = """
numpy: all allclose any argmax argmin argpartition argsort argwhere around array_equal
numpy: array_equiv ceil count_nonzero empty_like equal fix flatnonzero floor
numpy: floor_divide full_like greater greater_equal isclose iscomplex iscomplexobj
numpy: isfinite isinf isnan isneginf isposinf isreal isscalar less less_equal
numpy: logical_and logical_not logical_or logical_xor ndim nonzero not_equal ones_like
numpy: result_type rint round searchsorted shape sign size trunc zeros_like
"""
"""The derivative is zero wherever there is one, or the result is data."""
