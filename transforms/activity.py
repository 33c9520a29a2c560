"""Which values carry a derivative: they depend on the inputs wanted and matter to the results.

Lists are treated as whole objects: if one version of a list is varied, all its versions are,
so that tangent and adjoint lists keep the length of the list they belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir.rewrite import free_values
from ..ir.types import ListType, is_inexact
from ..ir.values import Block, Op, Value


def varied_values(block: Block, seeds: Iterable[Value]) -> set[Value]:
    """Values whose tangent may differ from zero, given the seeds' may."""
    found = set(seeds)
    grow_until_stable(lambda: _spread(block, found), found)
    return found


def active_values(
    block: Block, seeds: Iterable[Value], results: Iterable[Value]
) -> set[Value]:
    """Values on a differentiable path from the seeds to the results."""
    varied = varied_values(block, seeds)
    useful = {r for r in results if r in varied}
    grow_until_stable(lambda: _spread_back(block, varied, useful), useful)
    return useful


def grow_until_stable(step: object, found: set[Value]) -> None:
    """Repeat ``step`` until it adds nothing."""
    before = -1
    while len(found) != before:
        before = len(found)
        step()  # type: ignore[operator]


def differentiable_inputs(op: Op) -> Iterator[Value]:
    """Inputs through which a derivative can flow."""
    if op.kind.has("nondiff"):
        return
    for position, value in enumerate(op.inputs):
        if is_inexact(value.type) and flows(op, position):
            yield value


def flows(op: Op, position: int) -> bool:
    """Whether the op has a rule for input number ``position``."""
    if op.name in ("list_push", "list_pop"):
        return True
    return op.kind.input_name(position) in op.kind.vjp or callable(op.kind.jvp)


# ------------------------------------------------------------------------------ forwards
def _spread(block: Block, found: set[Value]) -> None:
    for op in block.ops:
        if op.regions:
            for source, target in edges(op):
                if source in found:
                    _mark(target, found)
            for region in op.regions:
                _spread(region, found)
            for source, target in edges(op):
                if source in found:
                    _mark(target, found)
        elif any(v in found for v in differentiable_inputs(op)):
            for r in op.results:
                _mark(r, found)
        _join_lists(op, found)


def _mark(value: Value, found: set[Value]) -> None:
    if is_inexact(value.type):
        found.add(value)


def _join_lists(op: Op, found: set[Value]) -> None:
    """A list is varied in all of its versions or in none."""
    pairs: list[tuple[Value, Value]] = []
    if op.kind.has("list") and op.kind.has("store"):
        pairs.append((op.inputs[0], op.results[0]))
    elif op.regions:
        pairs += _versions(op)
    for a, b in pairs:
        if b in found:
            found.add(a)


def edges(op: Op) -> Iterator[tuple[Value, Value]]:
    """How values pass into, around and out of a control-flow op: ``(from, to)``."""
    if op.name == "if":
        for region in op.regions:
            yield from zip(region.results, op.results, strict=True)
        return
    if op.name == "checkpoint":
        yield from zip(op.regions[0].results, op.results, strict=True)
    if op.name in ("custom_vjp", "custom_jvp"):
        yield from _custom_edges(op)
    if op.name in ("for", "while"):
        body = op.regions[-1]
        init = op.inputs[3:] if op.name == "for" else op.inputs
        params = body.params[1:] if op.name == "for" else body.params
        nexts = body.results[1:] if op.attrs["breaks"] else body.results
        for start, p, after, result in zip(init, params, nexts, op.results, strict=True):
            yield start, p
            yield after, p
            yield start, result
            yield after, result


def _custom_edges(op: Op) -> Iterator[tuple[Value, Value]]:
    """By the rule from arguments to outputs; by the forward code to what it saves. What a rule
    reads from outside counts too, so that it can be refused."""
    outside = [v for region in op.regions for v in free_values(region)]
    sources = [op.inputs[i] for i in op.attrs["wrt"]]
    if op.attrs.get("jvp"):
        sources = [v for v in op.inputs if is_inexact(v.type)]
    for source in (*sources, *outside):
        for i in op.attrs["moving"]:
            yield source, op.results[i]
    for saved in op.results[op.attrs["outs"] :]:
        for source in (*op.inputs, *outside):
            if is_inexact(source.type) and is_inexact(saved.type):
                yield source, saved


# ----------------------------------------------------------------------------- backwards
def _spread_back(block: Block, varied: set[Value], useful: set[Value]) -> None:
    for op in reversed(block.ops):
        if op.regions:
            _back_edges(op, varied, useful)
            for region in op.regions:
                _spread_back(region, varied, useful)
            _back_edges(op, varied, useful)
        elif any(r in useful for r in op.results):
            useful.update(v for v in differentiable_inputs(op) if v in varied)
        for a, b in _list_pairs(op):
            if a in useful or b in useful:
                useful.update(v for v in (a, b) if v in varied)


def _back_edges(op: Op, varied: set[Value], useful: set[Value]) -> None:
    for source, target in edges(op):
        if target in useful and source in varied:
            useful.add(source)


def _list_pairs(op: Op) -> Iterator[tuple[Value, Value]]:
    if op.kind.has("list") and op.kind.has("store"):
        yield op.inputs[0], op.results[0]
    elif op.regions:
        yield from _versions(op)


def _versions(op: Op) -> Iterator[tuple[Value, Value]]:
    """How lists pass through a control-flow op. What stands for any list where there is none is
    no version of those that it stands for: they have nothing to do with each other."""
    for source, target in edges(op):
        undefined = source.op is not None and source.op.name == "undef"
        if isinstance(source.type, ListType) and not undefined:
            yield source, target
