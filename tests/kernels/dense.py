"""Dense linear algebra: products that update their arguments."""

# ruff: noqa: N803, N806  (the letters that formulas have)
from __future__ import annotations

import numpy as np

from .kernel import Kernel, uniform


def gemm(alpha, beta, C, A, B):
    """C <- alpha A B + beta C."""
    C[:] = alpha * A @ B + beta * C


def mvt(x1, x2, y1, y2, A):
    """x1 <- x1 + A y1, x2 <- x2 + A' y2."""
    x1 += A @ y1
    x2 += y2 @ A


def atax(A, x):
    """A' (A x)."""
    return (A @ x) @ A


def bicg(A, p, r):
    """The two products of a step of biconjugate gradients."""
    return r @ A, A @ p


def bicg_loops(A, s, q, p, r):
    """The same, row by row into two arguments."""
    s[:] = 0
    for i in range(A.shape[0]):
        q[i] = 0.0
        for j in range(A.shape[1]):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]


def gesummv(alpha, beta, A, B, x):
    """alpha A x + beta B x."""
    return alpha * A @ x + beta * B @ x


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    """A rank-two update, then two products that read what was updated."""
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


def syrk(alpha, beta, C, A):
    """The lower triangle of C <- alpha A A' + beta C, row by row."""
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


def syr2k(alpha, beta, C, A, B):
    """The lower triangle of C <- alpha (A B' + B A') + beta C."""
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += (
                A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]
            )


def trmm(alpha, A, B):
    """B <- alpha L' B, where L has ones on its diagonal and A below it."""
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


def symm(alpha, beta, C, A, B):
    """C <- alpha S B + beta C; of the symmetric S the lower triangle is given in A."""
    row = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            row[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * row


def doitgen(A, C4):
    """Every last row of a cube times a matrix, through a row of scratch memory."""
    row = np.empty_like(A[0, 0])
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            for p in range(A.shape[2]):
                row[p] = A[r, q] @ C4[:, p]
            A[r, q, :] = row


KERNELS = (
    Kernel(gemm, lambda r: (1.5, 0.7, *uniform(r, (4, 3), (4, 5), (5, 3))), 2),
    Kernel(mvt, lambda r: uniform(r, 4, 4, 4, 4, (4, 4)), 2),
    Kernel(atax, lambda r: uniform(r, (4, 3), 3), 2),
    Kernel(bicg, lambda r: uniform(r, (4, 3), 3, 4), 2),
    Kernel(bicg_loops, lambda r: uniform(r, (4, 3), 3, 4, 3, 4)),
    Kernel(gesummv, lambda r: (1.5, 0.7, *uniform(r, (4, 4), (4, 4), 4)), 2),
    Kernel(gemver, lambda r: (1.5, 0.7, *uniform(r, (4, 4), *[4] * 8))),
    Kernel(syrk, lambda r: (1.5, 0.7, *uniform(r, (4, 4), (4, 3))), 2),
    Kernel(syr2k, lambda r: (1.5, 0.7, *uniform(r, (4, 4), (4, 3), (4, 3)))),
    Kernel(trmm, lambda r: (1.5, *uniform(r, (4, 4), (4, 3))), 2),
    Kernel(symm, lambda r: (1.5, 0.7, *uniform(r, (4, 3), (4, 4), (4, 3)))),
    Kernel(doitgen, lambda r: uniform(r, (2, 3, 4), (4, 4))),
)
