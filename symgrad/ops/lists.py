"""Python lists of a length known at run time only: read, changed, made arrays of.

``list_new``, ``list_push`` and ``list_pop`` are structural (``ir/structure.py``). The adjoint of
a list is a list of the same length; ``list_zeros`` is where it starts.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from ..ir.dims import Dimension
from ..ir.expr import Expr, one
from ..ir.opdef import REQUIRED, Rule
from ..ir.structure import item, within
from ..ir.types import ANY, INT, ArrayType, ListType, ScalarType, Type
from ..ir.values import Value
from .kernels import text_of
from .rules.infer import same, shape_of
from .rules.listed import (
    each,
    emit_add,
    emit_add_slice,
    emit_cast,
    emit_copy,
    emit_item,
    emit_slice,
    emit_sum,
    emit_unstack,
    emit_zeros,
    slice_of,
)
from .table import bilinear, nondiff, op


def element_of(x: Value | Expr) -> Any:
    """The type of a list's elements."""
    assert isinstance(x.type, ListType)
    return x.type.element


def _infer_type(dims: Any, inputs: tuple[Value, ...], type: Type) -> Type:
    return type


def _infer_stack(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    e = element_of(inputs[0])
    lengths: tuple[Dimension, ...] = (ANY,)
    while isinstance(e, ListType):
        e, lengths = e.element, (*lengths, ANY)
    shape = (*lengths, *(e.shape if isinstance(e, ArrayType) else ()))
    return ArrayType(e.dtype, tuple(dims.fresh() if d == ANY else d for d in shape))


def _infer_concatenate(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    e = element_of(inputs[0])
    shape = (ANY if i == axis else d for i, d in enumerate(e.shape))
    return ArrayType(e.dtype, tuple(dims.fresh() if d == ANY else d for d in shape))


PART: dict[str, Any] = {"start": None, "stop": None, "step": None}
"""Attributes of what acts on a part of a list; ``part`` in the template of a statement."""


def changing(
    name: str,
    inputs: str,
    text: str,
    *,
    attrs: Mapping[str, Any] | None = None,
    jvp: Rule | None = None,
    traits: str = "",
    shape_only: str = "",
    doc: str,
    **adjoints: Rule,
) -> None:
    """A list changed in place by the statement ``text``, linear in the inputs that have an
    adjoint: all of them together, if ``jvp`` does not say otherwise."""
    names = inputs.split()
    fixed = [name for name in names if name != "*at"]

    def emit(given: list[ast.expr], static: dict[str, Any]) -> ast.stmt:
        filled = dict(zip(names, given, strict=False))
        if names[-1] == "*at":
            *path, filled["i"] = given[len(names) - 1 :]
            filled["xs"] = item(given[0], path)
        if static:
            filled["part"] = slice_of(static)
        return _statement(text, filled)

    moved = jvp or _together(name, fixed, tuple(adjoints), tuple(attrs or ()))
    op(
        name, inputs, same, None, emit_store=emit, attrs=attrs, vjp=adjoints, jvp=moved,
        traits=f"list store {traits}", shape_only=shape_only, doc=doc,
    )  # fmt: skip


def _together(
    name: str, names: list[str], moving: tuple[str, ...], attrs: tuple[str, ...]
) -> Rule:
    """The op on tangents in place of the inputs that move, zeros where there is none."""

    def rule(inputs: tuple[Expr, ...], **given: Any) -> Expr:
        operands = [_tangent(k, x, given) for k, x in zip(names, inputs, strict=False)]
        at = inputs[len(names) :]
        return one(name, *operands, *at, **{k: given[k] for k in attrs})

    tangents = [f"t_{k}" for k in moving]
    keyword = Parameter.KEYWORD_ONLY
    parameters = [Parameter(k, keyword) for k in ("inputs", *tangents, *attrs)]
    rule.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return rule


def _tangent(name: str, x: Expr, given: dict[str, Any]) -> Any:
    if f"t_{name}" not in given:
        return x
    t = given[f"t_{name}"]
    if t is not None:
        return t
    return zeros_of(x) if isinstance(x.type, ListType) else _nothing(x)


def _statement(text: str, names: Mapping[str, Any]) -> ast.stmt:
    from ..ir.structure import fill

    [statement] = ast.parse(text).body
    for node in ast.walk(statement):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.Name) and value.id in names:
                setattr(node, field, fill(value, names))
            elif isinstance(value, list):
                changed = [fill(v, names) if isinstance(v, ast.expr) else v for v in value]
                setattr(node, field, changed)
    return statement


def _infer_zeros(dims: Any, inputs: tuple[Value, ...], of: Any) -> Type:
    xs, *lead = inputs
    if not lead:
        return xs.type
    assert isinstance(xs.type, ListType)
    return _led(xs.type, shape_of(dims, tuple(lead)))


def _infer_split(dims: Any, inputs: tuple[Value, ...], axis: int, ahead: int) -> Type:
    x, xs = (v.type for v in inputs)
    assert isinstance(x, ArrayType) and isinstance(xs, ListType)
    return _led(xs, x.shape[:ahead]) if ahead else xs


def _led(xs: ListType, lead: tuple[Dimension, ...]) -> ListType:
    """The type of a list with more axes in front of each element."""
    e = xs.element
    if isinstance(e, ListType):
        return ListType(_led(e, lead), xs.own)
    assert isinstance(e, ArrayType | ScalarType)
    return ListType(ArrayType(e.dtype, (*lead, *e.shape)), xs.own)


def _emit_stack(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    name = "stack" if attrs["rows"] is True else "array"
    return ast.Call(ast.Attribute(ast.Name("np"), name), list(inputs), [])


def zeros_of(xs: Expr) -> Expr:
    """Zeros for the elements of a list."""
    return one("list_zeros", xs, of=element_of(xs))


def stack(xs: Expr) -> Expr:
    """An array of a list's elements."""
    e = element_of(xs)
    return one("list_stack", xs, rows=not isinstance(e, ListType) and bool(e.shape))


def _plus_at(acc: Expr, g: Expr, at: tuple[Expr, ...]) -> Expr:
    return one("list_add", acc, g, *at, of=element_of_path(acc, len(at)))


def element_of_path(xs: Expr, depth: int) -> Any:
    """The type of what is that deep in a list."""
    return within(xs.type, depth - 1).element


def _nothing(x: Expr) -> Any:
    """A zero in the type of an element."""
    if isinstance(x.type, ListType):
        return zeros_of(x)
    if isinstance(x.type, ArrayType) and x.type.ndim:
        return one("zeros_like", x)
    if isinstance(x.type, ScalarType):
        return x.type.dtype.type(0).item()
    return np.array(0, x.type.dtype)[()]


nondiff(
    "list_len",
    "xs *at",
    lambda dims, inputs: INT,
    lambda inputs, attrs: ast.Call(ast.Name("len"), [item(inputs[0], inputs[1:])], []),
    traits="cheap list",
    shape_only="xs",
    doc="The number of elements; `at`: of those of the list xs[i][j] in it.",
)
nondiff(
    "list_zeros",
    "xs *lead",
    _infer_zeros,
    emit_zeros,
    attrs={"of": REQUIRED},
    traits="list allocates",
    shape_only="xs",
    doc="A list of zeros like the elements, which are of the type `of`; `lead`: with more axes of "
    "these lengths in front.",
)
bilinear(
    "list_get",
    "xs *at",
    lambda dims, inputs, type: type,
    emit_item,
    attrs={"type": REQUIRED},
    transpose={"xs": lambda g, at, acc: _plus_at(acc, g, at)},
    traits="list gives places",
    doc="One element, xs[i][j] of lists in lists; its type is known better than the list says.",
)
bilinear(
    "list_copy",
    "xs",
    lambda dims, inputs, of: inputs[0].type,
    emit_copy,
    attrs={"of": REQUIRED},
    transpose={"xs": lambda g: g},
    traits="list allocates",
    doc="A list of the same elements, which are of the type `of`; lists among them are copied.",
)
changing(
    "list_set",
    "xs x *at",
    "xs[i] = x",
    xs=lambda g, x, at: one("list_set", g, _nothing(x), *at),
    x=lambda g, x, at: one("list_get", g, *at, type=x.type),
    traits="holds places",
    doc="The list with another element at i, or in the list at i of it at j, and so on.",
)
changing(
    "list_replace",
    "xs x old *at",
    "xs[i] = x",
    xs=lambda g, x, old, at: one("list_replace", g, _nothing(old), x, *at),
    x=lambda g, x, at: one("list_get", g, *at, type=x.type),
    traits="holds places",
    shape_only="old",
    doc="list_set in place of the element `old`, which may have another length.",
)
op(
    "list_add",
    "xs x *at",
    lambda dims, inputs, of: inputs[0].type,
    None,
    emit_store=emit_add,
    attrs={"of": REQUIRED},
    vjp={"xs": lambda g: g, "x": lambda g, x, at: one("list_get", g, *at, type=x.type)},
    jvp=lambda xs, x, at, t_xs, t_x: _added(xs, at, t_xs, t_x),
    traits="list store",
    doc="The list with x added to its element at i (in that at j, and so on), which is of the type "
    "`of` and becomes a new one.",
)
changing(
    "list_drop",
    "xs x *at",
    "del xs[i]",
    xs=lambda g, x, at: one("list_insert", g, _nothing(x), *at),
    doc="The list without its element at i (0 or more), which is x.",
)
changing(
    "list_insert",
    "xs x *at",
    "xs.insert(i, x)",
    xs=lambda g, x, at: one("list_drop", g, x, *at),
    x=lambda g, x, at: one("list_get", g, *at, type=x.type),
    traits="holds",
    doc="The list with x before its element at i (0 or more).",
)
op(
    "list_sum",
    "xs ys",
    lambda dims, inputs, of: inputs[0].type,
    emit_sum,
    attrs={"of": REQUIRED},
    vjp={"xs": lambda g: g, "ys": lambda g: g},
    jvp=lambda t_xs, t_ys: _plus(t_xs, t_ys),
    traits="list allocates",
    doc="Element by element, these of the type `of`.",
)
bilinear(
    "list_slice",
    "xs",
    lambda dims, inputs, **attrs: inputs[0].type,
    emit_slice,
    attrs={**PART, "of": REQUIRED},
    transpose={"xs": lambda g, acc, attrs: one("list_add_slice", acc, g, **attrs)},
    traits="list allocates",
    doc="xs[start:stop:step], whose elements are of the type `of`; lists among them are copied.",
)
op(
    "list_add_slice",
    "xs ys",
    lambda dims, inputs, **attrs: inputs[0].type,
    None,
    emit_store=emit_add_slice,
    attrs={**PART, "of": REQUIRED},
    vjp={"xs": lambda g: g, "ys": lambda g, attrs: one("list_slice", g, **attrs)},
    jvp=_together("list_add_slice", ["xs", "ys"], ("xs", "ys"), (*PART, "of")),
    traits="list store",
    doc="The list with ys added to xs[start:stop:step], whose elements are of the type `of`.",
)
bilinear(
    "list_stack",
    "xs",
    _infer_stack,
    _emit_stack,
    attrs={"rows": REQUIRED},
    transpose={"xs": lambda g, xs: one("list_unstack", g, type=xs.type)},
    traits="list allocates may_warn",
    doc="An array of the elements; `rows` says that they are arrays.",
)
bilinear(
    "list_unstack",
    "x",
    _infer_type,
    emit_unstack,
    attrs={"type": REQUIRED},
    transpose={"x": lambda g: stack(g)},
    traits="list allocates holds",
    doc="A list of an array's rows or numbers.",
)
bilinear(
    "list_concatenate",
    "xs",
    _infer_concatenate,
    "np.concatenate(xs, axis=axis)",
    attrs={"axis": 0},
    transpose={"xs": lambda g, xs, axis: one("list_split", g, xs, axis=axis)},
    traits="list allocates may_warn",
    doc="The elements one after the other along an axis.",
)


def _split_like(x: Any, xs: Any, axis: int, ahead: int) -> Any:
    """Split ``x`` along ``axis`` into pieces as long as the elements of ``xs``, which have
    ``ahead`` axes less in front."""
    ends = np.cumsum([one.shape[axis - ahead] for one in xs])
    return np.split(x, ends[:-1], axis=axis)


bilinear(
    "list_split",
    "x xs",
    _infer_split,
    "_split_like(x, xs, axis, ahead)",
    attrs={"axis": REQUIRED, "ahead": 0},
    transpose={"x": lambda g, axis: one("list_concatenate", g, axis=axis)},
    traits="list allocates holds",
    shape_only="xs",
    helper=text_of(_split_like),
    doc="An array taken apart as the elements of xs are, which lack the first `ahead` axes.",
)


def _plus(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return b if a is None else a
    return plus(a, b)


def plus(a: Expr, b: Expr) -> Expr:
    """The sum of two values of a kind, which may be lists."""
    if isinstance(a.type, ListType):
        return one("list_sum", a, b, of=element_of(a))
    return one("add", a, b)


def _added(
    xs: Expr, at: tuple[Expr, ...], t_xs: Expr | None, t_x: Expr | None
) -> Expr | None:
    moving = zeros_of(xs) if t_xs is None else t_xs
    return moving if t_x is None else _plus_at(moving, t_x, at)


bilinear(
    "list_cast",
    "xs",
    _infer_type,
    emit_cast,
    attrs={"type": REQUIRED},
    transpose={"xs": lambda g, xs: one("list_cast", g, type=xs.type)},
    traits="list allocates",
    doc="The numbers in lists in a list as numbers of another type.",
)
nondiff(
    "list_blank",
    "xs",
    lambda dims, inputs, type: type,
    lambda inputs, attrs: each(inputs[0], 0, lambda x: ast.List([])),
    attrs={"type": REQUIRED},
    traits="list allocates",
    shape_only="xs",
    doc="An empty list for each element.",
)
