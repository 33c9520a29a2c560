"""Where a program chooses among values, and how values pass into others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir.rewrite import free_values
from ..ir.types import ArrayType, is_inexact
from ..ir.values import Block, Op, Value
from ..ops.masks import is_chosen
from ..ops.rules.masked import asked_for, leaves_out
from .activity import differentiable_inputs, edges


def reached(start: Iterable[Value], ways: Iterable[tuple[Value, Value]]) -> set[Value]:
    """The values that a way leads to from one of ``start``, and these."""
    following: dict[Value, list[Value]] = {}
    for source, target in ways:
        following.setdefault(source, []).append(target)
    waiting, found = list(start), set[Value]()
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += following.get(value, ())
    return found


def chooses(op: Op) -> bool:
    """Whether entries of the op's inputs may have no part in its results."""
    if op.name == "if" or op.kind.has("selects"):
        return True
    index, operands = op.attrs.get("index", ()), _operands(op)
    if leaves_out(index, operands) or asked_for(index, operands):
        return True
    return op.name == "multiply" and any(map(_is_bool, op.inputs))


def may_hide_nan(op: Op) -> bool:
    """Whether a nan in what is not selected need not be in the result."""
    masks = [v for v in op.inputs if _is_bool(v)]
    if masks:
        return any(map(is_chosen, masks))
    if "index" in op.attrs:
        return asked_for(op.attrs["index"], _operands(op))
    return not op.kind.has("keeps_nan")


def _operands(op: Op) -> list[Value]:
    """What the op's index is made of."""
    named = enumerate(op.inputs)
    return [v for i, v in named if op.kind.input_name(i) == "operands"]


def _is_bool(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype.kind == "b"


def candidates(op: Op) -> Iterable[Value]:
    """What may have no part: of a branch, outer values that the other one does without. Values
    inside have an adjoint only where the branch was taken."""
    if not op.regions:
        return differentiable_inputs(op)
    read = [_read(region) for region in op.regions]
    return {v for part in read for v in part if not all(v in other for other in read)}


def _read(region: Block) -> set[Value]:
    """The outer values that a region's results are made from."""
    inside = {v for op in region.ops for v in op.results}
    return {*free_values(region), *(r for r in region.results if r not in inside)}


def numbers_of(op: Op) -> Iterator[Value]:
    """The inputs whose numbers, not only lengths, go into the op's result."""
    if is_inexact(op.results[0].type):
        for position, value in enumerate(op.inputs):
            if op.kind.input_name(position) not in op.kind.shape_only:
                yield value


def ways(op: Op) -> Iterator[tuple[Value, Value]]:
    """How values pass into others: ``(from, to)``."""
    if op.regions:
        yield from edges(op)
        return
    for result in op.results:
        for value in differentiable_inputs(op):
            yield value, result
