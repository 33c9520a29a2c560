"""Arrays of which the running code says which one they are: ``w = x if c else y``.

Such an array has no content of its own. Reading it reads the one that the condition selects,
as it is then; writing to it is a branch in which the one or the other is written to. So nothing
is to be kept in step, however many names there are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...ir.types import BOOL, INT, ArrayType, ScalarType
from ...ir.values import Value
from ..control.awaited import Pick, Picked
from ..dispatch import NEXT, Flow
from ..machine import Machine
from ..values import Ref, Selected


def selection(condition: Value, first: Ref, second: Ref, type: ArrayType) -> Ref:
    """``first if condition else second``."""
    return Ref(Selected(condition, first, second, type), type)


def fits(a: Ref, b: Ref) -> bool:
    """Whether two arrays can be the same one at different times, whatever comes."""
    same = a.type.dtype == b.type.dtype and a.type.ndim == b.type.ndim
    return same and _lasting(a) and _lasting(b)


def _lasting(x: Ref) -> bool:
    """Whether the array can be named outside of the block where it was."""
    return not any(view.operands for view in x.path)


def on_each(m: Machine, node: ast.AST, ref: Ref, write: Callable[[Ref], None]) -> bool:
    """Write to each of the arrays that ``ref`` may be, under its condition.

    Returns:
        Whether it may be several.
    """
    storage = ref.storage
    if not isinstance(storage, Selected):
        return False
    from ..control import branches

    def side(x: Ref) -> Callable[[], Flow]:
        def body() -> Flow:
            kind = ref.type if ref.path else x.type
            write(Ref(x.storage, kind, (*x.path, *ref.path)))
            return NEXT

        return body

    then = branches.lower_side(m, side(storage.first))
    orelse = branches.lower_side(m, side(storage.second))
    branches.join_sides(m, node, storage.condition, then, orelse)
    return True


# ------------------------------------------------------------------------ around a loop
def options_of(x: Any, birth: float) -> list[Ref] | None:
    """All the arrays that ``x`` may be, if they are all older than ``birth``."""
    if not isinstance(x, Ref):
        return None
    if isinstance(x.storage, Selected) and x.storage.birth > birth:
        if x.path:
            return None
        both = [options_of(side, birth) for side in (x.storage.first, x.storage.second)]
        return None if None in both else [r for part in both for r in part or ()]
    return [x] if x.storage.birth < birth and _lasting(x) else None


def pick(joiner: Any, known: Any, x: Any, birth: float, new: Callable[[Any], Any]) -> Any:
    """The pattern of arrays that change places; None if they do not do that only."""
    first = list(known.options) if isinstance(known, Pick) else options_of(known, birth)
    more = options_of(x, birth)
    if first is None or more is None:
        return None
    options: list[Ref] = []
    for option in (*first, *more):
        if not any(option.same(other) for other in options):
            options.append(option)
    if any(not fits(options[0], other) for other in options):
        return None
    if isinstance(known, Pick) and len(options) == len(known.options):
        return known
    joint: Any = options[0].type
    free: frozenset[Any] = frozenset()
    for other in options[1:]:
        joint, free = joiner.types(joint, other.type, free)
    return Pick(tuple(options), new(BOOL if len(options) == 2 else INT), joint)


def number(m: Machine, x: Picked) -> Value:
    """The value that tells which option an array is: with two, whether it is the first."""
    kind = BOOL if len(x.options) == 2 else INT
    return _number(m, x.ref, x.options, kind)


def _number(m: Machine, ref: Ref, options: tuple[Ref, ...], kind: ScalarType) -> Value:
    for position, option in enumerate(options):
        if ref.same(option):
            return m.builder.const(position == 0 if kind == BOOL else position)
    storage = ref.storage
    assert isinstance(storage, Selected)
    ends = (storage.first, storage.second)
    if kind == BOOL and all(any(x.same(o) for o in options) for x in ends):
        test = storage.condition
        if isinstance(test.type, ArrayType):
            test = m.builder.one("item", test, kind="bool")
        return test if ends[0].same(options[0]) else m.builder.one("logical_not", test)
    blocks = []
    for side in ends:
        with m.inside(m.new_region()) as b:
            blocks.append(b.block((), [_number(m, side, options, kind)]))
    [found] = m.builder.if_(storage.condition, *blocks)
    return found


def picked(m: Machine, pattern: Pick, which: Value) -> Ref:
    """The option that a number tells."""
    options = pattern.options
    if len(options) == 1:
        return options[0]
    if len(options) == 2:
        return selection(which, options[0], options[1], pattern.type)
    *rest, found = options
    for position, option in reversed(list(enumerate(rest))):
        test = m.builder.one("equal", which, m.builder.const(position))
        found = selection(test, option, found, pattern.type)
    return found
