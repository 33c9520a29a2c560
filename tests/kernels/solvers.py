"""Factorisations and triangular solves that overwrite their matrix."""

# ruff: noqa: N803, N806  (the letters that formulas have)
from __future__ import annotations

import numpy as np

from .kernel import Kernel, diagonal, uniform


def lu(A):
    """A <- L U, both in one array."""
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


def ludcmp(A, b):
    """The same, and a solve with it."""
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y


def cholesky(A):
    """The lower triangle of A <- L where L L' is A."""
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def trisolv(L, x, b):
    """Forward substitution."""
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def durbin(r):
    """Toeplitz equations after Yule and Walker, by growing order."""
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def gramschmidt(A):
    """A Q with orthonormal columns and the R that make up A; A loses what Q takes."""
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        norm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(norm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


def minors(m):
    """A determinant by its minors along the first row."""
    if len(m) == 1:
        return m[0, 0]
    total = 0.0
    for j in range(len(m)):
        rest = np.hstack([m[1:, :j], m[1:, j + 1 :]])
        total += (-1) ** j * m[0, j] * minors(rest)
    return total


KERNELS = (
    Kernel(lu, lambda r: (diagonal(r, 4),), 2),
    Kernel(ludcmp, lambda r: (diagonal(r, 4), *uniform(r, 4))),
    Kernel(cholesky, lambda r: (diagonal(r, 4),)),
    Kernel(trisolv, lambda r: (diagonal(r, 4), *uniform(r, 4, 4)), 2),
    Kernel(durbin, lambda r: (0.3 * r.uniform(-1, 1, 5),), 2),
    Kernel(gramschmidt, lambda r: (np.vstack([diagonal(r, 3), *uniform(r, (1, 3))]),)),
    Kernel(minors, lambda r: uniform(r, (3, 3)), 2),
)
