"""``linearize``: the derivative at a point as a linear function of tangents, which does again
nothing of what the function computes.

Straight code is differentiated forwards: what does not depend on the tangents is shared. A loop
or branch would be made a second time, and so would draws and prints. There the way back from
the results, which is linear in the cotangents, is itself taken back: it reads what the way there
has saved, and so does its transpose.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...errors import CallError
from ...ir.rewrite import copy_block, inline
from ...ir.values import Block, Value
from ..arguments.leaftypes import as_value, type_of
from ..machine import Machine
from ..parts import rebuild, take_apart
from ..requests import Request
from ..rules.fitting import fit
from ..values import Native
from .directional import (
    Results,
    active_leaves,
    chosen_arguments,
    handed_out,
    put_in_place,
    swept,
    tangent_of,
    traced_call,
    wrapped,
)
from .gradients import LOWERED, zeros
from .tracing import Traced
from .verbs import verb

Push = Callable[[Machine, list[Value | None]], Any]
"""From a tangent for each parameter (None for zero) to the tangent of the result."""


@verb("linearize")
def linearize(m: Machine, node: ast.AST, fun: Any, *primals: Any) -> Any:
    """``sg.linearize(fun, *primals)``: ``(out, the linear function of tangents)``."""
    out, push = _linearized(m, node, fun, primals)

    def linear(m: Machine, node: ast.AST, *tangents: Any) -> Any:
        with m.located(node):
            if len(tangents) != len(primals):
                raise CallError(
                    f"the linear function takes {len(primals)} tangents, got {len(tangents)}"
                )
            found: list[Value | None] = []
            for chosen, t in zip(chosen_arguments(m, fun, primals), tangents, strict=True):
                fitted = fit(m, t, chosen.value, "tangent", chosen.text)
                pairs = zip(active_leaves(m, chosen.value), fitted, strict=True)
                found += [value for on, value in pairs if on]
            return push(m, found)

    return out, Native("linear", linear, primals)


def _request(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Output, and its tangent for tangents that come later: the last parameters."""
    out, push = _linearized(m, node, request.fun, tuple(args))
    tangents: list[Value | None] = []
    for chosen in chosen_arguments(m, request.fun, tuple(args)):
        for kind in _active_types(m, chosen.value):
            m.late.append(m.builder.param(kind, f"t_{chosen.name}" if chosen.name else "t"))
            tangents.append(m.late[-1])
    return out, push(m, tangents)


LOWERED["linearize"] = _request


def _active_types(m: Machine, x: Any) -> list[Any]:
    """The types of the leaves that have a tangent."""
    leaves = take_apart(m, x).leaves
    pairs = zip(active_leaves(m, x), leaves, strict=True)
    return [type_of(leaf) for on, leaf in pairs if on]


def _linearized(
    m: Machine, node: ast.AST, fun: Any, primals: tuple[Any, ...]
) -> tuple[Any, Push]:
    traced = traced_call(m, node, fun, primals, False)
    ops = Block((), tuple(traced.builder.ops), ()).walk()
    once = any(op.regions or op.kind.has("effect") or op.kind.has("random") for op in ops)
    return (_transposed if once else _forwards)(m, traced)


def _forwards(m: Machine, traced: Traced[Results]) -> tuple[Any, Push]:
    block = traced.block(handed_out(traced))
    values = inline(m.builder, block, traced.values)
    put_in_place(m, traced, values)

    def push(m: Machine, tangents: list[Value | None]) -> Any:
        moved = {i: t for i, t in enumerate(tangents) if t is not None}
        body = copy_block(m.builder, block, {}, lambda b, o, e: None)
        results = m.builder.forward_(
            traced.values, list(moved.values()), tuple(moved), body
        )
        return tangent_of(m, traced, results)

    return wrapped(m, traced.outcome.out, values), push


def _transposed(m: Machine, traced: Traced[Results]) -> tuple[Any, Push]:
    found = traced.outcome
    moving = found.moving
    values, token = swept(m, traced)
    put_in_place(m, traced, values)

    def push(m: Machine, tangents: list[Value | None]) -> Any:
        given = [
            t if t is not None else _zero(m, x)
            for t, x in zip(tangents, traced.values, strict=True)
        ]
        inner = m.builder.sub()
        cotangents = [inner.param(values[i].type, "g") for i in moving]
        back = inner.block(cotangents, inner.pullback_(token, cotangents))
        places = tuple(range(len(moving)))
        point = [_zero(m, values[i]) for i in moving]
        *_, again = m.builder.vjp_(point, places, len(given), back)
        pushed = iter(m.builder.pullback_(again, given))
        leaves = [
            m.wrap(next(pushed)) if i in moving else zeros(m, m.wrap(values[i]))
            for i in range(len(found.out.leaves))
        ]
        return rebuild(m, found.out, leaves)

    return wrapped(m, found.out, values), push


def _zero(m: Machine, like: Value) -> Value:
    return as_value(m, zeros(m, m.wrap(like)))
