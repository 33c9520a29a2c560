"""What the backward code of a region reads of its forward code: kept, or had again.

Backward code is first written as if the forward region's values were at hand (a *template*).
``plan`` looks at what it reads of them and decides for each value whether to recompute it from
what is at hand anyway or to keep it; ``instantiate`` then writes the code for good, with the
forward values replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import InternalError
from ..ir.builder import Builder
from ..ir.dims import Dimension, symbols
from ..ir.rewrite import Env, copy_op, rewrite_ops
from ..ir.types import ArrayType
from ..ir.values import Block, Op, Value

_BY_SHAPE = frozenset({"zeros_like", "shape", "size"})


@dataclass(frozen=True, slots=True)
class Plan:
    """``kept`` values are to be saved; ``recomputed`` ops give the others again, in order."""

    kept: tuple[Value, ...]
    recomputed: tuple[Op, ...]


def plan(
    templates: Iterable[Block],
    forward: Builder,
    params: Sequence[Value],
    index: Value | None,
) -> Plan:
    """What the templates need of the forward region.

    Args:
        forward: the region's builder, with all of its ops.
        params: the region's parameters; ``index`` is the one the backward has by itself.
    """
    inside = set(params)
    for op in forward.ops:
        inside.update(op.results)
    needed: dict[Value, None] = {}
    buildable = _buildable(forward, params, index)
    for template in templates:
        _needs(template, inside, buildable, needed)
    order = {p: i for i, p in enumerate(params)}
    for op in forward.ops:
        for r in op.results:
            order[r] = len(order)
    kept: dict[Value, None] = {}
    again: dict[Op, None] = {}
    at_hand = {index} if index is not None else set()
    for value in sorted(needed, key=order.__getitem__):
        chain: dict[Op, None] = {}
        at_hand_now = at_hand | kept.keys()
        if _can_recompute(value, inside, at_hand_now, buildable, again, chain):
            again.update(chain)
        else:
            kept[value] = None
    return Plan(tuple(kept), tuple(again))


def _buildable(
    forward: Builder, params: Sequence[Value], index: Value | None
) -> set[object]:
    """Symbols that the backward region can make lengths of."""
    inside = set(params)
    for op in forward.ops:
        inside.update(op.results)
    found = {s for s, (value, _) in forward.bindings.items() if value not in inside}
    if index is not None and index.dim is not None:
        found |= symbols(index.dim)
    return set(found)


def _needs(
    block: Block, inside: set[Value], buildable: set[object], needed: dict[Value, None]
) -> None:
    for op in block.ops:
        for value in op.inputs:
            if value in inside and not (_shape_only(op) and _known(value, buildable)):
                needed.setdefault(value)
        for region in op.regions:
            _needs(region, inside, buildable, needed)
    for value in block.results:
        if value in inside:
            needed.setdefault(value)


def _shape_only(op: Op) -> bool:
    return op.name in _BY_SHAPE


def _known(value: Value, buildable: set[object]) -> bool:
    if not isinstance(value.type, ArrayType):
        return False
    return all(symbols(d) <= buildable for d in value.type.shape)


def _can_recompute(
    value: Value,
    inside: set[Value],
    at_hand: set[Value],
    buildable: set[object],
    again: dict[Op, None],
    chain: dict[Op, None],
) -> bool:
    if value not in inside or value in at_hand:
        return True
    op = value.op
    if op is None or op.regions or not op.kind.has("cheap") or op.kind.has("effect"):
        return False
    if op.kind.has("list"):
        return False  # to read it again, the whole list would be kept
    if op in again or op in chain:
        return True
    if not (_shape_only(op) and _known(op.inputs[0], buildable)) and not all(
        _can_recompute(v, inside, at_hand, buildable, again, chain) for v in op.inputs
    ):
        return False
    chain[op] = None
    return True


def buildable_length(builder: Builder, d: Dimension) -> bool:
    """Whether ``builder.length(d)`` can be made."""
    return all(s in builder.bindings for s in symbols(builder.dims.canonical(d)))


def instantiate(
    builder: Builder,
    template: Block,
    args: Sequence[Value],
    env: Env,
    recomputed: Sequence[Op],
) -> list[Value]:
    """The template's ops for good: parameters become ``args``, forward values what ``env``
    says."""
    scope: Env = dict(env)
    for op in recomputed:
        role, builder.role = builder.role, template_role(template, builder.role)
        copied = _by_shape(builder, op, scope) or copy_op(builder, op, scope)
        if copied and copied[0].op is not None:
            copied[0].op.role = builder.role
        builder.role = role
        scope.update(zip(op.results, copied, strict=True))
    scope.update(zip(template.params, args, strict=True))
    rewrite_ops(builder, template.ops, scope, _by_shape)
    return [scope.get(r, r) for r in template.results]


def template_role(template: Block, default: str) -> str:
    """The heading that the template's ops have."""
    return template.ops[0].role if template.ops else default


def _by_shape(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    """Ops that only want the shape of a value that is not at hand."""
    if op.name not in _BY_SHAPE or op.inputs[0] in env:
        return None
    t = op.inputs[0].type
    assert isinstance(t, ArrayType)
    if _reachable(builder, op.inputs[0]):
        return None
    try:
        if op.name == "shape":
            return [builder.length(builder.dims.canonical(t.shape[op.attrs["axis"]]))]
        if op.name == "size":
            return [builder.length(t.size)]
        dtype = op.attrs["dtype"] or t.dtype
        lengths = [builder.length(builder.dims.canonical(d)) for d in t.shape]
        return [builder.op("zeros", *lengths, dtype=dtype)]
    except InternalError:
        return None


def _reachable(builder: Builder, value: Value) -> bool:
    return any(bound is value for bound, _ in builder.bindings.values())
