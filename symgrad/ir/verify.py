"""Checks that a function is well formed: dominance, types inferred again, regions.

Two lengths are taken to be equal unless they surely differ: what once showed that they agree
may have been simplified away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import InternalError, SymgradError
from .builder import for_function
from .context import Dims
from .dims import Dimension, add, at_least, may_be_one
from .opdef import REQUIRED
from .printer import to_text
from .types import BOOL, INT, ArrayType, ListType, Type, batched, is_inexact
from .values import Block, Function, Op, Value


def verify(function: Function) -> None:
    """Check the function.

    Raises:
        InternalError: with the IR as text, an arrow at the op or region that is wrong.
    """
    try:
        _Verifier(for_function(function, {}).dims).function(function)
    except _Fault as fault:
        where = to_text(function, mark=fault.spot, note=fault.reason)
        raise InternalError(f"malformed IR: {fault.reason}\n{where}", shown=True) from None


class _Fault(Exception):
    def __init__(self, spot: Op | Block, reason: str) -> None:
        self.spot = spot
        self.reason = reason


class _Verifier:
    def __init__(self, dims: Dims) -> None:
        self.dims = dims
        self.visible: set[Value] = set()
        self.defined: set[Value] = set()

    def function(self, function: Function) -> None:
        block = function.block
        self.block(block)
        for parameter, result in function.mutates:
            if not (parameter < len(block.params) and result < len(block.results)):
                raise _Fault(
                    block, f"mutates names no parameter {parameter}, result {result}"
                )

    # -- dominance ----------------------------------------------------------------------
    def block(self, block: Block) -> None:
        """Check a block; its values are visible only inside."""
        own: list[Value] = []
        for p in block.params:
            self.define(p, own, block)
            if p.op is not None:
                raise _Fault(block, f"parameter {p!r} is an op's result")
        for op in block.ops:
            self.op(op)
            for value in op.results:
                self.define(value, own, op)
                if value.op is not op:
                    raise _Fault(op, f"result {value!r} says it is another op's")
        for value in block.results:
            self.read(value, block)
        self.visible.difference_update(own)

    def define(self, value: Value, own: list[Value], spot: Op | Block) -> None:
        if value in self.defined:
            raise _Fault(spot, f"{value!r} is defined twice")
        self.defined.add(value)
        self.visible.add(value)
        own.append(value)

    def read(self, value: Value, spot: Op | Block) -> None:
        if value not in self.visible:
            where = (
                "outside its region" if value in self.defined else "before its definition"
            )
            raise _Fault(spot, f"{value!r} is read {where}")

    # -- ops ----------------------------------------------------------------------------
    def op(self, op: Op) -> None:
        for value in op.inputs:
            self.read(value, op)
        self.attributes(op)
        check = _CONTROL.get(op.kind.name)
        if check is not None:
            check(self, op)
            return
        if op.regions:
            raise _Fault(op, f"{op.kind.name} has no regions")
        self.arity(op)
        self.inferred(op)

    def attributes(self, op: Op) -> None:
        if set(op.attrs) != set(op.kind.attrs):
            raise _Fault(op, f"attributes {sorted(op.attrs)}, not {sorted(op.kind.attrs)}")
        for name, value in op.attrs.items():
            if value is REQUIRED:
                raise _Fault(op, f"attribute {name!r} is missing")

    def arity(self, op: Op) -> None:
        fixed = len(op.kind.inputs) - op.kind.variadic
        count = len(op.inputs)
        if count < fixed or (count > fixed and not op.kind.variadic):
            raise _Fault(op, f"{count} inputs, {op.kind.name} takes {fixed}")

    def inferred(self, op: Op) -> None:
        try:
            found = op.kind.infer(self.dims, op.inputs, **op.attrs)
        except SymgradError as error:
            raise _Fault(op, f"no type: {error.message}") from None
        types = found if isinstance(found, tuple) else (found,)
        self.count(op, len(op.results), len(types), "results")
        for value, t in zip(op.results, types, strict=True):
            if not self.agree(value.type, t, learn=True):
                raise _Fault(op, f"type {value.type}, inferred {t}")

    # -- types --------------------------------------------------------------------------
    def agree(self, a: Type, b: Type, *, learn: bool = False) -> bool:
        """Whether two types may be the same; ``learn`` records what lengths that takes."""
        if isinstance(a, ListType) and isinstance(b, ListType):
            return self.agree(a.element, b.element)
        if not isinstance(a, ArrayType) or not isinstance(b, ArrayType):
            return a == b
        if a.dtype != b.dtype or a.ndim != b.ndim:
            return False
        pairs = zip(a.shape, b.shape, strict=True)
        return all(self.same_length(p, q, learn=learn) for p, q in pairs)

    def same_length(self, a: Dimension, b: Dimension, *, learn: bool) -> bool:
        if self.dims.equal(a, b):
            return True
        a, b = self.dims.canonical(a), self.dims.canonical(b)
        if _differ(a, b):
            return False
        if learn:
            self.dims.unify(a, b)
        return True

    def count(self, spot: Op | Block, found: int, wanted: int, what: str) -> None:
        if found != wanted:
            raise _Fault(spot, f"{found} {what}, not {wanted}")

    def types(
        self, spot: Op | Block, found: Sequence[Value], wanted: Sequence[Type]
    ) -> None:
        self.count(spot, len(found), len(wanted), "values")
        for value, t in zip(found, wanted, strict=True):
            if not _is_undef(value) and not self.agree(value.type, t):
                raise _Fault(spot, f"{value!r} where {t} is expected")

    # -- regions ------------------------------------------------------------------------
    def region(
        self, block: Block, wanted: Sequence[Type] | None = None, lead: int = 0
    ) -> None:
        """Check a region; ``wanted`` are the types due of its results after the first ``lead``,
        lengths compared by what the region's ops say of them."""
        outer, self.dims = self.dims, self.dims.child()
        self.block(block)
        if wanted is not None:
            self.types(block, block.results[lead:], wanted)
        self.dims = outer

    def condition(self, spot: Op | Block, value: Value) -> None:
        t = value.type
        if t != BOOL and not (isinstance(t, ArrayType) and t.ndim == 0 and t.dtype == bool):
            raise _Fault(spot, f"condition {value!r} is no bool")

    def if_(self, op: Op) -> None:
        self.count(op, len(op.inputs), 1, "inputs")
        self.count(op, len(op.regions), 2, "regions")
        self.condition(op, op.inputs[0])
        for region in op.regions:
            self.count(region, len(region.params), 0, "parameters")
            self.region(region, [r.type for r in op.results])

    def checkpoint(self, op: Op) -> None:
        self.count(op, len(op.regions), 1, "regions")
        [body] = op.regions
        self.count(body, len(body.params), 0, "parameters")
        self.region(body, [r.type for r in op.results])

    def for_(self, op: Op) -> None:
        self.count(op, len(op.regions), 1, "regions")
        if [v.type for v in op.inputs[:3]] != [INT, INT, INT]:
            raise _Fault(op, "start, stop and step have to be ints")
        [body] = op.regions
        if not body.params or body.params[0].type != INT:
            raise _Fault(body, "the first parameter has to be the index, an int")
        self.carried(op, body, op.inputs[3:], body.params[1:])

    def while_(self, op: Op) -> None:
        self.count(op, len(op.regions), 2, "regions")
        test, body = op.regions
        self.types(test, test.params, [v.type for v in op.inputs])
        self.region(test)
        self.count(test, len(test.results), 1, "results")
        self.condition(test, test.results[0])
        self.carried(op, body, op.inputs, body.params)

    def carried(
        self, op: Op, body: Block, init: Sequence[Value], params: Sequence[Value]
    ) -> None:
        wanted = [p.type for p in params]
        self.types(op, init, wanted)
        self.types(op, op.results, wanted)
        breaks = bool(op.attrs["breaks"])
        if breaks:
            self.count(body, len(body.results), len(wanted) + 1, "results")
            self.condition(body, body.results[0])
        self.region(body, wanted, int(breaks))

    def reverse(self, op: Op) -> None:
        body, wrt = self.derivative(op)
        self.types(op, op.inputs, [p.type for p in body.params])
        if not body.results or not is_inexact(body.results[0].type):
            raise _Fault(body, "the first result has to be the value, a real number")
        gradients = [body.params[i].type for i in wrt]
        self.types(op, op.results, [r.type for r in body.results] + gradients)

    def forward(self, op: Op) -> None:
        body, wrt = self.derivative(op)
        tangents = [body.params[i].type for i in wrt]
        self.types(op, op.inputs, [p.type for p in body.params] + tangents)
        results = [r.type for r in body.results]
        self.types(op, op.results, results + [t for t in results if is_inexact(t)])

    def vjp(self, op: Op) -> None:
        body, _ = self.derivative(op)
        self.types(op, op.inputs, [p.type for p in body.params])
        outs = [r.type for r in body.results[: op.attrs["outs"]]]
        if len(outs) != op.attrs["outs"] or not all(map(is_inexact, outs)):
            raise _Fault(body, "the first results have to be real or complex numbers")
        self.types(op, op.results[:-1], [r.type for r in body.results])

    def pullback(self, op: Op) -> None:
        made = op.inputs[0].op if op.inputs else None
        if made is None or made.kind.name != "vjp":
            raise _Fault(op, "the first input has to be the pullback of a vjp")
        outs = made.results[: made.attrs["outs"]]
        self.types(op, op.inputs[1:], [r.type for r in outs])
        self.inferred(op)

    def vmap(self, op: Op) -> None:
        self.count(op, len(op.regions), 1, "regions")
        [body] = op.regions
        given = [v.type for v in op.inputs]
        shapes: list[tuple[Dimension, ...]] = [
            getattr(given[i], "shape", ()) for i in op.attrs["batched"]
        ]
        if not shapes or not all(shapes):
            raise _Fault(op, "the batched inputs have to be arrays with an axis or more")
        length = shapes[0][0]
        wanted = [p.type for p in body.params]
        for i in op.attrs["batched"]:
            wanted[i] = batched(wanted[i], length)
        self.types(op, op.inputs, wanted)
        self.region(body)
        pairs = zip(body.results, op.attrs["out"], strict=True)
        due = [batched(r.type, length) if axis else r.type for r, axis in pairs]
        self.types(op, op.results, due)

    def custom(self, op: Op) -> None:
        if len(op.regions) == 1:  # a rule that is not there
            self.region(op.regions[0], [r.type for r in op.results])
            return
        first, rule, *plain = op.regions
        args = [v.type for v in op.inputs]
        tangents = [t for t in args if is_inexact(t)]
        outs = [first.results[i].type for i in op.attrs["moving"]]
        wrt = [op.inputs[i].type for i in op.attrs["wrt"]]
        if op.kind.name == "custom_vjp":
            given, due = [*args, *(r.type for r in first.results), *outs], wrt
        else:
            given, due = [*args, *wrt], outs
        if op.attrs.get("jvp"):
            push = plain.pop()
            saved = [r.type for r in first.results]
            self.types(push, push.params, [*args, *saved, *tangents])
            self.region(push, outs)
        for block, wanted in ((first, args), (rule, given), *((p, args) for p in plain)):
            self.types(block, block.params, wanted)
        self.region(first, [r.type for r in op.results])
        self.region(rule, due)
        for block in plain:
            self.region(block, [r.type for r in op.results[: op.attrs["outs"]]])

    def derivative(self, op: Op) -> tuple[Block, tuple[int, ...]]:
        self.count(op, len(op.regions), 1, "regions")
        [body] = op.regions
        wrt: tuple[int, ...] = op.attrs["wrt"]
        for i in wrt:
            if not 0 <= i < len(body.params) or not is_inexact(body.params[i].type):
                raise _Fault(op, f"wrt names {i}, which is no real parameter")
        self.region(body)
        return body, wrt


def _differ(a: Dimension, b: Dimension) -> bool:
    """Whether two lengths surely differ."""
    if any(p == 1 and not may_be_one(q) for p, q in ((a, b), (b, a))):
        return True
    return at_least(a, add(b, 1)) or at_least(b, add(a, 1))


def _is_undef(value: Value) -> bool:
    return value.op is not None and value.op.kind.name == "undef"


_CONTROL: dict[str, Callable[[_Verifier, Op], None]] = {
    "if": _Verifier.if_,
    "for": _Verifier.for_,
    "while": _Verifier.while_,
    "reverse": _Verifier.reverse,
    "forward": _Verifier.forward,
    "vmap": _Verifier.vmap,
    "vjp": _Verifier.vjp,
    "pullback": _Verifier.pullback,
    "custom_vjp": _Verifier.custom,
    "custom_jvp": _Verifier.custom,
    "checkpoint": _Verifier.checkpoint,
}
