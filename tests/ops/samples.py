"""Sample inputs per op: ``name: [sample(inputs, attributes), ...]``, away from kinks."""

import numpy as np

from symgrad.testing import Sample, sample

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
B = np.array([[1.13, 0.83, -1.4], [-0.6, 2.1, 0.9]])
POSITIVE = np.array([[0.3, 1.2, 2.5], [0.7, 1.9, 2.2]])
SMALL = np.array([[0.3, -0.2, 0.5], [-0.7, 0.9, -0.1]])
Z = np.array([0.3 + 1.2j, -0.7 + 0.4j, 1.1 - 0.9j])
Z2 = np.array([1.3 - 0.2j, 0.6 + 0.8j, -1.5 - 0.4j])
N = np.array([3, -7, 12])
M = np.array([2, 5, 4])
T = np.array([True, False, True])
U = np.array([True, True, False])

SAMPLES: dict[str, list[Sample]] = {
    # arithmetic
    "add": [sample(A, B), sample(Z, Z2), sample(A, 2), sample(N, M)],
    "subtract": [sample(A, B), sample(Z, Z2), sample(A, 2)],
    "multiply": [sample(A, B), sample(Z, Z2), sample(A, 2), sample(A[:, 0], M[:2])],
    "divide": [sample(A, B), sample(Z, Z2), sample(A, 2), sample(N, M)],
    "floor_divide": [sample(A, B), sample(N, M)],
    "remainder": [sample(A, B), sample(A, -B), sample(N, M)],
    "fmod": [sample(A, B), sample(A, -B)],
    "ieee_remainder": [sample(A + 0.01, B)],
    "negative": [sample(A), sample(Z)],
    "positive": [sample(A), sample(Z)],
    "reciprocal": [sample(A), sample(Z)],
    "square": [sample(A), sample(Z)],
    "power": [
        sample(POSITIVE, B), sample(A, 2), sample(A, 3), sample(A, -1), sample(A, 0),
        sample(A, 1), sample(POSITIVE, np.float64(1.7)), sample(Z, 2), sample(Z, Z2),
        sample(Z, np.complex128(1.5 + 0.5j)),
        sample(A[0], N[:1] + 1), sample(N, M), sample(POSITIVE, 0.5),
    ],
    # exponential
    "sqrt": [sample(POSITIVE), sample(Z)],
    "cbrt": [sample(A)],
    "level_off": [sample(A, A > 0), sample(A, A[:, :1] > 0)],
    "over": [sample(A, B), sample(A, 2)],
    "exp": [sample(A), sample(Z)],
    "exp2": [sample(A)],
    "expm1": [sample(A), sample(Z)],
    "log": [sample(POSITIVE), sample(Z)],
    "log2": [sample(POSITIVE)],
    "log10": [sample(POSITIVE), sample(Z)],
    "log1p": [sample(SMALL), sample(Z)],
    "falling_sigmoid": [sample(A), sample(1000 * A[:, :2])],
    "falling_slope": [sample(A)],
    "logaddexp": [sample(A, B), sample(A, 0)],
    "logaddexp2": [sample(A, B)],
    # trigonometric
    "sin": [sample(A), sample(Z)],
    "cos": [sample(A), sample(Z)],
    "tan": [sample(SMALL), sample(Z)],
    "to_one": [sample(SMALL), sample(Z)],
    "arcsin": [sample(SMALL)],
    "arccos": [sample(SMALL)],
    "cauchy": [sample(A), sample(Z)],
    "arctan": [sample(A)],
    "arctan2": [sample(A, B)],
    "hypot": [sample(A, B)],
    "sinh": [sample(A), sample(Z)],
    "cosh": [sample(A), sample(Z)],
    "tanh": [sample(A), sample(Z)],
    "arcsinh": [sample(A)],
    "arccosh": [sample(POSITIVE + 1)],
    "arctanh": [sample(SMALL)],
    "deg2rad": [sample(A)],
    "rad2deg": [sample(A)],
    # signs, rounding
    "absolute": [sample(A), sample(Z), sample(N)],
    "abs": [sample(np.float64(-1.3)), sample(np.complex128(0.3 - 1.2j)), sample(-2.5)],
    "fabs": [sample(A)],
    "sign": [sample(A), sample(N)],
    "unit": [sample(Z)],
    "copysign": [sample(A, B)],
    "floor": [sample(A)],
    "ceil": [sample(A)],
    "trunc": [sample(A)],
    "rint": [sample(A)],
    "round": [sample(A, decimals=1), sample(N, decimals=-1)],
    "fraction": [sample(A)],
    "heaviside": [sample(np.array([0, 1, -1], np.int8), B[0])],
    "nan_to_num": [sample(A)],
    # comparisons, logic, bits
    **{
        name: [sample(A, B), sample(N, M)]
        for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
    },
    **{name: [sample(A)] for name in ("isnan", "isinf", "isfinite", "signbit", "logical_not")},
    **{name: [sample(A, B)] for name in ("logical_and", "logical_or", "logical_xor")},
    **{
        name: [sample(N, M), sample(T, U)] for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
    },
    **{name: [sample(M, M)] for name in ("left_shift", "right_shift")},
    "invert": [sample(N), sample(T)],
    "not": [sample(np.float64(2.0)), sample(np.bool_(False))],
    **{name: [sample(A, A + 1e-12), sample(A, B)] for name in ("isclose", "allclose")},
    "array_equal": [sample(A, A), sample(A, B)],
    "math_isclose": [sample(1.0, 1.0 + 1e-12), sample(0.5, 0.25)],
    # choice
    "where": [sample(A > 0, A, B), sample(T, Z, Z2), sample(A > 0, A, 0)],
    "maximum": [sample(A, B), sample(A, 0)],
    "minimum": [sample(A, B), sample(A, 0)],
    "fmax": [sample(A, B), sample(np.array([np.nan, 1.0, 2.0]), B[0])],
    "fmin": [sample(A, B), sample(B[0], np.array([np.nan, 1.0, 2.0]))],
    "clip": [sample(A, B - 1.07, B + 0.5), sample(A, -1, 1), sample(A, B + 1, B)],
    "clip_low": [sample(A, B), sample(A, 0)],
    "clip_high": [sample(A, B), sample(A, 0)],
    # complex numbers
    "real": [sample(Z), sample(A)],
    "imag": [sample(Z)],
    "complex_of": [sample(A, A), sample(0.5, 0.25), sample(0.5, A)],
    "conjugate": [sample(Z), sample(A)],
    "angle": [sample(Z)],
    # reductions
    **{
        name: [
            sample(A), sample(A, axis=(0,)), sample(A, axis=(1,), keepdims=True),
            sample(A, axis=(0, 1)),
        ]
        for name in ("sum", "mean", "var", "std", "max", "min", "prod", "nansum")
    },
    **{name: [sample(A > 0), sample(A > 0, axis=(1,))] for name in ("any", "all")},
    "count_nonzero": [sample(A), sample(A, axis=(0,), keepdims=True)],
    **{name: [sample(A), sample(A, axis=1)] for name in ("argmax", "argmin")},
    **{
        name: [sample(A, axis=0), sample(A, axis=1), sample(A[0], axis=0)]
        for name in ("cumsum", "cumprod")
    },
    "linear_recurrence": [sample(A, B, axis=1), sample(B, A, axis=0)],
    "unbroadcast": [sample(A, 1, 3), sample(A, 2, 3)],
    # integers
    "math_factorial": [sample(5)],
    "math_isqrt": [sample(17)],
    "math_comb": [sample(5, 2)],
    "math_pow": [sample(1.5, 2.5), sample(2.0, -1.0)],
    "bit_length": [sample(5), sample(-8)],
    "ratio_part": [sample(0.75, part=0), sample(-2.5, part=1)],
    "power_modulo": [sample(3, 4, 5), sample(3, -1, 7)],
    "pick": [sample(t, np.float64(1.5), np.float64(2.5)) for t in (True, False)],
    "python_sum": [sample(1.5, 2.5, -0.5)],
}  # fmt: skip
SAMPLES["var"].append(sample(Z))
SAMPLES["std"].append(sample(A, ddof=1))
SAMPLES["sum"].append(sample(Z))
SAMPLES["mean"].append(sample(N))
SAMPLES["prod"] += [
    sample(A * [1, 0, 1], axis=(1,)),
    sample(A * [1, 0, 0], axis=(1,)),
    sample(Z),
]
SAMPLES["cumprod"] += [sample(A * [1, 0, 1], axis=1), sample(Z, axis=0)]
