"""What is run through when compiling, one element after the other: each is made when it is asked
for, so that a list may be changed meanwhile and a ``map`` calls its function when Python does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..dispatch import NeverReturns
from ..machine import Machine
from ..names.specialise import need
from ..requests import SHAPES, NeedsSpecialisation
from ..values import DictObject, Items, Iteration, ListObject, is_long
from .counting import Counted, combined, counted, from_zero, sources

MOST = 10_000
"""The most rounds that are unrolled."""


def one_by_one(m: Machine, node: ast.AST, x: Any) -> Counted:
    """The elements of ``x`` numbered from 0."""
    from ..unpacking import spread_items

    plan = counted(m, node, x)
    if plan is None and isinstance(x, Iteration):
        plan = combined(m, node, x, [one_by_one(m, node, p) for p in sources(x)])
        if plan is not None and plan.rounds is None and not m.captures.static_shapes:
            raise NeedsSpecialisation(SHAPES)  # lists beside arrays
    plan = plan if plan is None else from_zero(m, node, plan)
    if plan is not None:
        return plan
    if isinstance(x, ListObject):  # as it is when an element is asked for
        return Counted(0, len(x.items), 1, lambda i: _item(m, node, x, i))
    items = tuple(spread_items(m, node, x))
    return Counted(0, len(items), 1, lambda i: _item(m, node, items, i))


def _item(m: Machine, node: ast.AST, items: Any, i: Any) -> Any:
    from ..lists import calls as list_calls

    if m.listing and isinstance(i, Value):
        return list_calls.get(m, node, list_calls.lengthened(m, node, items), i)
    known = items.items if isinstance(items, ListObject) else items
    return known[need(m, node, i, "a position")]


def each(m: Machine, node: ast.AST, x: Any) -> Iterator[Any]:
    """The elements of a list, dict or iteration whose number is known."""
    cells = [c for c in (x, *_sources(x)) if isinstance(c, ListObject | DictObject)]
    plan, known = one_by_one(m, node, x), [c.data["items"] for c in cells]
    size, done = plan.stop, 0
    while True:
        now = [c.data["items"] for c in cells]
        if any(p is not q for p, q in zip(known, now, strict=True)):
            plan, known = one_by_one(m, node, x), now
            _check(m, node, x, plan, size, done)
        if done >= plan.stop:
            return
        yield plan.item(done)
        done += 1


def whole(x: Any) -> Any:
    """The list that a list in it is part of, or it itself."""
    return x.root if x.is_part else x


def depth_of(x: Any) -> int:
    """How deep a list is in others."""
    return len(x.path) if x.is_part else 0


def moved(m: Machine, x: Any, mark: int) -> bool:
    """Whether a list that ``x`` runs through, of which only the running code knows how long it is,
    may have got another length since ``mark``: its elements are not where they were, then."""
    cells = {id(whole(c)): depth_of(c) for c in (x, *_sources(x)) if is_long(c)}
    return any(
        id(change.cell) in cells
        and not _refilled(change.before, change.after, cells[id(change.cell)])
        for change in m.heap.changes(mark).values()
    )


def _refilled(before: Any, after: Any, depth: int) -> bool:
    """Whether the lists that deep in a list have been changed by ``xs[i] = v`` only."""
    if not isinstance(before, Items) or not isinstance(after, Items):
        return False
    pairs = zip(before.lists, after.lists, strict=False)
    return before is after or all(_as_long(new, old, depth) for old, new in pairs)


_BY_ONE = {
    "list_set": 2,
    "list_replace": 3,
    "list_push": 2,
    "list_pop": 1,
    "list_insert": 3,
    "list_drop": 3,
}
"""How many inputs those ops have that change the length of a list, where that is in no other, and
one that does not."""


def _as_long(new: Value, old: Value, depth: int) -> bool:
    """Whether one list is another, or that with other elements in its places, as far as the lists
    that deep in it go."""
    if new is old:
        return True
    op = new.op
    if op is None:
        return False
    if op.name in _BY_ONE and len(op.inputs) > _BY_ONE[op.name] + depth:
        return _as_long(op.inputs[0], old, depth)
    place = op.results.index(new)
    if op.name == "if":
        return all(_as_long(side.results[place], old, depth) for side in op.regions)
    if op.name not in ("for", "while"):
        return False
    body, first = op.regions[-1], 3 if op.name == "for" else 0
    leaves = int(op.attrs["breaks"])
    begun = body.params[place + (op.name == "for")]
    round_ = body.results[place + leaves]
    inits = op.inputs[first + place]
    return _as_long(round_, begun, depth) and _as_long(inits, old, depth)


def _sources(x: Any) -> tuple[Any, ...]:
    return sources(x) if isinstance(x, Iteration) else ()


def _check(m: Machine, node: ast.AST, x: Any, plan: Counted, size: int, done: int) -> None:
    """What a loop over something that has changed comes to."""
    if plan.rounds is None:
        raise UnsupportedSyntaxError(
            "whether this list grows in the loop over it is known at run time only; write "
            "`while i < len(xs)`, and index it",
            m.span(node),
        )
    if isinstance(x, DictObject) and plan.stop != size:
        text = "dictionary changed size during iteration"
        m.builder.op("raise", error="RuntimeError", args=(text,))
        raise NeverReturns
    if done > MOST:
        raise UnsupportedSyntaxError(
            f"this list is still growing after {MOST} rounds of the loop over it",
            m.span(node),
        )


__all__ = ["MOST", "each", "moved", "one_by_one"]
