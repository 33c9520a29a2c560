"""What rules return: gradients and tangents, checked against what they belong to. A rule that
cannot be compiled is called as it is, and checked when it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import SymgradError, UnsupportedFunctionError
from ...ir.types import ArrayType, ObjectType, is_inexact
from ...ir.values import Value
from ..arguments.leaftypes import as_value, result_text, type_of
from ..derivatives.gradients import zeros
from ..derivatives.tracing import Input
from ..dispatch import NeverReturns
from ..inline import call_value
from ..machine import Machine
from ..names.static import opened, pinned
from ..parts import Parts, rebuild, take_apart
from ..values import DictObject, ListObject, Record, Ref
from .asis import attempt, backward_as_is, ordinary, tangents_as_is
from .fitting import fit
from .running import InContext, no_tuple, trimmed, wrong_count

if TYPE_CHECKING:
    from .ruled import Call

AS_IS = "as_is"
"""The field of a context with what forward code that runs as it is has kept."""


def kept_as_is(saved: Any) -> Any:
    """What forward code that ran as it is has kept; None where forward was compiled."""
    if isinstance(saved, Value) and isinstance(saved.type, ObjectType):
        return saved
    return saved.data.get(AS_IS) if isinstance(saved, Record) else None


# ---------------------------------------------------------------------------- gradients
def pulled(call: Call, primals: Sequence[Value], saved: Any, g: Any) -> list[Value | None]:
    """The gradients by the backward code, one for each real or complex number or array of the
    arguments."""
    m, rule = call.m, call.rule
    function = rule.kind == "function"
    kept = kept_as_is(saved)
    cotangents = tuple(g) if function and isinstance(g, tuple) else (g,)
    given = (() if function else call.aside) + (
        saved if kept is None else kept,
        *cotangents,
    )

    def compiled() -> list[Value | None]:
        if kept is not None:
            raise UnsupportedFunctionError(
                f"{call.backward} goes with code that cannot be compiled"
            )
        found = gradients(call, _called(m, call.node, call.backward, rule.backward, given))
        once = getattr(pinned(m, rule.backward), "__symgrad_once__", False)
        return [_once(call, v, primals) for v in found] if once else found

    def as_is(reason: Exception) -> list[Value | None]:
        run = InContext(ordinary(m, rule.backward, reason), rule.name)
        listed = zip(call.rebuilt(primals), call.inputs, strict=True)
        named = [(x, i.chosen.text) for x, i in listed]
        found = backward_as_is(
            m,
            call.node,
            rule.name,
            call.backward,
            run,
            given,
            named,
            reason,
            function,
            call.left,
        )
        return [as_value(m, x) for x in found]

    return attempt(m, call.backward, compiled, as_is)


def _called(
    m: Machine, node: ast.AST, text: str, function: Any, given: Sequence[Any]
) -> Any:
    """What a rule returns. One that always raises runs as it is, and raises what it does when
    there is a derivative to take."""
    try:
        return call_value(m, node, function, tuple(given), {})
    except NeverReturns:
        raise UnsupportedFunctionError(f"{text} always raises") from None


def _once(call: Call, g: Value | None, primals: Sequence[Value]) -> Value | None:
    if g is None:
        return None
    return call.m.builder.one("first_order", g, *primals, rule=call.rule.name, hint=g.name)


def gradients(call: Call, given: Any) -> list[Value | None]:
    """One entry for each number or array that has a gradient: that, or None for zero."""
    m = call.m
    given = opened(m, given)
    function = call.rule.kind == "function"
    if isinstance(given, ListObject | DictObject):
        met = "list" if isinstance(given, ListObject) else "dict"
        call.fail(no_tuple(call.backward, met))
    if type(given) is not tuple:
        if not function:
            call.fail(
                f"{call.backward} has to return a tuple with a gradient for each argument, got "
                f"{result_text(given)}"
            )
        given = (given,)
    count = len(call.inputs)
    given = trimmed(given, count, call.left)
    if len(given) != count:
        call.fail(wrong_count(call.backward, len(given), count, function))
    found: list[Value | None] = []
    for i, (x, g) in enumerate(zip(call.inputs, given, strict=True)):
        found += _fitted(call, i, x, g)
    return found


def _fitted(call: Call, index: int, x: Input, g: Any) -> list[Value | None]:
    if not any(x.active):
        if g is not None and not _may_be_dropped(call, x.chosen.value):
            call.fail(
                f"{call.backward} returned a gradient for {x.chosen.text}, which has none; "
                "return None in its place",
                index,
            )
        return []
    try:
        fitted = fit(call.m, g, x.chosen.value, "gradient", x.chosen.text)
    except SymgradError as error:
        call.fail(f"{call.backward}: {error.message}", index)
    return [v for v, on in zip(fitted, x.active, strict=True) if on]


def _may_be_dropped(call: Call, x: Any) -> bool:
    """Whether a gradient that is not asked for is no mistake: of integers in an array, and of a
    real number that is known when compiling."""
    leaves = take_apart(call.m, x).leaves or [x]
    types = [type_of(v) if isinstance(v, Value | Ref) else None for v in leaves]
    if any(isinstance(t, ArrayType) for t in types):
        return True
    return any(isinstance(v, float | complex) for v in leaves)


# ----------------------------------------------------------------------------- tangents
def pushed(
    call: Call,
    cls: Any,
    saved: Any,
    moved: Sequence[Value],
    out: Any,
    moving: Sequence[int],
) -> list[Value]:
    """The tangents of the outputs in ``moving``, by a class's ``jvp``."""
    m = call.m
    listed = zip(call.rebuilt(moved, zero=True), call.inputs, strict=True)
    tangents = [t if any(x.active) else None for t, x in listed]
    found = tangent(m, call.node, call.rule.name, cls, saved, tangents, out)
    return fitted_tangents(call, f"`{cls.__name__}.jvp`", found, out, moving)


def tangent(
    m: Machine,
    node: ast.AST,
    name: str,
    cls: Any,
    saved: Any,
    tangents: Sequence[Any],
    out: Any,
) -> Any:
    """What a class's ``jvp`` returns, like its output ``out``."""
    text = f"`{cls.__name__}.jvp`"
    kept = kept_as_is(saved)
    given = (saved if kept is None else kept, *tangents)

    def compiled() -> Any:
        if kept is not None:
            raise UnsupportedFunctionError(f"{text} goes with code that cannot be compiled")
        return _called(m, node, text, cls.jvp, given)

    def as_is(reason: Exception) -> Any:
        run = InContext(ordinary(m, cls, reason).jvp, name)
        parts = take_apart(m, out)
        moving = [i for i, x in enumerate(parts.leaves) if is_inexact(type_of(x))]
        found = iter(
            tangents_as_is(m, node, name, text, run, given, parts.leaves, moving, reason)
        )
        return rebuild(
            m,
            parts,
            [next(found) if i in moving else x for i, x in enumerate(parts.leaves)],
        )

    return attempt(m, text, compiled, as_is)


def fitted_tangents(
    call: Call, text: str, given: Any, out: Any, moving: Sequence[int]
) -> list[Value]:
    """The tangents in ``given`` of the outputs in ``moving``; ``text`` is the rule."""
    m = call.m
    try:
        fitted = fit(m, given, out, "tangent", f"the result of `{call.rule.name}`")
    except SymgradError as error:
        call.fail(f"{text}: {error.message}")
    leaves = take_apart(m, out).leaves
    return [
        as_value(m, zeros(m, leaves[i])) if fitted[i] is None else fitted[i]  # type: ignore[misc]
        for i in moving
    ]


def pair_of_tangents(
    call: Call, given: Any, out: Parts, moving: Sequence[int]
) -> list[Value]:
    """The tangents in ``(output, tangent)``, which a forward rule returned."""
    m, name = call.m, call.rule.name
    if not isinstance(given, tuple) or len(given) != 2:
        call.fail(
            f"the jvp of `{name}` has to return (output, tangent), got {result_text(given)}"
        )
    like = rebuild(m, out, out.values)
    found = fitted_tangents(call, f"the jvp of `{name}`", given[1], like, moving)
    if len(take_apart(m, given[0]).leaves) != len(out.values):
        call.fail(
            f"the jvp of `{name}` returns {result_text(given[0])}, the function itself "
            f"{types_text(out)}"
        )
    return found


def types_text(parts: Parts) -> str:
    """The types of a result, for messages."""
    return ", ".join(str(v.type) for v in parts.values) or "nothing"


__all__ = ["AS_IS", "gradients", "pair_of_tangents", "pulled", "pushed", "types_text"]
