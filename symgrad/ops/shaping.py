"""Changing shape, order of axes and dtype. Shapes are runtime integers given as inputs."""

from __future__ import annotations

import ast
from inspect import signature
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..ir.dims import Dimension, floordiv, multiply
from ..ir.expr import Expr, f
from ..ir.indexing import FULL, NEWAXIS
from ..ir.opdef import REQUIRED, Rule
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from .rules import batching as batching
from .rules import following as following
from .rules.emission import method_call, np_call, shape_tuple, static
from .rules.indexed import subscript
from .rules.infer import same, shape_of
from .table import linear


def _array(value: Value) -> ArrayType:
    assert isinstance(value.type, ArrayType)
    return value.type


# ------------------------------------------------------------------------------- types
def _infer_reshape(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = _array(inputs[0])
    shape = list(shape_of(dims, inputs[1:]))
    size = dims.canonical(t.size)
    if -1 in shape:
        rest: Dimension = 1
        for n in shape:
            rest = multiply(rest, n if n != -1 else 1)
        if isinstance(rest, int) and isinstance(size, int) and (rest == 0 or size % rest):
            raise ShapeError(f"{t} cannot be reshaped to {_text(shape)}")
        shape[shape.index(-1)] = 0 if rest == 0 else floordiv(size, rest)
    else:
        total = dims.canonical(ArrayType(t.dtype, tuple(shape)).size)
        if isinstance(total, int) and isinstance(size, int) and total != size:
            raise ShapeError(f"{t} cannot be reshaped to {_text(shape)}")
    return ArrayType(t.dtype, tuple(shape))


def _text(shape: list[Dimension]) -> str:
    return f"({', '.join(map(str, shape))})"


def _infer_broadcast(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t, shape = _array(inputs[0]), shape_of(dims, inputs[1:])
    if t.ndim > len(shape):
        raise ShapeError(f"{t} cannot be broadcast to {_text(list(shape))}")
    together = dims.broadcast_shapes(t.shape, shape)
    for wanted, found in zip(shape, together, strict=True):
        if isinstance(found, int) and wanted == 1 != found:
            raise ShapeError(f"{t} cannot be broadcast to {_text(list(shape))}")
    return ArrayType(t.dtype, shape)


def _infer_transpose(dims: Any, inputs: tuple[Value, ...], axes: tuple[int, ...]) -> Type:
    t = _array(inputs[0])
    return ArrayType(t.dtype, tuple(t.shape[a] for a in axes))


def _infer_expand(dims: Any, inputs: tuple[Value, ...], axes: tuple[int, ...]) -> Type:
    t = _array(inputs[0])
    lengths = iter(t.shape)
    rank = t.ndim + len(axes)
    return ArrayType(t.dtype, tuple(1 if i in axes else next(lengths) for i in range(rank)))


def _infer_squeeze(dims: Any, inputs: tuple[Value, ...], axes: tuple[int, ...]) -> Type:
    t = _array(inputs[0])
    for a in axes:
        if isinstance(t.shape[a], int) and t.shape[a] != 1:
            raise ShapeError(
                f"axis {a} of {t} has length {t.shape[a]}, only 1 can be squeezed"
            )
    return ArrayType(t.dtype, tuple(d for i, d in enumerate(t.shape) if i not in axes))


def _emit_boxed(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    match inputs[0]:
        case ast.Call(ast.Attribute(ast.Name("np"), "where" | "tensordot")):
            return inputs[0]  # which is one already
    return np_call("array", inputs[0])


def _emit_copy(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    if attrs["order"] == "K":
        return np_call("copy", inputs[0])
    return ast.Call(ast.Attribute(inputs[0], "copy"), [], [])


def _infer_copy(dims: Any, inputs: tuple[Value, ...], order: str) -> Type:
    return inputs[0].type


def _infer_flatten(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = _array(inputs[0])
    return ArrayType(t.dtype, (t.size,))


def _infer_cast(dims: Any, inputs: tuple[Value, ...], dtype: Any) -> Type:
    return ArrayType(np.dtype(dtype), inputs[0].type.shape)  # type: ignore[union-attr]


def _infer_item(dims: Any, inputs: tuple[Value, ...], kind: Any) -> Type:
    return ScalarType(kind)


def _infer_array(dims: Any, inputs: tuple[Value, ...], shape: Any, dtype: Any) -> Type:
    inner: tuple[Dimension, ...] = inputs[0].type.shape  # type: ignore[union-attr]
    for v in inputs[1:]:
        other = v.type.shape  # type: ignore[union-attr]
        if len(other) != len(inner):
            raise ShapeError("the parts of an array differ in rank")
        inner = tuple(dims.unify(m, n) for m, n in zip(inner, other, strict=True))
    return ArrayType(np.dtype(dtype), (*shape, *inner))


# ---------------------------------------------------------------------------- emission
def _emit_transpose(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    axes = attrs["axes"]
    if axes == tuple(reversed(range(len(axes)))):
        return ast.Attribute(inputs[0], "T")
    if axes == (*range(len(axes) - 2), len(axes) - 1, len(axes) - 2):
        return ast.Attribute(inputs[0], "mT")
    return np_call("transpose", inputs[0], static(axes))


def _emit_expand(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    axes = attrs["axes"]
    index = tuple(NEWAXIS if i in axes else FULL for i in range(max(axes) + 1))
    return ast.Subscript(inputs[0], subscript(index, []))


def _emit_squeeze(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    axes = attrs["axes"]
    return np_call("squeeze", inputs[0], axis=static(axes[0] if len(axes) == 1 else axes))


def _emit_cast(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return method_call("astype", inputs[0], static(np.dtype(attrs["dtype"])))


def _emit_dtype_call(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return np_call(np.dtype(attrs["dtype"]).name, inputs[0])


def _emit_item(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    return ast.Call(ast.Name(attrs["kind"]), [inputs[0]], [])


def _emit_array(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    nested = inputs
    for n in reversed(attrs["shape"][1:]):
        nested = [ast.List(nested[i : i + n]) for i in range(0, len(nested), n)]
    return np_call("array", ast.List(nested), dtype=static(np.dtype(attrs["dtype"])))


# ------------------------------------------------------------------------------- rules
def inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes ``axes``."""
    return tuple(int(a) for a in np.argsort(axes))


def _entry(g: Any, position: int, shape: tuple[int, ...]) -> Any:
    place = np.unravel_index(position, shape)
    return f.index(g, index=tuple(int(i) for i in place))


def moved(
    name: str, inputs: str, infer: Any, emit: Any, *, back: Rule, traits: str, **rest: Any
) -> None:
    """An op whose result has each entry of ``x`` once. ``back`` brings entries back: it is the
    adjoint, and what gives the array after its view has been overwritten."""
    wanted = signature(back).parameters

    def put(base: Expr, new: Expr, **given: Any) -> Any:
        available = {"g": new, "x": base, **given}
        return back(**{k: available[k] for k in wanted})

    traits = f"moves cheap {traits}"
    linear(name, inputs, infer, emit, transpose={"x": back}, put=put, traits=traits, **rest)


def along_axes(
    name: str, infer: Any, emit: Any, *, back: Rule, traits: str = "", **rest: Any
) -> None:
    """A view of ``x`` in which the axes lie as the attribute ``axes`` says."""
    attrs = {"axes": REQUIRED}
    moved(name, "x", infer, emit, back=back, traits=f"view {traits}", attrs=attrs, **rest)


moved(
    "reshape",
    "x *lengths",
    _infer_reshape,
    lambda inputs, attrs: np_call("reshape", inputs[0], shape_tuple(inputs[1:])),
    back=lambda g, x: f.reshape(g, *x.shape),
    traits="maybe_view recounts",
    batch=batching.reshape,
    follow=following.reshaped,
    doc="The same entries in another shape (C order); one length may be the constant -1.",
)
linear(
    "flatten",
    "x",
    _infer_flatten,
    "x.flatten()",
    transpose={"x": lambda g, x: f.reshape(g, *x.shape)},
    traits="moves allocates",
    batch=batching.flatten,
    doc="A copy with one axis.",
)
moved(
    "ravel",
    "x",
    _infer_flatten,
    "x.ravel()",
    back=lambda g, x: f.reshape(g, *x.shape),
    traits="maybe_view",
    batch=batching.flatten,
    doc="One axis: a view of memory in C order, else a copy.",
)
moved(
    "contiguous",
    "x",
    same,
    "np.ascontiguousarray(x)",
    back=lambda g: g,
    traits="maybe_view",
    batch="leading",
    doc="The array itself if it lies in memory in C order, else a copy that does.",
)
along_axes(
    "transpose",
    _infer_transpose,
    _emit_transpose,
    back=lambda g, axes: f.transpose(g, axes=inverse(axes)),
    batch=batching.transpose,
    follow=following.permuted,
    doc="Axes in another order.",
)
along_axes(
    "expand_dims",
    _infer_expand,
    _emit_expand,
    back=lambda g, axes: f.squeeze(g, axes=axes),
    follow=following.expanded,
    doc="New axes of length 1, at the given places of the result.",
)
along_axes(
    "squeeze",
    _infer_squeeze,
    _emit_squeeze,
    back=lambda g, axes: f.expand_dims(g, axes=axes),
    traits="drops_ones",
    follow=following.squeezed,
    doc="Without the given axes, which have length 1.",
)
linear(
    "broadcast_to",
    "x *lengths",
    _infer_broadcast,
    lambda inputs, attrs: np_call("broadcast_to", inputs[0], shape_tuple(inputs[1:])),
    transpose={"x": lambda g: g},
    traits="moves cheap view",
    batch=batching.broadcast_to,
    follow=following.aligned,
    doc="Repeated along new axes or axes of length 1; the engine sums the adjoint back.",
)


def alike(name: str, infer: Any, emit: Any, **rest: Any) -> None:
    """The same numbers in another array, or as another kind of number."""
    same: dict[str, Rule] = {"x": lambda g: g}
    linear(name, "x", infer, emit, transpose=same, follow=following.same, **rest)


alike(
    "copy",
    _infer_copy,
    _emit_copy,
    attrs={"order": "C"},
    traits="moves allocates",
    batch="leading",
    doc="A copy, with its axes in memory in the order C, or in that of the array (K).",
)
alike(
    "astype",
    _infer_cast,
    _emit_cast,
    attrs={"dtype": REQUIRED},
    traits="cheap allocates",
    batch="leading",
    doc="An array cast to another dtype.",
)
alike(
    "asarray",
    _infer_cast,
    _emit_dtype_call,
    attrs={"dtype": REQUIRED},
    traits="cheap",
    batch=batching.unchanged,
    doc="A Python scalar as a NumPy scalar.",
)
alike(
    "boxed",
    lambda dims, inputs: inputs[0].type,
    _emit_boxed,
    traits="allocates boxes",
    batch=batching.unchanged,
    doc="A NumPy scalar as an array of rank 0.",
)
alike(
    "joined",
    lambda dims, inputs, type: type,
    "x",
    attrs={"type": REQUIRED},
    traits="cheap loose",
    batch=batching.joined,
    doc="A number where it meets others of the given type, at a branch or around a loop: as it "
    "is, so that what is computed of it afterwards is what Python and NumPy make of it.",
)
linear(
    "item",
    "x",
    _infer_item,
    _emit_item,
    attrs={"kind": REQUIRED},
    dim=lambda inputs, kind: inputs[0].dim if kind == "int" else None,
    transpose={"x": lambda g: g},
    traits="to_number cheap",
    batch=batching.unchanged,
    doc="A 0-d array or Python scalar as a Python scalar of the given kind.",
)
linear(
    "array",
    "*xs",
    _infer_array,
    _emit_array,
    attrs={"shape": REQUIRED, "dtype": REQUIRED},
    transpose={"xs": _entry},
    traits="joins allocates",
    batch=batching.array,
    doc="An array of the given leading shape from its entries, numbers or arrays.",
)
