"""Two-dimensional convolution and pooling: ops closed under differentiation.

``conv2d`` is bilinear; its two gradients are ops of their own, and each one's rules are made
of the other two. Images have channels first, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ir.builder import Builder
from ..ir.dims import Dimension, add, floordiv
from ..ir.expr import Expr, f
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from . import kernels
from .contraction import conj
from .kernels import text_of
from .rules import batching as batching
from .rules import batching_products as products
from .rules.arguments import as_array, as_expr, integer, lengths_of
from .static import known
from .table import bilinear, linear, nondiff, op

CONV = {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1}
POOL = {"window": REQUIRED, "stride": REQUIRED, "padding": (0, 0)}
CONV_WORDS = "stride=stride, padding=padding, dilation=dilation, groups=groups"
POOL_WORDS = "window=window, stride=stride, padding=padding"


# ------------------------------------------------------------------------------- types
def _array(value: Value) -> ArrayType:
    assert isinstance(value.type, ArrayType)
    return value.type


def _places(dims: Any, n: Dimension, window: int, stride: int, padding: int) -> Dimension:
    """How many windows fit along an axis."""
    room = add(dims.canonical(n), 2 * padding - window)
    if isinstance(room, int) and room < 0:
        raise ShapeError(f"a window of length {window} does not fit an axis of length {n}")
    return add(floordiv(room, stride), 1)


def _infer_conv(
    dims: Any,
    inputs: tuple[Value, ...],
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Type:
    x, w = _array(inputs[0]), _array(inputs[1])
    channels = w.shape[1] * groups
    try:
        dims.unify(x.shape[1], channels)
    except ShapeError:
        raise ShapeError(f"images {x} and weight {w} differ in channels") from None
    size = []
    for i in range(2):
        kernel = w.shape[2 + i]
        reach = add(dilation[i] * add(kernel, -1), 1)
        room = add(dims.canonical(x.shape[2 + i]), add(2 * padding[i], -1 * reach))
        if isinstance(room, int) and room < 0:
            raise ShapeError(f"a kernel of {w} does not fit into images of {x}")
        size.append(add(floordiv(room, stride[i]), 1))
    return ArrayType(np.result_type(x.dtype, w.dtype), (x.shape[0], w.shape[0], *size))


def _infer_third(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    dtype = np.result_type(_array(inputs[0]).dtype, _array(inputs[1]).dtype)
    return ArrayType(dtype, _array(inputs[2]).shape)


def _infer_pool(
    dims: Any, inputs: tuple[Value, ...], window: Any, stride: Any, padding: Any
) -> Type:
    x = _array(inputs[0])
    pairs = zip(x.shape[-2:], window, stride, padding, strict=True)
    return ArrayType(x.dtype, (*x.shape[:-2], *(_places(dims, *p) for p in pairs)))


def _infer_pool_places(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return ArrayType(np.dtype(np.intp), _infer_pool(dims, inputs, **attrs).shape)  # type: ignore[union-attr]


def _infer_gather(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(_array(inputs[0]).dtype, _array(inputs[1]).shape)


def _infer_scatter(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(_array(inputs[0]).dtype, _array(inputs[2]).shape)


def _infer_like_second(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return ArrayType(_array(inputs[0]).dtype, _array(inputs[1]).shape)


# --------------------------------------------------------------------------- convolution
def _conv(name: str) -> Callable[..., Expr]:
    """One of the three ops with the attributes that a rule is given."""

    def build(*args: Expr, **attrs: Any) -> Expr:
        return getattr(f, name)(*args, **attrs)  # type: ignore[no-any-return]

    return build


convolve, input_grad = _conv("conv2d"), _conv("conv2d_input_grad")
weight_grad = _conv("conv2d_weight_grad")


def _with(stride: Any, padding: Any, dilation: Any, groups: Any) -> dict[str, Any]:
    return {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}


def _products(images: Any, weight: Any) -> int:
    return int(2 * images.size * weight.size // max(weight.shape[0], 1))


Transposes = dict[str, Callable[..., Any]]


def _conv_op(
    name: str, inputs: str, call: str, infer: Callable[..., Type], transpose: Transposes,
    *, helper: str, letters: tuple[str, ...], images: int, weight: int, **rest: Any,
) -> None:  # fmt: skip
    """One of the three: ``images`` and ``weight`` are the inputs (-1: the result) that its work
    is counted by, ``letters`` the axes of each input and of the result."""

    def flops(values: Any, out: Any, attrs: Any) -> int:
        counted = (*values, out)
        return _products(counted[images], counted[weight])

    bilinear(
        name, inputs, infer, f"_{name}({call}, {CONV_WORDS})", attrs=CONV, transpose=transpose,
        helper=helper, letters=lambda ranks, attrs: letters, flops=flops, **rest,
    )  # fmt: skip


_conv_op(
    "conv2d", "x weight", "x, weight", _infer_conv,
    {
        "x": lambda g, x, weight, attrs: input_grad(g, conj(weight), x, **attrs),
        "weight": lambda g, x, weight, attrs: weight_grad(g, conj(x), weight, **attrs),
    },
    helper=text_of(kernels._padded, kernels._columns, kernels._conv2d), batch=products.conv2d,
    letters=("nijk", "oabc", "nohw"), images=-1, weight=1, traits="allocates contraction",
    doc="Cross-correlation of images with a weight.",
)  # fmt: skip
_conv_op(
    "conv2d_input_grad", "g weight x", "g, weight, x.shape", _infer_third,
    {
        "g": lambda g, weight, attrs: convolve(g, conj(weight), **attrs),
        "weight": lambda g, inputs, attrs: weight_grad(conj(inputs[0]), g, inputs[1], **attrs),
    },
    helper=text_of(kernels._conv2d_input_grad), batch=batching.images("conv2d_input_grad", (0, 2)),
    letters=("nohw", "oabc", "nijk", "nijk"), images=0, weight=1, shape_only="x",
    traits="allocates", doc="The adjoint of conv2d with respect to the images.",
)  # fmt: skip
_conv_op(
    "conv2d_weight_grad", "g x weight", "g, x, weight.shape", _infer_third,
    {
        "g": lambda g, x, attrs: convolve(conj(x), g, **attrs),
        "x": lambda g, inputs, attrs: input_grad(conj(inputs[0]), g, inputs[1], **attrs),
    },
    helper=text_of(kernels._padded, kernels._columns, kernels._conv2d_weight_grad),
    letters=("nohw", "nijk", "oabc", "oabc"), images=0, weight=2, shape_only="weight",
    traits="allocates", doc="The adjoint of conv2d with respect to the weight.",
)  # fmt: skip


# ------------------------------------------------------------------------------- pooling
def _windowed(word: Callable[..., Any], name: str, call: str, images: tuple[int, ...], inputs: str,
          infer: Callable[..., Type], **rest: Any) -> None:  # fmt: skip
    """An op of windows; ``images`` are the inputs with an axis of examples."""
    word(
        name, inputs, infer, f"_{name}({call}, {POOL_WORDS})", attrs=POOL, traits="allocates",
        batch=batching.images(name, images), **rest,
    )  # fmt: skip


_windowed(
    linear, "avg_pool2d", "x", (0,), "x", _infer_pool,
    transpose={"x": lambda g, x, attrs: f.avg_pool2d_grad(g, x, **attrs)},
    helper=text_of(kernels._padded, kernels._avg_pool2d),
    doc="Means over windows of the last two axes.",
)  # fmt: skip
_windowed(
    linear, "avg_pool2d_grad", "g, x.shape", (0, 1), "g x", _infer_like_second,
    transpose={"g": lambda g, attrs: f.avg_pool2d(g, **attrs)}, shape_only="x",
    helper=text_of(kernels._avg_pool2d_grad), doc="The adjoint of avg_pool2d.",
)  # fmt: skip
_windowed(
    op, "max_pool2d", "x", (0,), "x", _infer_pool,
    vjp={"x": lambda g, x, attrs: f.pool_scatter(g, f.max_pool2d_places(x, **attrs), x)},
    jvp={"x": lambda t, x, attrs: f.pool_gather(t, f.max_pool2d_places(x, **attrs))},
    helper=text_of(kernels._padded, kernels._max_pool2d),
    kink="at a tie the first entry of the window", doc="Maxima over windows of the last two axes.",
)  # fmt: skip
nondiff(
    "max_pool2d_places", "x", _infer_pool_places, f"_max_pool2d_places(x, {POOL_WORDS})",
    attrs=POOL, traits="allocates",
    helper=text_of(kernels._padded, kernels._max_pool2d_places),
    batch=batching.images("max_pool2d_places", (0,)),
    doc="Where the largest entry of each window lies in its image.",
)  # fmt: skip
linear(
    "pool_gather", "x places", _infer_gather, "_pool_gather(x, places)",
    transpose={"x": lambda g, x, places: f.pool_scatter(g, places, x)},
    traits="allocates", helper=text_of(kernels._pool_gather),
    batch=batching.images("pool_gather", (0, 1)),
    doc="The entry of each image that the places name.",
)  # fmt: skip
linear(
    "pool_scatter", "g places x", _infer_scatter, "_pool_scatter(g, places, x.shape)",
    transpose={"g": lambda g, places: f.pool_gather(g, places)},
    shape_only="x", traits="allocates", helper=text_of(kernels._pool_scatter),
    batch=batching.images("pool_scatter", (0, 1, 2)),
    doc="Zeros with g added at the places of each image.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
def pair(x: Any, what: str) -> tuple[int, int]:
    """One integer for both axes, or one for each."""
    x = known(x)
    listed = x if isinstance(x, tuple | list) else (x, x)
    if len(listed) != 2:
        raise ShapeError(f"{what} must be one integer or two, got {x!r}")
    return integer(listed[0], what), integer(listed[1], what)


def _real(b: Builder, name: str, x: Any, least: int) -> Expr:
    array = as_array(b, x)
    if array.dtype.kind != "f":
        raise DTypeError(f"{name} needs arrays of real numbers, got {array.type}")
    if array.ndim < least:
        raise ShapeError(f"{name} needs rank {least}, got {array.type}")
    return array


def _reals(b: Builder, name: str, x: Any, weight: Any) -> list[Expr]:
    """Images and weights; whole numbers are floats beside floats."""
    arrays = [as_array(b, x), as_array(b, weight)]
    dtype = np.result_type(*(a.dtype for a in arrays))
    whole = [a.dtype.kind in "biu" and dtype.kind == "f" for a in arrays]
    pairs = zip(arrays, whole, strict=True)
    return [_real(b, name, f.astype(a, dtype=dtype) if w else a, 4) for a, w in pairs]


def conv2d(
    b: Builder, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: Any = 1,
) -> Expr:  # fmt: skip
    """``symgrad.nn.functional.conv2d``."""
    images, w = _reals(b, "conv2d", x, weight)
    if images.ndim != 4 or w.ndim != 4:
        raise ShapeError(f"conv2d needs rank 4 twice, got {images.type} and {w.type}")
    attrs = _with(
        pair(stride, "stride"), pair(padding, "padding"), pair(dilation, "dilation"),
        integer(groups, "groups"),
    )  # fmt: skip
    out = convolve(images, w, **attrs)
    return out if bias is None else out + f.expand_dims(as_array(b, bias), axes=(1, 2))


def _pool(name: str) -> Callable[..., Expr]:
    def call(
        b: Builder, x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0
    ) -> Expr:
        window = pair(kernel_size, "kernel_size")
        step = window if known(stride) is None else pair(stride, "stride")
        around = pair(padding, "padding")
        if any(2 * p > n for p, n in zip(around, window, strict=True)):
            raise ShapeError(f"{name}: padding {around} is more than half of {window}")
        attrs = {"window": window, "stride": step, "padding": around}
        return getattr(f, name)(_real(b, name, x, 2), **attrs)  # type: ignore[no-any-return]

    return call


avg_pool2d, max_pool2d = _pool("avg_pool2d"), _pool("max_pool2d")


def conv_transpose2d(
    b: Builder, x: Any, weight: Any, size: Any, stride: Any, padding: Any, dilation: Any,
    groups: Any,
) -> Expr:  # fmt: skip
    """The adjoint of ``conv2d`` for images of a given height and width."""
    g, w = _reals(b, "conv_transpose2d", x, weight)
    outs = w.length(1) * integer(groups, "groups")
    lengths = lengths_of(b, (g.length(0), outs, *size))
    zero = as_expr(b, np.zeros((), np.result_type(g.dtype, w.dtype))[()])
    images = Expr(b, b.op("broadcast_to", zero.value, *lengths))
    attrs = _with(
        pair(stride, "stride"), pair(padding, "padding"), pair(dilation, "dilation"),
        integer(groups, "groups"),
    )  # fmt: skip
    return input_grad(g, w, images, **attrs)
