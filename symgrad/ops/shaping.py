"""Changing shape and dtype. Shapes are runtime integers given as inputs."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..ir.expr import f
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from ._infer import shape_of
from .table import linear


def shape_tuple(lengths: list[ast.expr]) -> ast.expr:
    """A shape as written in a call: ``n`` for one length, else a tuple."""
    return lengths[0] if len(lengths) == 1 else ast.Tuple(lengths)


def np_call(name: str, *args: ast.expr, **keywords: ast.expr) -> ast.expr:
    """``np.name(...)``."""
    listed = [ast.keyword(k, v) for k, v in keywords.items()]
    return ast.Call(ast.Attribute(ast.Name("np"), name), list(args), listed)


def _dtype(inputs: tuple[Value, ...]) -> Any:
    return inputs[0].type.dtype  # type: ignore[union-attr]


def _infer_shaped(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(_dtype(inputs), shape_of(dims, inputs[1:]))


def _infer_transpose(dims: Any, inputs: tuple[Value, ...], axes: tuple[int, ...]) -> Type:
    shape = inputs[0].type.shape  # type: ignore[union-attr]
    return ArrayType(_dtype(inputs), tuple(shape[a] for a in axes))


def _emit_transpose(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    axes = attrs["axes"]
    if axes == tuple(reversed(range(len(axes)))):
        return ast.Attribute(inputs[0], "T")
    if axes == (*range(len(axes) - 2), len(axes) - 1, len(axes) - 2):
        return ast.Attribute(inputs[0], "mT")
    return np_call("transpose", inputs[0], ast.Tuple([ast.Constant(a) for a in axes]))


def inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes ``axes``."""
    return tuple(int(a) for a in np.argsort(axes))


linear(
    "reshape",
    "x *lengths",
    _infer_shaped,
    lambda inputs, attrs: np_call("reshape", inputs[0], shape_tuple(inputs[1:])),
    transpose={"x": lambda g, x: f.reshape(g, *x.shape)},
    put=lambda base, new, lengths: f.reshape(new, *base.shape),
    traits="cheap maybe_view",
    doc="The same entries in another shape (C order).",
)
linear(
    "transpose",
    "x",
    _infer_transpose,
    _emit_transpose,
    attrs={"axes": REQUIRED},
    transpose={"x": lambda g, axes: f.transpose(g, axes=inverse(axes))},
    put=lambda base, new, axes: f.transpose(new, axes=inverse(axes)),
    traits="cheap view",
    doc="Axes in another order.",
)
linear(
    "broadcast_to",
    "x *lengths",
    _infer_shaped,
    lambda inputs, attrs: np_call("broadcast_to", inputs[0], shape_tuple(inputs[1:])),
    transpose={"x": lambda g: g},
    traits="cheap view",
    doc="Repeated along new axes or axes of length 1; the engine sums the adjoint back.",
)


def _infer_cast(dims: Any, inputs: tuple[Value, ...], dtype: Any) -> Type:
    return ArrayType(np.dtype(dtype), inputs[0].type.shape)  # type: ignore[union-attr]


def _emit_dtype_call(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return np_call(np.dtype(attrs["dtype"]).name, inputs[0])


def _infer_item(dims: Any, inputs: tuple[Value, ...], kind: Any) -> Type:
    return ScalarType(kind)


def _emit_item(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Call(ast.Name(attrs["kind"]), [inputs[0]], [])


def cast_back(g: Any, x: Any) -> Any:
    """An adjoint in the type of ``x``: cast to its dtype, or made a Python scalar."""
    if isinstance(x.type, ScalarType):
        return f.item(g, kind=x.type.kind)
    return f.astype(g, dtype=x.dtype)


linear(
    "astype",
    "x",
    _infer_cast,
    "x.astype(dtype)",
    attrs={"dtype": REQUIRED},
    transpose={"x": lambda g, x: cast_back(g, x)},
    traits="cheap",
    doc="An array cast to another dtype.",
)
linear(
    "asarray",
    "x",
    _infer_cast,
    _emit_dtype_call,
    attrs={"dtype": REQUIRED},
    transpose={"x": lambda g, x: cast_back(g, x)},
    traits="cheap",
    doc="A Python scalar as a NumPy scalar.",
)
linear(
    "item",
    "x",
    _infer_item,
    _emit_item,
    attrs={"kind": REQUIRED},
    dim=lambda inputs, kind: inputs[0].dim if kind == "int" else None,
    transpose={"x": lambda g, x: cast_back(g, x) if not isinstance(x.type, ArrayType)
               else f.asarray(g, dtype=x.dtype)},
    traits="cheap",
    doc="A 0-d array or Python scalar as a Python scalar of the given kind.",
)  # fmt: skip
