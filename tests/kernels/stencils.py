"""Time loops over neighbours: stores into slices and cells of arguments."""

# ruff: noqa: N803  (the letters that formulas have)
from __future__ import annotations

import numpy as np

from .kernel import Kernel, uniform


def jacobi_1d(steps, A, B):
    """Means of three neighbours, to and fro between two arrays."""
    for _ in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


def jacobi_2d(steps, A, B):
    """Means of five neighbours, to and fro between two arrays."""
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )


def jacobi_swapped(steps, start):
    """Two buffers whose names change places."""
    u = start.copy()
    v = start.copy()
    for _ in range(steps):
        v[1:-1] = (u[:-2] + u[1:-1] + u[2:]) / 3
        u, v = v, u
    return u


def heat_3d(steps, A, B):
    """Second differences along three axes, to and fro between two arrays."""
    for _ in range(1, steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1]
        )


def seidel_2d(steps, A):
    """Means of nine neighbours, each cell from what its row has just become."""
    n = A.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2]
                + A[i - 1, 1:-1]
                + A[i - 1, 2:]
                + A[i, 2:]
                + A[i + 1, :-2]
                + A[i + 1, 1:-1]
                + A[i + 1, 2:]
            )
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


def fdtd_2d(steps, ex, ey, hz, source):
    """Maxwell's equations in the plane: three fields that drive each other."""
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def adi(steps, u):
    """Diffusion, implicit along the columns and then along the rows."""
    n = u.shape[0]
    v = np.empty_like(u)
    p = np.empty_like(u)
    q = np.empty_like(u)
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = 0.4 / (1.8 - 0.4 * p[1:-1, j - 1])
            q[1:-1, j] = (
                0.3 * u[j, :-2] + 0.4 * u[j, 1:-1] + 0.3 * u[j, 2:] + 0.4 * q[1:-1, j - 1]
            ) / (1.8 - 0.4 * p[1:-1, j - 1])
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        for i in range(1, n - 1):
            u[i, 1:-1] = 0.5 * u[i, 1:-1] + 0.5 * v[i, 1:-1] ** 2


def burgers(steps, nu, u):
    """Burgers' equation: nonlinear, so that the loop must keep its values."""
    dx, dt = 0.1, 0.004
    for _ in range(steps):
        u[1:-1] = (
            u[1:-1]
            - dt / dx * u[1:-1] * (u[1:-1] - u[:-2])
            + nu * dt / dx**2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        )


KERNELS = (
    Kernel(jacobi_1d, lambda r: (4, *uniform(r, 8, 8)), 2),
    Kernel(jacobi_2d, lambda r: (3, *uniform(r, (5, 6), (5, 6)))),
    Kernel(jacobi_swapped, lambda r: (3, *uniform(r, 7))),
    Kernel(heat_3d, lambda r: (3, *uniform(r, (4, 5, 4), (4, 5, 4)))),
    Kernel(seidel_2d, lambda r: (3, *uniform(r, (5, 5)))),
    Kernel(fdtd_2d, lambda r: (4, *uniform(r, (4, 5), (4, 5), (4, 5), 4))),
    Kernel(adi, lambda r: (2, *uniform(r, (5, 5)))),
    Kernel(burgers, lambda r: (4, 0.3, *uniform(r, 7)), 2),
)
