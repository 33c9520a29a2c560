"""Variables that are of one kind on some ways and of another on others: arrays of two dtypes, a
number and an array, a list and a tuple.

After a branch such a variable is a ``Poison`` with ``Kinds``. The first statement that reads it,
and what follows it in its block, is lowered once for each kind, behind a branch on which it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ir.types import BOOL
from ..dispatch import Flow, evaluate
from ..values import MISSING, Closure, Kinds, Poison, Ref, Scope, any_runtime
from .awaited import KindsPattern, MaybePattern

if TYPE_CHECKING:
    from ..machine import Checkpoint, Machine
    from ..names.lookup import Unsettled
    from .join import Joiner

MOST = 4
"""How often code is lowered twice within code that is."""


# ---------------------------------------------------------------------------------- joining
def of_two(x: Any) -> bool:
    """Whether a value is known to be of one of two kinds."""
    return isinstance(x, Poison) and isinstance(x.candidate, Kinds)


def joined(joiner: Joiner, a: Any, b: Any) -> Any:
    """The pattern of two values that are of different kinds, or of several each; ``MISSING`` if
    there is none."""
    from .join import OBJECT, Conflict

    if joiner.loop or joiner.condition is None or joiner.name == OBJECT:
        return MISSING
    sides = [x.candidate if of_two(x) else x for x in (a, b)]
    if a is MISSING or b is MISSING:
        return opened(joiner, sides[1] if a is MISSING else sides[0])
    if any(isinstance(x, Poison) for x in sides):
        return MISSING
    for position in (0, 1):
        try:
            return _joined(joiner, sides[0], sides[1], position)
        except Conflict:
            pass
    try:
        first, second = map(_part, _for_kinds(joiner), (a, b))
    except Conflict:
        return MISSING
    known = ((sides[0], True), (sides[1], False))
    return KindsPattern(joiner.condition, first, second, known)


def _for_kinds(joiner: Joiner) -> list[Joiner]:
    """How values of the first kind are joined, and those of the second."""
    return [replace(joiner, side=side, fixed=True) for side in (1, 2)]


def _part(way: Joiner, x: Any) -> Any:
    """The pattern of what is there on one of two ways only: itself, if it is older. A view is
    not: it cannot be taken on the other way.

    Raises:
        Conflict: it holds something that is made on that way and cannot be handed out.
    """
    from .join import Conflict, like

    if isinstance(x, tuple):
        return like(x, [_part(way, item) for item in x])
    view = isinstance(x, Ref) and x.path
    if way._is_there(x) and not view:
        return x
    pattern = way.opened(x)
    if not _is_opened(pattern):
        raise Conflict(x)
    return pattern


def _is_opened(pattern: Any) -> bool:
    """Whether no runtime value is left in a pattern."""
    from .join import Shell

    if isinstance(pattern, Shell):
        return all(map(_is_opened, pattern.parts.values()))
    if isinstance(pattern, tuple | dict):
        parts = pattern.values() if isinstance(pattern, dict) else pattern
        return all(map(_is_opened, parts))
    if isinstance(pattern, Poison | MaybePattern):
        inner = pattern.candidate if isinstance(pattern, Poison) else pattern.value
        return _is_opened(inner)
    return isinstance(pattern, Closure) or not any_runtime(pattern)


def _joined(joiner: Joiner, a: Any, b: Any, position: int) -> KindsPattern:
    """Of two kinds as before: what is of one kind only is of the first or the second.

    Raises:
        Conflict: it is not.
    """
    from .join import Conflict, Leaf

    if not isinstance(a, Kinds) and not isinstance(b, Kinds):
        raise Conflict
    ways = _for_kinds(joiner)
    if isinstance(a, Kinds) and isinstance(b, Kinds):
        flag = a.condition if a.condition is b.condition else Leaf(BOOL)
        first, second = (
            ways[0]._joined(a.first, b.first),
            ways[1]._joined(a.second, b.second),
        )
        return KindsPattern(flag, first, second)
    both, one = (a, b) if isinstance(a, Kinds) else (b, a)
    sides = [both.first, both.second]
    for at, way in enumerate(ways):
        if at == position:
            sides[at] = way._joined(*((sides[at], one) if both is a else (one, sides[at])))
        else:
            sides[at] = _part(way, sides[at])
    return KindsPattern(Leaf(BOOL), sides[0], sides[1], ((one, position == 0),))


def opened(joiner: Joiner, x: Kinds) -> Any:
    """A pattern of what is of two kinds already; ``MISSING`` if there is none."""
    from .join import Conflict, Leaf

    try:
        first, second = map(_part, _for_kinds(joiner), (x.first, x.second))
    except Conflict:
        return MISSING
    return KindsPattern(Leaf(BOOL), first, second)


def parts(pattern: KindsPattern, x: Any) -> tuple[Any, Any, Any]:
    """The condition and both values, those that are not there as ``MISSING``."""
    for value, first in pattern.known:
        if value is x:
            return (True, x, MISSING) if first else (False, MISSING, x)
    if isinstance(x, Kinds):
        return x.condition, x.first, x.second
    assert x is MISSING
    return MISSING, MISSING, MISSING


# ---------------------------------------------------------------------------------- reading
def evaluated(m: Machine, node: ast.expr) -> Any:
    """An expression that is assigned or returned, so it may give what is of two kinds."""
    from ..names.lookup import Unsettled
    from ..names.specialise import deciding_paths

    try:
        return evaluate(m, node)
    except Unsettled as unsettled:
        held = unsettled.held
        if unsettled.of is not node or held is None or not of_two(held):
            raise
        if deciding_paths(m, held.candidate.condition) is not None:
            raise
        return held


def on_each(
    m: Machine, state: Checkpoint | None, unsettled: Unsettled, body: Sequence[ast.stmt]
) -> Flow | None:
    """Statements lowered for each of the kinds of a variable that the first of them reads; how
    they end. None where that is not what is the matter with it."""
    from ..names.specialise import deciding_paths
    from . import branches
    from .flow import run

    if state is None or m.apart >= MOST:
        return None
    m.restore(state)
    found = _read(m, unsettled, body[0])
    if found is None or deciding_paths(m, found.condition) is not None:
        return None

    def side(first: bool) -> Callable[[], Flow]:
        def lowered() -> Flow:
            for scope, name, held in list(_all(m)):
                if held.condition is found.condition:
                    known = held.first if first else held.second
                    m.heap.write(scope, name, known, narrowed=True)
            return run(m, body)

        return lowered

    m.apart += 1
    try:
        then, orelse = (branches.lower_side(m, side(first)) for first in (True, False))
        m.builder.span = m.span(body[0])
        return branches.join_sides(m, body[-1], found.condition, then, orelse)
    finally:
        m.apart -= 1


def _read(m: Machine, unsettled: Unsettled, node: ast.stmt) -> Kinds | None:
    """What is of two kinds and stands in the way: what has been asked for, or else what a
    statement reads."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    others: Kinds | None = None
    for _, name, held in _all(m):
        if held.condition is unsettled.condition:
            return held  # type: ignore[no-any-return]
        others = held if name in names else others
    return others


def _all(m: Machine) -> Iterator[tuple[Scope, Any, Any]]:
    """The variables in reach that are of two kinds."""
    for scope in (m.frame.scope, *m.frame.outer_scopes()):
        for name, value in scope.data.items():
            if of_two(value):
                yield scope, name, value.candidate


__all__ = ["evaluated", "joined", "of_two", "on_each", "opened", "parts"]
