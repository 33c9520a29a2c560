"""Derivative ops -> plain ops, innermost first.

Before: ``reverse``, ``forward``, ``vjp`` and ``vmap`` ops hold functions as blocks. After:
there are none, and no ``stop_gradient`` or custom rules either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.rewrite import Env, copy_block, rewrite, rewrite_ops
from ..ir.structure import UNDEF
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from ..ops.guards import WRITTEN
from .activity import active_values
from .adjoints import Adjoints
from .batching.entry import batch
from .chains import cut_chains
from .checkpoint import opened
from .compress import compressed
from .cse import cse
from .custom import plain_block
from .dce import dce
from .doubts import begin
from .first_mask import first_mask
from .fold import fold
from .forward import forward
from .reverse import Step, pull, reverse, sweep
from .settle import settle
from .simplify import simplify
from .taps import passed
from .twins import twins


def expand(function: Function) -> Function:
    """Write out every derivative. What an inner one leaves is cleaned up before the next is
    taken of it: less to differentiate, and nothing twice."""
    notes = {}
    if _derivatives(function.block):
        notes = {**function.notes, "derivative": True}
        function = cut_chains(fold(settle(function)))
    while _derivatives(function.block):
        function = replace(rewrite(function, TABLE, _Expansion().visit), notes=notes)
        if _derivatives(function.block):
            function = dce(cse(twins(cse(simplify(fold(function))))))
    if any(op.kind.has("marker") for op in function.block.walk()):
        function = rewrite(function, TABLE, _without_marker)
    return function


def _without_marker(builder: Builder, op: Op, env: Env) -> list[Value] | None:
    """Once all derivatives are taken, markers and rules have said what they had to say."""
    if op.name in ("tap_gradient", "bend"):
        return [env.get(v, v) for v in passed(op)]
    if op.name in WRITTEN:
        sources = (op.inputs[0], first_mask(op)) if op.name == "counted" else op.inputs
        inputs = (Expr(builder, env.get(v, v)) for v in sources)
        return [WRITTEN[op.name](*inputs).value]
    if op.kind.has("marker") and not op.regions:
        return [env.get(op.inputs[0], op.inputs[0])]
    if op.name == "checkpoint":
        return opened(builder, op, env, _without_marker)
    if op.name not in ("custom_vjp", "custom_jvp"):
        return None
    block = plain_block(op) or op.regions[0]
    scope = dict(env)
    scope.update(zip(block.params, (env.get(v, v) for v in op.inputs), strict=True))
    rewrite_ops(builder, block.ops, scope, _without_marker)
    results = [scope.get(r, r) for r in block.results]
    # What the plain function does not give was saved for a derivative that there is not.
    return [*results, *(builder.undef(r.type) for r in op.results[len(results) :])]


def _derivatives(block: Block) -> bool:
    return any(op.kind.has("derivative") for op in block.walk())


@dataclass(frozen=True, slots=True)
class _Swept:
    """A ``vjp`` that has been expanded, ready to be pulled back through any number of times."""

    block: Block
    wanted: tuple[Value, ...]
    active: set[Value]
    env: Env
    steps: list[Step]


class _Expansion:
    """One round: every derivative whose function holds none itself."""

    def __init__(self) -> None:
        self.swept: dict[Value, _Swept] = {}
        self.rules: dict[str, Callable[[Builder, Op, Env], list[Value]]] = {
            "reverse": self.reverse,
            "forward": self.forward,
            "vjp": self.vjp,
            "vmap": self.vmap,
        }

    def visit(self, builder: Builder, op: Op, env: Env) -> list[Value] | None:
        if op.name == "pullback":
            return self.pullback(builder, op, env)
        if op.name in self.rules and not _derivatives(op.regions[0]):
            return self.rules[op.name](builder, op, env)
        return None

    def body(self, builder: Builder, op: Op, env: Env) -> Block:
        """The op's block among the new values."""
        [region] = op.regions
        return copy_block(builder, region, env, self.visit)

    def reverse(self, builder: Builder, op: Op, env: Env) -> list[Value]:
        body = self.body(builder, op, env)
        args = [env.get(v, v) for v in op.inputs]
        role = str(op.attrs["label"]) or "backward"
        results, gradients = reverse(builder, body, args, op.attrs["wrt"], role)
        return [*results, *gradients]

    def forward(self, builder: Builder, op: Op, env: Env) -> list[Value]:
        body = self.body(builder, op, env)
        count = len(body.params)
        inputs = [env.get(v, v) for v in op.inputs]
        tangents = dict(zip(op.attrs["wrt"], inputs[count:], strict=True))
        results, moved = forward(builder, body, inputs[:count], tangents)
        return [*results, *moved]

    def vmap(self, builder: Builder, op: Op, env: Env) -> list[Value]:
        body = self.body(builder, op, env)
        args = [env.get(v, v) for v in op.inputs]
        out, basis = op.attrs["out"], op.attrs["basis"]
        few = compressed(builder, body, out, basis) if basis else None
        return batch(builder, body, args, op.attrs["batched"], out) if few is None else few

    def vjp(self, builder: Builder, op: Op, env: Env) -> list[Value]:
        """The results here; the way back where it is asked for."""
        body = self.body(builder, op, env)
        wanted = tuple(body.params[i] for i in op.attrs["wrt"])
        active = active_values(body, wanted, body.results[: op.attrs["outs"]])
        inner: Env = dict(zip(body.params, (env.get(v, v) for v in op.inputs), strict=True))
        begin(builder, body, active)
        steps = sweep(builder, body.ops, inner, active, "backward")
        token = op.results[-1]
        self.swept[token] = _Swept(body, wanted, active, inner, steps)
        return [*(inner.get(r, r) for r in body.results), token]

    def pullback(self, builder: Builder, op: Op, env: Env) -> list[Value] | None:
        """Back through what ``vjp`` swept, if that has been expanded in this round."""
        swept = self.swept.get(op.inputs[0])
        if swept is None:
            return None
        adjoints = Adjoints(builder, swept.env, swept.active)
        builder.role = "backward"
        for out, g in zip(swept.block.results, op.inputs[1:], strict=False):
            if g.op is None or g.op.kind is not UNDEF:  # which stands for zeros
                adjoints.add(out, Expr(builder, env.get(g, g)))
        pull(adjoints, swept.steps, "backward")
        builder.role = "backward"
        return [adjoints.get(p) for p in swept.wanted]
