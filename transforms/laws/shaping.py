"""Laws of shapes: views of views, broadcasting that happens anyway."""

from __future__ import annotations

from typing import Any

from ...errors import InternalError
from ...ir.dims import as_symbol
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from .words import Site, law, rank

# Linear ops that make nothing bigger: a sign can wait until after them.
SHRINKING = ("sum", "transpose", "reshape", "expand_dims", "squeeze", "index")


@law("reshape", "broadcast_to", "transpose", "expand_dims", "squeeze")
def view_of_same_shape(site: Site) -> Any:
    """A view that changes nothing."""
    if site.kind.name == "transpose" and site.attrs["axes"] != tuple(
        range(rank(site.inputs[0]))
    ):
        return None
    return site.inputs[0] if site.same(site.inputs[0].type, site.type) else None


@law("transpose")
def transpose_of_transpose(site: Site) -> Any:
    """Two permutations are one."""
    op = site.made_by(site.inputs[0], "transpose")
    if op is None:
        return None
    inner, outer = op.attrs["axes"], site.attrs["axes"]
    return f.transpose(site.expr(op.inputs[0]), axes=tuple(inner[a] for a in outer))


@law("transpose")
def transpose_of_diagonal(site: Site) -> Any:
    """A diagonal is on the other side, if on any."""
    op = site.made_by(site.inputs[0], "diag", once=True)
    if op is None or site.attrs["axes"] != (1, 0):
        return None
    return site.builder.op("diag", op.inputs[0], k=-op.attrs["k"])


@law("transpose", adjoint=True)
def transpose_of_new_axes(site: Site) -> Any:
    """``np.transpose(x[:, None], (1, 2, 0))`` is ``np.transpose(x, (1, 0))[None]``."""
    op = site.made_by(site.inputs[0], "expand_dims", once=True)
    if op is None:
        return None
    axes, new = site.attrs["axes"], op.attrs["axes"]
    old = [a for a in range(len(axes)) if a not in new]
    order = tuple(old.index(a) for a in axes if a not in new)
    turned = f.transpose(site.expr(op.inputs[0]), axes=order)
    return f.expand_dims(turned, axes=tuple(k for k, a in enumerate(axes) if a in new))


@law("transpose", adjoint=True)
def transpose_of_product(site: Site) -> Any:
    """(x @ y).T is y.T @ x.T."""
    op = site.made_by(site.inputs[0], "matmul", once=True)
    if op is None or any(rank(v) != 2 for v in op.inputs):
        return None
    x, y = map(site.expr, op.inputs)
    return y.T @ x.T


@law("reshape")
def reshape_of_reshape(site: Site) -> Any:
    """Only the last shape counts."""
    op = site.made_by(site.inputs[0], "reshape", "expand_dims", "squeeze")
    if op is None:
        return None
    return site.builder.op("reshape", op.inputs[0], *site.inputs[1:])


@law("reshape", adjoint=True)
def reshape_that_adds_axes(site: Site) -> Any:
    """New axes of length 1 only."""
    axes = _added_axes(site, site.inputs[0].type, site.type)
    return f.expand_dims(site.expr(site.inputs[0]), axes=axes) if axes else None


@law("reshape", adjoint=True)
def reshape_that_drops_axes(site: Site) -> Any:
    """Axes of length 1 gone only."""
    axes = _added_axes(site, site.type, site.inputs[0].type)
    return f.squeeze(site.expr(site.inputs[0]), axes=axes) if axes else None


def _added_axes(site: Site, small: Type, large: Type) -> tuple[int, ...] | None:
    """The axes of ``large`` that are 1 and without which it is ``small``."""
    assert isinstance(small, ArrayType) and isinstance(large, ArrayType)
    rest = list(small.shape)
    added = []
    for axis, d in enumerate(large.shape):
        if rest and site.builder.dims.equal(rest[0], d):
            rest.pop(0)
        elif d == 1:
            added.append(axis)
        else:
            return None
    return None if rest else tuple(added)


@law("squeeze")
def squeeze_of_expand(site: Site) -> Any:
    """The same axes put in and taken out."""
    op = site.made_by(site.inputs[0], "expand_dims")
    return (
        op.inputs[0] if op is not None and op.attrs["axes"] == site.attrs["axes"] else None
    )


@law("squeeze")
def squeeze_of_reduced(site: Site) -> Any:
    """Axes kept by a reduction and then taken out."""
    return _reduced(site, kept=True)


@law("expand_dims", adjoint=True)
def expand_of_reduced(site: Site) -> Any:
    """Axes removed by a reduction and then put in again."""
    return _reduced(site, kept=False)


def _reduced(site: Site, *, kept: bool) -> Any:
    """The reduction before it with ``keepdims`` the other way round."""
    op = site.inputs[0].op
    if (
        op is None
        or not site.single(site.inputs[0])
        or op.attrs.get("keepdims") is not kept
    ):
        return None
    if len(op.results) != 1 or op.attrs.get("axis") != site.attrs["axes"]:
        return None
    return site.builder.op(op.kind, *op.inputs, **{**op.attrs, "keepdims": not kept})


@law("expand_dims")
def expand_of_squeeze(site: Site) -> Any:
    """The same axes taken out and put in."""
    op = site.made_by(site.inputs[0], "squeeze")
    return (
        op.inputs[0] if op is not None and op.attrs["axes"] == site.attrs["axes"] else None
    )


# ------------------------------------------------------------------------------ lengths
@law("shape", "size", "zeros_like", "ones_like", adjoint=True)
def shape_of_argument(site: Site) -> Any:
    """Lengths are asked of an argument rather than of a value that would have to be kept."""
    [x] = site.inputs
    if x in site.params or not isinstance(x.type, ArrayType):
        return None
    for p in site.params:
        if site.same(p.type, x.type):
            return site.builder.op(site.kind, p, **site.attrs)
    if site.kind.name != "shape":
        return None
    single = as_symbol(x.type.shape[site.attrs["axis"]])
    value, axis = site.builder.bindings.get(single, (x, None)) if single else (x, None)
    return f.shape(site.expr(value), axis=axis) if value in site.params else None


@law("shape", "size", adjoint=True)
def length_of_operand(site: Site) -> Any:
    """What is computed for its lengths alone need not be: an operand has them too."""
    [x] = site.inputs
    op = x.op
    if op is None or not op.kind.has("elementwise") or not site.single(x):
        return None
    if not isinstance(x.type, ArrayType):
        return None
    for value in op.inputs:
        t = value.type
        if not isinstance(t, ArrayType):
            continue
        if site.same(ArrayType(x.type.dtype, t.shape), x.type):
            return site.builder.op(site.kind, value, **site.attrs)
    return None


@law("shape")
def length_that_was_asked_for(site: Site) -> Any:
    """The length of what was given its shape is the number it was given."""
    op = site.made_by(site.inputs[0], "broadcast_to", "zeros", "full")
    if op is None:
        return None
    return op.inputs[len(op.inputs) - rank(site.inputs[0]) + site.attrs["axis"]]


# ---------------------------------------------------------------------------- broadcasting
@law("broadcast_to")
def broadcast_of_broadcast(site: Site) -> Any:
    """Repeating twice, or after leading axes of length 1, is repeating."""
    inner = unbroadcast(site.inputs[0])
    if inner is site.inputs[0]:
        return None
    return site.builder.op("broadcast_to", inner, *site.inputs[1:])


def unbroadcast(value: Value) -> Value:
    """``value`` without the repeating that NumPy does by itself."""
    op = value.op
    if op is not None and op.kind.name == "broadcast_to":
        return op.inputs[0]
    if op is not None and op.kind.name == "expand_dims":
        axes = op.attrs["axes"]
        return op.inputs[0] if axes == tuple(range(len(axes))) else value
    return value


@law(trait="elementwise")
def broadcast_that_happens_anyway(site: Site) -> Any:
    """An operand need not be repeated where another one has the whole shape."""
    inner = tuple(map(unbroadcast, site.inputs))
    if inner == site.inputs or not isinstance(site.type, ArrayType):
        return None
    for position, value in enumerate(inner):
        others = [v for k, v in enumerate(site.inputs) if k != position]
        if value is not site.inputs[position] and any(_spans(site, v) for v in others):
            trial = (*site.inputs[:position], value, *site.inputs[position + 1 :])
            return site.builder.op(site.kind, *trial, **site.attrs)
    return None


def _spans(site: Site, value: Value) -> bool:
    assert isinstance(site.type, ArrayType)
    t = value.type
    return isinstance(t, ArrayType) and site.same(
        ArrayType(site.type.dtype, t.shape), site.type
    )


@law(trait="elementwise", adjoint=True)
def repeated_after_arithmetic(site: Site) -> Any:
    """Arithmetic is done before entries are repeated."""
    small = [unbroadcast(v) if site.made_by(v, "broadcast_to") else v for v in site.inputs]
    if not any(a is not b for a, b in zip(small, site.inputs, strict=True)):
        return None
    lengths = _lengths(site)
    if lengths is None:
        return None
    result = site.builder.op(site.kind, *small, **site.attrs)
    return site.builder.op("broadcast_to", result, *lengths)


@law(trait="elementwise", adjoint=True, needed={"expand_dims"})
def new_axes_in_front(site: Site) -> Any:
    """``x * v[None]`` is ``x * v``: where axes are missing in front, NumPy puts them there."""
    for position, value in enumerate(site.inputs):
        op = site.made_by(value, "expand_dims")
        if op is None or op.attrs["axes"] != tuple(range(len(op.attrs["axes"]))):
            continue
        trial = (*site.inputs[:position], op.inputs[0], *site.inputs[position + 1 :])
        if rank(op.inputs[0]) and max(map(rank, trial)) == rank(value):
            return site.builder.op(site.kind, *trial, **site.attrs)
    return None


@law("expand_dims", "transpose", "reshape", adjoint=True)
def repeated_number_in_another_shape(site: Site) -> Any:
    """One number repeated has any shape."""
    op = site.made_by(site.inputs[0], "broadcast_to")
    if op is None or rank(op.inputs[0]):
        return None
    lengths = _lengths(site)
    return lengths and site.builder.op("broadcast_to", op.inputs[0], *lengths)


def _lengths(site: Site) -> list[Value] | None:
    """The lengths of the result, if they are at hand."""
    if not isinstance(site.type, ArrayType):
        return None
    builder = site.builder
    try:
        return [builder.length(builder.dims.canonical(d)) for d in site.type.shape]
    except InternalError:
        return None


# ---------------------------------------------------------------- numbers and signs
@law("multiply", "divide", adjoint=True)
def number_before_new_axes(site: Site) -> Any:
    """s * x[:, None] is (s * x)[:, None]: the number meets others there."""
    for position, value in enumerate(site.inputs):
        other = site.inputs[1 - position]
        op = site.made_by(value, "expand_dims", "squeeze", once=True)
        if op is None or rank(other) or not rank(op.inputs[0]):
            continue
        if site.kind.name == "divide" and position == 1:
            continue
        pair = (op.inputs[0], other) if position == 0 else (other, op.inputs[0])
        inner = site.builder.op(site.kind, *pair)
        return site.builder.op(op.kind, inner, **op.attrs)
    return None


@law(*SHRINKING, adjoint=True)
def sign_after_linear(site: Site) -> Any:
    """sum(-x) is -sum(x)."""
    op = site.made_by(site.inputs[0], "negative", once=True)
    if op is None:
        return None
    inner = site.builder.op(site.kind, op.inputs[0], *site.inputs[1:], **site.attrs)
    return -Expr(site.builder, inner)


@law("matmul", adjoint=True)
def sign_after_product(site: Site) -> Any:
    """x @ -y is -(x @ y), and so for x."""
    for position, value in enumerate(site.inputs):
        op = site.made_by(value, "negative", once=True)
        if op is not None:
            inputs = list(site.inputs)
            inputs[position] = op.inputs[0]
            return -Expr(site.builder, site.builder.op("matmul", *inputs))
    return None
