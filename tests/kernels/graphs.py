"""Sparse matrices and shortest paths: indices that are data."""

from __future__ import annotations

import numpy as np

from .kernel import Kernel, uniform


def spmv(rows, columns, values, x):
    """A matrix of compressed rows times a vector."""
    y = np.empty(rows.size - 1, values.dtype)
    for i in range(rows.size - 1):
        cols = columns[rows[i] : rows[i + 1]]
        vals = values[rows[i] : rows[i + 1]]
        y[i] = vals @ x[cols]
    return y


def spmv_cells(rows, columns, values, x, y):
    """The same, entry by entry into an argument."""
    for i in range(len(y)):
        for k in range(rows[i], rows[i + 1]):
            y[i] += values[k] * x[columns[k]]


def spmv_args(rng):
    """Four rows of five columns, one of the rows empty."""
    rows = np.array([0, 2, 2, 5, 7], np.int64)
    columns = np.array([0, 3, 1, 2, 4, 0, 4], np.int64)
    return rows, columns, *uniform(rng, 7, 5)


def floyd_warshall(path):
    """The shortest ways between all places, in place."""
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


def ways(rng):
    """Distances from a place to itself are 0, as they are in ties."""
    path = rng.uniform(0.1, 1.0, (5, 5))
    np.fill_diagonal(path, 0.0)
    return (path,)


def scatter(bins, amounts, into):
    """Amounts added up by bin, cell by cell."""
    for i in range(len(bins)):
        into[bins[i]] += amounts[i] * into[bins[i]]


def longest_common(score, gap):
    """Aligning two sequences: a table filled from its corner, the best of three."""
    n, m = score.shape
    table = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        table[i, 0] = table[i - 1, 0] - gap
    for j in range(1, m + 1):
        table[0, j] = table[0, j - 1] - gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best = table[i - 1, j - 1] + score[i - 1, j - 1]
            best = max(best, table[i - 1, j] - gap)
            best = max(best, table[i, j - 1] - gap)
            table[i, j] = best
    return table


KERNELS = (
    Kernel(spmv, spmv_args, 2),
    Kernel(spmv_cells, lambda r: (*spmv_args(r), *uniform(r, 4))),
    Kernel(floyd_warshall, ways),
    Kernel(scatter, lambda r: (np.array([0, 2, 0, 1]), *uniform(r, 4, 3)), 2),
    Kernel(longest_common, lambda r: (*uniform(r, (3, 4)), 0.3)),
)
