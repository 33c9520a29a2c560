"""Sample inputs for what NumPy computes in one call: statistics, products, calculus."""

import numpy as np

from symgrad.testing import Sample, sample

A = np.array([[0.3, -1.2, 2.4, 0.9], [-0.7, 1.9, -2.2, 3.1]])
C = np.arange(24.0).reshape(2, 3, 4) * 0.37 % 1 - 0.6
HOLES = np.where([[0, 1, 0, 0], [0, 0, 1, 0]], np.nan, A)
V = np.array([0.4, -1.3, 2.2, 0.7, 1.1])
W = np.array([1.0, 0.5])
X = np.array([0.1, 0.5, 1.2, 2.0])
Z = np.array([0.3 + 1.2j, -0.7 + 0.4j, 1.1 - 0.9j])
WHOLE, OTHER = np.array([3, -7, 12, 4]), np.array([2, 5, 4, 0])
LEVELS = np.array([0.3, 0.7])
AT = np.array([[-1, 0.3, 0.7], [1.1, 1.9, 3.0]])
PICK = np.array([[0, 1, 2, 1], [2, 0, 0, 1]])
NEAR_ZERO = np.array([0.0, 1e-6, 0.98, -1.02])


def modes(x: object, y: object) -> list[Sample]:
    """Both sequences in turn, in each mode."""
    return [sample(*p, mode=m) for m in ("full", "same", "valid") for p in ((x, y), (y, x))]


def levels(x: object, scale: float) -> list[Sample]:
    """One level and several, over axes, and a method of each kind."""
    some, kinds = scale * LEVELS, ("hazen", "inverted_cdf", "midpoint")
    methods = [sample(A, 0.37 * scale, axis=(1,), method=m) for m in kinds]
    shapes = [sample(x, 0.3 * scale), sample(x, some, axis=(1,))]
    return [*shapes, sample(x, some, axis=(0,), keepdims=True), *methods]


SAMPLES: dict[str, list[Sample]] = {
    # whole numbers, parts of floats
    "gcd": [sample(WHOLE, OTHER)],
    "lcm": [sample(WHOLE, OTHER)],
    "bitwise_count": [sample(WHOLE)],
    "spacing": [sample(A)],
    "nextafter": [sample(A, A + 1)],
    "ldexp": [sample(A[0], OTHER)],
    "exponent": [sample(A)],
    "mantissa": [sample(A)],
    "isposinf": [sample(A)],
    "isneginf": [sample(A)],
    "iscomplex": [sample(A), sample(Z)],
    "isreal": [sample(A), sample(Z)],
    # special functions
    "sinc": [sample(A), sample(Z), sample(NEAR_ZERO)],
    "sinc_slope": [
        *(sample(x, order=n) for x in (A, Z, NEAR_ZERO) for n in (1, 2, 3)),
    ],
    "i0": [sample(A), sample(5 * A)],
    "bessel_i": [sample(A), sample(NEAR_ZERO), sample(A, order=0), sample(A, order=3)],
    "window": [sample(5, name="hanning"), sample(1, name="bartlett")],
    # statistics
    **{
        name: [sample(A), sample(HOLES, axis=(0,)), sample(HOLES, axis=(1,), keepdims=True)]
        for name in ("nanprod", "nanmean", "nanmax", "nanmin")
    },
    **{
        name: [sample(A), sample(HOLES, axis=(1,)), sample(HOLES, axis=(1,), ddof=1)]
        for name in ("nanvar", "nanstd")
    },
    "median": [sample(A), sample(C, axis=(0, 2)), sample(C, axis=(1,), keepdims=True)],
    "nanmedian": [sample(HOLES, axis=(1,)), sample(HOLES, axis=(0,), keepdims=True)],
    "quantile": [*levels(A, 1), sample(C, LEVELS, axis=(0, 2), keepdims=True)],
    "percentile": levels(A, 100),
    "nanquantile": levels(HOLES, 1),
    "nanpercentile": levels(HOLES, 100),
    "picked_places": [sample(A, LEVELS, A**2), sample(HOLES, np.float64(0.3), A**2)],
    **{
        f"{name}_weighted": [
            sample(A, 0.4 * scale, A**2),
            sample(A, scale * LEVELS, A**2, axis=(1,), keepdims=True),
            sample(HOLES, scale * LEVELS, A**2, axis=(1,)) if name[0] == "n" else
            sample(A, scale * LEVELS, W, axis=(0,)),
        ]
        for name, scale in (
            ("quantile", 1), ("nanquantile", 1), ("percentile", 100), ("nanpercentile", 100),
        )
    },
    **{
        f"{name}_where": [sample(A, A > 0), sample(A, A < 2, axis=(1,), keepdims=True)]
        for name in ("sum", "prod", "mean", "any", "all", "nanmean")
    },
    **{
        f"{name}_initial": [sample(A, 2.7, axis=(1,)), sample(A, np.float64(-1.5), axis=(1,))]
        for name in ("sum", "prod", "max", "min")
    },
    **{
        f"{name}_initial_where": [
            sample(A, 2.7, A < 2), sample(A, -9.5, A > 0, axis=(0,), keepdims=True),
        ]
        for name in ("sum", "prod", "max", "min")
    },
    **{
        f"{name}_where": [sample(A, A < 2), sample(A, A[0] < 2, axis=(1,), ddof=1)]
        for name in ("var", "std", "nanvar", "nanstd")
    },
    **{
        f"{name}_mean": [sample(A, A[0]), sample(A, A[:, :1] ** 2, axis=(1,), ddof=1)]
        for name in ("var", "std", "nanvar", "nanstd")
    },
    **{
        f"{name}_mean_where": [sample(A, A[:, :1] ** 2, A < 2, axis=(1,), ddof=1)]
        for name in ("var", "std", "nanvar", "nanstd")
    },
    "average": [
        sample(A, A**2), sample(A, np.exp(A), axis=(1,), keepdims=True), sample(Z, Z.real**2),
    ],
    "cov": [
        sample(A, ddof=1), sample(V, ddof=0), sample(A[:, :3], rowvar=False, ddof=1),
        sample(np.stack([Z, Z**2]), ddof=1), sample(A, X, ddof=1, given=("aweights",)),
        sample(A, OTHER, X, ddof=1, given=("fweights", "aweights")),
    ],
    "corrcoef": [sample(A), sample(V), sample(C[0].T, rowvar=False)],
    # products
    "cross": [sample(A[:, :3], A[:, 1:]), sample(A[:, :3], A[0, 1:]), sample(Z, Z + 1)],
    "kron": [sample(A, W), sample(A, A[:, :2] + 1), sample(Z, W)],
    "matvec": [sample(A, X), sample(np.stack([A, A + 1]), X)],
    "vecmat": [sample(X, A.T), sample(Z, np.outer(Z, Z[:2]))],
    "convolve": [*modes(V, W), sample(X, V), sample(Z, V)],
    "correlate": [*modes(V, W), *modes(V, X), sample(Z, V)],
    # along an axis
    "gradient": [
        sample(A, 0.5, axis=1), sample(V, 1.3, axis=0, edge_order=2), sample(A, X, axis=1),
        sample(A, X, axis=1, edge_order=2),
    ],
    "linspace_of": [
        sample(V, V**2, 4), sample(V, np.float64(1.5), 3, endpoint=False), sample(V, V + 1, 1),
    ],
    "unwrap": [sample(3 * A, 6.28, axis=1), sample(V, 1.5, axis=0, discont=1.0)],
    "interp": [sample(AT, X, V[:4]), sample(AT, X, V[:4] * (1 + 1j))],
    "interp_left": [sample(AT, X, V[:4], 0.5)],
    "interp_right": [sample(AT, X, V[:4], 0.5)],
    "interp_left_right": [sample(AT, X, V[:4], 0.5, 0.7)],
    # order
    "partition": [sample(A, kth=1, axis=1), sample(A, kth=(0, 2), axis=1)],
    "running_maximum": [sample(A, axis=1)],
    "running_minimum": [sample(A, axis=0)],
    "vander": [sample(V, 3), sample(V, 4, increasing=True)],
    "kept_places": [sample(5, 2), sample(5, np.array([1, 3]))],
    "mixed_places": [sample(5, np.array([2]), 1)],
    "lexsort": [sample(A), sample(C, axis=0)],
    # reductions by ufuncs
    **{
        f"{name}_reduce": [sample(A, axis=(1,)), sample(A, axis=(0,), keepdims=True)]
        for name in ("logaddexp", "logaddexp2", "hypot", "subtract", "divide", "fmax", "fmin")
    },
    # data
    "argpartition": [sample(A, 1, given=("a", "kth"))],
    "digitize": [sample(A, X, given=("x", "bins"), options=(("right", True),))],
    "isin": [sample(WHOLE, OTHER, given=("element", "test_elements"))],
    "array_equiv": [sample(A, A[0], given=("a1", "a2"))],
    "nanargmax": [sample(HOLES, given=("a",), options=(("axis", 1),))],
    "nanargmin": [sample(HOLES, given=("a",))],
    "histogram_bin_edges": [sample(V, bins=4)],
    "histogram_counts": [sample(V, X), sample(V, bins=4), sample(V, bins=3, range=(0.0, 2.0))],
    "histogram_sums": [
        sample(V, V**2, X), sample(V, V, W[::-1] - 0.65), sample(V, V, bins=3, range=(0.0, 2.0)),
    ],
    "histogramdd_counts": [sample(A[0], A[1], X, AT[0] + 1)],
    "histogramdd_sums": [sample(X, A[0], A[1], X, AT[0] + 1), sample(X + 1, A[0], X)],
    "unique_parts": [
        sample(A, axis=1), sample(np.stack([V, V]), axis=0, equal_nan=False), sample(PICK),
    ],
    # choice
    "choose": [
        sample(PICK, A, A + 1, V[:4], mode="raise"), sample(PICK + 2, A, A + 1, V[:4], mode="wrap"),
        sample(2 * PICK - 1, A, A + 1, V[:4], mode="clip"),
    ],
}  # fmt: skip
