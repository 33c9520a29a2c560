"""Which values' memory the caller gets to see, and which memory is written to."""

from __future__ import annotations

from ...ir.types import ArrayType
from ...ir.values import Block, Op, Value

_FIRST_CARRIED = {"for": 3, "while": 0}


def escaping(block: Block) -> set[Value]:
    """Arrays that may share memory with one of the block's results."""
    found: set[Value] = set()
    todo = list(block.results)
    around = _loops(block)
    while todo:
        value = todo.pop()
        if value in found or not _is_array(value):
            continue
        found.add(value)
        todo += around.get(value, ())
        op = value.op
        if op is None:
            continue
        if op.kind.name in ("if", "for", "while"):
            position = op.results.index(value)
            todo += _feeds(op, position)
        elif op.kind.has("view") or op.kind.has("maybe_view") or op.kind.has("store"):
            todo.append(op.inputs[0])
    return found


def owned(block: Block) -> set[Value]:
    """Values that some later op writes over, directly or carried around a loop."""
    found: set[Value] = set()
    for op in block.walk():
        if op.kind.has("store"):
            found.add(op.inputs[0])
        first = _FIRST_CARRIED.get(op.kind.name)
        if first is not None:
            found.update(op.inputs[first:])
        for region in op.regions:
            found.update(region.results)
    return found


def only_memory(op: Op) -> bool:
    """Whether the op does little more than get memory: two of it are as cheap as a copy."""
    if not op.kind.has("allocates"):
        return False
    read = (
        v
        for k, v in enumerate(op.inputs)
        if op.kind.input_name(k) not in op.kind.shape_only
    )
    return op.kind.name == "copy" or not any(map(_is_array, read))


def _is_array(value: Value) -> bool:
    boxed = value.op is not None and value.op.kind.has("boxes")
    return isinstance(value.type, ArrayType) and (value.type.ndim > 0 or boxed)


def _feeds(op: Op, position: int) -> list[Value]:
    """What result number ``position`` of a control-flow op may be."""
    name, inputs, regions, attrs = op.kind.name, op.inputs, op.regions, op.attrs
    if name == "if":
        return [region.results[position] for region in regions]
    body = regions[-1]
    return [
        inputs[_FIRST_CARRIED[name] + position],
        body.results[attrs["breaks"] + position],
    ]


def _loops(block: Block) -> dict[Value, list[Value]]:
    """For each carried parameter, what it may be."""
    found: dict[Value, list[Value]] = {}
    for op in block.walk():
        first = _FIRST_CARRIED.get(op.kind.name)
        if first is None:
            continue
        for region in op.regions:
            for position, p in enumerate(region.params[op.kind.name == "for" :]):
                found[p] = _feeds(op, position)
    return found
