"""``np.linalg``: products, powers and tensors."""

from __future__ import annotations

import ast
import functools
import math
from typing import Any

import numpy as np

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ..composed import composed
from ..contraction import dot
from ..indexing import getitem
from ..reshaping import moveaxis
from ..rules.arguments import as_array, axis_of, integer
from ..rules.emission import np_call
from ..table import surface
from .systems import unit_like


@surface(np.linalg.matrix_power)
def matrix_power(b: Builder, a: Any, n: Any) -> Expr:
    """``np.linalg.matrix_power``, by repeated squaring as in NumPy."""
    x, count = as_array(b, a), integer(n, "the exponent of np.linalg.matrix_power")
    if count == 0:
        unit = unit_like(x)
        return unit if x.ndim == 2 else f.copy(f.broadcast_to(unit, *x.shape))
    square = f.linalg_inv(x) if count < 0 else x
    count, result = abs(count), None
    if count == 3:
        return (square @ square) @ square  # in NumPy's order
    while count:
        if count % 2:
            result = square if result is None else result @ square
        count //= 2
        square = square @ square if count else square
    assert result is not None
    return result


def _chain(arrays: tuple[Expr, ...]) -> Expr:
    """The product, from the right if there is a vector, else from the left."""
    if arrays[-1].ndim == 1:
        return functools.reduce(lambda result, x: x @ result, reversed(arrays))
    return functools.reduce(lambda result, x: result @ x, arrays)


composed(
    "linalg_multi_dot", "*arrays",
    lambda inputs, attrs: np_call("linalg.multi_dot", ast.List(inputs)), _chain, batch="each",
    doc="The product of several matrices, in the order that costs least.",
)  # fmt: skip


@surface(np.linalg.multi_dot)
def multi_dot(b: Builder, arrays: Any) -> Expr:
    """``np.linalg.multi_dot``: of two arrays ``np.dot``."""
    listed = [as_array(b, x) for x in arrays]
    if len(listed) < 2:
        raise ShapeError("np.linalg.multi_dot needs two arrays or more")
    if len(listed) == 2:
        return dot(b, *listed)  # type: ignore[no-any-return]
    for i, x in enumerate(listed):
        end = i in (0, len(listed) - 1)
        if x.ndim != 2 and not (end and x.ndim == 1):
            raise ShapeError(
                f"np.linalg.multi_dot takes matrices, and vectors at the ends, not {x.type}"
            )
    return f.linalg_multi_dot(*listed)  # type: ignore[no-any-return]


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
