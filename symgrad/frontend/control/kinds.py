"""Variables that are of one kind on some ways and of another on others: arrays of two dtypes, a
number and an array, a list and a tuple.

After a branch such a variable is a ``Poison`` with ``Kinds``. The first statement that reads it,
and what follows it in its block, is lowered once for each kind, behind a branch on which it is.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import SymgradError
from ...ir.types import BOOL
from ...ir.values import Value
from ...ops.static import NeedsStatic
from ..dispatch import NEXT, Flow, evaluate
from ..names.lookup import Unsettled
from ..names.scope import own_name
from ..values import MISSING, Closure, Kinds, Poison, Ref, Scope, any_runtime
from .awaited import KindsPattern, MaybePattern, Option, Several, Truths

if TYPE_CHECKING:
    from ..machine import Checkpoint, Machine
    from .branches import Side
    from .join import Joiner

T = TypeVar("T")
MOST = 4
"""How often code is lowered twice within code that is."""
AROUND = 3
"""Of how many kinds a variable may be in the rounds of a loop."""


# ---------------------------------------------------------------------------------- joining
def of_two(x: Any) -> bool:
    """Whether a value is known to be of one of two kinds."""
    return isinstance(x, Poison) and isinstance(x.candidate, Kinds)


def of_several(x: Any) -> bool:
    """Whether a value or a pattern is of one of two kinds, or of more."""
    return isinstance(x, Poison) and isinstance(x.candidate, Kinds | KindsPattern | Several)


def joined(joiner: Joiner, a: Any, b: Any) -> Any:
    """The pattern of two values that are of different kinds, or of several each; ``MISSING`` if
    there is none. Around a loop ``a`` may be the pattern so far."""
    from .join import OBJECT, Conflict

    if joiner.name == OBJECT or not joiner.loop and joiner.condition is None:
        return MISSING
    if a is MISSING or b is MISSING:
        return opened(joiner, _inner(b if a is MISSING else a))
    if any(isinstance(x, Poison) and not of_several(x) for x in (a, b)):
        return MISSING
    try:
        return _fitted(joiner, _inner(a), b)
    except Conflict:
        return MISSING


def _inner(x: Any) -> Any:
    return x.candidate if of_several(x) else x


def _fitted(joiner: Joiner, a: Any, b: Any) -> KindsPattern:
    """The pattern of ``a`` that ``b`` fits into, too: the first kind stays one, the second may come
    to be of several.

    Raises:
        Conflict: there is none, or it would be of too many kinds.
    """
    from .join import Leaf

    several, inner = isinstance(a, Kinds | KindsPattern), _inner(b)
    if not joiner.loop and not several:
        return _behind_one(joiner, a, b)
    one, other = (a.first, a.second) if several else (a, MISSING)
    options = alternatives(inner)
    first, chosen = next(
        _fitting(joiner, one, options), (_side(joiner, 1, one, MISSING), None)
    )
    rest = [option for option in options if option is not chosen]
    left = _left(rest, getattr(b, "error", None))
    second = MISSING if other is left is MISSING else _side(joiner, 2, other, left)
    truth: Any = chosen is not None
    if chosen is not None and rest:
        truth = Truths(chosen.truths)
    flag: Any = a.condition if isinstance(a, KindsPattern) else Leaf(BOOL)
    known = a.known if isinstance(a, KindsPattern) else []
    if isinstance(a, Kinds) and chosen is not None:
        flag = a.condition if chosen.truths == ((a.condition, True),) else flag
    known.append((inner, (truth, MISSING if chosen is None else chosen.value, left)))
    return KindsPattern(flag, first, second, known)


def _behind_one(joiner: Joiner, a: Any, b: Any) -> KindsPattern:
    """The pattern of a value on the one side of a branch and another on the other, which may be of
    several kinds: those stay in order."""
    from .join import Conflict, Leaf

    if of_two(b):
        with suppress(Conflict):
            sides = (
                _side(joiner, 1, a, b.candidate.first),
                _side(joiner, 2, MISSING, b.candidate.second),
            )
            return KindsPattern(Leaf(BOOL), *sides, [(a, (True, a, MISSING))])
        with suppress(Conflict):
            second = _side(joiner, 2, a, b.candidate.second)
            if _depth(second) == _depth(b.candidate.second):
                first = _side(joiner, 1, MISSING, b.candidate.first)
                return KindsPattern(Leaf(BOOL), first, second, [(a, (False, MISSING, a))])
    sides = _side(joiner, 1, a, MISSING), _side(joiner, 2, MISSING, b)
    known = [(a, (True, a, MISSING)), (_inner(b), (False, MISSING, b))]
    return KindsPattern(joiner.condition, *sides, known)


def alternatives(x: Any) -> list[Option]:
    """What a value may be, each with what has to hold for that."""
    if isinstance(x, Several):
        return list(x.options)
    if not isinstance(x, Kinds):
        return [Option((), x)]
    return [
        Option(((x.condition, way), *inner.truths), inner.value)
        for way, part in ((True, x.first), (False, x.second))
        for inner in alternatives(_inner(part))
    ]


def _fitting(
    joiner: Joiner, one: Any, options: list[Option]
) -> Iterator[tuple[Any, Option]]:
    """Those of the options that are of the first kind, with the pattern for both."""
    from .join import Conflict

    for option in options:
        with suppress(Conflict):
            yield _side(joiner, 1, one, option.value), option


def _side(joiner: Joiner, side: int, a: Any, b: Any) -> Any:
    """The pattern of what is of the first kind, or of the second, on either way.

    Raises:
        Conflict: there is none.
    """
    from .join import Conflict

    way = replace(joiner, side=2 * joiner.side + side, fixed=not joiner.loop)
    if a is MISSING or b is MISSING:
        return _part(way, b if a is MISSING else a)
    if side == 1:
        return way._joined(a, b)
    found = way.generalise(a, b)
    if joiner.loop and _depth(found) >= AROUND or _depth(found) == math.inf:
        raise Conflict
    return found


def _depth(x: Any) -> float:
    """How many kinds there are beside the first of them; no end where that cannot be said."""
    if not isinstance(x, Poison):
        return 1
    return 1 + _depth(x.candidate.second) if of_several(x) else math.inf


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
    if isinstance(pattern, Poison):
        return pattern.candidate is not MISSING and _is_opened(pattern.candidate)
    if isinstance(pattern, MaybePattern):
        return _is_opened(pattern.value)
    return isinstance(pattern, Closure) or not any_runtime(pattern)


def opened(joiner: Joiner, x: Any) -> Any:
    """A pattern of what is of two kinds already; ``MISSING`` if there is none."""
    from .join import Conflict, Leaf

    if isinstance(x, KindsPattern):
        return x
    _, first, second = _split(x)
    try:
        sides = _side(joiner, 1, first, MISSING), _side(joiner, 2, second, MISSING)
    except Conflict:
        return MISSING
    return KindsPattern(Leaf(BOOL), *sides)


def parts(pattern: KindsPattern, x: Any) -> tuple[Any, Any, Any]:
    """The condition and both values, those that are not there as ``MISSING``."""
    if x is MISSING:
        return False, MISSING, MISSING
    known = (found for value, found in reversed(pattern.known) if value is x)
    return next(known, None) or _split(x)


def _split(x: Any) -> tuple[Any, Any, Any]:
    """Whether a value is of its first kind, that, and what else it may be."""
    if isinstance(x, Kinds):
        return x.condition, x.first, x.second
    if not isinstance(x, Several):
        return True, x, MISSING
    first, *rest = x.options
    return Truths(first.truths), first.value, _left(rest, x.error)


def _left(options: Sequence[Option], error: SymgradError | None) -> Any:
    """What may be one of some options."""
    if len(options) < 2 or error is None:
        return options[0].value if options else MISSING
    return Poison(error, None, Several(tuple(options), error))


# ---------------------------------------------------------------------------------- reading
def evaluated(m: Machine, node: ast.expr) -> Any:
    """An expression that is assigned or returned, so it may give what is of two kinds."""
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
    m: Machine, state: Checkpoint, unsettled: Unsettled, body: Sequence[ast.stmt]
) -> Flow | None:
    """Statements lowered for each of the kinds of what the first of them reads; how they end.
    None where that is not what is the matter with it."""
    from . import branches
    from .flow import run

    m.restore(state)
    ahead = _ahead(m, unsettled, body)
    if ahead is not None:
        return run(m, ahead)
    found = _read(m, unsettled, body[0])
    if found is None or m.apart >= MOST:
        return None
    if len(body) > 1 and _first_alone(m, found, body[0]):
        return run(m, body[1:])
    then, orelse = _sides(m, found, body)
    return branches.join_sides(m, body[-1], found.condition, then, orelse)


def _sides(m: Machine, found: Kinds, body: Sequence[ast.stmt]) -> list[Side]:
    """Statements lowered for each of two kinds."""
    from . import branches
    from .flow import run

    m.apart += 1
    try:
        ways = _known_to_be(m, found, lambda: run(m, body))
        sides = [branches.lower_side(m, way) for way in ways]
    finally:
        m.apart -= 1
    m.builder.span = m.span(body[0])
    return sides


def _first_alone(m: Machine, found: Kinds, first: ast.stmt) -> bool:
    """Lower a statement for each of two kinds, if all that it assigns is of one kind after it:
    what follows need not be lowered twice then."""
    from . import branches

    state = m.checkpoint()
    before = {id(held) for _, _, held in _all(m)}
    then, orelse = _sides(m, found, [first])
    if then.flow == orelse.flow == NEXT:
        branches.join_sides(m, first, found.condition, then, orelse)
        if all(id(held) in before for _, _, held in _all(m)):
            return True
    m.restore(state)
    return False


def _ahead(
    m: Machine, unsettled: Unsettled, body: Sequence[ast.stmt]
) -> list[ast.stmt] | None:
    """Statements of which the first has an expression in it that gives what is of two kinds: with
    that computed before it, in a variable of its own. None where there is no such thing."""
    from ..names.specialise import deciding_paths

    node, held = unsettled.of, unsettled.held
    if node is None or held is None or not of_two(held):
        return None
    if deciding_paths(m, held.candidate.condition) is not None:
        return None
    return taken_apart(m, node, body)


def taken_apart(
    m: Machine, node: ast.AST, body: Sequence[ast.stmt]
) -> list[ast.stmt] | None:
    """Statements with an expression that is in the first of them computed before it, in a variable
    of its own. None where it is not there, or cannot be taken out."""
    from ..recursion.lift import Lift

    first = body[0]
    field = _VALUES.get(type(first))
    value = None if field is None else getattr(first, field)
    if (
        field is None
        or value is None
        or not any(inner is node for inner in ast.walk(value))
    ):
        return None
    if (
        value is node
        and _takes_all(first)
        or isinstance(first, ast.AugAssign)
        and (m.frame.shared or not isinstance(first.target, ast.Name))
    ):
        return None
    lifted = Lift.apart(value, node, partial(_fresh, m))
    if lifted is None:
        return None
    before, rest = lifted
    statement = copy.copy(first)
    setattr(statement, field, rest)
    if m.frame.liveness is not None:
        m.frame.liveness.note(before, m.frame.local)
        m.frame.liveness.same(first, statement)
    return [*before, statement, *body[1:]]


_VALUES = {
    **dict.fromkeys(
        (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return), "value"
    ),
    ast.If: "test",
    ast.Assert: "test",
    ast.For: "iter",
}
"""The expression that a statement begins with."""


def _takes_all(node: ast.stmt) -> bool:
    """Whether a statement hands on what is of two kinds as it is."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, ast.Return)


def _fresh(m: Machine, called: str) -> str:
    """A variable that the running function does not have."""
    number = 1
    while (name := own_name(f"{called}_{number}")) in m.frame.local:
        number += 1
    m.frame.local |= {name}
    return name


def tested(m: Machine, node: ast.expr) -> bool | Value:
    """The truth of an expression that may read what is of two kinds."""
    from . import branches, conditions

    state = m.checkpoint()
    try:
        return conditions.tested(m, node)
    except Unsettled as unsettled:
        found = None
        m.restore(state)
        if m.apart < MOST:
            found = _read(m, unsettled, node)
        if found is None:
            raise
    m.apart += 1
    try:
        ways = _known_to_be(
            m, found, lambda: m.wrap(conditions.as_value(m, tested(m, node)))
        )
        return conditions.truth(m, node, branches.choose(m, node, found.condition, *ways))
    finally:
        m.apart -= 1


def around(m: Machine, node: ast.stmt, lower: Callable[[], T]) -> T | None:
    """A loop in which variables are of different kinds in different rounds, as the running code
    can tell; None where that does not help."""
    outer = m.mixed, m.nones
    m.mixed, m.nones = node, True
    try:
        return lower()
    except (NeedsStatic, Unsettled):
        return None
    finally:
        m.mixed, m.nones = outer


def _known_to_be(m: Machine, found: Kinds, run: Callable[[], T]) -> list[Callable[[], T]]:
    """``run`` where what is of two kinds is of the first, and of the second."""

    def side(first: bool) -> Callable[[], T]:
        def lowered() -> T:
            for scope, name, held in list(_all(m)):
                if held.condition is found.condition:
                    known = held.first if first else held.second
                    m.heap.write(scope, name, known, narrowed=True)
            return run()

        return lowered

    return [side(True), side(False)]


def _read(m: Machine, unsettled: Unsettled, node: ast.AST) -> Kinds | None:
    """What is of two kinds and stands in the way: what has been asked for, or else what the code
    reads. None if nothing is, or it cannot be asked of which it is."""
    from ..names.specialise import deciding_paths

    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    found: Kinds | None = None
    for scope, name, held in _all(m):
        if scope.data[name] is unsettled.held or held.condition is unsettled.condition:
            found = held
            break
        found = held if name in names else found
    if found is None or found.condition in m.unasked:
        return None
    return None if deciding_paths(m, found.condition) is not None else found


def _all(m: Machine) -> Iterator[tuple[Scope, Any, Any]]:
    """The variables in reach that are of two kinds."""
    for scope in (m.frame.scope, *m.frame.outer_scopes()):
        for name, value in scope.data.items():
            if of_two(value):
                yield scope, name, value.candidate


__all__ = [
    "around",
    "evaluated",
    "joined",
    "of_several",
    "of_two",
    "on_each",
    "opened",
    "parts",
    "taken_apart",
    "tested",
]
