"""``np.linalg``: products, powers and tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ..indexing import getitem
from ..reshaping import moveaxis
from ..rules.arguments import as_array, axis_of, integer
from ..table import surface
from .systems import unit_like


@surface(np.linalg.matrix_power)
def matrix_power(b: Builder, a: Any, n: Any) -> Expr:
    """``np.linalg.matrix_power``, by repeated squaring."""
    x, count = as_array(b, a), integer(n, "the exponent of np.linalg.matrix_power")
    if count == 0:
        unit = unit_like(x)
        return unit if x.ndim == 2 else f.copy(f.broadcast_to(unit, *x.shape))
    square = f.linalg_inv(x) if count < 0 else x
    count, result = abs(count), None
    while count:
        if count % 2:
            result = square if result is None else result @ square
        count //= 2
        square = square @ square if count else square
    assert result is not None
    return result


@surface(np.linalg.multi_dot)
def multi_dot(b: Builder, arrays: Any) -> Expr:
    """``np.linalg.multi_dot``, from the right if that is a vector, else from the left."""
    listed = [as_array(b, x) for x in arrays]
    if len(listed) < 2:
        raise ShapeError("np.linalg.multi_dot needs two arrays or more")
    if listed[-1].ndim == 1:
        result = listed[-1]
        for x in reversed(listed[:-1]):
            result = x @ result
        return result
    result = listed[0]
    for x in listed[1:]:
        result = result @ x
    return result


@surface(np.linalg.matmul)
def matmul(b: Builder, x1: Any, x2: Any, /) -> Expr:
    """``np.linalg.matmul``."""
    return as_array(b, x1) @ as_array(b, x2)


@surface(np.linalg.cross)
def cross(b: Builder, x1: Any, x2: Any, /, *, axis: Any = -1) -> Expr:
    """``np.linalg.cross``: products of vectors in three dimensions."""
    x, y = as_array(b, x1), as_array(b, x2)
    place = axis_of(axis, max(x.ndim, y.ndim))
    x, y = (moveaxis(b, v, axis, -1) for v in (x, y))
    parts = [[getitem(b, v, (..., i)) for i in range(3)] for v in (x, y)]
    (x0, x1, x2), (y0, y1, y2) = parts
    made = (x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0)
    return f.stack(*made, axis=place)  # type: ignore[no-any-return]


def _split_shape(a: Expr, ind: int) -> tuple[list[Any], list[Any]]:
    return list(a.shape[:ind]), list(a.shape[ind:])


@surface(np.linalg.tensorinv)
def tensorinv(b: Builder, a: Any, ind: Any = 2) -> Expr:
    """``np.linalg.tensorinv``."""
    x = as_array(b, a)
    rows, columns = _split_shape(x, integer(ind, "`ind` of np.linalg.tensorinv"))
    length = math.prod(columns[1:], start=columns[0])
    inverse = f.linalg_inv(f.reshape(x, -1, length))
    return f.reshape(inverse, *columns, *rows)  # type: ignore[no-any-return]


@surface(np.linalg.tensorsolve)
def tensorsolve(builder: Builder, /, a: Any, b: Any, axes: Any = None) -> Expr:
    """``np.linalg.tensorsolve``."""
    x, y = as_array(builder, a), as_array(builder, b)
    if axes is not None:
        x = moveaxis(builder, x, axes, tuple(range(x.ndim - len(axes), x.ndim)))
    columns = _split_shape(x, y.ndim)[1]
    length = math.prod(columns[1:], start=columns[0])
    flat = f.linalg_solve(f.reshape(x, length, length), f.reshape(y, -1))
    return f.reshape(flat, *columns)  # type: ignore[no-any-return]
