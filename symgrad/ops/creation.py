"""Making arrays."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..ir.dims import Dimension, add, floordiv, maximum, multiply
from ..ir.expr import Expr, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from .rules import batching as batching
from .rules.emission import dtype_keyword, np_call, shape_tuple, static
from .rules.infer import as_dimension, shape_of
from .table import linear, nondiff, op

DTYPE = {"dtype": REQUIRED}
LIKE = {"dtype": None}


# ------------------------------------------------------------------------------- types
def _infer_made(dims: Any, inputs: tuple[Value, ...], dtype: Any) -> Type:
    return ArrayType(np.dtype(dtype), shape_of(dims, inputs))


def _infer_full(dims: Any, inputs: tuple[Value, ...], dtype: Any = None) -> Type:
    kind = inputs[0].type.dtype if dtype is None else dtype  # type: ignore[union-attr]
    return ArrayType(np.dtype(kind), shape_of(dims, inputs[1:]))


def _infer_like(dims: Any, inputs: tuple[Value, ...], dtype: Any = None) -> Type:
    t = inputs[0].type
    return ArrayType(np.dtype(dtype) if dtype is not None else t.dtype, t.shape)  # type: ignore[union-attr]


def _infer_arange(dims: Any, inputs: tuple[Value, ...], dtype: Any) -> Type:
    if any(v.type != ScalarType("int") for v in inputs):
        return ArrayType(np.dtype(dtype), (dims.fresh("k"),))
    start, stop, step = (as_dimension(dims, v) for v in inputs)
    span = add(stop, multiply(-1, start))
    length: Dimension = dims.fresh("k")
    if isinstance(step, int) and step > 0:
        length = floordiv(add(maximum(0, span), step - 1), step)
    elif isinstance(step, int) and step < 0:
        length = floordiv(add(maximum(0, multiply(-1, span)), -step - 1), -step)
    return ArrayType(np.dtype(dtype), (length,))


def _infer_spaced(
    dims: Any, inputs: tuple[Value, ...], dtype: Any, endpoint: bool, **attrs: Any
) -> Type:
    return ArrayType(np.dtype(dtype), (as_dimension(dims, inputs[2]),))


def _infer_triangle(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    t = ArrayType(np.dtype(np.intp), (dims.fresh("k"),))
    return (t, t)


# ---------------------------------------------------------------------------- emission
def _emit_made(name: str) -> Any:
    def emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
        return np_call(name, shape_tuple(inputs), **dtype_keyword(attrs["dtype"]))

    return emit


def _emit_full(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    kind = attrs["dtype"]
    given = {} if kind is None else {"dtype": static(np.dtype(kind))}
    return np_call("full", shape_tuple(inputs[1:]), inputs[0], **given)


def _emit_arange(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    start, stop, step = inputs
    simple = [
        isinstance(x, ast.Constant) and x.value == v for x, v in ((start, 0), (step, 1))
    ]
    args = [stop] if all(simple) else [start, stop] if simple[1] else inputs
    dtype = attrs["dtype"]
    # Whole numbers are told apart from floats where they are written only.
    floats = any(isinstance(x, ast.Constant) and isinstance(x.value, float) for x in args)
    plain = dtype == np.intp or dtype == np.float64 and floats
    known = {} if plain else {"dtype": static(np.dtype(dtype))}
    return np_call("arange", *args, **known)


def _emit_eye(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    rows, columns, k = inputs
    more: dict[str, ast.expr] = dtype_keyword(attrs["dtype"])
    if not (isinstance(k, ast.Constant) and k.value == 0):
        more = {"k": k, **more}
    same_length = ast.dump(rows) == ast.dump(columns)
    return np_call("eye", *([rows] if same_length else [rows, columns]), **more)


def _infer_eye(dims: Any, inputs: tuple[Value, ...], dtype: Any) -> Type:
    return ArrayType(np.dtype(dtype), shape_of(dims, inputs[:2]))


def _emit_spaced(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    more = dtype_keyword(attrs["dtype"])
    if not attrs["endpoint"]:
        more = {"endpoint": ast.Constant(False), **more}
    return np_call("linspace", *inputs, **more)


def _emit_triangle(name: str) -> Any:
    def emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
        n, k, m = inputs
        return np_call(name, n, k, *([] if ast.dump(n) == ast.dump(m) else [m]))

    return emit


# ------------------------------------------------------------------------------- rules
def _counting(out: Expr) -> Expr:
    """0, 1, 2, ... in the shape of ``out``, which has one axis."""
    b = out.builder
    ends = (b.const(0), lift(b, out.length(0)), b.const(1))
    return Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))


def _weights(g: Expr, count: Expr, endpoint: bool) -> Expr:
    """The share of the stop in each entry of ``linspace``."""
    b = g.builder
    ends = (b.const(0), b.const(1), count.value)
    return Expr(b, b.op("linspace", *ends, dtype=g.dtype, endpoint=endpoint))


for _name, _doc in (
    ("zeros", "Zeros"),
    ("ones", "Ones"),
    ("empty", "Memory to be filled,"),
):
    nondiff(
        _name, "*lengths", _infer_made, _emit_made(_name), attrs=DTYPE,
        traits="allocates", doc=f"{_doc} of a given shape.",
    )  # fmt: skip
    nondiff(
        f"{_name}_like", "x", _infer_like, f"np.{_name}_like(x, dtype=dtype)", attrs=LIKE,
        traits="allocates", shape_only="x", doc=f"{_doc} of the shape of x.",
    )  # fmt: skip

linear(
    "full",
    "value *lengths",
    _infer_full,
    _emit_full,
    attrs=LIKE,
    transpose={"value": lambda g: g},
    traits="allocates",
    batch=batching.full,
    doc="One number repeated; the engine sums the adjoint.",
)
linear(
    "full_like",
    "x value",
    _infer_like,
    "np.full_like(x, value, dtype=dtype)",
    attrs=LIKE,
    transpose={"value": lambda g: g},
    traits="allocates",
    shape_only="x",
    batch=batching.full_like,
    doc="One number repeated in the shape of x.",
)
op(
    "arange",
    "start stop step",
    _infer_arange,
    _emit_arange,
    attrs=DTYPE,
    vjp={"start": lambda g: g, "step": lambda g, out: g * _counting(out)},
    jvp={"start": lambda t: t, "step": lambda t, out: t * _counting(out)},
    traits="allocates",
    doc="Evenly spaced numbers, the end left out.",
)
nondiff(
    "eye",
    "rows columns k",
    _infer_eye,
    _emit_eye,
    attrs=DTYPE,
    traits="allocates",
    doc="Ones on diagonal k, zeros elsewhere.",
)
linear(
    "linspace",
    "start stop count",
    _infer_spaced,
    _emit_spaced,
    attrs={"dtype": REQUIRED, "endpoint": True},
    transpose={
        "start": lambda g, count, endpoint: g - g * _weights(g, count, endpoint),
        "stop": lambda g, count, endpoint: g * _weights(g, count, endpoint),
    },
    traits="allocates",
    doc="Evenly spaced numbers between two ends.",
)
for _name in ("tril_indices", "triu_indices"):
    nondiff(
        _name, "n k m", _infer_triangle, _emit_triangle(_name), traits="allocates distinct",
        doc="Row and column indices of a triangle.",
    )  # fmt: skip
