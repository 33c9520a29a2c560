"""Calls whose gradients become others on their way back, by functions that are compiled."""

from __future__ import annotations

import ast
import logging
from collections.abc import Sequence
from typing import Any

from ...errors import InternalError
from ...ir.rewrite import free_values
from ...ir.values import Block, Value
from ...ops.taps import Bend
from ..arguments.leaftypes import as_value
from ..derivatives.verbs import verb
from ..inline import call_value
from ..machine import Machine
from ..names.static import opened
from ..requests import NeedsSpecialisation
from ..values import DictObject
from .taps import has_gradient

LOG = logging.getLogger("symgrad")


class _Open(Exception):  # a reason, not an error
    """A function does more than compute gradients from gradients."""


@verb("bent_call")
def bent_call(
    m: Machine,
    node: ast.AST,
    function: Any,
    after: Any,
    before: Any,
    known: Any,
    args: Any,
    kwargs: Any,
) -> Any:
    """``(function(*args, **kwargs),)``, the gradients of whose results ``after(*known, grads)``
    makes others of, and ``before(*known, grads, those)`` of the gradients of the arguments; None
    if these cannot be compiled."""
    state = m.checkpoint()
    fixed = opened(m, known)
    named = opened(m, kwargs)
    assert isinstance(named, DictObject)
    try:
        return (_bent(m, node, function, (after, before, fixed), opened(m, args), named),)
    except (InternalError, NeedsSpecialisation):
        raise
    except Exception as error:
        # Whatever is wrong with it, it will say so when it runs.
        m.restore(state)
        LOG.info("hooks on gradients run as they are: %s", error)
        return None


def _bent(
    m: Machine, node: ast.AST, function: Any, how: Any, args: Any, named: DictObject
) -> Any:
    after, before, known = how
    first, last = Bend(), Bend()
    args, entering = _through(m, last, args)
    output = call_value(m, node, function, args, named.items)
    whole = output if isinstance(output, tuple) else (output,)
    found, leaving = _through(m, first, whole)
    if not leaving:
        raise _Open("nothing has a gradient")
    if not entering:
        # There is nothing to wait for.
        first.block = _block(m, node, (after, before), known, (found, args))
        return found if isinstance(output, tuple) else found[0]
    first.block = _block(m, node, (after,), known, (found,))
    last.block, last.source = _block(m, node, (before,), known, (args, found)), first
    return found if isinstance(output, tuple) else found[0]


def _through(m: Machine, by: Bend, parts: Any) -> tuple[tuple[Any, ...], list[Value]]:
    """The parts, those with a gradient behind an op; and what that takes."""
    moving = [as_value(m, x) for x in parts if has_gradient(x)]
    if not moving:
        return tuple(parts), moving
    op = m.builder.append("bend", tuple(moving), {"passed": len(moving), "by": by})
    results = iter(m.wrap(v) for v in op.results)
    return tuple(next(results) if has_gradient(x) else x for x in parts), moving


def _block(
    m: Machine, node: ast.AST, functions: Any, known: Any, likes: Sequence[Any]
) -> Block:
    """``function(*known, *gradients)`` for gradients like these values; None for what has
    none. A second function is called with what has no gradient, and what the first made of the
    others."""
    region = m.new_region()
    mark, params = m.heap.mark, []
    try:
        with m.inside(region) as b:
            given = []
            for like in likes:
                part: list[Any] = []
                for x in like:
                    part.append(None)
                    if has_gradient(x):
                        params.append(b.param(as_value(m, x).type, "g"))
                        part[-1] = m.wrap(params[-1])
                given.append(tuple(part))
            if len(functions) == 2:
                made = call_value(m, node, functions[0], (*known, given[0]), {})
                call_value(m, node, functions[1], (*known, given[1], made), {})
                found = opened(m, made)
            else:
                found = opened(m, call_value(m, node, functions[0], (*known, *given), {}))
            wanted = zip(likes[0], found, strict=True)
            results = [as_value(m, g) for x, g in wanted if has_gradient(x)]
            block = b.block(params, results)
        changed = any(
            c.cell.birth < region.birth and not c.narrowed
            for c in m.heap.changes(mark).values()
        )
    finally:
        m.heap.undo(mark)
    if changed or free_values(block):
        raise _Open("it reads or changes what is outside of it")
    types = [as_value(m, x).type for x in likes[0] if has_gradient(x)]
    if any(g.type != t for g, t in zip(results, types, strict=True)):
        raise _Open("a gradient becomes one of another kind")
    return block


__all__ = ["bent_call"]
