"""Ready-made iterations: ``np.ndindex`` and ``np.ndenumerate``, what ``itertools`` has for
sequences, ``iter``, and ``typing.cast``, which does nothing."""

from __future__ import annotations

import ast
import itertools
import operator
import sys
import typing
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.expr import Expr
from .builtin_calls import builtin
from .machine import Machine
from .names.static import opened
from .protocols import OneTime
from .unpacking import spread_items
from .values import Iteration, ListObject, Ref, new_list

_SEQUENCES = [
    *(itertools.chain, itertools.pairwise, itertools.zip_longest, itertools.islice),
    *(itertools.combinations, itertools.combinations_with_replacement),
    *(itertools.permutations, itertools.product),
]
if sys.version_info >= (3, 12):
    _SEQUENCES.append(itertools.batched)


@builtin(np.ndindex)
def ndindex(m: Machine, node: ast.AST, *lengths: Any) -> Iteration:
    """``np.ndindex(shape)``, the shape as a tuple or as several numbers."""
    if len(lengths) == 1 and isinstance(opened(m, lengths[0]), tuple | ListObject):
        lengths = tuple(spread_items(m, node, lengths[0]))
    return Iteration("ndindex", lengths)


@builtin(np.ndenumerate)
def ndenumerate(m: Machine, node: ast.AST, x: Any) -> Any:
    """``np.ndenumerate(x)`` of an array."""
    array = opened(m, x)
    if not isinstance(array, Ref):
        return NotImplemented
    rows = Expr(m.builder, m.read(array))
    lengths = (m.lower(rows.length(axis)) for axis in range(len(array.type.shape)))
    return Iteration("ndenumerate", (array, *lengths))


@builtin(typing.cast)
def cast(m: Machine, node: ast.AST, kind: Any, x: Any) -> Any:
    """``typing.cast``."""
    return x


@builtin(iter)
def iter_(m: Machine, node: ast.AST, x: Any) -> OneTime:
    """``iter(x)``, of which nothing can be taken but all at once."""
    return OneTime(x)


def _over_sequences(f: Any) -> Any:
    """``f`` looks at no element, so that it can order abstract values as it does others."""

    def lowered(m: Machine, node: ast.AST, *args: Any, **kwargs: Any) -> ListObject:
        listed = [
            x if x is None or isinstance(x, int) else spread_items(m, node, x) for x in args
        ]
        return new_list(f(*listed, **kwargs))

    return lowered


for _function in _SEQUENCES:
    builtin(_function)(_over_sequences(_function))


@builtin(itertools.chain.from_iterable)
def chained(m: Machine, node: ast.AST, xs: Any) -> ListObject:
    """``chain.from_iterable(xs)``."""
    lists = [spread_items(m, node, x) for x in spread_items(m, node, xs)]
    return new_list(itertools.chain.from_iterable(lists))


@builtin(itertools.accumulate)
def accumulate(
    m: Machine, node: ast.AST, x: Any, function: Any = operator.add, *, initial: Any = None
) -> ListObject:
    """``accumulate(x, function, initial=...)``."""
    from .calls import call_any

    items = spread_items(m, node, x)
    if initial is not None:
        items = [initial, *items]
    totals = items[:1]
    for item in items[1:]:
        totals.append(call_any(m, node, function, (totals[-1], item), {}))
    return new_list(totals)


@builtin(itertools.starmap)
def starmap(m: Machine, node: ast.AST, function: Any, x: Any) -> ListObject:
    """``starmap(function, x)``."""
    from .calls import call_any

    return new_list(
        call_any(m, node, function, tuple(spread_items(m, node, args)), {})
        for args in spread_items(m, node, x)
    )


@builtin(itertools.count, itertools.cycle)
def endless(m: Machine, node: ast.AST, *args: Any) -> Any:
    """What never ends cannot be listed."""
    raise UnsupportedSyntaxError(
        "an iterator without an end cannot be compiled; use enumerate, or an index with %",
        m.span(node),
    )


@builtin(itertools.repeat)
def repeat(m: Machine, node: ast.AST, x: Any, times: Any = None) -> Any:
    """``repeat(x, times)``."""
    if not isinstance(times, int):
        return endless(m, node)
    return new_list([x] * times)
