"""``sum(f(x) for x in xs)`` and the like over a number of elements known at run time only: the
loop that Python runs, in its order."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.types import FLOAT
from ...ir.values import Value
from ...ops import SURFACE
from ...ops.static import NeedsStatic
from ...ops.written import lists as listing
from ..assignments import assign
from ..dispatch import NeverReturns, evaluate
from ..lists import calls as list_calls
from ..lists import written as list_written
from ..machine import Machine
from ..names.lookup import Unsettled, checked
from ..names.scope import own_name
from ..names.static import opened
from ..protocols import iterated, run_to_its_end
from ..values import (
    Generator,
    Iteration,
    Iterator,
    ListObject,
    Record,
    Ref,
    Rows,
    Suspended,
    is_long,
    new_list,
)
from . import comprehensions, loops
from .branches import choose
from .counting import Counted, arithmetic, compared, counted, length

TOTAL, ITEM = "<total>", "<item>"
FOLDED = (sum, max, min, any, all, next)


def argument(m: Machine, part: ast.expr, function: Any) -> Any:
    """The argument of a call of one of ``FOLDED``: a comprehension whose length is not known
    when compiling is left for the call to run through, and one that is not run to its end."""
    if not isinstance(part, ast.GeneratorExp | ast.ListComp):
        return evaluate(m, part)
    iterable = iterated(m, part, evaluate(m, part.generators[0].iter))
    lazy = isinstance(part, ast.GeneratorExp)
    if lazy and (function is next or isinstance(iterable, Suspended)):
        return Generator(part, iterable)
    plan = counted(m, part, iterable)
    if plan is None or plan.rounds is not None:
        return comprehensions.listed(m, part, iterable)
    return Generator(part, iterable)


def elements(m: Machine, node: ast.AST, x: Any) -> Generator | None:
    """An array of unknown length, or a generator, as what can be folded."""
    array = x.array if isinstance(x, Rows) else x
    unknown = is_long(x) or isinstance(x, Suspended)
    unknown = unknown or (
        isinstance(array, Ref)
        and not isinstance(m.builder.dims.canonical(array.type.shape[0]), int)
    )
    if unknown:
        item = ast.Name(ITEM, ast.Load())
        target = ast.Name(ITEM, ast.Store())
        one = ast.comprehension(target, ast.Name("x", ast.Load()), [], 0)
        return Generator(_at(node, ast.GeneratorExp(item, [one])), x)
    return x if isinstance(x, Generator) else None


def total(m: Machine, node: ast.AST, x: Generator, start: Any) -> Any:
    """``sum``: one addition after the other; of Python floats as Python does it."""
    added = ast.BinOp(ast.Name(TOTAL, ast.Load()), ast.Add(), x.node.elt)
    state = m.checkpoint()
    found = _run(m, node, x, start, [_set(added)])
    compensates = sys.version_info >= (3, 12)
    if not compensates or not isinstance(found, Value) or found.type != FLOAT:
        return found
    m.restore(state)
    return _compensated(m, node, x, start)


def beside(m: Machine, node: ast.expr, array: Any) -> Any:
    """What is added to an array, or subtracted from it. A sum of arrays like that, perhaps of
    none, starts with zeros: that is the same here as the 0 of ``sum``, and has their type."""
    generator = _summed(m, node) if isinstance(array, Ref) and array.type.shape else None
    if generator is not None and _element(m, node, generator) == array.type:
        state = m.checkpoint()
        zeros = m.call_surface(SURFACE[np.zeros_like], node, array)
        try:
            found = total(m, node, generator, zeros)
            if isinstance(found, Ref) and found.type == zeros.type:
                return found
        except (NeedsStatic, Unsettled):
            pass
        m.restore(state)
    return evaluate(m, node)


def _summed(m: Machine, node: ast.expr) -> Generator | None:
    """What ``sum(...)`` runs through, where its length is known at run time only."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    [part] = node.args
    if not isinstance(part, ast.GeneratorExp | ast.ListComp) or len(part.generators) > 1:
        return None
    state = m.checkpoint()
    if evaluate(m, node.func) is not sum:
        m.restore(state)
        return None
    found = argument(m, part, sum)
    if isinstance(found, Generator) and not isinstance(found.iterable, Suspended):
        return found
    m.restore(state)
    return None


def _element(m: Machine, node: ast.AST, x: Generator) -> Any:
    """The type of the first element, if that is an array."""
    plan = counted(m, node, x.iterable)
    state = m.checkpoint()
    try:
        with comprehensions.inside(m, x.node):
            assign(m, x.node.generators[0].target, plan.item(plan.start))  # type: ignore[union-attr]
            item = evaluate(m, x.node.elt)
    except (NeedsStatic, Unsettled, NeverReturns):
        return None
    finally:
        m.restore(state)
    return item.type if isinstance(item, Ref) else None


def _compensated(m: Machine, node: ast.AST, x: Generator, start: Any) -> Any:
    """What is lost in each addition is added in the end (Neumaier, ZAMM 54, 1974, 39-51)."""
    body = ast.parse(_NEUMAIER).body
    first = body[0]
    assert isinstance(first, ast.Assign)
    first.value = x.node.elt
    with comprehensions.inside(m, x.node, *_PARTS):
        m.heap.write(m.frame.scope, TOTAL, start)
        m.heap.write(m.frame.scope, own_name("lost"), 0.0)
        for inner in (n for s in body for n in ast.walk(s)):
            if isinstance(inner, ast.Name) and inner.id in _NAMES:
                inner.id = _NAMES[inner.id]
        _loop(m, node, x, body)
        total, lost = (
            checked(m, node, m.frame.scope.data[k], "the sum")
            for k in (TOTAL, own_name("lost"))
        )
        return arithmetic(m, node, ast.Add, total, lost)


_NAMES = {
    "total_": TOTAL, "item_": ITEM, "lost_": own_name("lost"), "after_": own_name("after")
}  # fmt: skip
_PARTS = tuple(_NAMES.values())
_NEUMAIER = """
item_ = None
after_ = total_ + item_
if abs(total_) >= abs(item_):
    lost_ = lost_ + ((total_ - after_) + item_)
else:
    lost_ = lost_ + ((item_ - after_) + total_)
total_ = after_
"""


def quantified(m: Machine, node: ast.AST, x: Generator, is_all: bool) -> Any:
    """``any`` and ``all``: up to the first element that decides."""
    if len(x.node.generators) > 1:
        raise UnsupportedSyntaxError(
            "any() and all() run through one `for` here; write the loops out", m.span(node)
        )
    test = ast.UnaryOp(ast.Not(), x.node.elt) if is_all else x.node.elt
    found: list[ast.stmt] = [_set(ast.Constant(not is_all)), ast.Break()]
    return _run(m, node, x, is_all, [ast.If(test, found, [])])


def largest_or_smallest(
    m: Machine, node: ast.AST, args: Any, kwargs: Any, is_max: bool
) -> Any:
    """``max`` and ``min``; NotImplemented for a few numbers."""
    if kwargs and not {*kwargs} - {"key", "default"}:
        x = args[0] if len(args) == 1 else new_list(args)
        return extreme_by(m, node, x, dict(kwargs), is_max)
    if len(args) == 1 and isinstance(args[0], Iterator | Record):
        from ..calls import call_any

        x = run_to_its_end(m, node, args[0])
        if isinstance(x, Iteration):
            x = list_written.as_list(m, node, x)
        return call_any(m, node, max if is_max else min, (x,), {})
    if _has_sequences(m, args[0] if len(args) == 1 else args):
        return extreme_by(
            m, node, args[0] if len(args) == 1 else new_list(args), {}, is_max
        )
    many = elements(m, node, args[0]) if len(args) == 1 else None
    if many is None and any(isinstance(x, Ref) and not x.type.shape for x in args):
        return extreme_by(m, node, new_list(args), {}, is_max)  # an array is handed on
    if many is None:
        return NotImplemented
    return extreme(m, node, many, is_max)


def _has_sequences(m: Machine, x: Any) -> bool:
    """Whether there are tuples or lists among the elements: the first to differ decides."""
    x = opened(m, x)
    if isinstance(x, ListObject) and not is_long(x):
        x = x.items
    return isinstance(x, tuple) and any(
        isinstance(opened(m, item), tuple | ListObject) for item in x
    )


def extreme(m: Machine, node: ast.AST, x: Generator, is_max: bool) -> Any:
    """``max`` and ``min``: the first element, unless a later one beats it."""
    [*inner, one] = reversed(x.node.generators)
    if inner or one.ifs or isinstance(x.iterable, Suspended):
        return extreme_by(m, node, x, {}, is_max)
    plan = counted(m, node, x.iterable)
    assert plan is not None
    name = "max" if is_max else "min"
    _require_one(m, node, plan, name)
    with comprehensions.inside(m, x.node, TOTAL, ITEM):
        assign(m, one.target, plan.item(plan.start))
        m.heap.write(m.frame.scope, TOTAL, evaluate(m, x.node.elt))
        beats = ast.Gt() if is_max else ast.Lt()
        item, held = ast.Name(ITEM, ast.Load()), ast.Name(TOTAL, ast.Load())
        body = [
            ast.Assign([ast.Name(ITEM, ast.Store())], x.node.elt),
            ast.If(ast.Compare(item, [beats], [held]), [_set(item)], []),
        ]
        rest = replace(plan, start=_next(m, node, plan))
        _loop(m, node, x, body, rest)
        return checked(m, node, m.frame.scope.data[TOTAL], f"{name}(...)")


def extreme_by(
    m: Machine, node: ast.AST, x: Any, options: dict[str, Any], is_max: bool
) -> Any:
    """``max`` and ``min`` with a ``key`` or a ``default``."""
    xs = list_written.as_list(m, node, x)
    key = options.pop("key", None)
    key = listing.itself if key is None else key
    chosen = listing.largest if is_max else listing.smallest
    size = _size(m, xs)

    def found() -> Any:
        return list_written.call(m, node, chosen, xs, key)

    def other() -> Any:
        if "default" in options:
            return options["default"]
        name = "max" if is_max else "min"
        m.builder.op("raise", error="ValueError", args=(_empty_text(name),))
        raise NeverReturns

    if isinstance(size, int):
        return found() if size else other()
    some = compared(m, node, ast.Gt(), size, 0)
    return choose(m, node, some, found, other)


def _empty_text(name: str) -> str:
    """What Python says of ``max`` and ``min`` of nothing."""
    if sys.version_info >= (3, 12):
        return f"{name}() iterable argument is empty"
    return f"{name}() arg is an empty sequence"


def _size(m: Machine, xs: Any) -> Any:
    if isinstance(xs, Rows):
        return length(m, xs.array)
    return list_calls.length(m, xs) if is_long(xs) else len(xs.items)


def _require_one(m: Machine, node: ast.AST, plan: Counted, name: str) -> None:
    op = ast.Gt() if isinstance(plan.step, int) and plan.step < 0 else ast.Lt()
    entered = compared(m, node, op, plan.start, plan.stop)
    m.builder.op("require", entered, error="ValueError", args=(_empty_text(name),))


def first(m: Machine, node: ast.AST, x: Generator, default: tuple[Any, ...]) -> Any:
    """``next``: the first element, and no more than it takes to have that."""
    if len(x.node.generators) > 1:
        raise UnsupportedSyntaxError(
            "next() runs through one `for` here; write the loops out", m.span(node)
        )
    none: ast.stmt = ast.Raise(ast.Name("StopIteration", ast.Load()), None)
    if default:
        none = _set(ast.Name(ITEM, ast.Load()))
    with comprehensions.inside(m, x.node, TOTAL, ITEM):
        if default:
            m.heap.write(m.frame.scope, ITEM, default[0])
        _loop(m, node, x, [_set(x.node.elt), ast.Break()], orelse=[none])
        return checked(m, node, m.frame.scope.data[TOTAL], "the element")


def _next(m: Machine, node: ast.AST, plan: Counted) -> Any:
    return arithmetic(m, node, ast.Add, plan.start, plan.step)


def _run(
    m: Machine, node: ast.AST, x: Generator, start: Any, body: Sequence[ast.stmt]
) -> Any:
    with comprehensions.inside(m, x.node, TOTAL):
        m.heap.write(m.frame.scope, TOTAL, start)
        _loop(m, node, x, body)
        return checked(m, node, m.frame.scope.data[TOTAL], "the result")


def _loop(
    m: Machine,
    node: ast.AST,
    x: Generator,
    body: Sequence[ast.stmt],
    plan: Counted | None = None,
    orelse: Sequence[ast.stmt] = (),
) -> None:
    """The loops of a comprehension around ``body``; ``orelse`` is that of the outer one."""
    for generator in reversed(x.node.generators):
        for test in reversed(generator.ifs):
            body = [ast.If(test, list(body), [])]
        body = [ast.For(generator.target, generator.iter, list(body), [])]
    [loop] = body
    assert isinstance(loop, ast.For)
    loop.orelse = list(orelse)
    span = m.builder.span
    loops.over(m, _at(node, loop), x.iterable, plan)
    m.builder.span = span


def _set(value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(TOTAL, ast.Store())], value)


def _at(place: ast.AST, made: Any) -> Any:
    """``made`` at the place of the call, where it has no place of its own."""
    for inner in ast.walk(made):
        if not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return made
