"""``with sg.no_grad():`` and its like: what is computed there is a constant to derivatives.

What operations in the body read of what was there before goes through ``stop_gradient``, and views
taken there go through one. A name for what was there before is not an operation. A store into an
array that was there before does not read it: what it stores is a constant, the rest of the array
keeps its derivative. But a parameter that is stored into there is another point from then on, by
which derivatives are taken. What ``enable_grad`` within computes is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import CallError
from ...ir.builder import Builder
from ...ir.types import ArrayType, ScalarType, is_inexact
from ...ir.values import Block, Op, Value
from ..control import catching
from ..dispatch import Flow, evaluate, held
from ..machine import Machine
from ..names.fields import boxed
from ..names.specialise import need
from ..names.static import pinned
from ..values import Storage
from .slices import stop_gradient
from .verbs import verb


@verb("is_grad_enabled")
def is_grad_enabled(m: Machine, node: ast.AST) -> bool:
    """``sg.is_grad_enabled()``: known when compiling."""
    return m.tracking


def tracking(m: Machine, call: ast.expr) -> bool | None:
    """Whether a ``with`` item turns derivatives on or off; None for any other."""
    if not isinstance(call, ast.Call):
        return None
    function = pinned(m, held(m, call.func))
    word = getattr(function, "__symgrad_tracking__", None)
    if word is None:
        return None
    wanted = int(word == "set_grad_enabled")
    if len(call.args) != wanted or call.keywords:
        takes = "True or False" if wanted else "no argument"
        raise CallError(f"`{word}` takes {takes}", m.span(call))
    if not wanted:
        return bool(word == "enable_grad")
    return bool(need(m, call, evaluate(m, call.args[0]), f"the argument of `{word}`"))


def tracked(m: Machine, node: ast.With, on: bool, body: Callable[[], Flow]) -> Flow:
    """Lower the body with derivatives on or off."""
    if on == m.tracking:
        return body()
    start, mark, depth = len(m.builder.ops), m.heap.mark, len(m.pending)
    frame, m.tracking = m.frame, on
    frame.switches += 1
    try:
        with m.region.reading_anew():
            flow = catching.close(m, depth, body())
    finally:
        m.tracking = not on
        frame.switches -= 1
    if on:
        for op in Block((), tuple(m.builder.ops[start:]), ()).walk():
            m.enabled.add(op)
        return flow
    cut = _Cut(m.builder, m.enabled)
    m.builder.ops[start:] = cut.block(m.builder.ops[start:])
    for change in m.heap.changes(mark).values():
        if isinstance(change.cell, Storage) and change.cell in boxed(m):
            made = m.builder.op("replacing", change.after, change.before)
            m.set_current(change.cell, made)
    return flow


def computed(m: Machine, node: ast.AST, result: Any, start: int) -> Any:
    """What a call in such a body returned: a number that the operations from ``start`` on did not
    make, as that of ``float(x)``, is made a constant here."""
    made = m.builder.ops[start:]
    if isinstance(result, Value) and differentiable(result) and result.op not in made:
        return stop_gradient(m, node, result)
    return result


def differentiable(value: Value) -> bool:
    """Whether a value is of a kind that has derivatives."""
    floating = isinstance(value.type, ArrayType | ScalarType) and is_inexact(value.type)
    return floating and not value.is_constant


class _Cut:
    """Puts ``stop_gradient`` where operations read what is older than they are."""

    def __init__(self, builder: Builder, enabled: set[Op]) -> None:
        self.builder = builder
        self.enabled = enabled
        self.made: set[Value] = set()

    def before(self, value: Value) -> bool:
        """Whether a value has a derivative by what was there before."""
        return differentiable(value) and value not in self.made

    def mark(self, results: Sequence[Value], before: bool) -> None:
        """Say of results whether they have a derivative by what was there before."""
        if before:
            self.made.difference_update(results)
        else:
            self.made.update(results)

    def block(self, ops: Sequence[Op]) -> list[Op]:
        """The operations with those that stop derivatives among them."""
        found: list[Op] = []
        stopped: dict[Value, Value] = {}
        for op in ops:
            if op in self.enabled:
                self.mark(op.results, self._reads(op))
            elif op.name == "stop_gradient":
                self.mark(op.results, before=False)
            elif op.name in ("for", "while", "if"):
                self.control(op)
            else:
                self.plain(op, stopped, found)
            found.append(op)
        return found

    def _reads(self, op: Op) -> bool:
        return any(map(self.before, op.inputs)) or bool(op.regions)

    def plain(self, op: Op, stopped: dict[Value, Value], found: list[Op]) -> None:
        base = op.kind.has("store") and not op.name.startswith("list_")
        for position, value in enumerate(op.inputs):
            reads = self.before(value) and not (base and position == 0)
            if reads and value not in stopped:
                found.append(self.stop(value))
                stopped[value] = found[-1].result
        self.mark(op.results, base and self.before(op.inputs[0]))
        op.inputs = tuple(
            v if base and i == 0 else stopped.get(v, v) for i, v in enumerate(op.inputs)
        )
        for region in op.regions:
            self.inside(region)

    def stop(self, value: Value) -> Op:
        """A ``stop_gradient`` of a value."""
        made = self.builder.append("stop_gradient", (value,), {}, hint=value.name)
        self.made.update(made.results)
        self.builder.ops.pop()
        return made

    def inside(self, region: Block) -> None:
        """A region whose parameters are its own."""
        self.made.update(region.params)
        region.ops = tuple(self.block(region.ops))

    def control(self, op: Op) -> None:
        """Loops and branches: arrays that they hand on keep their derivatives."""
        init = {"for": op.inputs[3:], "while": op.inputs}.get(op.name, ())
        last = op.regions[-1]
        for region in op.regions:
            self.made.update(region.params)
        changed = True
        while changed:
            for region in op.regions:
                carried = region.params[op.name == "for" :]
                nexts = last.results[len(last.results) - len(init) :]
                for p, *given in zip(carried, init, nexts, strict=bool(init)):
                    if any(map(self.before, given)):
                        self.made.discard(p)
            for region in op.regions:
                region.ops = tuple(self.block(region.ops))
            changed = bool(init) and any(
                self.before(n) and p in self.made
                for p, n in zip(last.params[op.name == "for" :], nexts, strict=True)
            )
        sides = op.regions if op.name == "if" else op.regions[-1:]
        for position, r in enumerate(op.results):
            ends = [x.results[position - len(op.results)] for x in sides]
            self.mark([r], any(map(self.before, (*ends, *init[position : position + 1]))))
