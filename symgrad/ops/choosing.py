"""Choosing among arrays, and writing where a condition holds."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ir.builder import Builder
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .comparison import example
from .indexing import getitem, setitem
from .masks import select as masked
from .reshaping import broadcast_to, ravel
from .rules.arguments import as_array, as_expr
from .rules.emission import np_call, static
from .selection import bounded
from .static import need_static
from .table import linear, method, mutator, surface


# -------------------------------------------------------------------------------- select
@surface(np.select)
def select(b: Builder, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """``np.select``."""
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ShapeError("np.select needs as many choices as conditions, at least one")
    choices = [as_expr(b, c) for c in (*choicelist, default)]
    dtype = np.result_type(*(example(c.type) for c in choices))
    out = choices.pop()
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        mask = as_array(b, condition)
        if mask.dtype.kind != "b":
            raise DTypeError(f"np.select needs conditions of bool, got {mask.type}")
        out = f.where(mask, choice, out)
    return out if out.dtype == dtype else f.astype(out, dtype=dtype)


# -------------------------------------------------------------------------------- choose
def _infer_choose(dims: Any, inputs: tuple[Value, ...], mode: str) -> Type:
    types = [v.type for v in inputs]
    dtype = np.result_type(*(t.dtype for t in types[1:]))  # type: ignore[union-attr]
    return ArrayType(dtype, dims.broadcast_shapes(*(t.shape for t in types)))  # type: ignore[union-attr]


def _emit_choose(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    more = {} if attrs["mode"] == "raise" else {"mode": static(attrs["mode"])}
    return np_call("choose", inputs[0], ast.List(inputs[1:]), **more)


def _chosen(g: Expr, position: int, a: Expr, choices: Any, mode: str) -> Any:
    count = len(choices)
    if mode == "wrap":
        a = a % count
    elif mode == "clip":
        a = f.minimum(f.maximum(a, 0), count - 1)
    return masked(f.equal(a, position - 1), g)


linear(
    "choose", "a *choices", _infer_choose, _emit_choose, attrs={"mode": REQUIRED},
    transpose={"choices": _chosen}, traits="joins allocates selects",
    kink="hard zero for what was not chosen", doc="For each entry, that of the array it names.",
)  # fmt: skip


@surface(np.choose)
@method("choose")
def choose(b: Builder, a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """``np.choose``."""
    places = as_array(b, a)
    if isinstance(choices, Expr):
        count = need_static(choices.length(0))
        choices = [f.index(choices, index=(i,)) for i in range(count)]
    if places.dtype.kind not in "biu":
        raise DTypeError(f"np.choose needs integers, got {places.type}")
    listed = [as_array(b, c) for c in choices]
    return f.choose(places, *listed, mode=need_static(mode))


# --------------------------------------------------------------------- writing under masks
@mutator(np.putmask)
def putmask(b: Builder, a: Expr, mask: Any, values: Any) -> Expr:
    """``np.putmask``: values in the shape of the array, or repeated through all of it."""
    where, given = as_array(b, mask), as_array(b, values)
    lengths = [b.dims.canonical(n) for n in given.dims]
    if given.ndim and lengths != [b.dims.canonical(n) for n in a.dims]:
        given = f.reshape(cycled(b, ravel(b, given), a.size), *a.shape)
    spread = broadcast_to(b, given, a.shape)
    return setitem(b, a, where, getitem(b, spread, where))


@mutator(np.place)
def place(b: Builder, arr: Expr, mask: Any, vals: Any) -> Expr:
    """``np.place``: the values in turn, to the places where the mask is true."""
    where, given = as_array(b, mask), ravel(b, as_array(b, vals))
    count = f.count_nonzero(where)
    return setitem(b, arr, where, cycled(b, given, f.item(count, kind="int")))


def cycled(b: Builder, x: Expr, count: Any) -> Expr:
    """``count`` entries of a vector, from the start again after the last."""
    ends = (b.const(0), lift(b, count), b.const(1))
    steps = Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))
    return getitem(b, x, steps % x.length(0))


@mutator(np.put, "put")
def put(b: Builder, a: Expr, ind: Any, v: Any, mode: Any = "raise") -> Expr:
    """``np.put``: by position in the flattened array."""
    places, given = ravel(b, as_array(b, ind)), ravel(b, as_array(b, v))
    places = bounded(b, places, a.size, mode)
    flat = setitem(b, ravel(b, a), places, cycled(b, given, places.size))
    return flat if a.ndim == 1 else f.reshape(flat, *a.shape)
