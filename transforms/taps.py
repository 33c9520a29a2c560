"""Derivatives of ``tap``, ``tap_gradient`` and ``bend``: all are the identity. The way back through
the second one is a ``tap`` of the gradients, that through the third one the code in it."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, copy_op, inline
from ..ir.values import Op, Value
from .adjoints import Adjoints
from .rules import zeros

Pullback = Callable[[Adjoints], None]


def passed(op: Op) -> tuple[Value, ...]:
    """The inputs that the results are."""
    return op.inputs[len(op.inputs) - op.attrs["passed"] :]


def copy_tap(builder: Builder, op: Op, env: Env) -> None:
    """The op again, marked as differentiated."""
    env.update(zip(op.results, copy_op(builder, op, env), strict=True))
    if "used" in op.attrs:
        builder.ops[-1].attrs = {**op.attrs, "used": True}


def augment_tap(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    """Back through a tap: the gradients as they are."""
    copy_tap(builder, op, env)

    def pullback(adjoints: Adjoints) -> None:
        for value, result in zip(passed(op), op.results, strict=True):
            g = adjoints.take(result)
            if g is not None and value in active:
                adjoints.add(value, Expr(adjoints.builder, g))

    return pullback


def augment_tap_gradient(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    """Back through the function that the gradients pass; zeros where there is none. It is told
    which values have a gradient, the watched ones and its own."""
    copy_tap(builder, op, env)
    count = op.attrs["passed"]
    front = op.inputs[1 : len(op.inputs) - count]
    start = len(front) - op.attrs["watched"]
    extra, watched = front[:start], front[start:]

    def pullback(adjoints: Adjoints) -> None:
        found = [adjoints.take(result) for result in op.results]
        if all(g is None for g in found):
            return
        b, now = adjoints.builder, adjoints.env
        flags = [v in active for v in passed(op)]
        grads = [
            zeros(b, now.get(result, result)) if g is None else g
            for g, result in zip(found, op.results, strict=True)
        ]
        grads = [g if flag else b.const(0.0) for g, flag in zip(grads, flags, strict=True)]
        inputs = [
            *(now.get(v, v) for v in (op.inputs[0], *extra)),
            *(b.const(v in active) for v in watched),
            *map(b.const, flags if op.attrs["flagged"] else ()),
            *grads,
        ]
        tap = b.append("tap", tuple(inputs), {"passed": count, "used": False})
        for value, old, new in zip(passed(op), grads, tap.results, strict=True):
            new.name = old.name
            if value in active:
                adjoints.add(value, Expr(b, new))

    return pullback


def augment_bend(
    builder: Builder, op: Op, env: Env, active: set[Value], role: str
) -> Pullback:
    """Back through compiled code. The marker is gone then: a second derivative is one of what
    the code has computed."""
    env.update(zip(op.results, (env.get(v, v) for v in op.inputs), strict=True))
    by = op.attrs["by"]

    def pullback(adjoints: Adjoints) -> None:
        found = [adjoints.take(result) for result in op.results]
        if all(g is None for g in found):
            return
        b, now = adjoints.builder, adjoints.env
        grads = [
            zeros(b, now.get(v, v)) if g is None else g
            for g, v in zip(found, op.results, strict=True)
        ]
        if by.source is None:
            grads = adjoints.bent[by] = list(inline(b, by.block, grads))
        else:
            grads = list(inline(b, by.block, [*grads, *adjoints.bent[by.source]]))
        for value, g in zip(op.inputs, grads, strict=True):
            if value in active:
                adjoints.add(value, Expr(b, g))

    return pullback
