"""``sg.checkpoint(f)`` and ``sg.checkpoint_name`` met while lowering."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...errors import InputTypeError, UnsupportedFunctionError
from ...ir.rewrite import inline
from ...ir.types import is_inexact
from ...ir.values import Block, Op, Value
from ..arguments.leaftypes import as_value, name_of
from ..machine import Machine
from ..names.specialise import need
from ..parts import Parts, rebuild, settled, take_apart
from ..requests import Request
from ..values import Ref
from .checkpoint_parts import checkpointed
from .gradients import LOWERED
from .tracing import Traced, commit, trace
from .verbs import verb


@verb("checkpoint_name")
def checkpoint_name(m: Machine, node: ast.AST, tree: Any, name: Any) -> Any:
    """``sg.checkpoint_name(tree, name)``."""
    known = need(m, node, name, "the name for `checkpoint_name`")
    parts = take_apart(m, tree)
    leaves = []
    for leaf in parts.leaves:
        if isinstance(leaf, Value | Ref) and is_inexact(leaf.type):
            leaf = m.wrap(m.builder.op("named", as_value(m, leaf), name=str(known)))
        leaves.append(leaf)
    return rebuild(m, parts, leaves)


def lower_checkpoint(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The call as a ``checkpoint`` op, or its loops with a budget.

    Raises:
        InputTypeError: the function returns a function or the like.
        UnsupportedFunctionError: it draws random numbers in a loop or branch.
    """
    name = name_of(request.fun)

    def finish(given: Any) -> Parts:
        parts = settled(m, given)
        if parts.opaque is not None:
            raise InputTypeError(
                f"the result of `{name}` holds {parts.opaque}; under `checkpoint` a function "
                "returns arrays, numbers and containers of them"
            )
        parts.values = [as_value(m, leaf) for leaf in parts.leaves]
        return parts

    traced = trace(
        m,
        node,
        request.fun,
        args,
        kwargs,
        (),
        finish,
        doing="checkpointed",
        stores=True,
        copies=False,
    )
    _refuse_draws(m, node, name, traced)
    budget, policy = request.option("budget"), request.option("policy")
    count = len(traced.outcome.values)
    block = traced.block([*traced.outcome.values, *traced.changes])
    if budget is not None:
        values = inline(m.builder, _with_budget(block, budget), ())
    elif policy is not None:
        values = tuple(checkpointed(m.builder, block, policy))
    else:
        values = m.builder.checkpoint_(block)
    for old, new in zip(block.results, values, strict=True):
        new.name, new.dim = new.name or old.name, new.dim or old.dim
    commit(m, traced, values[count:])
    return rebuild(m, traced.outcome, [m.wrap(v) for v in values[:count]])


LOWERED["checkpoint"] = lower_checkpoint


def _refuse_draws(m: Machine, node: ast.AST, name: str, traced: Traced[Parts]) -> None:
    """What is computed again must be what it was."""
    for op in traced.builder.ops:
        for inner in (o for region in op.regions for o in region.walk()):
            if inner.kind.has("random") or inner.kind.has("returns"):
                what = "draws random numbers" if inner.kind.has("random") else "runs code"
                raise UnsupportedFunctionError(
                    f"`checkpoint` of `{name}`, which {what} in a loop or branch that would not "
                    "be the same again; do that before, and pass the result",
                    inner.span or m.span(node),
                )


def _with_budget(block: Block, budget: int) -> Block:
    """The block with a budget for its loops, save those inside of loops."""

    def marked(ops: tuple[Op, ...]) -> Iterator[Op]:
        for op in ops:
            regions, attrs = op.regions, op.attrs
            if op.name in ("for", "while"):
                attrs = {**attrs, "budget": budget}
            elif op.name == "if":
                regions = tuple(
                    Block(r.params, tuple(marked(r.ops)), r.results) for r in regions
                )
            else:
                yield op
                continue
            made = Op(op.kind, op.inputs, attrs, regions, op.span, op.role)
            made.results = op.results
            yield made

    return Block(block.params, tuple(marked(block.ops)), block.results)
