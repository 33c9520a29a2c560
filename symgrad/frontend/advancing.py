"""Iterators: what ``iter``, ``zip`` and their like give, a sequence and a position in it that every
``next`` moves on.

A loop over the rest counts where nothing in it can see the iterator move; else it asks for one
element after the other.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ..ir.values import Value
from ..ops.written import iterating
from .control.branches import choose
from .control.counting import Counted, arithmetic, compared, counted
from .control.stepping import one_by_one
from .dispatch import NeverReturns
from .heap import reaches
from .lists.written import call
from .machine import Machine
from .names.scope import loaded
from .protocols import is_untouched
from .values import Iterator


def next_of(m: Machine, node: ast.AST, x: Iterator, default: tuple[Any, ...]) -> Any:
    """``next(x)``, ``next(x, default)``."""
    there = ready(m, node, x)
    if default and isinstance(there, Value):
        return choose(m, node, there, lambda: take(m, node, x), lambda: default[0])
    if isinstance(there, Value):
        m.builder.op("require", there, error="StopIteration", args=())
    elif not there:
        if default:
            return default[0]
        m.builder.op("raise", error="StopIteration", args=())
        raise NeverReturns
    return take(m, node, x)


def ready(m: Machine, node: ast.AST, x: Iterator) -> bool | Value:
    """Whether there is a next element."""
    at, stop = x.data["at"], one_by_one(m, node, x.items).stop
    if isinstance(at, int) and isinstance(stop, int):
        return at < stop
    return compared(m, node, ast.Lt(), at, stop)


def take(m: Machine, node: ast.AST, x: Iterator) -> Any:
    """The next element, which is there."""
    at = x.data["at"]
    item = one_by_one(m, node, x.items).item(at)
    m.heap.write(x, "at", arithmetic(m, node, ast.Add, at, 1))
    return item


def rest(m: Machine, node: ast.For, x: Iterator) -> tuple[Any, Counted | None]:
    """What a loop over an iterator runs over, and how to count over it."""
    if is_untouched(m, x):
        return x.items, None
    if not _is_seen(m, node, x) and counted(m, node, x.items) is not None:
        plan = one_by_one(m, node, x.items)
        found = replace(plan, start=x.data["at"])
        m.heap.write(x, "at", plan.stop)
        return x.items, found
    return call(m, node, iterating.rest, x), None


def _is_seen(m: Machine, node: ast.For, x: Iterator) -> bool:
    """Whether how far an iterator is matters in a loop over it, or where that is left."""
    ways = (ast.Break, ast.Return, ast.Raise, ast.Yield)
    leaves = bool(m.tryings) or any(isinstance(n, ways) for n in ast.walk(node))
    names = set().union(*map(loaded, node.body))
    held = (frame.scope.data for frame in m.frames)
    return reaches((v for data in held for k, v in data.items() if leaves or k in names), x)


__all__ = ["next_of", "ready", "rest", "take"]
