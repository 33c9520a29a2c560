"""Sample inputs of the functions of ``math`` and ``cmath``."""

import math

import numpy as np

from symgrad.testing import Sample, sample

X = np.array([0.5, -1.5, 2.0])
Y = np.array([1.0, 0.25, -0.5])

SAMPLES: dict[str, list[Sample]] = {
    "math_polygamma": [sample(0.7, n=0), sample(-1.3, n=0), sample(2.4, n=2)],
    "math_gamma": [sample(2.7), sample(-0.6)],
    "math_lgamma": [sample(2.7), sample(-0.6)],
    "math_erfc": [sample(0.7), sample(-1.2)],
    "math_mantissa": [sample(2.7), sample(-0.3)],
    "math_exponent": [sample(2.7), sample(-0.3)],
    "math_ulp": [sample(2.7)],
    "math_perm": [sample(7, 3)],
    "math_fsum": [sample(1.5, 2.5, -0.5)],
    "math_fsum_all": [sample(X)],
    "math_hypot_all": [sample(X)],
    "math_dist": [sample(X, Y)],
    "cmath_isclose": [sample(1 + 1j, 1 + 1.5j)],
    **{f"cmath_{n}": [sample(0.4 - 0.7j)] for n in ("isfinite", "isinf", "isnan")},
    **{
        f"cmath_{n}": [sample(0.4 - 0.7j), sample(-1.3 + 0.2j)]
        for n in (
            *("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"),
            *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        )
    },
}
if hasattr(math, "fma"):
    SAMPLES["math_fma"] = [sample(1.5, 2.5, -0.5)]
if hasattr(math, "sumprod"):
    SAMPLES["math_sumprod"] = [sample(X, Y)]
