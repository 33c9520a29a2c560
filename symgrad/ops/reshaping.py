"""NumPy's ways of changing shape and the order of axes, in terms of the ops in ``shaping``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import DTypeError, OptionError, ShapeError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ArrayType
from .rules.arguments import (
    as_array,
    as_expr,
    axes_of,
    axis_of,
    integer,
    lengths_of,
    strict_axes_of,
)
from .static import known, need_static
from .table import attribute, method, surface


# ------------------------------------------------------------------------------- shape
@surface(np.reshape)
def reshape(b: Builder, a: Any, shape: Any, order: Any = "C", *, copy: Any = None) -> Expr:
    """``np.reshape``."""
    x = as_array(b, a)
    lengths = lengths_of(b, shape)
    if sum(v.is_constant and v.constant == -1 for v in lengths) > 1:
        raise ShapeError("only one length of a new shape can be -1")
    if in_columns(order):
        back = Expr(b, b.op("reshape", x.T.value, *reversed(lengths)))
        return back.T
    out = Expr(b, b.op("reshape", x.value, *lengths))
    return f.copy(out) if need_static(copy) else out


def in_columns(order: Any) -> bool:
    """Whether entries are read in Fortran's order.

    Raises:
        UnsupportedFunctionError: that depends on how the array lies in memory.
        OptionError: there is no such order.
    """
    order = need_static(order)
    if order in ("A", "K"):
        raise UnsupportedFunctionError(
            f"order={order!r} follows the array's memory, which is not known when compiling; "
            "write order='C' or order='F'"
        )
    if order not in ("C", "F", None):
        raise OptionError(f"order must be 'C' or 'F', got {order!r}")
    return bool(order == "F")


@method("reshape")
def _reshape(b: Builder, x: Expr, *shape: Any, order: Any = "C", copy: Any = None) -> Expr:
    return reshape(b, x, shape[0] if len(shape) == 1 else shape, order, copy=copy)  # type: ignore[no-any-return]


def ravel(b: Builder, a: Any, order: Any = "C") -> Expr:
    """All entries along one axis, to be read."""
    x = as_array(b, a)
    return x if x.ndim == 1 else reshape(b, x, -1, order)  # of one axis there is one order


@surface(np.ravel)
@method("ravel")
def _ravel(b: Builder, a: Any, order: Any = "C") -> Expr:
    """``np.ravel``: unlike a reshape, a view of memory in one piece only."""
    x = as_array(b, a)
    if x.ndim == 0:
        return reshape(b, x, -1)  # type: ignore[no-any-return]
    columns = in_columns(order) and x.ndim > 1
    return f.ravel(x.T if columns else x)  # type: ignore[no-any-return]


@method("flatten")
def flatten(b: Builder, x: Expr, order: Any = "C") -> Expr:
    """``x.flatten()``."""
    return f.flatten(x.T if x.ndim > 1 and in_columns(order) else x)  # type: ignore[no-any-return]


@surface(np.expand_dims)
def expand_dims(b: Builder, a: Any, axis: Any) -> Expr:
    """``np.expand_dims``."""
    x = as_array(b, a)
    axis = known(axis)
    count = len(axis) if isinstance(axis, tuple | list) else 1
    if not count:
        return x
    return f.expand_dims(x, axes=tuple(sorted(axes_of(axis, x.ndim + count))))  # type: ignore[no-any-return]


@surface(np.squeeze)
@method("squeeze")
def squeeze(b: Builder, a: Any, axis: Any = None) -> Expr:
    """``np.squeeze``."""
    x = as_array(b, a)
    if axis is not None:
        axes = tuple(sorted(strict_axes_of(axis, x.ndim)))
    else:
        axes = tuple(i for i in range(x.ndim) if b.dims.canonical(x.dims[i]) == 1)
        if not all(b.dims.never_one(x.dims[i]) for i in range(x.ndim) if i not in axes):
            raise ShapeError("np.squeeze: name the axes, as some lengths are known late")
    return f.squeeze(x, axes=axes) if axes else x


@surface(np.broadcast_to)
def broadcast_to(b: Builder, array: Any, shape: Any, subok: Any = False) -> Expr:
    """``np.broadcast_to``."""
    x = as_array(b, array)
    return Expr(b, b.op("broadcast_to", x.value, *lengths_of(b, shape)))


def broadcast_lengths(b: Builder, arrays: Sequence[Expr]) -> tuple[Any, ...]:
    """The lengths that arrays broadcast to, each as an int or a runtime integer."""
    common = b.dims.broadcast_shapes(*(x.dims for x in arrays))
    return tuple(
        _length(b, arrays, axis, length)
        for axis, length in zip(range(-len(common), 0), common, strict=True)
    )


def _length(b: Builder, arrays: Sequence[Expr], axis: int, length: Any) -> Any:
    having = [x for x in arrays if x.ndim >= -axis]
    for x in having:
        if b.dims.equal(x.dims[axis], length):
            return x.length(axis)
    raise ShapeError(
        "lengths that are known late: use np.broadcast_to with the shape meant"
    )


@surface(np.broadcast_arrays)
def broadcast_arrays(b: Builder, *args: Any, subok: Any = False) -> tuple[Expr, ...]:
    """``np.broadcast_arrays``."""
    arrays = [as_array(b, a) for a in args]
    lengths = broadcast_lengths(b, arrays)
    return tuple(broadcast_to(b, x, lengths) for x in arrays)


def _at_least(rank: int, place: Callable[[int], tuple[int, ...]]) -> Callable[..., Any]:
    def call(b: Builder, *arrays: Any) -> Any:
        done = []
        for a in arrays:
            x = as_array(b, a)
            done.append(x if x.ndim >= rank else f.expand_dims(x, axes=place(x.ndim)))
        return done[0] if len(done) == 1 else tuple(done)

    return call


atleast_1d = surface(np.atleast_1d)(_at_least(1, lambda n: (0,)))
atleast_2d = surface(np.atleast_2d)(_at_least(2, lambda n: tuple(range(2 - n))))
atleast_3d = surface(np.atleast_3d)(_at_least(3, lambda n: ((0, 1, 2), (0, 2), (2,))[n]))


# ------------------------------------------------------------------------ order of axes
def permute(x: Expr, axes: Sequence[int]) -> Expr:
    """``x`` with its axes in the given order; itself if nothing moves."""
    listed = tuple(axes)
    if listed == tuple(range(x.ndim)):
        return x
    return f.transpose(x, axes=listed)  # type: ignore[no-any-return]


@surface(np.transpose, np.permute_dims)
def transpose(b: Builder, a: Any, axes: Any = None) -> Expr:
    """``np.transpose``."""
    x = as_array(b, a)
    if axes is None:
        return permute(x, tuple(reversed(range(x.ndim))))
    order = axes_of(axes, x.ndim)
    if len(order) != x.ndim:
        raise ShapeError(f"axes {order} do not fit an array of rank {x.ndim}")
    return permute(x, order)


@method("transpose")
def _transpose(b: Builder, x: Expr, *axes: Any) -> Expr:
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
        return transpose(b, x, axes[0])  # type: ignore[no-any-return]
    return transpose(b, x, axes or None)  # type: ignore[no-any-return]


@attribute("T")
def transposed(b: Builder, x: Expr) -> Expr:
    """``x.T``."""
    return permute(x, tuple(reversed(range(x.ndim))))


@surface(np.matrix_transpose, np.linalg.matrix_transpose)
@attribute("mT")
def matrix_transpose(b: Builder, x: Any) -> Expr:
    """``x.mT``."""
    a = as_array(b, x)
    if a.ndim < 2:
        raise ShapeError(f"a matrix transpose needs rank 2 or more, got {a.type}")
    return a.mT


@surface(np.swapaxes)
@method("swapaxes")
def swapaxes(b: Builder, a: Any, axis1: Any, axis2: Any) -> Expr:
    """``np.swapaxes``."""
    x = as_array(b, a)
    i, j = axis_of(axis1, x.ndim), axis_of(axis2, x.ndim)
    order = list(range(x.ndim))
    order[i], order[j] = j, i
    return permute(x, order)


@surface(np.moveaxis)
def moveaxis(b: Builder, a: Any, source: Any, destination: Any) -> Expr:
    """``np.moveaxis``."""
    x = as_array(b, a)
    old, new = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(old) != len(new):
        raise ShapeError("np.moveaxis needs as many destinations as sources")
    order = [i for i in range(x.ndim) if i not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return permute(x, order)


@surface(np.rollaxis)
def rollaxis(b: Builder, a: Any, axis: Any, start: Any = 0) -> Expr:
    """``np.rollaxis``."""
    x = as_array(b, a)
    moved, place = axis_of(axis, x.ndim), integer(start, "start")
    place = place + x.ndim if place < 0 else place
    place -= moved < place
    order = [i for i in range(x.ndim) if i != moved]
    order.insert(place, moved)
    return permute(x, order)


# --------------------------------------------------------------------------- attributes
@surface(np.shape)
@attribute("shape")
def shape(b: Builder, a: Any) -> tuple[Any, ...]:
    """``x.shape``."""
    return as_expr(b, a).shape


@surface(np.ndim)
@attribute("ndim")
def ndim(b: Builder, a: Any) -> int:
    """``x.ndim``."""
    return as_expr(b, a).ndim


@surface(np.size)
@attribute("size")
def size(b: Builder, a: Any, axis: Any = None) -> Any:
    """``x.size``."""
    x = as_expr(b, a)
    if axis is None:
        return x.size
    count: Any = 1
    for a in axes_of(axis, x.ndim):
        count = x.length(a) * count
    return count


@surface(len)
@method("__len__")
def length(b: Builder, x: Any) -> Any:
    """``len(x)``."""
    if not isinstance(x, Expr):
        return len(x)
    if not isinstance(x.type, ArrayType) or not x.ndim:
        raise DTypeError(f"len() takes an array with an axis, got {x.type}")
    return x.length(0)


@attribute("dtype")
def dtype(b: Builder, x: Expr) -> Any:
    """``x.dtype``."""
    return x.dtype


@attribute("itemsize")
def itemsize(b: Builder, x: Expr) -> Any:
    """``x.itemsize``."""
    return x.dtype.itemsize


@attribute("nbytes")
def nbytes(b: Builder, x: Expr) -> Any:
    """``x.nbytes``."""
    return x.size * x.dtype.itemsize


@method("view")
def view(b: Builder, x: Expr, dtype: Any = None, type: Any = None) -> Any:
    """``x.view()``, also as an ``ndarray`` or in the dtype that ``x`` has. Another dtype is
    refused: it reads numbers as other numbers."""
    kinds = [kind for kind in (dtype, type) if kind is not None and kind is not np.ndarray]
    if any(kind != x.dtype for kind in kinds):
        raise UnsupportedFunctionError(
            "x.view(...) is not supported; x.astype(...) converts, x[...] is a view"
        )
    return x
