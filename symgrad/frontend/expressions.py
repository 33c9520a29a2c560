"""Displays, constants, lambdas, f-strings: the simple kinds of expressions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import UnsupportedSyntaxError
from .control.settling import told
from .dispatch import EXPRESSIONS, evaluate, expression, held
from .lists import keyed
from .machine import Machine
from .names.lookup import assign_name, read_name, suggest
from .names.scope import nonlocal_names, owner
from .names.specialise import need, specialise
from .names.static import opened, plain
from .sources.given import Given
from .unpacking import spread_items
from .values import Closure, DictObject, Maybe, new_list, new_set

EXPRESSIONS[ast.Name] = read_name


@expression(ast.Constant)
def _constant(m: Machine, node: ast.Constant) -> Any:
    return node.value


@expression(Given)
def _given(m: Machine, node: Given) -> Any:
    return node.value


@expression(ast.Tuple)
def _tuple(m: Machine, node: ast.Tuple) -> Any:
    return tuple(_elements(m, node.elts))


@expression(ast.List)
def _list(m: Machine, node: ast.List) -> Any:
    if not any(isinstance(e, ast.Starred) for e in node.elts):
        return new_list(_elements(m, node.elts))
    return _put_together(m, node)


def _put_together(m: Machine, node: ast.List) -> Any:
    """A list with all elements of others in it, however many these are."""
    from .lists import calls
    from .methods import call_list

    made = new_list(())
    for e in node.elts:
        value = evaluate(m, e.value if isinstance(e, ast.Starred) else e)
        if isinstance(e, ast.Starred):
            calls.extend(m, node, made, value)
        else:
            call_list(m, node, made, "append", value)
    return made


@expression(ast.Set)
def _set(m: Machine, node: ast.Set) -> Any:
    try:
        return new_set(plain(m, item) for item in _elements(m, node.elts))
    except LookupError:
        raise UnsupportedSyntaxError(
            "a set of runtime values cannot be compiled; use a list or a tuple",
            m.span(node),
        ) from None


def _elements(m: Machine, nodes: list[ast.expr]) -> list[Any]:
    before = len(m.temps)
    items: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            found = spread_items(m, node, held(m, node.value))
            items += found
        else:
            items.append(held(m, node))
    del m.temps[before:]
    return items


@expression(ast.Dict)
def _dict(m: Machine, node: ast.Dict) -> Any:
    before = len(m.temps)
    items: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            other = opened(m, held(m, value))
            if not isinstance(other, DictObject):
                raise UnsupportedSyntaxError("`**` needs a dict here", m.span(value))
            items.update(other.items)
        else:
            found = static_key(m, key, evaluate(m, key))
            items[found] = held(m, value)
    del m.temps[before:]
    return keyed.made(m, node, items)


def static_key(m: Machine, node: ast.expr, key: Any) -> Any:
    """A dict key or a position in a list, which has to be known when compiling."""
    return need(m, node, key, "a key or position")


@expression(ast.Lambda)
def _lambda(m: Machine, node: ast.Lambda) -> Any:
    return closure(m, node)


def closure(m: Machine, node: ast.FunctionDef | ast.Lambda) -> Closure:
    """A function defined here: its defaults are evaluated now."""
    defaults = tuple(evaluate(m, d) for d in node.args.defaults)
    keywords = {
        arg.arg: evaluate(m, d)
        for arg, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if d is not None
    }
    names = nonlocal_names(node)
    for name in names:
        holder = m.frame
        while name not in holder.local and holder.parent is not None:
            holder = holder.parent
        holder.shared = True
        m.shared.add(holder.scope)
    return Closure(node, m.frame, defaults, keywords)


@expression(ast.NamedExpr)
def _walrus(m: Machine, node: ast.NamedExpr) -> Any:
    value = evaluate(m, node.value)
    frame = m.frame
    while frame.liveness is None and frame.parent is not None:
        frame = frame.parent  # a comprehension: the name belongs to the function around it
    suggest(m, value, node.target.id)
    assign_name(m, owner(frame, node.target.id).scope, node.target.id, value)
    return value


@expression(ast.Starred)
def _starred(m: Machine, node: ast.Starred) -> Any:
    raise UnsupportedSyntaxError("a starred expression cannot stand here", m.span(node))


@expression(ast.Slice)
def _slice(m: Machine, node: ast.Slice) -> slice:
    parts = [
        None if p is None else evaluate(m, p) for p in (node.lower, node.upper, node.step)
    ]
    return sliced(m, node, parts)


def sliced(m: Machine, node: ast.AST, parts: Sequence[Any]) -> slice:
    """A slice. Of what is None on some ways only the running code chooses a number in its place,
    if the arguments do not tell when compiling."""
    for part in parts:
        if isinstance(part, Maybe):
            specialise(m, part.present, by_lengths=True)
    key = slice(*parts)
    forward = _direction(m, key.step)
    if forward is None:
        return slice(*(told(m, part) for part in parts)) if m.choosing else key
    first, end = (0, sys.maxsize) if forward else (sys.maxsize, -sys.maxsize - 1)
    start, stop = _bound(m, node, key.start, first), _bound(m, node, key.stop, end)
    return slice(start, stop, key.step)


def _direction(m: Machine, step: Any) -> bool | None:
    """Whether a slice goes up; None if that is not known when compiling."""
    try:
        known = plain(m, step)
    except LookupError:
        return None
    if isinstance(known, complex):  # how many, as in np.r_
        return None
    return known is None or bool(known > 0)


def _bound(m: Machine, node: ast.AST, x: Any, default: int) -> Any:
    """A bound of a slice, with a number that does the same where it is None."""
    from .control.branches import choose

    if not isinstance(x, Maybe):
        return x
    return choose(m, node, x.present, lambda: x.value, lambda: default)
