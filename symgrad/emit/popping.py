"""Backward loops that read what a forward loop has saved: ``for x in reversed(x_saved):``.

Such a loop takes one entry off a list in each round. Where the list has as many entries as the
loop has rounds, and nobody needs it afterwards, the loop may run over the list itself. Lists of
arrays are popped all the same: each array is let go as soon as it has been used.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from ..ir.order import carried
from ..ir.types import ArrayType, ScalarType
from ..ir.values import Block, Op, Value

Bounds = tuple[Value, ...]


def popped(op: Op, used: Container[Value]) -> dict[Op, Value]:
    """The ``list_pop`` ops at the start of a loop's body that its header can stand for, each
    with the list as it is before the loop; none unless that is all the loop is counted for."""
    body = op.regions[-1]
    if op.attrs["breaks"] or body.params[0] in used:
        return {}
    lists = {
        param: init
        for init, param, following, result in carried(op)
        if result not in used
        and following.op is not None
        and following.op.inputs[:1] == (param,)
        and _has_an_entry_a_round(init, op.inputs[:3])
    }
    found: dict[Op, Value] = {}
    for inner in body.ops:
        if inner.name == "const":
            continue
        if inner.name != "list_pop" or inner.inputs[1:] or not _small(inner.results[1]):
            break
        init = lists.get(inner.inputs[0])
        if (
            init is None
            or inner.results[1] not in used
            or _reads(body, inner.inputs[0]) > 1
        ):
            break
        found[inner] = init
    return found


def _small(value: Value) -> bool:
    t = value.type
    return isinstance(t, ScalarType) or (isinstance(t, ArrayType) and t.ndim == 0)


def _reads(block: Block, value: Value) -> int:
    return sum(op.inputs.count(value) for op in block.walk())


def _has_an_entry_a_round(saved: Value, bounds: Bounds) -> bool:
    """Whether a list was filled by a loop with as many rounds as ``bounds`` have, or in as many of
    its rounds."""
    loop = saved.op
    if loop is None or loop.name not in ("for", "while"):
        return False
    column = carried(loop)[loop.results.index(saved)]
    init, param = column[0], column[-3]
    found = _changed(loop, column)
    if found is None or init.op is None or init.op.name != "list_new":
        return False
    push, block = found
    filled = push.name == "list_push" and push.inputs[0] is param and len(push.inputs) == 2
    return filled and _as_often(loop, block, bounds)


def _changed(loop: Op, column: Sequence[Value]) -> tuple[Op, Block] | None:
    """The op that makes a carried value in those rounds that do not hand it on as it is, and
    the block that it stands in; None if that is not a single one."""
    *_, param, value, _ = column
    block = loop.regions[-1]
    while value.op is not None and value.op in block.ops:
        if value.op.name != "if":
            return value.op, block
        place = value.op.results.index(value)
        sides = [r for r in value.op.regions if r.results[place] is not param]
        if len(sides) != 1:
            return None
        [block] = sides
        value = block.results[place]
    return None


def _as_often(loop: Op, block: Block, bounds: Bounds) -> bool:
    """Whether ``range(*bounds)`` has as many entries as ``block`` of the loop is run."""
    count = _count(bounds)
    if count is None:
        return False
    if loop.name == "for" and not loop.attrs["breaks"]:
        other = _count(loop.inputs[:3])
        return block is loop.regions[-1] and other is not None and _equal(count, other)
    for column in carried(loop):
        if column[-1] is count and _is(column[0], 0):
            made = _changed(loop, column)
            return made is not None and made[1] is block and _adds_one(made[0], column[-3])
    return False


def _count(bounds: Bounds) -> Value | None:
    """``n`` for ``range(n)`` and ``range(n - 1, -1, -1)``."""
    start, stop, step = bounds
    if _is(start, 0) and _is(step, 1):
        return stop
    down = start.op
    if down is None or down.name != "subtract" or not (_is(stop, -1) and _is(step, -1)):
        return None
    return down.inputs[0] if _is(down.inputs[1], 1) else None


def _adds_one(op: Op, to: Value) -> bool:
    if op.name != "add":
        return False
    a, b = op.inputs
    return (a is to and _is(b, 1)) or (b is to and _is(a, 1))


def _equal(a: Value, b: Value) -> bool:
    return a is b or (a.is_constant and b.is_constant and bool(a.constant == b.constant))


def _is(value: Value, number: int) -> bool:
    return value.is_constant and type(value.constant) is int and value.constant == number
