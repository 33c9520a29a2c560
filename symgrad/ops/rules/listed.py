"""How ops on lists are written: element by element, lists in lists as well."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ...ir.structure import fill, item, template
from ...ir.types import ListType, ScalarType
from .emission import dtype_keyword, np_call


def _number(t: Any) -> ast.expr:
    """A zero of a scalar type."""
    if isinstance(t, ScalarType):
        return ast.Constant({"float": 0.0, "complex": 0j, "int": 0, "bool": False}[t.kind])
    cls = ast.Attribute(ast.Name("np"), t.dtype.name)
    return ast.Call(cls, [ast.Constant(0)], [])


def emit_zeros(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """Zeros like the elements of a list."""
    return _zeros_like(inputs[0], attrs["of"], inputs[1:], 0)


def _zeros_like(xs: ast.expr, t: Any, lead: list[ast.expr], depth: int) -> ast.expr:
    """Zeros for a list of elements of type ``t``, within ``depth`` others."""
    if isinstance(t, ListType):
        return each(xs, depth, lambda x: _zeros_like(x, t.element, lead, depth + 1))
    if lead:
        return each(xs, depth, lambda x: _led_zeros(x, t, lead), ("_x",))
    if t.shape:
        return each(xs, depth, lambda x: np_call("zeros_like", x))
    repeated = template_of("[0] * len(xs)", xs)
    assert isinstance(repeated, ast.BinOp) and isinstance(repeated.left, ast.List)
    repeated.left.elts = [_number(t)]
    return repeated


def _led_zeros(x: ast.expr, t: Any, lead: list[ast.expr]) -> ast.expr:
    shape = template_of("(*np.shape(xs),)", x)
    shape.elts[:0] = lead  # type: ignore[attr-defined]
    return np_call("zeros", shape, **dtype_keyword(t.dtype))


def each(
    xs: ast.expr,
    depth: int,
    make: Callable[[ast.expr], ast.expr],
    names: Sequence[str] = "xyzuvw",
) -> ast.expr:
    """``[make(x) for x in xs]``, within ``depth`` others of the kind."""
    name = names[depth % len(names)]
    loop = ast.comprehension(ast.Name(name), xs, [], 0)
    return ast.ListComp(make(ast.Name(name)), [loop])


def _both(x: ast.expr, y: ast.expr, t: Any, depth: int = 0) -> ast.expr:
    """The sum of two elements of type ``t``: of lists, that of what they hold."""
    if not isinstance(t, ListType):
        return ast.BinOp(x, ast.Add(), y)
    p, q = (ast.Name(name * (depth + 1)) for name in "xy")
    loop = ast.comprehension(
        ast.Tuple([p, q]), ast.Call(ast.Name("zip"), [x, y], []), [], 0
    )
    return ast.ListComp(_both(p, q, t.element, depth + 1), [loop])


def emit_sum(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """Two lists added up element by element."""
    return _both(inputs[0], inputs[1], ListType(attrs["of"]))


def _copied(x: ast.expr, t: Any, depth: int = 0) -> ast.expr:
    """A new list of the elements of ``x``, lists among them copied as well."""
    if isinstance(t, ListType) and isinstance(t.element, ListType):
        return each(x, depth, lambda one: _copied(one, t.element, depth + 1))
    return ast.Call(ast.Name("list"), [x], [])


def template_of(text: str, xs: ast.expr) -> ast.expr:
    """An expression with a list put in for ``xs``."""
    return fill(template(text), {"xs": xs})


def emit_unstack(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """An array as a list."""
    return _rows_of(inputs[0], attrs["type"].element, 0)


def _rows_of(x: ast.expr, t: Any, depth: int) -> ast.expr:
    """An array as a list of elements of type ``t``."""
    inner = t
    while isinstance(inner, ListType):
        inner = inner.element
    if isinstance(inner, ScalarType):
        return ast.Call(ast.Attribute(x, "tolist"), [], [])
    if isinstance(t, ListType):
        return each(x, depth, lambda row: _rows_of(row, t.element, depth + 1))
    return ast.Call(ast.Name("list"), [x], [])


def emit_item(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """``xs[i][j]``"""
    return item(inputs[0], inputs[1:])


def emit_slice(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """``xs[start:stop:step]``, lists in it copied."""
    part = ast.Subscript(inputs[0], slice_of(attrs))
    of = attrs["of"]
    return _copied(part, ListType(of)) if isinstance(of, ListType) else part


def slice_of(attrs: dict[str, Any]) -> ast.Slice:
    """The slice that attributes say."""
    ends = (attrs[k] for k in ("start", "stop", "step"))
    return ast.Slice(*(None if n is None else _int(n) for n in ends))


def _int(n: int) -> ast.expr:
    return ast.Constant(n) if n >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-n))


def emit_copy(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """A copy, also of the lists in a list."""
    if isinstance(attrs["of"], ListType):
        return _copied(inputs[0], ListType(attrs["of"]))
    return ast.Call(ast.Attribute(inputs[0], "copy"), [], [])


def emit_add(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    """``xs[i] = xs[i] + x``"""
    xs, x, *at = inputs
    place = item(xs, at)
    return ast.Assign([place], _both(place, x, attrs["of"]))


def emit_add_slice(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    """``xs[start:stop:step]`` with something added."""
    part = ast.Subscript(inputs[0], slice_of(attrs))
    return ast.Assign([part], _both(part, inputs[1], ListType(attrs["of"])))


def emit_cast(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    """A list in lists with numbers of another type."""
    return _cast(inputs[0], attrs["type"], 0)


def _cast(x: ast.expr, t: Any, depth: int) -> ast.expr:
    if isinstance(t, ListType):
        return each(x, depth, lambda one: _cast(one, t.element, depth + 1))
    if isinstance(t, ScalarType):
        return ast.Call(ast.Name(t.kind), [x], [])
    return np_call(t.dtype.name, x)
