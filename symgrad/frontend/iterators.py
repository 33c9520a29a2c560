"""Ready-made iterations: ``enumerate``, ``zip``, ``map`` and ``filter``, ``np.ndindex`` and
``np.ndenumerate``, what ``itertools`` has, ``iter`` and ``next``, and ``typing.cast``, which does
nothing."""

from __future__ import annotations

import ast
import itertools
import operator
import sys
import typing
from typing import Any

import numpy as np

from ..errors import CallError, UnsupportedSyntaxError
from ..ir.expr import Expr
from ..ops.written import iterating
from ..ops.written import lists as listing
from . import advancing
from .builtin_calls import BUILTINS, builtin, class_of, len_, list_
from .control import folds
from .control.counting import counted
from .lists.written import call
from .machine import Machine
from .names.specialise import need
from .names.static import opened
from .protocols import call_special, is_untouched, iterated
from .unpacking import spread_items
from .values import (
    Generator,
    Iteration,
    Iterator,
    ListObject,
    Native,
    Record,
    Ref,
    Rows,
    Suspended,
    new_list,
)

_SEQUENCES = [
    *(itertools.chain, itertools.pairwise, itertools.zip_longest, itertools.islice),
    *(itertools.combinations, itertools.combinations_with_replacement),
    *(itertools.permutations, itertools.product),
]
if sys.version_info >= (3, 12):
    _SEQUENCES.append(itertools.batched)


@builtin(enumerate)
def enumerate_(m: Machine, node: ast.AST, iterable: Any, start: Any = 0) -> Any:
    """``enumerate``."""
    iterable = iterated(m, node, iterable)
    if isinstance(iterable, Suspended):
        return call(m, node, iterating.enumerated, iterable, start)
    return Iterator(Iteration("enumerate", (opened(m, iterable),), start))


@builtin(zip)
def zip_(m: Machine, node: ast.AST, *parts: Any, strict: Any = False) -> Any:
    """``zip``."""
    if any(isinstance(p, Iterator) and not is_untouched(m, p) for p in parts):
        made = tuple(iter_(m, node, p) for p in parts)
        if not strict and not any(isinstance(p, Suspended) for p in made):
            return call(m, node, iterating.side_by_side, made)
    parts = tuple(iterated(m, node, p) for p in parts)
    if any(isinstance(p, Suspended) for p in parts):
        return _zipped(m, node, parts, strict)
    return Iterator(Iteration("zip", tuple(opened(m, p) for p in parts), 0, bool(strict)))


def _zipped(m: Machine, node: ast.AST, parts: tuple[Any, ...], strict: Any) -> Any:
    """``zip`` of a generator and sequences."""
    [first, *more] = [i for i, p in enumerate(parts) if isinstance(p, Suspended)]
    if more or strict:
        raise UnsupportedSyntaxError(
            "zip() runs through one generator here, without `strict`: make lists of the others, "
            "`list(...)`",
            m.span(node),
        )
    listed = [
        list_(m, node, p) if isinstance(p, Iteration) else opened(m, p) for p in parts
    ]
    before, after = tuple(listed[:first]), tuple(listed[first + 1 :])
    return call(m, node, iterating.zipped, before, parts[first], after)


@builtin(reversed)
def reversed_(m: Machine, node: ast.AST, x: Any) -> Any:
    """``reversed``."""
    if isinstance(x, Iterator | Suspended):
        kind = class_of(m, x).__name__
        raise CallError(f"'{kind}' object is not reversible", m.span(node))
    x = opened(m, x)
    size = len_(m, node, x) if isinstance(x, ListObject) else 0
    return Iterator(Iteration("reversed", (x,), size))


@builtin(map)
def map_(m: Machine, node: ast.AST, f: Any, *parts: Any) -> Any:
    """``map``: the function is called where an element is asked for."""
    rows = zip_(m, node, *parts)
    if isinstance(rows, Suspended):
        return call(m, node, iterating.mapped, f, rows)
    return Iterator(Iteration("map", (f, *rows.items.parts)))


@builtin(filter)
def filter_(m: Machine, node: ast.AST, f: Any, x: Any) -> Any:
    """``filter``, as a generator."""
    test = listing.itself if f is None else f
    return call(m, node, iterating.filtered, test, iterated(m, node, x))


@builtin(next)
def next_(m: Machine, node: ast.AST, x: Any, *default: Any) -> Any:
    """``next``: of a generator, its first element."""
    if isinstance(x, Iterator):
        return advancing.next_of(m, node, x, default)
    if isinstance(x, Record) and not default:
        return call_special(m, node, x, "__next__")
    x = folds.elements(m, node, x) if isinstance(x, Suspended) else x
    if not isinstance(x, Generator):
        raise UnsupportedSyntaxError(
            "next() takes an iterator or a generator: `it = iter(x)` makes one",
            m.span(node),
        )
    return folds.first(m, node, x, default)


@builtin(np.ndindex)
def ndindex(m: Machine, node: ast.AST, *lengths: Any) -> Iterator:
    """``np.ndindex(shape)``, the shape as a tuple or as several numbers."""
    if len(lengths) == 1 and isinstance(opened(m, lengths[0]), tuple | ListObject):
        lengths = tuple(spread_items(m, node, lengths[0]))
    return Iterator(Iteration("ndindex", lengths))


@builtin(np.ndenumerate)
def ndenumerate(m: Machine, node: ast.AST, x: Any) -> Any:
    """``np.ndenumerate(x)`` of an array."""
    array = opened(m, x)
    if not isinstance(array, Ref):
        return NotImplemented
    rows = Expr(m.builder, m.read(array))
    lengths = (m.lower(rows.length(axis)) for axis in range(len(array.type.shape)))
    return Iterator(Iteration("ndenumerate", (array, *lengths)))


@builtin(typing.cast)
def cast(m: Machine, node: ast.AST, kind: Any, x: Any) -> Any:
    """``typing.cast``."""
    return x


@builtin(iter)
def iter_(m: Machine, node: ast.AST, x: Any, *last: Any) -> Any:
    """``iter(x)``, ``iter(function, last)``."""
    if last:
        return call(m, node, iterating.called, x, *last)
    if isinstance(x, Iterator | Suspended):
        return x
    x = iterated(m, node, opened(m, x))
    return x if isinstance(x, Suspended) else Iterator(x)


@builtin(iterating.ready)
def ready(m: Machine, node: ast.AST, x: Any) -> Any:
    """Whether an iterator has a next element."""
    return advancing.ready(m, node, x)


@builtin(iterating.take)
def take(m: Machine, node: ast.AST, x: Any) -> Any:
    """The next element of an iterator that has one."""
    return advancing.take(m, node, x)


_EAGER = (
    *(itertools.combinations, itertools.combinations_with_replacement),
    *(itertools.permutations, itertools.product),
)
"""Those that run through what they are given when they are called."""


def _over_sequences(f: Any) -> Any:
    """``f`` looks at no element, so that it can order abstract values as it does others."""

    def lowered(m: Machine, node: ast.AST, *args: Any, **kwargs: Any) -> Any:
        args = tuple(iterated(m, node, x) for x in args)
        if f not in _EAGER and any(isinstance(x, Suspended) for x in args):
            return _over_generators(m, node, f, args, kwargs)
        if f is itertools.pairwise and _is_open(m, node, args[0]):
            return call(m, node, iterating.neighbours, *args)
        listed = [
            x if x is None or isinstance(x, int) else spread_items(m, node, x) for x in args
        ]
        return Iterator(new_list(f(*listed, **kwargs)))

    return lowered


def _is_open(m: Machine, node: ast.AST, x: Any) -> bool:
    """Whether ``x`` is a sequence whose length is known at run time only."""
    plan = counted(m, node, x) if isinstance(x, Ref | Rows | ListObject) else None
    return plan is not None and plan.rounds is None


def _over_generators(
    m: Machine, node: ast.AST, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``f`` as a generator that runs through another."""
    if f is itertools.chain:
        return call(m, node, iterating.chained, args)
    if f is itertools.pairwise:
        return call(m, node, iterating.pairs, *args)
    if f is itertools.islice:
        start, stop, step = (0, *args[1:], 1) if len(args) == 2 else (*args[1:], 1)[:3]
        start, step = 0 if start is None else start, 1 if step is None else step
        return call(m, node, iterating.sliced, args[0], start, stop, step)
    raise UnsupportedSyntaxError(
        f"itertools.{f.__name__} does not run through a generator here: make a list of it, "
        "`list(...)`",
        m.span(node),
    )


for _function in _SEQUENCES:
    builtin(_function)(_over_sequences(_function))


@builtin(itertools.chain.from_iterable)
def chained(m: Machine, node: ast.AST, xs: Any) -> Any:
    """``chain.from_iterable(xs)``."""
    if isinstance(xs, Suspended):
        return call(m, node, iterating.chained, xs)
    parts = [iterated(m, node, x) for x in spread_items(m, node, xs)]
    if any(isinstance(x, Suspended) for x in parts):
        return call(m, node, iterating.chained, tuple(parts))
    return Iterator(new_list(x for part in parts for x in spread_items(m, node, part)))


@builtin(itertools.takewhile, itertools.dropwhile)
def _unused(m: Machine, node: ast.AST, test: Any, x: Any) -> Any:
    raise AssertionError


def _while(written: Any) -> Any:
    def lowered(m: Machine, node: ast.AST, test: Any, x: Any) -> Any:
        """``takewhile`` and ``dropwhile``: what they take hangs on data."""
        return call(m, node, written, test, x)

    return lowered


BUILTINS[itertools.takewhile] = _while(iterating.taken)
BUILTINS[itertools.dropwhile] = _while(iterating.dropped)


@builtin(itertools.accumulate)
def accumulate(
    m: Machine, node: ast.AST, x: Any, function: Any = operator.add, *, initial: Any = None
) -> Any:
    """``accumulate(x, function, initial=...)``."""
    from .calls import call_any

    x = iterated(m, node, x)
    if isinstance(x, Suspended):
        parts = ((initial,), x) if initial is not None else (x,)
        return call(
            m, node, iterating.totals, call(m, node, iterating.chained, parts), function
        )
    items = spread_items(m, node, x)
    if initial is not None:
        items = [initial, *items]
    totals = items[:1]
    for item in items[1:]:
        totals.append(call_any(m, node, function, (totals[-1], item), {}))
    return Iterator(new_list(totals))


@builtin(itertools.starmap)
def starmap(m: Machine, node: ast.AST, function: Any, x: Any) -> Any:
    """``starmap(function, x)``."""
    from .calls import call_any

    x = iterated(m, node, x)
    if isinstance(x, Suspended):
        return call(m, node, iterating.mapped, function, x)

    def spread(m: Machine, node: ast.AST, args: Any) -> Any:
        return call_any(m, node, function, tuple(spread_items(m, node, args)), {})

    return Iterator(Iteration("map", (Native("starmap", spread, (function,)), x)))


@builtin(itertools.count)
def count(m: Machine, node: ast.AST, start: Any = 0, step: Any = 1) -> Any:
    """``count(start, step)``."""
    return call(m, node, iterating.counting, start, step)


@builtin(itertools.cycle)
def cycle(m: Machine, node: ast.AST, x: Any) -> Any:
    """``cycle(x)``: what has been run through once is kept."""
    return call(m, node, iterating.cycled, list_(m, node, x))


@builtin(itertools.repeat)
def repeat(m: Machine, node: ast.AST, x: Any, times: Any = None) -> Any:
    """``repeat(x, times)``."""
    if times is None:
        return call(m, node, iterating.repeated, x)
    return Iterator(new_list([x] * need(m, node, times, "how often something is repeated")))
