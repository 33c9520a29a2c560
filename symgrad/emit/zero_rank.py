"""Values of rank 0 that may be arrays, so that ``x += 1`` would change what others hold.

Nearly every operation gives a NumPy scalar where its result has rank 0; arrays of rank 0 come
as arguments, and from the few operations that move or make arrays.
"""

from __future__ import annotations

import ast

from ..ir.order import carried
from ..ir.types import ArrayType, ScalarType
from ..ir.values import Block, Function, Op, Value
from .expressions import is_scalar, template_of

Sources = dict[Value, tuple[Value, ...]]


def sources(function: Function) -> Sources:
    """What the values of loops and branches may be."""
    found: Sources = {}
    _collect(function.block, found)
    return found


def _collect(block: Block, found: Sources) -> None:
    for op in block.ops:
        if op.name == "if":
            ends = (region.results for region in op.regions)
            found.update(zip(op.results, zip(*ends, strict=True), strict=True))
        elif op.name in ("for", "while"):
            for values in carried(op):
                given = values[0], values[-2]
                found.update(dict.fromkeys((*values[1:-2], values[-1]), given))
        for region in op.regions:
            _collect(region, found)


def is_number(value: Value, among: Sources) -> bool:
    """Whether a value of rank 0 is a Python number or NumPy scalar in every case."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if one in seen or isinstance(one.type, ScalarType) or one.is_constant:
            continue
        seen.add(one)
        if one in among:
            todo += among[one]
        elif one.op is None:
            return False
        elif isinstance(one.op.kind.emit, ast.Name):  # its operand as it is
            todo += one.op.inputs
        elif one.op.name != "undef" and not _makes_number(one.op):
            return False
    return True


def points_into(op: Op) -> bool:
    """Whether an op's result is a view of rank 0 of an array that may change: what a store
    changes afterwards would be seen by it."""
    if len(op.results) != 1 or not op.inputs or op.name == "index":
        return False
    kinds = [v.type for v in (op.results[0], op.inputs[0])]
    if not all(isinstance(t, ArrayType) for t in kinds):
        return False
    view = op.kind.has("view") or op.kind.has("maybe_view")
    return view and [bool(t.shape) for t in kinds] == [False, True]  # type: ignore[union-attr]


def _makes_number(op: Op) -> bool:
    kind = op.kind
    if points_into(op):
        return True
    if op.name == "index":
        return bool(op.attrs["index"])
    if isinstance(template_of(kind, is_scalar(op)), ast.BinOp | ast.UnaryOp):
        return True
    if kind.has("view") or kind.has("maybe_view") or kind.has("moves"):
        return False
    return kind.has("inplace") or kind.has("contraction") or "axis" in op.attrs


__all__ = ["Sources", "is_number", "points_into", "sources"]
