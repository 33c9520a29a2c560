"""What surfaces do to their arguments: arrays, lengths, axes."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import DTypeError, ShapeError
from ...ir.builder import Builder
from ...ir.expr import Expr, lift
from ...ir.types import ArrayType, ScalarType
from ...ir.values import Value
from ..static import known, need_static, shown


def _arrays_are_numbers() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            float(np.ones(1))
        except TypeError:
            return False
    return True


ARRAYS_ARE_NUMBERS = _arrays_are_numbers()
"""Whether this NumPy takes arrays of one entry for numbers, whatever their rank."""


def is_number(x: Any) -> bool:
    """Whether ``x`` is one number: Python's or NumPy's, static or not."""
    if isinstance(x, Expr):
        return isinstance(x.type, ArrayType | ScalarType) and x.ndim == 0
    return isinstance(x, bool | int | float | complex | np.number | np.bool_)


def as_expr(b: Builder, x: Any) -> Expr:
    """``x`` as an expression: nested lists become arrays, Python scalars stay scalars."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, tuple | list):
        return nested_array(b, x)
    if isinstance(x, range):
        return Expr(b, b.const(np.array(x)))
    if isinstance(x, np.generic | np.ndarray):
        return Expr(b, b.const(numeric(x)))
    if isinstance(x, Value | bool | int | float | complex):
        return Expr(b, lift(b, x))
    raise DTypeError(f"expected an array or a number, got {shown(x)}")


def numeric(x: Any) -> Any:
    """An array known when compiling.

    Raises:
        DTypeError: it does not hold numbers.
    """
    if x.dtype.kind not in "biufc":
        raise DTypeError(f"expected numbers, got {x!r}")
    return x


def as_array(b: Builder, x: Any) -> Expr:
    """``np.asarray(x)`` as an expression."""
    e = as_expr(b, x)
    if isinstance(e.type, ScalarType):
        return Expr(b, b.op("asarray", e.value, dtype=e.type.dtype))
    if not isinstance(e.type, ArrayType):
        raise DTypeError(f"expected an array, got {e.type}")
    return e


def nested_array(b: Builder, x: Sequence[Any], dtype: Any = None) -> Expr:
    """``np.array(x)`` of nested lists whose leaves are numbers or arrays."""
    if not _has_expr(x):
        return Expr(b, b.const(numeric(np.array(x, dtype=dtype))))
    shape, leaves = _flatten(_beside_arrays(b, x))
    values = [as_expr(b, leaf) for leaf in leaves]
    if dtype is None:
        dtype = values[0].dtype
        for v in values[1:]:
            dtype = np.promote_types(dtype, v.dtype)
    return Expr(
        b, b.op("array", *(v.value for v in values), shape=shape, dtype=np.dtype(dtype))
    )


def _beside_arrays(b: Builder, x: Any) -> Any:
    """``x`` with lists that stand beside arrays made arrays, too."""
    if not isinstance(x, tuple | list):
        return x
    items = [_beside_arrays(b, item) for item in x]
    if not any(isinstance(i, Expr | np.ndarray) and i.ndim for i in items):
        return items
    return [nested_array(b, i) if isinstance(i, list) else i for i in items]


def _has_expr(x: Any) -> bool:
    if isinstance(x, tuple | list):
        return any(_has_expr(item) for item in x)
    return isinstance(x, Expr)


def _flatten(x: Any) -> tuple[tuple[int, ...], list[Any]]:
    if not isinstance(x, tuple | list):
        return (), [x]
    parts = [_flatten(item) for item in x]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise ShapeError("the lists that make up an array differ in length")
    inner = shapes.pop() if shapes else ()
    return (len(x), *inner), [leaf for _, leaves in parts for leaf in leaves]


def integer(x: Any, what: str) -> int:
    """A static integer.

    Raises:
        DTypeError: it is not an integer; ``what`` says what it is used as.
    """
    x = need_static(x)
    try:
        return operator.index(x)
    except TypeError:
        raise DTypeError(f"{what} must be an integer, got {shown(x)}") from None


def axis_of(axis: Any, ndim: int) -> int:
    """A static axis as a non-negative integer."""
    n = integer(axis, "an axis")
    if not -ndim <= n < ndim:
        raise ShapeError(f"axis {n} is out of bounds for an array of rank {ndim}")
    return n % ndim


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Static axes (one, or several) as non-negative integers without repetition."""
    axis = known(axis)
    listed = axis if isinstance(axis, tuple | list) else (axis,)
    axes = tuple(axis_of(a, ndim) for a in listed)
    if len(set(axes)) != len(axes):
        raise ShapeError(f"axes {tuple(axes)} name one axis twice")
    return axes


def strict_axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes as NumPy's functions in C take them: an integer or a tuple, no list and no bool."""
    axis = known(axis)
    if isinstance(axis, list | bool):
        kind = type(axis).__name__
        raise DTypeError(
            f"axis must be None, an integer or a tuple of integers, not a {kind}"
        )
    return axes_of(axis, ndim)


def single_axis_of(axis: Any, ndim: int) -> int:
    """One axis, which may stand in a tuple."""
    axis = known(axis)
    return axis_of(axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis, ndim)


def length_of(b: Builder, x: Any) -> Value:
    """One length as an integer value."""
    x = known(x)
    if isinstance(x, Expr):
        if x.ndim or x.dtype.kind not in "iu":
            raise DTypeError(f"a length must be an integer, got {x.type}")
        if isinstance(x.type, ArrayType):
            return b.op("item", x.value, kind="int")  # type: ignore[no-any-return]
        return x.value
    return b.const(integer(x, "a length"))


def lengths_of(b: Builder, shape: Any) -> list[Value]:
    """A shape (one length, or several) as integer values."""
    shape = known(shape)
    if isinstance(shape, Expr) and shape.ndim:
        shape = need_static(shape)
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    listed = shape if isinstance(shape, tuple | list) else (shape,)
    return [length_of(b, n) for n in listed]


def dtype_of(dtype: Any) -> np.dtype[Any]:
    """A static dtype of numbers."""
    try:
        found: np.dtype[Any] = np.dtype(need_static(dtype))
    except TypeError as error:
        raise DTypeError(str(error)) from None
    if found.kind not in "biufc":
        raise DTypeError(f"arrays of {found} hold no numbers")
    return found
