"""Which adjoints may have zeros that a choice in the program made and that no mask is known for.

A choice is ``where``, ``maximum``, a branch and the like. Straight-line code carries its masks
along (``ops/masks``); they are lost where entries are mixed, in loops, and from one derivative
to the next. What a choice cannot be reached from has no such zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.values import Block, Op, Value
from ..ops.guards import WRITTEN
from ..ops.rules.masked import whole_mask
from .choices import candidates, chooses, may_hide_nan, numbers_of, reached, ways
from .leaving import left_at_once


def begin(builder: Builder, block: Block, active: set[Value]) -> None:
    """Before reverse mode goes through ``block``: note what leads into a choice."""
    if builder.doubts is None:
        builder.doubts = Doubts()
    builder.doubts.learn(block, left_at_once(block, active))


class Doubts:
    """What is known about the adjoints made so far, across regions.

    ``chosen`` tells whether the program's author made one of the choices: ``maximum`` and its
    like do not hide a nan.
    ``leading`` are primal values that a choice may be reached from, ``trailing`` adjoints in a
    primal that holds derivative code, which choices may have made zeros of, ``sources`` the
    adjoints that each adjoint was made from, ``sums`` those that are a sum of two.
    """

    __slots__ = ("any", "chosen", "known", "leading", "sources", "sums", "trailing")

    def __init__(self) -> None:
        self.any = False
        self.chosen = False
        self.leading: set[Value] = set()
        self.trailing: set[Value] = set()
        self.sources: dict[Value, tuple[Value, ...]] = {}
        self.sums: set[Value] = set()
        self.known: dict[Value, bool] = {}

    def learn(self, block: Block, spared: set[Op]) -> None:
        """Take in the choices of one more block, but for those that are ``spared``."""
        choices = [
            op
            for op in block.walk()
            if op.role != "jacobian" and chooses(op) and op not in spared
        ]
        if choices:
            passing = [way for op in block.walk() for way in ways(op)]
            back = [(target, source) for source, target in passing]
            self.chosen = self.chosen or any(map(may_hide_nan, choices))
            self.leading |= reached((v for op in choices for v in candidates(op)), back)
            made = (r for op in choices if op.role for r in op.results)
            self.trailing |= reached(made, passing)
        self.any = bool(
            self.any or self.leading or any(op.kind.has("store") for op in block.walk())
        )

    def note(self, value: Value, sources: Sequence[Value]) -> None:
        """``value`` is an adjoint made from others."""
        if self.any and value not in self.sources:
            self.sources[value] = tuple(s for s in sources if s is not value)

    def note_sum(self, value: Value) -> None:
        """``value`` is the sum of two adjoints."""
        if self.any and value.op is not None:
            self.sources[value] = value.op.inputs
            self.sums.add(value)

    def settle(self, value: Value, primal: Value) -> None:
        """``value`` is an adjoint of ``primal`` that comes out of a loop or a branch."""
        self.known[value] = primal in self.leading

    def scaled(
        self, value: Value, op: Op, read: Sequence[Value], made: Sequence[Op]
    ) -> None:
        """``value`` is an adjoint that was ``made`` from the op's inputs, ``read``."""
        if any(step.name in WRITTEN and not step.kind.has("slope") for step in made):
            self.known[value] = True
        elif self.trailing:
            by = {new for v, new in zip(op.inputs, read, strict=True) if v in self.trailing}
            if any(v in by for step in made for v in numbers_of(step)):
                self.known[value] = True

    def follow(self, param: Value, builder: Builder, g: Value) -> None:
        """A region's parameter stands for ``g``."""
        self.known[param] = self.doubtful(builder, g)

    def doubtful(self, builder: Builder, g: Value) -> bool:
        """Whether ``g`` may have zeros that its mask, if there is one, does not tell of."""
        known, stack = self.known, [g]
        while self.any and stack:
            sources = self.sources.get(stack[-1], ())
            waiting = [s for s in sources if s not in known]
            if stack[-1] in known or not waiting:
                value = stack.pop()
                if value not in known:
                    known[value] = self._judge(builder, value, sources)
            stack += waiting
        return known.get(g, False)

    def _judge(self, builder: Builder, value: Value, sources: Sequence[Value]) -> bool:
        def masked(v: Value) -> bool:
            return whole_mask(Expr(builder, v)) is not None

        if value in self.sums:
            if any(not self.known[s] and not masked(s) for s in sources):
                return False  # every entry counts
            return any(self.known[s] for s in sources) or not masked(value)
        if any(self.known[s] for s in sources):
            return True
        return any(map(masked, sources)) and not masked(value)
