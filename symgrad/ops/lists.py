"""Python lists of a length known at run time only: read, changed, made arrays of.

``list_new``, ``list_push`` and ``list_pop`` are structural (``ir/structure.py``). The adjoint of
a list is a list of the same length; ``list_zeros`` is where it starts.
"""

from __future__ import annotations

import ast
from typing import Any

from ..ir.dims import Dimension
from ..ir.expr import Expr, one
from ..ir.opdef import REQUIRED
from ..ir.structure import template
from ..ir.types import ANY, INT, ArrayType, ListType, ScalarType, Type
from ..ir.values import Value
from .rules.emission import dtype_keyword, np_call
from .rules.infer import same, shape_of
from .table import nondiff, op


def element_of(x: Value | Expr) -> Any:
    """The type of a list's elements."""
    assert isinstance(x.type, ListType)
    return x.type.element


def _infer_type(dims: Any, inputs: tuple[Value, ...], type: Type) -> Type:
    return type


def _infer_stack(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    e = element_of(inputs[0])
    shape = (ANY, *(e.shape if isinstance(e, ArrayType) else ()))
    return ArrayType(e.dtype, tuple(dims.fresh() if d == ANY else d for d in shape))


def _infer_concatenate(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    e = element_of(inputs[0])
    shape = (ANY if i == axis else d for i, d in enumerate(e.shape))
    return ArrayType(e.dtype, tuple(dims.fresh() if d == ANY else d for d in shape))


def _infer_int(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return INT


def _statement(text: str, **names: ast.expr) -> ast.stmt:
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


def _number(t: Any) -> ast.expr:
    """A zero of a scalar type."""
    if isinstance(t, ScalarType):
        return ast.Constant({"float": 0.0, "complex": 0j, "int": 0, "bool": False}[t.kind])
    cls = ast.Attribute(ast.Name("np"), t.dtype.name)
    return ast.Call(cls, [ast.Constant(0)], [])


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
    assert isinstance(e, ArrayType | ScalarType)
    return ListType(ArrayType(e.dtype, (*lead, *e.shape)), xs.own)


def _emit_zeros(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    t = attrs["of"]
    if len(inputs) > 1:
        shape = template_of("(*np.shape(x),)", inputs[0])
        shape.elts[:0] = inputs[1:]  # type: ignore[attr-defined]
        made = template_of("[zeros for x in xs]", inputs[0])
        made.elt = np_call("zeros", shape, **dtype_keyword(t.dtype))  # type: ignore[attr-defined]
        return made
    if t.shape:
        return template_of("[np.zeros_like(x) for x in xs]", inputs[0])
    repeated = template_of("[0] * len(xs)", inputs[0])
    assert isinstance(repeated, ast.BinOp) and isinstance(repeated.left, ast.List)
    repeated.left.elts = [_number(t)]
    return repeated


def template_of(text: str, xs: ast.expr) -> ast.expr:
    """An expression with a list put in for ``xs``."""
    from ..ir.structure import fill

    return fill(template(text), {"xs": xs})


def _emit_stack(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    name = "stack" if attrs["rows"] else "array"
    return ast.Call(ast.Attribute(ast.Name("np"), name), list(inputs), [])


def _emit_unstack(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    if isinstance(attrs["type"].element, ScalarType):
        return ast.Call(ast.Attribute(inputs[0], "tolist"), [], [])
    return ast.Call(ast.Name("list"), list(inputs), [])


def _slice(attrs: dict[str, Any]) -> ast.Slice:
    ends = (attrs[k] for k in ("start", "stop", "step"))
    return ast.Slice(*(None if n is None else _int(n) for n in ends))


def _int(n: int) -> ast.expr:
    return ast.Constant(n) if n >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-n))


def zeros_of(xs: Expr) -> Expr:
    """Zeros for the elements of a list."""
    return one("list_zeros", xs, of=element_of(xs))


def stack(xs: Expr) -> Expr:
    """An array of a list's elements."""
    return one("list_stack", xs, rows=bool(element_of(xs).shape))


def _nothing(x: Expr) -> Any:
    """A zero in the type of an element."""
    import numpy as np

    if isinstance(x.type, ArrayType) and x.type.ndim:
        return one("zeros_like", x)
    if isinstance(x.type, ScalarType):
        return x.type.dtype.type(0).item()
    return np.array(0, x.type.dtype)[()]


nondiff(
    "list_len",
    "xs",
    _infer_int,
    "len(xs)",
    traits="cheap list",
    shape_only="xs",
    doc="The number of elements.",
)
nondiff(
    "list_zeros",
    "xs *lead",
    _infer_zeros,
    _emit_zeros,
    attrs={"of": REQUIRED},
    traits="list allocates",
    shape_only="xs",
    doc="A list of zeros like the elements, which are of the type `of`; `lead`: with more axes of "
    "these lengths in front.",
)
op(
    "list_get",
    "xs i",
    lambda dims, inputs, type: type,
    "xs[i]",
    attrs={"type": REQUIRED},
    vjp={"xs": lambda g, i, acc: one("list_add", acc, g, i)},
    jvp={"xs": lambda t, i, type: one("list_get", t, i, type=type)},
    traits="list gives places",
    doc="One element; its type is known better than the list says.",
)
op(
    "list_set",
    "xs x i",
    same,
    None,
    emit_store=lambda inputs, attrs: _statement(
        "xs[i] = x", xs=inputs[0], x=inputs[1], i=inputs[2]
    ),
    vjp={
        "xs": lambda g, x, i: one("list_set", g, _nothing(x), i),
        "x": lambda g, x, i: one("list_get", g, i, type=x.type),
    },
    jvp=lambda xs, x, i, t_xs, t_x: one(
        "list_set",
        zeros_of(xs) if t_xs is None else t_xs,
        _nothing(x) if t_x is None else t_x,
        i,
    ),
    traits="list store holds places",
    doc="The list with another element at i.",
)
op(
    "list_add",
    "xs x i",
    same,
    None,
    emit_store=lambda inputs, attrs: _statement(
        "xs[i] = xs[i] + x", xs=inputs[0], x=inputs[1], i=inputs[2]
    ),
    vjp={"xs": lambda g: g, "x": lambda g, x, i: one("list_get", g, i, type=x.type)},
    jvp=lambda xs, x, i, t_xs, t_x: _added(xs, i, t_xs, t_x),
    traits="list store",
    doc="The list with x added to the element at i, which becomes a new one.",
)
op(
    "list_drop",
    "xs x i",
    same,
    None,
    emit_store=lambda inputs, attrs: _statement("del xs[i]", xs=inputs[0], i=inputs[2]),
    vjp={"xs": lambda g, x, i: one("list_insert", g, _nothing(x), i)},
    jvp={"xs": lambda t, x, i: one("list_drop", t, x, i)},
    traits="list store",
    doc="The list without its element at i (0 or more), which is x.",
)
op(
    "list_insert",
    "xs x i",
    same,
    None,
    emit_store=lambda inputs, attrs: _statement(
        "xs.insert(i, x)", xs=inputs[0], x=inputs[1], i=inputs[2]
    ),
    vjp={
        "xs": lambda g, x, i: one("list_drop", g, x, i),
        "x": lambda g, x, i: one("list_get", g, i, type=x.type),
    },
    jvp=lambda xs, x, i, t_xs, t_x: one(
        "list_insert",
        zeros_of(xs) if t_xs is None else t_xs,
        _nothing(x) if t_x is None else t_x,
        i,
    ),
    traits="list store holds",
    doc="The list with x before its element at i (0 or more).",
)
op(
    "list_sum",
    "xs ys",
    same,
    "[x + y for x, y in zip(xs, ys)]",
    vjp={"xs": lambda g: g, "ys": lambda g: g},
    jvp=lambda t_xs, t_ys: _plus(t_xs, t_ys),
    traits="list allocates",
    doc="Element by element.",
)
op(
    "list_slice",
    "xs",
    same,
    lambda inputs, attrs: ast.Subscript(inputs[0], _slice(attrs)),
    attrs={"start": None, "stop": None, "step": None},
    vjp={
        "xs": lambda g, acc, start, stop, step: one(
            "list_add_slice", acc, g, start=start, stop=stop, step=step
        )
    },
    jvp={
        "xs": lambda t, start, stop, step: one(
            "list_slice", t, start=start, stop=stop, step=step
        )
    },
    traits="list allocates",
    doc="xs[start:stop:step].",
)
op(
    "list_add_slice",
    "xs ys",
    same,
    None,
    attrs={"start": None, "stop": None, "step": None},
    emit_store=lambda inputs, attrs: ast.Assign(
        [ast.Subscript(inputs[0], _slice(attrs))],
        ast.ListComp(
            template("x + y"),
            [
                ast.comprehension(
                    ast.Tuple([ast.Name("x"), ast.Name("y")]),
                    ast.Call(
                        ast.Name("zip"),
                        [ast.Subscript(inputs[0], _slice(attrs)), inputs[1]],
                        [],
                    ),
                    [],
                    0,
                )
            ],
        ),
    ),
    vjp={
        "xs": lambda g: g,
        "ys": lambda g, start, stop, step: one(
            "list_slice", g, start=start, stop=stop, step=step
        ),
    },
    jvp=lambda xs, ys, start, stop, step, t_xs, t_ys: one(
        "list_add_slice",
        zeros_of(xs) if t_xs is None else t_xs,
        zeros_of(ys) if t_ys is None else t_ys,
        start=start,
        stop=stop,
        step=step,
    ),
    traits="list store",
    doc="The list with ys added to xs[start:stop:step].",
)
op(
    "list_stack",
    "xs",
    _infer_stack,
    _emit_stack,
    attrs={"rows": REQUIRED},
    vjp={"xs": lambda g, xs: one("list_unstack", g, type=xs.type)},
    jvp={"xs": lambda t: stack(t)},
    traits="list allocates may_warn",
    doc="An array of the elements; `rows` says that they are arrays.",
)
op(
    "list_unstack",
    "x",
    _infer_type,
    _emit_unstack,
    attrs={"type": REQUIRED},
    vjp={"x": lambda g: stack(g)},
    jvp={"x": lambda t, type: one("list_unstack", t, type=type)},
    traits="list allocates holds",
    doc="A list of an array's rows or numbers.",
)
op(
    "list_concatenate",
    "xs",
    _infer_concatenate,
    "np.concatenate(xs, axis=axis)",
    attrs={"axis": 0},
    vjp={"xs": lambda g, xs, axis: one("list_split", g, xs, axis=axis)},
    jvp={"xs": lambda t, axis: one("list_concatenate", t, axis=axis)},
    traits="list allocates may_warn",
    doc="The elements one after the other along an axis.",
)
op(
    "list_split",
    "x xs",
    _infer_split,
    "_split_like(x, xs, axis, ahead)",
    attrs={"axis": REQUIRED, "ahead": 0},
    vjp={"x": lambda g, axis: one("list_concatenate", g, axis=axis)},
    jvp={"x": lambda t, xs, axis, ahead: one("list_split", t, xs, axis=axis, ahead=ahead)},
    traits="list allocates holds",
    shape_only="xs",
    helper='''
def _split_like(x, xs, axis, ahead):
    """Split ``x`` along ``axis`` into pieces as long as the elements of ``xs``, which have
    ``ahead`` axes less in front."""
    ends = np.cumsum([one.shape[axis - ahead] for one in xs])
    return np.split(x, ends[:-1], axis=axis)
''',
    doc="An array taken apart into pieces as long as the elements of xs, which lack the first "
    "`ahead` axes.",
)


def _plus(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return b if a is None else a
    return one("list_sum", a, b)


def _added(xs: Expr, i: Expr, t_xs: Expr | None, t_x: Expr | None) -> Expr | None:
    moving = zeros_of(xs) if t_xs is None else t_xs
    return moving if t_x is None else one("list_add", moving, t_x, i)
