"""Dead code: ops, branch results and loop-carried values that nothing needs.

Before: any IR. After: every op has an effect, may raise inside of a ``try``, or leads to a
result of the function; a loop carries no value that only feeds itself. Ops that remain are
untouched and in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.builder import Builder
from ..ir.rewrite import Env, copy_block, rewrite
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE


def dce(function: Function) -> Function:
    """The function without what is not needed."""
    liveness = _Liveness(function.block)
    liveness.spread(function.block.results)
    pruner = _Pruner(liveness)
    if not pruner.changes(function.block):
        return function
    return rewrite(function, TABLE, pruner.visit)


def has_effect(op: Op) -> bool:
    """Whether an op has to stay, itself and in its order, whatever is read of it."""
    return op.kind.has("effect") or op.kind.has("random")


def may_raise(op: Op) -> bool:
    """Whether an op raises for some data that it takes else, as linear algebra does."""
    return op.kind.has("may_warn") and op.kind.has("allocates")


class _Liveness:
    """Which values are needed, found backwards from the roots."""

    def __init__(self, block: Block) -> None:
        self.live: set[Value] = set()
        self.kept: set[Op] = set()
        self.owner: dict[Value, tuple[Op, int]] = {}
        self.within: dict[Op, list[Op]] = {}
        self.todo: list[Value] = []
        self.tries = 0
        self.walk(block, ())

    def walk(self, block: Block, around: tuple[Op, ...]) -> None:
        """Note whose parameters are whose; keep effects and the control flow around them."""
        tried = self.tries
        for op in block.ops:
            self.tries += (op.kind.name == "try_begin") - (op.kind.name == "try_end")
            if has_effect(op) or (self.tries and may_raise(op)):
                self.effect(op, around)
            for region in op.regions:
                for position, p in enumerate(region.params):
                    self.owner[p] = (op, position)
                self.walk(region, (*around, op))
        self.tries = tried

    def effect(self, op: Op, around: tuple[Op, ...]) -> None:
        """Keep an effect and what is around it; in a rule, if that is kept."""
        chain = (*around, op)
        for outer, inner in zip(reversed(chain), (None, *reversed(chain)), strict=False):
            is_rule = inner is not None and outer.kind.name in ("custom_vjp", "custom_jvp")
            if is_rule and not any(o is inner for o in outer.regions[0].ops):
                self.within.setdefault(outer, []).extend(chain[chain.index(outer) + 1 :])
                return
        for kept in chain:
            self.keep(kept)

    def spread(self, roots: Iterable[Value]) -> None:
        """Mark everything that the roots need."""
        self.todo.extend(roots)
        while self.todo:
            value = self.todo.pop()
            if value in self.live:
                continue
            self.live.add(value)
            if value.op is not None:
                self.keep(value.op)
                self.need(value.op, value.op.results.index(value))
            elif value in self.owner:
                op, position = self.owner[value]
                if op.kind.name != "for" or position > 0:
                    self.need(op, position - (op.kind.name == "for"))

    def keep(self, op: Op) -> None:
        """Mark what an op needs to run at all."""
        if op in self.kept:
            return
        self.kept.add(op)
        for inner in self.within.get(op, ()):
            self.keep(inner)
        name = op.kind.name
        if name == "for":
            self.todo.extend(op.inputs[:3])
        elif name == "while":
            self.todo.extend(op.regions[0].results)
        else:
            self.todo.extend(op.inputs)
            if name != "if":
                for region in op.regions:
                    self.todo.extend(region.results)
        if op.attrs.get("breaks"):
            self.todo.append(op.regions[-1].results[0])

    def need(self, op: Op, position: int) -> None:
        """Mark what result (or carried value) number ``position`` needs."""
        name = op.kind.name
        if name == "if":
            self.todo.extend(region.results[position] for region in op.regions)
        elif name in ("for", "while"):
            first = 3 if name == "for" else 0
            self.todo.append(op.results[position])
            self.todo.append(op.inputs[first + position])
            self.todo.append(op.regions[-1].results[op.attrs["breaks"] + position])
            for region in op.regions:
                self.todo.append(region.params[position + (name == "for")])


class _Pruner:
    """Leaves out what is not live."""

    def __init__(self, liveness: _Liveness) -> None:
        self.live = liveness.live
        self.kept = liveness.kept

    def changes(self, block: Block) -> bool:
        """Whether anything in the block goes."""
        return any(op not in self.kept or self.dead(op) for op in block.walk())

    def visit(self, builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        if op not in self.kept:
            return op.results
        if not op.regions and all(env.get(v, v) is v for v in op.inputs):
            builder.ops.append(op)  # nobody changes it, so it may be in both functions
            return op.results
        if not self.dead(op):
            return None
        keep = [k for k in range(len(op.results)) if self.needed(op, k)]
        is_loop = op.kind.name != "if"
        first = 3 if op.kind.name == "for" else 0
        inputs = _pick(op.inputs, keep, first) if is_loop else op.inputs
        regions = (self.narrowed(op, number, keep) for number in range(len(op.regions)))
        copies = tuple(copy_block(builder, r, env, self.visit) for r in regions)
        mapped = tuple(env.get(v, v) for v in inputs)
        new = Op(op.kind, mapped, op.attrs, copies, op.span, op.role)
        new.results = tuple(
            Value(r.type, r.name, new, r.dim) for r in _pick(op.results, keep, 0)
        )
        builder.ops.append(new)
        stands: list[Value] = list(op.results)
        for k, value in zip(keep, new.results, strict=True):
            builder.bind(value)
            stands[k] = value
        return stands

    def dead(self, op: Op) -> bool:
        """Whether some results go. A derivative not yet expanded keeps its signature."""
        if op.kind.name not in ("if", "for", "while"):
            return False
        return not all(self.needed(op, k) for k in range(len(op.results)))

    def needed(self, op: Op, position: int) -> bool:
        if op.results[position] in self.live:
            return True
        if op.kind.name == "if":
            return False
        offset = op.kind.name == "for"
        return any(region.params[position + offset] in self.live for region in op.regions)

    def narrowed(self, op: Op, number: int, keep: Sequence[int]) -> Block:
        """A region with the kept results and parameters only."""
        name, region = op.kind.name, op.regions[number]
        params = region.params
        if name != "if":
            params = _pick(params, keep, int(name == "for"))
        results = region.results
        if name != "while" or number == 1:
            results = _pick(results, keep, int(op.attrs.get("breaks", False)))
        return Block(params, region.ops, results)


def _pick(values: tuple[Value, ...], keep: Sequence[int], first: int) -> tuple[Value, ...]:
    """The first values as they are, of those after them the kept ones."""
    return (*values[:first], *(values[first + k] for k in keep))
