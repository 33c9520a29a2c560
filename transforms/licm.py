"""Loop-invariant motion: what does not change in a loop is computed before it.

Before: any IR. After: pure ops of a loop's body that read nothing of the loop stand before it,
as far out as they can go, unless they might raise where the loop makes no round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..ir.builder import Builder
from ..ir.indexing import Operand, Slice
from ..ir.rewrite import Env, free_values, rewrite, rewrite_ops
from ..ir.types import INT, ArrayType, ScalarType, is_inexact
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .dce import has_effect
from .memory.escape import only_memory, owned

# Arithmetic on Python numbers that never raises.
TOTAL_ON_SCALARS = frozenset({"add", "subtract", "multiply", "negative"})


def licm(function: Function) -> Function:
    """The function with loop-invariant ops moved out."""
    return _moved_out(function, lambda op: True)


def views_first(function: Function) -> Function:
    """The function with loop-invariant views moved out, for derivatives to come: what goes back
    through a view of a whole array is added up before, not in each round. Other ops stay: where
    their slope is infinite, it must not meet the zeros of what has not been read."""
    return _moved_out(function, _is_view)


def _is_view(op: Op) -> bool:
    view = op.kind.has("view") or op.kind.has("maybe_view")
    return (view and op.kind.has("linear")) or op.kind.name in ("const", "shape", "size")


def _moved_out(function: Function, which: Callable[[Op], bool]) -> Function:
    plan = _Plan(owned(function.block), which)
    plan.block(function.block, [_Place(None, runs=True)], dict.fromkeys(function.params, 0))
    if not plan.moved:
        return function

    def visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        if op in plan.moved and op.results[0] in env:
            return tuple(env[r] for r in op.results)
        before = plan.before.pop(op, None)
        if before is not None:
            rewrite_ops(builder, before, env, visit)
            builder.span, builder.role = op.span, op.role
        return None

    return rewrite(function, TABLE, visit)


@dataclass(frozen=True, slots=True)
class _Place:
    """A block. ``loop`` is the loop that an op can be moved out of (None: it has to stay);
    ``runs`` says that the block runs at least once if its loop is reached, ``tried`` that the
    loop stands in a ``try``."""

    loop: Op | None
    runs: bool
    tried: bool = False


class _Plan:
    """For each loop the ops to put before it."""

    def __init__(self, written: set[Value], which: Callable[[Op], bool]) -> None:
        self.written = written
        self.which = which
        self.moved: set[Op] = set()
        self.before: dict[Op, list[Op]] = {}

    def block(self, block: Block, places: list[_Place], depths: dict[Value, int]) -> None:
        """Decide for each op of the innermost of ``places``; ``depths`` has for each value
        the number of the place where it is available."""
        tries = 0
        for op in block.ops:
            depth = len(places) - 1
            tries += (op.kind.name == "try_begin") - (op.kind.name == "try_end")
            for region in op.regions:
                place = replace(_place(op, region), tried=tries > 0)
                depths.update(dict.fromkeys(region.params, depth + 1))
                self.block(region, [*places, place], depths)
            target = self.target(op, places, depths, tried=tries > 0)
            if target < depth:
                self.moved.add(op)
                loop = places[target + 1].loop
                assert loop is not None
                self.before.setdefault(loop, []).append(op)
            depths.update(dict.fromkeys(op.results, target))

    def target(
        self, op: Op, places: list[_Place], depths: dict[Value, int], *, tried: bool
    ) -> int:
        """The outermost place that the op can move to; out of a ``try`` only if it never
        raises."""
        depth = len(places) - 1
        if depth == 0 or not self.movable(op):
            return depth
        needed = max((depths[v] for v in _read(op)), default=0)
        safe = never_raises(op)
        while depth > needed and places[depth].loop is not None:
            if not safe and (tried or not places[depth].runs):
                break
            tried = places[depth].tried
            depth -= 1
        return depth

    def movable(self, op: Op) -> bool:
        if not self.which(op):
            return False
        if only_memory(op) and op.results[0] in self.written:
            return False
        fixed = op.kind.has("store") or op.kind.has("shares") or not op.results
        if fixed or op.kind.name == "list_new":
            return False
        return not has_effect(op) and not op.regions and not _is_offset(op)


def _is_offset(op: Op) -> bool:
    """``n - 1`` and the like read best where they are used, and cost next to nothing."""
    if op.kind.name not in ("add", "subtract") or op.results[0].type != INT:
        return False
    return any(v.is_constant for v in op.inputs)


def _place(op: Op, region: Block) -> _Place:
    if op.kind.name == "while":
        return _Place(op, runs=region is op.regions[0])
    if op.kind.name == "for":
        return _Place(op, runs=_makes_a_round(op))
    return _Place(None, runs=False)


def _makes_a_round(op: Op) -> bool:
    bounds = op.inputs[:3]
    return all(v.is_constant for v in bounds) and bool(range(*(v.constant for v in bounds)))


def _read(op: Op) -> list[Value]:
    found = list(op.inputs)
    for region in op.regions:
        found += free_values(region)
    return found


def never_raises(op: Op) -> bool:
    """Whether the op can run where the program would not have run it."""
    kind = op.kind
    if kind.name in ("const", "undef", "shape", "size"):
        return True
    if kind.name == "asarray":  # an int may not fit
        return is_inexact(op.inputs[0].type)
    if kind.has("elementwise"):
        scalar = all(isinstance(v.type, ScalarType) for v in (*op.inputs, op.results[0]))
        return not scalar or kind.name in TOTAL_ON_SCALARS
    if "index" in op.attrs:
        return kind.has("view") and all(_total(item) for item in op.attrs["index"])
    if not op.inputs or not all(
        isinstance(v.type, ArrayType) and is_inexact(v.type) for v in op.inputs
    ):
        return False
    return kind.has("linear") or kind.has("allocates")


def _total(item: object) -> bool:
    """Whether an index item fits an axis of any length."""
    if isinstance(item, Slice):
        return not isinstance(item.step, Operand)
    return not isinstance(item, int) and not hasattr(item, "k")
