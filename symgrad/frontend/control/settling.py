"""Values that have to be known when compiling where the running code says which of a few they
are: ``axis = 0 if c else 1``, ``mode = "same" if c else "full"``, ``functions[i]``.

The statement that needs such a value is lowered once for each, behind a branch on which it is,
and so is what follows it in its block if that depends on which it was.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.evaluate import compute_op
from ...ir.structure import FOR, IF, UNDEF, WHILE
from ...ir.types import BOOL, ArrayType
from ...ir.values import Op, Value
from ...ops.static import NeedsStatic
from ..dispatch import NEXT, Flow
from ..names.held import Choice
from ..names.specialise import deciding_paths
from ..names.static import same_static
from ..values import MISSING, DictObject, ListObject, Maybe, Poison, Scope

if TYPE_CHECKING:
    from ..machine import Checkpoint, Machine

Given = dict[Value, list[Any]]
MOST = 16
"""How many values may be told apart."""
DEEPEST = 4
"""How often code is lowered several times within code that is."""


# ------------------------------------------------------------------------------- asking
def option(m: Machine, f: Any, x: Any, place: int | str) -> Any:
    """An argument of a function: what may be None is told apart where None says something, as it
    does for ``axis``."""
    return told(m, x) if isinstance(x, Maybe) and _takes_none(f, place) else x


def told(m: Machine, x: Any) -> Any:
    """What may be None as None or as what it is else.

    Raises:
        NeedsStatic: that has not been told apart yet.
    """
    if not isinstance(x, Maybe):
        return x
    present = m.wrap(x.present)
    if isinstance(present, Value):
        raise NeedsStatic(present)
    return x.value if present else None


def one_of(m: Machine, x: Choice) -> Any:
    """One of some types, known when compiling.

    Raises:
        NeedsStatic: it has not been told apart yet.
    """
    [index] = x.holds
    which = m.wrap(index)
    if isinstance(which, Value):
        raise NeedsStatic(index)
    return x.options[which]


def _takes_none(f: Any, place: int | str) -> bool:
    with suppress(TypeError, ValueError):
        parameters = inspect.signature(f).parameters.values()
        found = [p for i, p in enumerate(parameters) if place in (i, p.name)]
        return any(p.default is None or p.default is np._NoValue for p in found)
    return False


def position(m: Machine, owner: Any, key: Any) -> Any:
    """A position in a container of known length, as a number known when compiling if that can be.

    Raises:
        NeedsStatic: it has not been told apart yet.
    """
    known = m.wrap(key) if isinstance(key, Value) else key
    if not isinstance(known, Value) or not m.choosing:
        return known
    if isinstance(owner, DictObject) or options(key) is not None:
        raise NeedsStatic(key)
    size = len(owner.items if isinstance(owner, ListObject) else owner)
    found = m.chosen.get((key, size), MISSING)
    if found is MISSING:
        kind = "list" if isinstance(owner, ListObject) else "tuple"
        raise NeedsStatic(key, size, kind)
    return found


def options(value: Value, given: Given | None = None) -> list[Any] | None:
    """All that a value may be, on what the values in ``given`` may be; None where that is not
    known, or too much."""
    given = given or {}
    if value in given:
        return given[value]
    if value.is_constant:
        return [value.constant]
    if value.type == BOOL:
        return [True, False]
    if isinstance(value.type, ArrayType):
        if value.type.shape:
            return None
        if value.type.dtype.kind == "b":
            return [np.True_, np.False_]
    if value.op is None:
        return None
    return _distinct(_options(value.op, value, given))


def _options(op: Op, value: Value, given: Given) -> Iterator[list[Any] | None]:
    """What a value may be by the operation it comes from, in parts."""
    place = op.results.index(value)
    if op.kind is UNDEF:
        yield []
    elif op.kind is IF:
        for region in op.regions:
            yield options(region.results[place], given)
    elif op.kind in (FOR, WHILE):
        yield _carried(op, place - len(op.results), given)
    elif op.name == "list_get":
        for item in _listed(op.inputs[0]):
            yield None if item is None else options(item, given)
    elif op.name == "remainder" and isinstance(op.inputs[1].dim, int):
        yield list(range(op.inputs[1].dim)) if 0 < op.inputs[1].dim <= MOST else None
    else:
        yield _computed(op, given)


def _carried(op: Op, place: int, given: Given) -> list[Any] | None:
    """What a loop's variable may be after any number of rounds."""
    body = op.regions[-1]
    found = options(op.inputs[place], given)
    while found is not None:
        inside = {**given, body.params[place]: found}
        more = _distinct(iter((found, options(body.results[place], inside))))
        if more is not None and len(more) == len(found):
            break
        found = more
    return found


def _listed(value: Value) -> Iterator[Value | None]:
    """The elements of an IR list that is written out; None where it is not."""
    op = value.op
    while op is not None and op.name == "list_push":
        yield op.inputs[1]
        op = op.inputs[0].op
    if op is None or op.name != "list_new":
        yield None


def _computed(op: Op, given: Given) -> list[Any] | None:
    """What a plain operation may give on what its inputs may be."""
    if op.regions or len(op.results) != 1 or op.kind.has("effect"):
        return None
    known = [found for v in op.inputs if (found := options(v, given)) is not None]
    if not known or len(known) < len(op.inputs) or math.prod(map(len, known)) > MOST:
        return None
    try:
        return [compute_op(op, inputs) for inputs in itertools.product(*known)]
    except (ArithmeticError, TypeError, ValueError):
        return None


def _distinct(parts: Iterator[list[Any] | None]) -> list[Any] | None:
    found: list[Any] = []
    for part in parts:
        if part is None:
            return None
        for x in part:
            if not any(same_static(x, other) for other in found):
                found.append(x)
    return found if len(found) <= MOST else None


# ---------------------------------------------------------------------- telling apart
def note(m: Machine, node: ast.expr, value: Any) -> None:
    """Remember which expression has given what may have to be told apart."""
    found = value.present if isinstance(value, Maybe) else value
    found = value.holds[0] if isinstance(value, Choice) else found
    if isinstance(found, Value):
        m.sources[found] = node


def on_each(
    m: Machine, state: Checkpoint, needed: NeedsStatic, body: Sequence[ast.stmt]
) -> Flow | None:
    """Statements lowered for each value that the first of them has to know; how they end. None
    where it may be any."""
    from .flow import run
    from .kinds import taken_apart

    value = needed.value
    if not m.choosing or m.apart >= DEEPEST or deciding_paths(m, value, floats=True):
        return None
    m.restore(state)
    if not _is_there(m, value):
        source = m.sources.get(value)
        ahead = None if source is None else taken_apart(m, source, body)
        return None if ahead is None else run(m, ahead)
    choices = options(value) if needed.length is None else list(range(needed.length))
    if not choices or len(choices) > MOST:
        return None
    asked = value if needed.length is None else _from_the_front(m, needed)
    key = value if needed.length is None else (value, needed.length)
    m.apart += 1
    try:
        return _lowered(m, key, asked, choices, body)
    finally:
        m.apart -= 1


def _is_there(m: Machine, value: Value) -> bool:
    """Whether a value has been computed before this place."""
    region: Any = m.region
    while region is not None:
        if value.op is None or any(op is value.op for op in region.builder.ops):
            return True
        region = region.parent
    return False


def _from_the_front(m: Machine, needed: NeedsStatic) -> Value:
    """A position counted from the front; the running code raises where there is none."""
    b, k, n = m.builder, needed.value, m.builder.const(needed.length)
    if isinstance(k.type, ArrayType):
        k = b.one("item", k, kind="int")
    from_end = b.one("less", k, b.const(0))
    blocks = []
    for end in (True, False):
        with m.inside(m.new_region()) as side:
            blocks.append(side.block((), [side.one("add", k, n) if end else k]))
    [found] = b.if_(from_end, *blocks)
    fits = [b.one("less", found, n), b.one("greater_equal", found, b.const(0))]
    for test in fits:
        text = f"{needed.kind} index out of range"
        b.op("require", test, error="IndexError", args=(text,))
    return found


def _lowered(
    m: Machine, key: Any, asked: Value, choices: list[Any], body: Sequence[ast.stmt]
) -> Flow:
    """The first statement for each choice, and the rest after it; or all for each."""
    from .flow import run

    if len(body) > 1:
        state, before = m.checkpoint(), set(_unclear(m))
        flow = _branches(m, key, asked, choices, body[:1])
        if flow == NEXT and set(_unclear(m)) <= before:
            return run(m, body[1:])
        m.restore(state)
    return _branches(m, key, asked, choices, body)


def _unclear(m: Machine) -> Iterator[int]:
    """The variables in reach that are not one value."""
    scopes: list[Scope] = [m.frame.scope, *m.frame.outer_scopes()]
    for scope in scopes:
        yield from (id(x) for x in scope.data.values() if isinstance(x, Poison))


def _branches(
    m: Machine, key: Any, asked: Value, choices: list[Any], body: Sequence[ast.stmt]
) -> Flow:
    from . import branches
    from .flow import run

    first, *others = choices

    def side(choice: Any) -> Flow:
        with _known(m, key, choice):
            return run(m, body)

    if not others:
        return side(first)
    test = _is(m, asked, first)
    then = branches.lower_side(m, partial(side, first))
    rest: Callable[[], Flow] = partial(_branches, m, key, asked, others, body)
    orelse = branches.lower_side(m, rest)
    m.builder.span = m.span(body[0])
    return branches.join_sides(m, body[-1], test, then, orelse)


@contextmanager
def _known(m: Machine, key: Any, choice: Any) -> Iterator[None]:
    """A value is known to be this one."""
    outer = m.chosen
    m.chosen = {**outer, key: choice}
    try:
        yield
    finally:
        m.chosen = outer


def _is(m: Machine, value: Value, choice: Any) -> Value:
    """Whether a value is this one of what it may be."""
    if isinstance(choice, bool | np.bool_):
        return value if choice else m.builder.one("logical_not", value)
    op = value.op
    if op is not None and op.kind is IF:
        ends = [r.results[op.results.index(value)] for r in op.regions]
        if all(v.is_constant for v in ends) and same_static(choice, ends[0].constant):
            return op.inputs[0]
    return m.builder.one("equal", value, m.builder.const(choice))


__all__ = ["note", "on_each", "one_of", "option", "position", "told"]
