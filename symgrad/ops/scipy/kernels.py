"""Functions that emitted code brings along, in plain NumPy and SciPy."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..kernels import Array


def _eig_left(a: Array) -> tuple[Array, ...]:
    """linalg.eig with left and right vectors, complex whatever the eigenvalues are."""
    kind = np.result_type(a.dtype, np.complex64)
    found = [linalg.eig(m, left=True) for m in a.reshape(-1, *a.shape[-2:])]
    shapes = a.shape[:-1], a.shape, a.shape
    parts = (np.array([x[i] for x in found], kind) for i in range(3))
    return tuple(x.reshape(shape) for x, shape in zip(parts, shapes, strict=True))


def _eig_pair(a: Array, b: Array) -> tuple[Array, ...]:
    """linalg.eig of two matrices, complex whatever the eigenvalues are."""
    kind = np.result_type(a.dtype, b.dtype, np.complex64)
    return tuple(x.astype(kind, copy=False) for x in linalg.eig(a, b, left=True))


def _eigvals_pair(a: Array, b: Array) -> Array:
    """linalg.eigvals of two matrices, complex whatever the eigenvalues are."""
    kind = np.result_type(a.dtype, b.dtype, np.complex64)
    return linalg.eigvals(a, b).astype(kind, copy=False)  # type: ignore[no-any-return]


def _turns(given: Array, vectors: Array) -> Array:
    """The numbers of absolute value 1 that turn columns into the given ones."""
    product = np.sum(vectors.conj() * given, axis=0)
    return np.where(product == 0, 1, np.sign(product))
