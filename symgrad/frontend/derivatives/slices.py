"""``sg.autograd.grad(outputs, inputs)`` between two values of the function being lowered, and
``sg.stop_gradient``.

The operations from the inputs to the outputs are copied into a block, whose pullback is taken;
what the copies compute twice is computed once in the end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import (
    InputTypeError,
    NonScalarOutputError,
    UnsupportedFunctionError,
    UnusedInputError,
)
from ...ir.rewrite import Env, copy_op, free_values
from ...ir.types import is_inexact
from ...ir.values import Block, Op, Value
from ..arguments.leaftypes import as_value, is_real, result_text, type_of
from ..machine import Machine, Region
from ..names.specialise import need
from ..names.static import opened
from ..parts import Parts, rebuild, take_apart
from ..rules.fitting import fit
from ..values import ListObject, Ref
from .gradients import zeros
from .verbs import verb


@verb("stop_gradient")
def stop_gradient(m: Machine, node: ast.AST, tree: Any) -> Any:
    """``sg.stop_gradient(tree)``: the same values, constants to every derivative."""
    parts = take_apart(m, tree)
    leaves = []
    for leaf in parts.leaves:
        if isinstance(leaf, Value | Ref) and is_inexact(leaf.type):
            leaf = m.wrap(m.builder.op("stop_gradient", as_value(m, leaf)))
        leaves.append(leaf)
    return rebuild(m, parts, leaves)


@verb("autograd_grad")
def grad(
    m: Machine,
    node: ast.AST,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    allow_unused: Any = False,
    materialize_grads: Any = False,
) -> Any:
    """``sg.autograd.grad``: a tuple with one gradient for each input."""
    outs = _outputs(m, outputs)
    seeds = _seeds(m, outs, grad_outputs)
    parts = [take_apart(m, x) for x in _sequence(m, inputs)]
    places = [(i, leaf) for i, p in enumerate(parts) for leaf in p.leaves]
    wanted = [_input_value(m, i, leaf) for i, leaf in places]
    found = _gradients(m, node, [as_value(m, x) for x in outs], wanted, seeds)
    allow = bool(need(m, node, allow_unused, "`allow_unused`"))
    zero = bool(need(m, node, materialize_grads, "`materialize_grads`"))
    if not allow and not zero:
        for position, (i, leaf) in enumerate(places):
            if found[position] is None:
                name = leaf.storage.name if isinstance(leaf, Ref) else leaf.name
                called = f" (`{name}`)" if name else ""
                raise UnusedInputError(
                    f"the outputs do not depend on input {i}{called}; with allow_unused=True "
                    "its gradient is None, with materialize_grads=True zero"
                )
    return _rebuilt(m, parts, found, zero)


def _rebuilt(
    m: Machine, parts: Sequence[Parts], found: Sequence[Value | None], zero: bool
) -> tuple[Any, ...]:
    """A gradient like each input; where nothing of it is used None, or zeros with ``zero``."""
    rest = iter(found)
    trees: list[Any] = []
    for p in parts:
        grads = [next(rest) for _ in p.leaves]
        if not zero and all(g is None for g in grads):
            trees.append(None)
            continue
        leaves = [
            zeros(m, leaf) if g is None else m.wrap(g)
            for g, leaf in zip(grads, p.leaves, strict=True)
        ]
        trees.append(rebuild(m, p, leaves))
    return tuple(trees)


def _sequence(m: Machine, x: Any) -> tuple[Any, ...]:
    x = opened(m, x)
    if isinstance(x, ListObject):
        return x.items
    return x if type(x) is tuple else (x,)


def _outputs(m: Machine, outputs: Any) -> list[Any]:
    listed = list(_sequence(m, outputs))
    for out in listed:
        if not isinstance(out, Value | Ref) or not is_inexact(out.type):
            raise InputTypeError(
                "the outputs of `autograd.grad` have to be values of this function, real or "
                f"complex, not {result_text(out)}"
            )
    return listed


def _seeds(m: Machine, outs: Sequence[Any], given: Any) -> list[Value]:
    listed = (None,) * len(outs) if given is None else _sequence(m, given)
    if len(listed) != len(outs):
        raise InputTypeError(f"{len(outs)} outputs, but {len(listed)} grad_outputs")
    seeds = []
    for position, (out, g) in enumerate(zip(outs, listed, strict=True)):
        [fitted] = fit(m, g, out, "gradient", f"output {position}")
        if fitted is None:
            kind = type_of(out)
            if not is_real(kind) or any(n != 1 for n in kind.shape):  # type: ignore[union-attr]
                raise NonScalarOutputError(
                    f"output {position} is {result_text(out)}, no real number; pass "
                    "grad_outputs, or sum it"
                )
            [fitted] = fit(m, _one(m, out), out, "gradient", f"output {position}")
        assert fitted is not None
        seeds.append(fitted)
    return seeds


def _one(m: Machine, out: Any) -> Any:
    """A 1 in the shape of an output that is one number."""
    if not type_of(out).shape:  # type: ignore[union-attr]
        return 1.0
    return m.wrap(m.builder.op("ones_like", as_value(m, out), dtype=None))


def _input_value(m: Machine, position: int, leaf: Any) -> Value:
    if not isinstance(leaf, Value | Ref) or not is_inexact(leaf.type):
        raise InputTypeError(
            f"input {position} of `autograd.grad` is {result_text(leaf)}; gradients are taken "
            "with respect to real or complex values of this function"
        )
    return as_value(m, leaf)


# ------------------------------------------------------------------------------- the slice
@dataclass(frozen=True, slots=True)
class _Slice:
    """The ops that lead from some inputs to the outputs, and the inputs that matter."""

    ops: list[Op]
    used: list[Value]


def _gradients(
    m: Machine,
    node: ast.AST,
    outs: Sequence[Value],
    inputs: Sequence[Value],
    seeds: Sequence[Value],
) -> list[Value | None]:
    ops = _ops_so_far(m.region)
    unique = list(dict.fromkeys(inputs))
    groups = [unique] if _independent(ops, unique) else [[v] for v in unique]
    found: dict[Value, Value] = {}
    for group in groups:
        part = _slice(m, node, ops, outs, group)
        if not part.used:
            continue
        inner = m.builder.sub()
        params = [inner.param(v.type, v.name) for v in part.used]
        env: Env = dict(zip(part.used, params, strict=True))
        for op in part.ops:
            inner.span, inner.role = op.span, op.role
            env.update(zip(op.results, copy_op(inner, op, env), strict=True))
        block = inner.block(params, [env.get(r, r) for r in outs])
        wrt = tuple(range(len(params)))
        *_, token = m.builder.vjp_(part.used, wrt, len(outs), block)
        grads = m.builder.pullback_(token, seeds)
        for v, g in zip(part.used, grads, strict=True):
            g.name = f"g_{v.name}" if v.name else ""
            found[v] = g
    return [found.get(v) for v in inputs]


def _ops_so_far(region: Region) -> list[Op]:
    """Every op that has run before this place, those of surrounding blocks first."""
    chain: list[Region] = []
    at: Region | None = region
    while at is not None:
        chain.append(at)
        at = at.parent
    return [op for r in reversed(chain) for op in r.builder.ops]


def _reads(op: Op) -> Iterable[Value]:
    yield from op.inputs
    for block in op.regions:
        yield from free_values(block)


def _independent(ops: Sequence[Op], inputs: Sequence[Value]) -> bool:
    """Whether no input is computed from another."""
    reached = set(inputs)
    for op in ops:
        if any(v in reached for v in _reads(op)):
            if any(r in inputs for r in op.results):
                return False
            reached.update(op.results)
    return True


def _slice(
    m: Machine,
    node: ast.AST,
    ops: Sequence[Op],
    outs: Sequence[Value],
    inputs: Sequence[Value],
) -> _Slice:
    reached, cut = set(inputs), set(inputs)
    passed = []
    for op in ops:
        if any(r in cut for r in op.results) or not _carries(op):
            continue
        if any(v in reached for v in _reads(op)):
            passed.append(op)
            reached.update(op.results)
    needed = set(outs)
    seen = set(outs)
    kept: list[Op] = []
    on_the_way = set(passed)
    for op in reversed(ops):
        if not any(r in seen for r in op.results) or any(r in cut for r in op.results):
            continue
        seen.update(_reads(op))
        if op in on_the_way and any(r in needed for r in op.results):
            kept.append(op)
            needed.update(_reads(op))
    _refuse_carried(m, node, seen - cut)
    _refuse_effects(m, node, kept)
    return _Slice(kept[::-1], [v for v in inputs if v in needed])


def _carries(op: Op) -> bool:
    """Whether a derivative can pass through the op."""
    return not op.kind.has("nondiff") and any(is_inexact(r.type) for r in op.results)


def _refuse_carried(m: Machine, node: ast.AST, seen: set[Value]) -> None:
    """Through the variables of a loop that is still running, nothing can be followed back."""
    for value in seen:
        known = value.op is not None or value in m.independent or value in m.paths
        if not known and is_inexact(value.type):
            name = f" (`{value.name}`)" if value.name else ""
            raise UnsupportedFunctionError(
                f"`autograd.grad` inside a loop, of something that comes from the round before"
                f"{name}; call it after the loop, or write the round as a function and use "
                "`sg.grad`",
                m.span(node),
            )


def _refuse_effects(m: Machine, node: ast.AST, ops: Sequence[Op]) -> None:
    for op in Block((), tuple(ops), ()).walk():
        if op.kind.has("effect") or op.kind.has("random"):
            raise UnsupportedFunctionError(
                "`autograd.grad` through random draws, prints or raises; use `sg.grad` or "
                "`sg.vjp` of a function",
                m.span(node),
            )
