"""Sample inputs for Fourier transforms, and for what they are made of."""

import numpy as np

from symgrad.testing.check_op import Sample, sample

X = np.array([[0.3, -1.2, 2.4, 0.5, 1.1], [-0.7, 1.9, -2.2, 0.4, -0.6]])
Z = X + 1j * X[::-1] * 0.7

SAMPLES: dict[str, list[Sample]] = {
    **{
        name: [
            sample(X, axes=(1,)), sample(Z, axes=(0, 1), norm="ortho"),
            sample(Z, axes=(1, 1), norm="forward"),
        ]
        for name in ("fft", "ifft")
    },
    "rfft": [sample(X, axis=1), sample(X, axis=0, norm="ortho"), sample(X[:, :4], axis=1)],
    "irfft": [sample(Z, 8, axis=1), sample(Z, 9, axis=1), sample(Z, 3, axis=0, norm="forward")],
    "fit_length": [sample(X, 3, axis=1), sample(X, 7, axis=1), sample(Z, 4, axis=0)],
    "fftfreq": [sample(5)],
    "rfftfreq": [sample(4)],
}  # fmt: skip
POLY = np.array([0.7, -1.2, 2.4, 0.5])
SAMPLES |= {
    "polyval": [sample(POLY, X), sample(Z[0], Z), sample(POLY, np.float64(0.3))],
    "roots": [sample(POLY), sample(Z[0])],
    "poly": [sample(POLY), sample(Z[0])],
    "geomspace": [
        sample(np.float64(0.5), np.float64(8.0), 5),
        sample(np.float64(8.0), np.float64(0.5), 4, endpoint=False),
    ],
}  # fmt: skip
