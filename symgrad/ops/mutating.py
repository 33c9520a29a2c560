"""Calls that overwrite an array: each gives the array's new value."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DTypeError
from ..ir.builder import Builder
from ..ir.expr import Expr, f, lift
from ..ir.indexing import Gather, is_basic
from .choosing import cycled
from .indexing import getitem, setitem
from .keys import parse
from .reshaping import broadcast_to, ravel
from .rules.arguments import as_array, as_expr
from .rules.indexed import distinct
from .static import need_static
from .table import mutator


def _checked(x: Expr, v: Expr) -> Expr:
    """``v``, refused if NumPy would not cast it into ``x``."""
    given = v.dtype
    if not np.can_cast(given, x.dtype, "same_kind"):
        raise DTypeError(f"{given} values cannot be put into an array of {x.dtype}")
    return v


def _beside(x: Expr, v: Any) -> Expr:
    """``v`` as ``ufunc.at`` computes with it: Python's numbers are arrays to it, not weak."""
    value = as_expr(x.builder, v)
    together = np.result_type(x.dtype, value.dtype)
    if together == x.dtype and value.dtype.kind not in "bu":
        return value
    value = as_array(x.builder, value)
    if x.dtype.kind in "iu" and together.kind in "iu":  # all of them count modulo 2**n
        return f.astype(value, dtype=x.dtype)  # type: ignore[no-any-return]
    _checked(x, value)
    return f.astype(value, dtype=x.dtype) if value.dtype.kind in "bu" else value


@mutator(np.add.at)
def add_at(b: Builder, a: Expr, indices: Any, v: Any = None) -> Expr:
    """``np.add.at``: repeated indices add up."""
    value = _beside(a, v)
    index, operands = parse(b, a, indices)
    once = distinct(b.dims, index, operands) and not is_basic(index)
    once = once and any(isinstance(item, Gather) for item in index)
    attrs: dict[str, Any] = {"index": index, "distinct": once}
    return Expr(b, b.op("add_store", a.value, value.value, *operands, **attrs))


@mutator(np.subtract.at)
def subtract_at(b: Builder, a: Expr, indices: Any, v: Any = None) -> Expr:
    """``np.subtract.at``."""
    return add_at(b, a, indices, -_beside(a, v))  # type: ignore[no-any-return]


@mutator("fill")
def fill(b: Builder, x: Expr, value: Any) -> Expr:
    """``x.fill(value)``."""
    return setitem(b, x, Ellipsis, value)


@mutator("__setitem__")
def _setitem(b: Builder, x: Expr, key: Any, value: Any) -> Expr:
    return setitem(b, x, key, value)


@mutator(np.copyto)
def copyto(
    b: Builder, dst: Expr, src: Any, casting: Any = "same_kind", where: Any = True
) -> Expr:
    """``np.copyto``."""
    value = as_expr(b, src)
    if casting == "same_kind":
        _checked(dst, value)
    if where is True:
        return setitem(b, dst, Ellipsis, value)
    mask = broadcast_to(b, as_array(b, where), dst.shape)
    spread = broadcast_to(b, as_array(b, value), dst.shape)
    return setitem(b, dst, mask, getitem(b, spread, mask))


@mutator(np.fill_diagonal)
def fill_diagonal(b: Builder, a: Expr, val: Any, wrap: Any = False) -> Expr:
    """``np.fill_diagonal``; with ``wrap`` the diagonal of a tall matrix goes on below."""
    if a.ndim < 2:
        raise DTypeError(f"np.fill_diagonal needs rank 2 or more, got {a.type}")
    rows, columns = (lift_length(b, a.length(i)) for i in (0, 1))
    if a.ndim > 2 or not need_static(wrap):
        shorter = rows if a.ndim > 2 else f.minimum(rows, columns)
        steps = _counting(b, b.const(0), shorter.value, b.const(1))
        return setitem(b, a, (steps,) * a.ndim, _in_turn(b, val, shorter))
    steps = _counting(b, b.const(0), (rows * columns).value, (columns + 1).value)
    return setitem(
        b, a, (steps // columns, steps % columns), _in_turn(b, val, steps.length(0))
    )


def _in_turn(b: Builder, values: Any, count: Any) -> Any:
    x = as_expr(b, values)
    return cycled(b, ravel(b, x), count) if x.ndim else x


def _counting(b: Builder, *ends: Any) -> Expr:
    return Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))


def lift_length(b: Builder, n: Any) -> Expr:
    """A length as an expression."""
    return Expr(b, lift(b, n))
