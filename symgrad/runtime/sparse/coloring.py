"""Columns that share no row get one color: a pass serves all columns of a color."""

from __future__ import annotations

from typing import Any

import numpy as np


def colored(matrix: Any) -> tuple[Any, int]:
    """A color for each column of a sparse matrix, greedily from left to right, and how many
    there are. Columns without entries have color 0.

    Banded matrices get as many colors as their band is wide (Curtis, Powell and Reid, 1974).
    """
    columns = matrix.tocsc()
    used = [0] * matrix.shape[0]
    colors = np.zeros(matrix.shape[1], int)
    count = 0
    starts, rows = columns.indptr.tolist(), columns.indices.tolist()
    for j in range(matrix.shape[1]):
        mine = rows[starts[j] : starts[j + 1]]
        taken = 0
        for r in mine:
            taken |= used[r]
        free = ~taken & (taken + 1)
        for r in mine:
            used[r] |= free
        if mine:
            colors[j] = free.bit_length() - 1
            count = max(count, int(colors[j]) + 1)
    return colors, count
