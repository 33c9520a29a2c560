"""Calls of ufuncs as NumPy alone has them: ``where`` with ``out``, and their methods (``at``,
``accumulate``, ``reduce``, ``reduceat``) where there is no op."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ops import MUTATORS, SURFACE
from ..ops.indexing import getitem, setitem
from ..ops.reshaping import broadcast_to
from ..ops.rules.arguments import as_array
from ..ops.ufuncs import REDUCTIONS
from ..ops.written.functions import UFUNC_METHODS
from . import inline
from .machine import Machine
from .memory.selected import on_each
from .memory.storage import check_cast, check_writable
from .memory.writing import put_back
from .names.static import opened
from .values import Ref


def is_masked(f: Any, kwargs: dict[str, Any]) -> bool:
    """Whether a ufunc writes a part of its ``out`` only."""
    given = kwargs.get("where", True) is not True and kwargs.get("out") is not None
    return isinstance(f, np.ufunc) and given


def masked(
    m: Machine, node: ast.AST, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``f(*args, out=out, where=mask)``: ``out[mask] = f(*(x[mask] for x in args))``, so that
    nothing is computed where the mask is false."""
    rest = {k: opened(m, v) for k, v in kwargs.items() if k not in ("out", "where")}
    out, where = opened(m, kwargs["out"]), opened(m, kwargs["where"])
    if isinstance(out, tuple) and len(out) == 1:
        [out] = out
    if not isinstance(out, Ref):
        raise UnsupportedSyntaxError(
            "`out=` needs an array of rank 1 or more", m.span(node)
        )
    each = on_each(
        m, node, out, lambda one: _discard(masked(m, node, f, args, {**kwargs, "out": one}))
    )
    if each:
        return out
    with m.located(node):
        check_writable(m, out)
        base = Expr(m.builder, m.read(out))
        inputs = [m.lift(opened(m, a)) for a in args]
        new = _written(m.builder, f, base, inputs, m.lift(where), rest)
        put_back(m, out, new.value)
    return out


def _discard(x: Any) -> None:
    """For effects only."""


def _written(
    b: Builder, f: Any, base: Expr, args: list[Any], where: Any, rest: dict[str, Any]
) -> Expr:
    mask = broadcast_to(b, as_array(b, where), base.shape)

    def part(x: Any) -> Any:
        if not getattr(x, "ndim", 0) and not isinstance(x, list | tuple):
            return x
        return getitem(b, broadcast_to(b, as_array(b, x), base.shape), mask)

    value = SURFACE[f](b, *map(part, args), **rest)
    check_cast(value.type, base.type)
    return setitem(b, base, mask, value)


def method(f: Any, kwargs: dict[str, Any]) -> tuple[Any, np.ufunc] | None:
    """The function written for a method of a ufunc that has no op, and the ufunc; for reductions
    with ``initial`` or ``where`` too, but for those that are functions of NumPy's."""
    ufunc = getattr(f, "__self__", None)
    if not isinstance(ufunc, np.ufunc) or f in MUTATORS:
        return None
    looped = f.__name__ == "reduce" and ufunc not in REDUCTIONS
    if f in SURFACE and not (looped and kwargs.keys() & {"initial", "where"}):
        return None
    written = UFUNC_METHODS.get(f.__name__)
    return None if written is None else (written, ufunc)


def call_method(
    m: Machine, node: ast.AST, found: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A call of what ``method`` found."""
    written, ufunc = found
    return inline.call_python(m, node, written, (ufunc, *args), kwargs, library=True)
