"""Taking sequences apart: ``a, *b = x``, ``f(*x)``, and iteration over what is known."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.dims import Dimension, as_symbol
from ..ir.expr import Expr
from ..ir.values import Value
from ..ops.static import shown
from . import protocols
from .control.counting import Counted, counted
from .control.stepping import one_by_one
from .dispatch import NeverReturns
from .machine import Machine
from .memory.storage import load_item
from .names.captures import Found
from .names.specialise import need, specialise
from .names.static import opened, pinned
from .requests import SHAPES, NeedsSpecialisation
from .values import (
    DictObject,
    Flat,
    Iteration,
    ListObject,
    Poison,
    Range,
    Ref,
    Rows,
    SetObject,
    Suspended,
    is_long,
)


def sequence(m: Machine, node: ast.AST, x: Any) -> list[Any] | None:
    """The elements of something whose number of elements is known; None if it is not."""
    x = run_through(m, node, x)
    if isinstance(x, Flat):
        from .memory.flats import vector

        x = m.wrap(vector(m, x).value)
    if isinstance(x, tuple):
        return list(x)
    if is_long(x):
        return None
    if isinstance(x, ListObject):
        return list(x.items)
    if isinstance(x, DictObject):
        return list(x.items)
    if isinstance(x, Iteration):
        return _counted_off(one_by_one(m, node, x))
    if isinstance(x, Ref):
        length = m.builder.dims.canonical(x.type.shape[0])
        if not isinstance(length, int):
            return None
        return [load_item(m, node, x, i) for i in range(length)]
    if isinstance(x, str | bytes | range | list | dict | frozenset):
        return list(x)
    if isinstance(x, set | SetObject):
        raise UnsupportedSyntaxError(
            "a set has no order to rely on; sort it first", m.span(node)
        )
    if isinstance(x, Found) and hasattr(type(x.value), "__next__"):
        raise UnsupportedSyntaxError(
            f"a {type(x.value).__name__} from outside of the function is used up by looking at it "
            "when compiling; make it here, or make a list of it",
            m.span(node),
        )
    if isinstance(x, Found) and hasattr(type(x.value), "__iter__"):
        return list(pinned(m, x))
    if isinstance(x, Range | Rows):
        return _counted_off(counted(m, node, x))
    if (
        isinstance(x, Value)
        or not hasattr(type(x), "__iter__")
        or isinstance(x, np.generic)
    ):
        kind = f"a {x.type}" if isinstance(x, Value) else shown(x)
        raise UnsupportedSyntaxError(f"{kind} cannot be iterated over", m.span(node))
    return list(x)


def run_through(m: Machine, node: ast.AST, x: Any) -> Any:
    """What ``x`` is iterated by; of a generator, all that it yields in a list."""
    x = protocols.run_to_its_end(m, node, opened(m, x))
    if not isinstance(x, Suspended):
        return x
    from .control.comprehensions import drained

    return drained(m, node, x)


def _counted_off(plan: Counted | None) -> list[Any] | None:
    if plan is None or plan.rounds is None:
        return None
    return [plan.item(i) for i in range(plan.start, plan.stop, plan.step)]


def spread_items(m: Machine, node: ast.AST, x: Any) -> list[Any]:
    """The elements that ``*x`` stands for."""
    x = run_through(m, node, x)
    found = sequence(m, node, x)
    if found is None:
        ask_for_count(m, x)
        raise UnsupportedSyntaxError(
            "the number of elements is known at run time only; index the array instead, or "
            "loop over it",
            m.span(node),
        )
    return found


def static_items(m: Machine, node: ast.AST, x: Any) -> frozenset[Any]:
    """What a set is made of."""
    if isinstance(x, SetObject | set | frozenset):
        return frozenset(x.items if isinstance(x, SetObject) else x)
    items = spread_items(m, node, x)
    return frozenset(need(m, node, item, "an element of a set") for item in items)


def ask_for_count(m: Machine, x: Any) -> None:
    """How many elements there are may be known for arguments of these very lengths.

    Raises:
        NeedsSpecialisation: it is, with what decides it.
    """
    x = opened(m, x)
    x = x.array if isinstance(x, Rows) else x
    if is_long(x) and not m.captures.static_shapes:
        raise NeedsSpecialisation(SHAPES)
    bounds: list[Any] = []
    if isinstance(x, Ref):
        bounds = [Expr(m.builder, m.read(x)).length(0).value]
    elif isinstance(x, Value):
        bounds = [x]
    elif isinstance(x, Range):
        bounds = [x.start, x.stop, x.step]
    for value in bounds:
        if isinstance(value, Value):
            specialise(m, value, by_lengths=True)
    for part in x.parts if isinstance(x, Iteration) else ():
        ask_for_count(m, part)


def unpack(m: Machine, node: ast.AST, x: Any, count: int, star: int | None) -> list[Any]:
    """``x`` as ``count`` values, one of which (number ``star``) is a list of the rest."""
    if isinstance(x, Ref):
        length = m.builder.dims.canonical(x.type.shape[0])
        if not isinstance(length, int) and star is not None:
            return _around(m, node, x, count, star)
        if not isinstance(length, int):
            _fix_length(m, x, length, count)
            return [load_item(m, node, x, i) for i in range(count)]
    x = run_through(m, node, x)
    if is_long(x) and m.captures.static_shapes:
        return _taken_out(m, node, x, count, star)
    items = spread_items(m, node, x)
    if star is None:
        if len(items) != count:
            _never_fits(m, len(items), str(count), len(items) > count)
        return items
    if len(items) < count - 1:
        _never_fits(m, len(items), f"at least {count - 1}", False)
    after = count - 1 - star
    stop = len(items) - after
    return [*items[:star], items[star:stop], *items[stop:]]


def _taken_out(
    m: Machine, node: ast.AST, x: ListObject, count: int, star: int | None
) -> list[Any]:
    """The elements of a list whose length not even those of the arguments decide."""
    from .lists import calls

    least, after = star is not None, 0 if star is None else count - 1 - star
    m.builder.op("require_length", calls.length(m, x), count=count - least, least=least)
    front = [calls.get(m, node, x, i) for i in range(count if star is None else star)]
    rest = [] if star is None else [calls.get(m, node, x, slice(star, -after or None))]
    return [*front, *rest, *(calls.get(m, node, x, -i) for i in range(after, 0, -1))]


def _around(m: Machine, node: ast.AST, x: Ref, count: int, star: int) -> list[Any]:
    """The rows before and after the starred name, which itself must not be read."""
    rows = Expr(m.builder, m.read(x)).length(0)
    m.builder.op("require_length", rows.value, count=count - 1, least=True)
    after = count - 1 - star
    stop = -after if after else ""
    error = UnsupportedSyntaxError(
        "the number of elements of the starred name is known at run time only: write a slice, "
        f"`x[{star}:{stop}]`, instead",
        m.span(node),
    )
    front = [load_item(m, node, x, i) for i in range(star)]
    return [
        *front,
        Poison(error, rows.value),
        *(load_item(m, node, x, -i) for i in range(after, 0, -1)),
    ]


def _fix_length(m: Machine, x: Ref, length: Dimension, count: int) -> None:
    """From here on the number of rows is ``count``: asked of the arguments where it is theirs
    and this is always reached, else tested when running."""
    dims = m.builder.dims
    single = as_symbol(length)
    if single is None or single not in dims.entry or not m.region.certain:
        rows = Expr(m.builder, m.read(x)).length(0)
        m.builder.op("require_length", rows.value, count=count)
    dims.unify(length, count)


def _never_fits(m: Machine, given: int, expected: str, many: bool) -> None:
    """What Python does where the numbers of values and names differ for certain."""
    text = f"not enough values to unpack (expected {expected}, got {given})"
    if many:
        text = f"too many values to unpack (expected {expected})"
    m.builder.op("raise", error="ValueError", args=(text,))
    raise NeverReturns
