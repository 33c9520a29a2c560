"""What functions hold that were made while lowering: their defaults, and the variables of calls
that are over. Such functions can be joined like lists."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ...ir.values import Value
from ..machine import Machine
from ..values import Closure, Native, Scope
from .captures import Found
from .scope import loaded

DEFAULT, KEYWORD, FREE = "default", "keyword", "free"


def parts_of(x: Closure) -> dict[Any, Any]:
    """What a function holds, by place."""
    parts: dict[Any, Any] = {(DEFAULT, i): v for i, v in enumerate(x.defaults)}
    parts |= {(KEYWORD, k): v for k, v in x.keyword_defaults.items()}
    names, frame = loaded(x.node), x.frame
    while frame is not None and frame.done:
        for name in sorted(names & frame.local & frame.scope.data.keys()):
            value = frame.scope.data[name]
            if not isinstance(value, Closure) or value.frame is not frame:
                parts.setdefault((FREE, name), value)
        frame = frame.parent  # type: ignore[assignment]
    return parts


def alike(a: Closure, b: Any) -> bool:
    """Whether two functions differ in what they hold only."""
    if not isinstance(b, Closure) or a.node is not b.node:
        return False
    return a.frame is b.frame or a.frame.done and b.frame.done


def rebuilt(x: Closure, parts: dict[Any, Any]) -> Closure:
    """The function with other parts."""
    defaults = tuple(v for (kind, _), v in parts.items() if kind == DEFAULT)
    keywords = {k: v for (kind, k), v in parts.items() if kind == KEYWORD}
    if not x.frame.done:
        return Closure(x.node, x.frame, defaults, keywords)
    free = {k: v for (kind, k), v in parts.items() if kind == FREE}
    frame, outer = x.frame, x.frame.parent
    own = {
        k: v
        for k, v in frame.scope.data.items()
        if isinstance(v, Closure) and v.frame is frame
    }
    while outer is not None and outer.done:
        outer = outer.parent
    made = replace(frame, scope=Scope(free), parent=outer, local=frozenset({*free, *own}))
    for name, inner in own.items():
        made.scope.data[name] = replace(inner, frame=made)
    return Closure(x.node, made, defaults, keywords)


# ------------------------------------------------------------------------- one of several
@dataclass(frozen=True, slots=True, eq=False)
class Choice(Native):
    """One of some functions, which a number tells."""

    options: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ChoicePattern:
    """A ``Choice`` to come: ``leaf`` is the number."""

    leaf: Any
    options: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The number that tells which of the options ``function`` is."""

    function: Any
    options: tuple[Any, ...]


def options_of(x: Any) -> tuple[Any, ...] | None:
    """The functions that ``x`` may be; None if it is no function, or one that holds values."""
    if isinstance(x, Choice | ChoicePattern):
        return x.options
    if isinstance(x, Closure):
        return None if parts_of(x) or x.frame.done else (x,)
    known = x.value if isinstance(x, Found) else x
    return (x,) if callable(known) and not isinstance(known, Native) else None


def options_joined(
    a: Any, b: Any, same: Callable[[Any, Any], bool]
) -> tuple[Any, ...] | None:
    """All that a function may be which is ``a`` or ``b``; None where that cannot be said."""
    first, more = options_of(a), options_of(b)
    if first is None or more is None:
        return None
    found = list(first)
    for option in more:
        if not any(same(option, other) for other in found):
            found.append(option)
    return tuple(found)


def number(m: Machine, x: Chosen) -> Value:
    """The value that tells which option a function is."""
    from ..control.join import same

    places = [
        next(i for i, other in enumerate(x.options) if same(option, other))
        for option in options_of(x.function) or ()
    ]
    if not isinstance(x.function, Choice):
        return m.builder.const(places[0])
    [index] = x.function.holds
    if places == list(range(len(places))):
        return index  # type: ignore[no-any-return]
    found = m.builder.const(places[-1])
    for position, place in reversed(list(enumerate(places[:-1]))):
        test = m.builder.one("equal", index, m.builder.const(position))
        blocks = [m.builder.sub().block((), [v]) for v in (m.builder.const(place), found)]
        [found] = m.builder.if_(test, *blocks)
    return found


def choice(index: Value, options: tuple[Any, ...]) -> Any:
    """The option that a number tells."""

    def run(m: Machine, node: ast.AST, *args: Any, **kwargs: Any) -> Any:
        from ..control.branches import choose
        from ..inline import call_value

        def call(position: int) -> Any:
            def this() -> Any:
                return call_value(m, node, options[position], args, kwargs)

            if position == len(options) - 1:
                return this()
            test = m.builder.one("equal", index, m.builder.const(position))
            return choose(m, node, test, this, lambda: call(position + 1))

        return call(0)

    return Choice("choice", run, (index,), options)
