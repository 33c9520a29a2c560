"""What the backward code of a region reads of its forward code: kept, or had again.

Backward code is first written as if the forward region's values were at hand (a *template*).
``plan`` looks at what it reads of them and decides for each value whether to recompute it from
what is at hand anyway or to keep it; ``instantiate`` then writes the code for good, with the
forward values replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InternalError
from ..ir.builder import Builder
from ..ir.dims import Dimension, symbols
from ..ir.rewrite import Env, copy_op, rewrite_ops
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Block, Op, Value
from .licm import never_raises


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
    *,
    loop: bool = False,
) -> Plan:
    """What the templates need of the forward region.

    Args:
        forward: the region's builder, with all of its ops.
        params: the region's parameters; ``index`` is the one the backward has by itself.
        loop: the region is a loop's, out of which what is the same in each round is moved.
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
    lasting = (
        _lasting(forward, inside) | _counted(forward, inside, index) if loop else set()
    )
    for value in sorted(needed, key=order.__getitem__):
        chain: dict[Op, None] = {}
        at_hand_now = at_hand | kept.keys()
        if _can_recompute(value, inside, at_hand_now, buildable, again, chain, lasting):
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
        for i, value in enumerate(op.inputs):
            if value in inside and not _shape_is_known(op, i, buildable):
                needed.setdefault(value)
        for region in op.regions:
            _needs(region, inside, buildable, needed)
    for value in block.results:
        if value in inside:
            needed.setdefault(value)


def _shape_is_known(op: Op, position: int, buildable: set[object]) -> bool:
    """Whether the op only wants the shape of an input, which can be had without the input."""
    t = op.inputs[position].type
    if not _is_for_shape(op, position) or not isinstance(t, ArrayType):
        return False
    return all(symbols(d) <= buildable for d in t.shape)


def _is_for_shape(op: Op, position: int) -> bool:
    return op.kind.input_name(position) in op.kind.shape_only


def _can_recompute(
    value: Value,
    inside: set[Value],
    at_hand: set[Value],
    buildable: set[object],
    again: dict[Op, None],
    chain: dict[Op, None],
    lasting: set[Op],
) -> bool:
    if value not in inside or value in at_hand:
        return True
    op = value.op
    if op is None or op.regions or op.kind.has("effect"):
        return False
    if not op.kind.has("cheap") and op not in lasting:
        return False
    if op.kind.has("list"):
        return False  # to read it again, the whole list would be kept
    if op in again or op in chain:
        return True
    if not all(
        _shape_is_known(op, i, buildable)
        or _can_recompute(v, inside, at_hand, buildable, again, chain, lasting)
        for i, v in enumerate(op.inputs)
    ):
        return False
    chain[op] = None
    return True


def _lasting(forward: Builder, inside: set[Value]) -> set[Op]:
    """Ops that give the same in each round."""
    found: set[Op] = set()
    for op in forward.ops:
        fixed = op.regions or not (never_raises(op) or _on_numbers(op))
        if fixed or any(map(op.kind.has, ("effect", "random", "store", "shares", "list"))):
            continue
        if all(v not in inside or v.op in found for v in op.inputs):
            found.add(op)
    return found


def _counted(forward: Builder, inside: set[Value], index: Value | None) -> set[Op]:
    """Ops on numbers that know nothing of a round but its index."""
    found: set[Op] = set()
    for op in forward.ops:
        known = all(v not in inside or v is index or v.op in found for v in op.inputs)
        if known and _on_numbers(op):
            found.add(op)
    return found


def _on_numbers(op: Op) -> bool:
    numbers = all(isinstance(v.type, ScalarType) for v in (*op.inputs, *op.results))
    return numbers and not op.regions and op.kind.has("elementwise")


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
    absent = [
        v
        for i, v in enumerate(op.inputs)
        if _is_for_shape(op, i) and v not in env and isinstance(v.type, ArrayType)
    ]
    absent = [v for v in absent if not _reachable(builder, v)]
    if not absent:
        return None
    try:
        return _from_lengths(builder, op, env, absent)
    except InternalError:
        return None


def _from_lengths(
    builder: Builder, op: Op, env: Env, absent: Sequence[Value]
) -> Sequence[Value]:
    """The op with the lengths of ``absent`` inputs in place of these: written with lengths
    where there is such a way, else of memory that is never looked at."""
    t = absent[0].type
    assert isinstance(t, ArrayType)
    if op.name == "shape":
        return [builder.length(builder.dims.canonical(t.shape[op.attrs["axis"]]))]
    if op.name == "size":
        return [builder.length(t.size)]
    if op.name.endswith("_like"):
        rest = [env.get(v, v) for v in op.inputs[1:]]
        return [_made(builder, op.name.removesuffix("_like"), rest, t, op.attrs["dtype"])]
    blank = {v: _made(builder, "empty", [], v.type, None) for v in absent}
    return copy_op(builder, op, {**env, **blank}, _by_shape)


def _made(
    builder: Builder, name: str, given: Sequence[Value], t: Type, dtype: Any
) -> Value:
    assert isinstance(t, ArrayType)
    lengths = [builder.length(builder.dims.canonical(d)) for d in t.shape]
    made: Value = builder.op(name, *given, *lengths, dtype=dtype or t.dtype)
    return made


def _reachable(builder: Builder, value: Value) -> bool:
    return any(bound is value for bound, _ in builder.bindings.values())
