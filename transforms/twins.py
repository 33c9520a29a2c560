"""Loops that compute the same are one loop: a function's value beside its gradient, say.

Before: any IR. After: of two loops of one block that run over the same rounds, one is left if
all that it carries is carried by the other one, too, and of two values that a loop carries and
that are always equal, one. Arrays that are filled in the loop count as equal from the start on if
they were made alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from ..ir.builder import Builder
from ..ir.order import carried
from ..ir.rewrite import Env, copy_op, free_values, rewrite, rewrite_ops
from ..ir.types import ListType, ObjectType
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .checks import is_check
from .cse import frozen
from .dce import has_effect
from .laws.branches import narrowed
from .laws.words import rank
from .memory.escape import escaping, only_memory

FARTHEST = 24
"""How many ops a loop takes along to the place of an earlier one."""


def twins(function: Function) -> Function:
    """The function with such loops merged."""
    plan = _Plan(escaping(function.block))
    plan.block(function.block)
    return rewrite(function, TABLE, plan.visit) if plan.stands or plan.inner else function


@dataclass(slots=True)
class _Plan:
    """``stands``: for a loop the one that takes its place, and which of what that carries is
    which of its own. ``inner``: for a loop which of what it carries is which other.
    ``before``: what goes to the place of an op."""

    escaping: set[Value]
    stands: dict[Op, tuple[Op, dict[int, int]]] = field(default_factory=dict)
    inner: dict[Op, dict[int, int]] = field(default_factory=dict)
    before: dict[Op, list[Op]] = field(default_factory=dict)

    # -- looking ------------------------------------------------------------------------
    def block(self, block: Block) -> None:
        """Find the loops of one block, and of those inside."""
        loops = [op for op in block.ops if _is_plain(op)]
        for op in block.ops:
            for region in op.regions:
                self.block(region)
        for k, loop in enumerate(loops):
            if not any(self.replaced(block, loop, other) for other in loops[:k]):
                same = _equal(loop, loop)
                if same and not self.apart(loop, loop, same):
                    self.inner[loop] = same

    def replaced(self, block: Block, later: Op, earlier: Op) -> bool:
        """Whether one of two loops is done by the other one."""
        taken = {other for other, _ in self.stands.values()} | set(self.stands)
        if later in taken or earlier in taken or earlier.inputs[:3] != later.inputs[:3]:
            return False
        for gone, kept in ((later, earlier), (earlier, later)):
            same = _equal(gone, kept)
            if not same or self.apart(gone, kept, same):
                continue
            along = [] if kept is earlier else _along(block, earlier, later)
            if along is None:
                continue
            self.stands[gone] = kept, same
            self.inner.pop(gone, None)
            self.inner.pop(kept, None)
            if along:
                self.before[gone] = along
            return True
        return False

    def apart(self, gone: Op, kept: Op, same: dict[int, int]) -> bool:
        """Whether the caller would see results share memory."""
        pairs = ((gone.results[j], kept.results[i]) for j, i in same.items())
        return any(a in self.escaping and b in self.escaping for a, b in pairs)

    # -- doing --------------------------------------------------------------------------
    def visit(self, builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        """Rebuild one op."""
        if op.results and all(r in env for r in op.results):
            return tuple(env[r] for r in op.results)
        if op in self.stands:
            kept, same = self.stands[op]
            rewrite_ops(builder, self.before.get(op, ()), env, self.visit)
            return tuple(env[kept.results[same[j]]] for j in range(len(op.results)))
        if op in self.inner:
            return self.narrow(builder, op, env)
        return None

    def narrow(self, builder: Builder, op: Op, env: Env) -> Sequence[Value]:
        """A loop that carries each value once."""
        same, body = self.inner[op], op.regions[0]
        moving = [k for k in range(len(op.results)) if k not in same]
        scope = dict(env)
        block = narrowed(body, moving, 1, 0, True)
        inputs = (*op.inputs[:3], *(op.inputs[3 + k] for k in moving))
        fewer = Op(
            op.kind, inputs, op.attrs, (_renamed(block, body, same),), op.span, op.role
        )
        fewer.results = tuple(op.results[k] for k in moving)
        found = dict(zip(moving, copy_op(builder, fewer, scope, self.visit), strict=True))
        return tuple(found[same.get(k, k)] for k in range(len(op.results)))


def _renamed(block: Block, body: Block, same: dict[int, int]) -> Block:
    """The block in which parameters are read in place of those that they are equal to."""
    env = {body.params[1 + j]: body.params[1 + i] for j, i in same.items()}

    def again(inner: Block) -> Block:
        ops = []
        for op in inner.ops:
            regions = tuple(again(r) for r in op.regions)
            inputs = tuple(env.get(v, v) for v in op.inputs)
            made = Op(op.kind, inputs, op.attrs, regions, op.span, op.role)
            made.results = op.results
            ops.append(made)
        return Block(inner.params, tuple(ops), tuple(env.get(r, r) for r in inner.results))

    return again(block)


def _is_plain(op: Op) -> bool:
    if op.kind.name != "for" or op.attrs["breaks"] or op.attrs["budget"]:
        return False
    return not any(
        (has_effect(o) and not is_check(o)) or o.kind.has("derivative")
        for o in op.regions[0].walk()
    )


def _along(block: Block, earlier: Op, later: Op) -> list[Op] | None:
    """The later loop and what it reads that is made after the earlier one; None if it cannot
    stand in its place."""
    ops = list(block.ops)
    between = ops[ops.index(earlier) : ops.index(later)]
    makers = {v: op for op in between for v in op.results}
    wanted, waiting = {later}, [later]
    while waiting:
        op = waiting.pop()
        read = (*op.inputs, *(v for region in op.regions for v in free_values(region)))
        for maker in (makers[v] for v in read if v in makers):
            if maker is earlier or has_effect(maker) or maker.regions:
                return None
            if maker not in wanted:
                wanted.add(maker)
                waiting.append(maker)
    if len(wanted) > FARTHEST:
        return None
    return [op for op in (*between, later) if op in wanted]


# -------------------------------------------------------------------------------- equality
def _equal(loop: Op, other: Op) -> dict[int, int]:
    """Which values that ``loop`` carries are always equal to which of ``other``, if all are; if
    that is the same loop, to which earlier one."""
    mine, theirs = carried(loop), carried(other)
    found = {
        j: [
            i for i, b in enumerate(theirs) if (loop is not other or i < j) and _alike(a, b)
        ]
        for j, a in enumerate(mine)
    }
    while any(found.values()) if loop is other else all(found.values()):
        pairs = {j: options[0] for j, options in found.items() if options}
        numbers = _Numbers()
        numbers.body(other, {})
        numbers.body(loop, {j: theirs[i][1] for j, i in pairs.items()})
        wrong = [
            j for j, i in pairs.items()
            if numbers.of[mine[j][-2]] != numbers.of[theirs[i][-2]]
        ]  # fmt: skip
        if not wrong:
            return pairs
        for j in wrong:
            found[j] = found[j][1:]
    return {}


def _alike(a: tuple[Value, ...], b: tuple[Value, ...]) -> bool:
    """Whether two carried values start equal."""
    s, t = a[1].type, b[1].type
    if isinstance(s, ListType | ObjectType) or isinstance(t, ListType | ObjectType):
        return False
    if s.dtype != t.dtype or rank(a[1]) != rank(b[1]):
        return False
    if a[0] is b[0]:
        return True
    x, y = a[0].op, b[0].op
    if x is None or y is None or x.kind is not y.kind or not only_memory(x):
        return False
    return x.inputs == y.inputs and frozen(dict(x.attrs)) == frozen(dict(y.attrs))


class _Numbers:
    """Numbers of values, equal for values that are."""

    def __init__(self) -> None:
        self.of: dict[Value, Hashable] = {}
        self.seen: dict[Hashable, Hashable] = {}

    def body(self, loop: Op, equal: dict[int, Value]) -> None:
        """Number what a loop computes; ``equal`` are what its carried values are equal to."""
        body = loop.regions[0]
        self.of[body.params[0]] = "index"
        for k, p in enumerate(body.params[1:]):
            self.of[p] = self.of.get(equal[k], equal[k]) if k in equal else p
        for op in body.ops:
            inputs = [self.number(v) for v in op.inputs]
            key = (op.kind, tuple(inputs), frozen(dict(op.attrs)))
            for k, r in enumerate(op.results):
                self.of[r] = self.seen.setdefault((key, k), r) if not op.regions else r
        for r in body.results:
            self.of[r] = self.number(r)

    def number(self, value: Value) -> Hashable:
        """Outer values are their own number."""
        return self.of.get(value, value)
