"""One call of a function with a rule, as an op: the forward code and the rule in blocks of their
own, and what the rule returns checked.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from ...errors import CustomRuleError, ShapeError
from ...ir.builder import Builder
from ...ir.types import ArrayType, ScalarType, is_inexact
from ...ir.values import Block, Value
from ..arguments.leaftypes import as_value, result_text, type_of
from ..arguments.selection import Selected
from ..derivatives.gradients import zeros
from ..derivatives.tracing import Input, Traced, check_unchanged, trace
from ..dispatch import NeverReturns
from ..inline import call_value
from ..machine import Machine
from ..parts import Parts, rebuild, settled, take_apart
from ..requests import CustomRule
from ..values import Native, Record, Ref
from .asis import attempt, forward_as_is, ordinary
from .returned import pair_of_tangents, pulled, pushed, types_text

DEEPEST = 4
"""How many orders of derivatives there are of a function whose rule calls it again, if its class
has no ``orders`` and no more are asked for by transforms around the call."""


@dataclass(frozen=True, slots=True)
class Forward:
    """What the forward code gave: outputs, which of them carry a derivative, what it saved."""

    out: Parts
    moving: tuple[int, ...]
    saved: Parts


class Call:
    """One call of a function with a rule."""

    def __init__(
        self, m: Machine, node: ast.AST, rule: CustomRule, args: tuple[Any, ...]
    ) -> None:
        self.m = m
        self.node = node
        self.rule = rule
        self.args = args
        self.nondiff = {n % len(args) if args else n for n in rule.nondiff}
        names, count = _names(rule)
        self.left = 0 if rule.kind == "function" else max(count - len(args), 0)
        self.inputs = [
            Input(
                Selected(i, names[i] if i < len(names) else "", x),
                take_apart(m, x),
                active(m, x),
            )
            for i, x in enumerate(args)
            if i not in self.nondiff
        ]
        self.aside = tuple(x for i, x in enumerate(args) if i in self.nondiff)

    @property
    def backward(self) -> str:
        """The backward rule, for messages."""
        name = self.rule.name
        return (
            f"`{name}.backward`" if self.rule.kind == "function" else f"the vjp of `{name}`"
        )

    def fail(self, message: str, index: int | None = None) -> NoReturn:
        """A rule returned what it should not."""
        error = CustomRuleError(message, self.m.span(self.node))
        error.index = index
        raise error from None

    def result(self, key: Any) -> Any:
        """The call's value. A rule may call its own function, called ``key``: that many orders
        of derivatives there are."""
        m = self.m
        depth = m.ruling.count(key)
        if depth >= max(getattr(self.rule.function, "orders", DEEPEST), m.orders):
            return self._without_rule()
        m.ruling.append(key)
        try:
            return self.by_jvp() if self.rule.kind == "jvp" else self.by_vjp()
        finally:
            m.ruling.pop()

    def _without_rule(self) -> Any:
        """The op with no rule, which refuses to be differentiated."""
        m, rule = self.m, self.rule

        def finish(given: Any) -> Parts:
            return self._outputs(given[0] if paired else given)

        paired = rule.kind == "function" or rule.function is None
        function = rule.forward if paired else rule.function
        traced = trace(m, self.node, function, self.args, {}, self.inputs, finish)
        out = traced.outcome
        results = m.builder.custom_(
            traced.values,
            [traced.block(out.values)],
            forward=True,
            rule=rule.name,
            outs=len(out.values),
            moving=tuple(i for i, v in enumerate(out.values) if is_inexact(v.type)),
            wrt=tuple(range(len(traced.params))),
        )
        return rebuild(m, out, [m.wrap(v) for v in results])

    # -- reverse rules ----------------------------------------------------------------------
    def by_vjp(self) -> Any:
        """The call as a ``custom_vjp`` op."""
        m = self.m
        run = self.rule.forward
        if self.rule.kind == "vjp":
            run = Native(self.rule.name, self._run_forward)
        traced = trace(m, self.node, run, self.args, {}, self.inputs, self._forward)
        found = traced.outcome
        extras = self._extras(traced)
        first = traced.block([*found.out.values, *extras])
        both = self.rule.kind == "vjp" and self.rule.function is not None
        plain = self._plain(found.out) if both else []
        block, wrt = self._backward(traced, extras)
        blocks = [first, block, *plain]
        in_class = self.rule.kind == "function" and self.rule.function.jvp is not None
        jvp = in_class or self.rule.tangent is not None
        if jvp:
            blocks.append(self._pushing(traced, extras))
        results = m.builder.custom_(
            traced.values,
            blocks,
            forward=False,
            rule=self.rule.name,
            outs=len(found.out.values),
            moving=found.moving,
            wrt=wrt,
            jvp=jvp,
        )
        return rebuild(m, found.out, [m.wrap(v) for v in results[: len(found.out.leaves)]])

    def _run_forward(self, m: Machine, node: ast.AST, *args: Any) -> tuple[Any, Any]:
        """``(output, residuals)``."""
        rule = self.rule

        def as_is(reason: Exception) -> tuple[Any, Any]:
            run = ordinary(m, rule.forward, reason)
            found = forward_as_is(m, node, rule.name, run, args, reason, rule.shape)
            return found.out, found.saved

        def compiled() -> Any:
            return call_value(m, node, rule.forward, args, {})

        found: tuple[Any, Any] = attempt(
            m, f"the forward rule of `{rule.name}`", compiled, as_is
        )
        return found

    def _forward(self, given: Any) -> Forward:
        m, name = self.m, self.rule.name
        if not isinstance(given, tuple) or len(given) != 2:
            self.fail(
                f"the forward rule of `{name}` has to return (output, what to save), got "
                f"{result_text(given)}"
            )
        out, saved = given
        marked: list[Any] = []
        if self.rule.kind == "function":
            marked = take_apart(m, saved.data["non_differentiable"]).leaves
        parts = self._outputs(out)
        moving = tuple(
            i
            for i, leaf in enumerate(take_apart(m, out).leaves)
            if is_inexact(type_of(leaf)) and not any(same(leaf, x) for x in marked)
        )
        kept = settled(m, saved)
        kept.values = [
            as_value(m, leaf) if isinstance(leaf, Value | Ref) else None  # type: ignore[misc]
            for leaf in kept.leaves
        ]
        return Forward(parts, moving, kept)

    def _outputs(self, out: Any) -> Parts:
        m = self.m
        parts = settled(m, out)
        if parts.opaque is not None:
            self.fail(f"the result of `{self.rule.name}` holds {parts.opaque}")
        parts.values = [as_value(m, leaf) for leaf in parts.leaves]
        return parts

    def _extras(self, traced: Traced[Forward]) -> list[Value]:
        """What is saved beside arguments and outputs, and made by the forward code."""
        made = {r for op in traced.builder.ops for r in op.results}
        known = {*traced.params, *traced.outcome.out.values}
        found: dict[Value, None] = {}
        for v in traced.outcome.saved.values:
            if v is not None and v in made - known and not v.is_constant:
                found[v] = None
        return list(found)

    def _plain(self, out: Parts) -> list[Block]:
        """The block of the function itself, for where no derivative is taken; none where it
        cannot be compiled."""
        name = self.rule.name
        traced = attempt(self.m, f"`{name}`", self._traced, lambda reason: None)
        if traced is None:
            return []
        given = traced.outcome
        same = given.places == out.places and all(
            _alike(self.m, a, b) for a, b in zip(given.values, out.values, strict=True)
        )
        if not same:
            self.fail(
                f"the forward rule of `{self.rule.name}` returns {types_text(out)}, the function "
                f"itself {types_text(given)}"
            )
        return [traced.block(given.values)]

    def _traced(self) -> Traced[Parts] | None:
        function = self.rule.function
        return trace(self.m, self.node, function, self.args, {}, self.inputs, self._outputs)

    def _backward(self, traced: Traced[Forward], extras: list[Value]) -> Any:
        """The backward block, and the positions of the parameters it gives gradients for."""
        found = traced.outcome
        values = [*traced.params, *found.out.values, *extras]

        def run(builder: Builder, params: list[Value], cotangents: list[Value]) -> Any:
            primals, outs, saved = self._again(builder, traced, values, params)
            if not found.moving:
                return [None for _ in primals]
            g = self._cotangent(found, outs, cotangents, saved)
            return pulled(self, primals, saved, g)

        named = [(found.out.values[i].type, found.out.values[i].name) for i in found.moving]
        params, more, grads, builder = self._in_region(values, named, "g", run)
        wrt = tuple(k for k, g in enumerate(grads) if g is not None)
        block = builder.block([*params, *more], [g for g in grads if g is not None])
        return block, wrt

    def _pushing(self, traced: Traced[Forward], extras: list[Value]) -> Block:
        """The block of a rule for forward mode beside the other: tangents of the outputs."""
        found = traced.outcome
        values = [*traced.params, *found.out.values, *extras]

        def run(builder: Builder, params: list[Value], moved: list[Value]) -> Any:
            inputs, outs, saved = self._again(builder, traced, values, params)
            if self.rule.tangent is not None:
                return self._tangent(
                    self.rule.tangent, inputs, moved, found.out, found.moving
                )
            out = rebuild(self.m, found.out, [self.m.wrap(v) for v in outs])
            return pushed(self, self.rule.function, saved, moved, out, found.moving)

        named = [(p.type, p.name) for p in traced.params]
        params, more, results, builder = self._in_region(values, named, "t", run)
        return builder.block([*params, *more], results)

    def _again(
        self,
        builder: Builder,
        traced: Traced[Forward],
        values: Sequence[Value],
        params: Sequence[Value],
    ) -> tuple[list[Value], list[Value], Any]:
        """Arguments, outputs and what forward saved, as a later region sees them."""
        m, found, count = self.m, traced.outcome, len(traced.params)
        at: dict[Value, Value] = {}
        for v, p in zip(values, params, strict=True):
            at.setdefault(v, p)
        leaves = [
            leaf if v is None else self._back(builder, v, at)
            for leaf, v in zip(found.saved.leaves, found.saved.values, strict=True)
        ]
        outs = list(params[count : count + len(found.out.values)])
        return list(params[:count]), outs, rebuild(m, found.saved, leaves)

    def _back(self, builder: Builder, v: Value, at: Mapping[Value, Value]) -> Any:
        if v in at:
            return self.m.wrap(at[v])
        return self.m.wrap(builder.const(v.constant) if v.is_constant else v)

    def _cotangent(
        self,
        found: Forward,
        outs: Sequence[Value],
        cotangents: Sequence[Value],
        saved: Any,
    ) -> Any:
        """The cotangent in the structure of the output: zeros where there is none."""
        m = self.m
        silent = isinstance(saved, Record) and saved.data.get("materialize_grads") is False
        incoming = iter(cotangents)
        leaves: list[Any] = []
        for i, v in enumerate(outs):
            if i in found.moving:
                leaves.append(m.wrap(next(incoming)))
            else:
                leaves.append(None if silent else zeros(m, m.wrap(v)))
        return rebuild(m, found.out, leaves)

    def _in_region(
        self,
        values: Sequence[Value],
        more: Sequence[tuple[Any, str]],
        prefix: str,
        run: Callable[[Builder, list[Value], list[Value]], Any],
    ) -> tuple[list[Value], list[Value], Any, Builder]:
        """Run the rule in a region with parameters like ``values``, and more."""
        m = self.m
        region = m.new_region()
        region.always = True
        builder = region.builder
        params = [builder.param(v.type, v.name) for v in values]
        extra = [builder.param(t, f"{prefix}_{n}" if n else "") for t, n in more]
        m.independent.update(params, extra)
        mark = m.heap.mark
        try:
            with m.inside(region):
                result = run(builder, params, extra)
                check_unchanged(m, self.rule.name, "differentiated", region.birth, mark)
        except NeverReturns:
            self.fail(f"the rule of `{self.rule.name}` always raises")
        m.heap.undo(mark)
        m.builder.dims.learn(builder.dims)
        return params, extra, result, builder

    # -- forward rules ----------------------------------------------------------------------
    def by_jvp(self) -> Any:
        """The call as a ``custom_jvp`` op."""
        m = self.m
        own = Native(self.rule.name, self._run)
        traced = trace(m, self.node, own, self.args, {}, self.inputs, self._outputs)
        out = traced.outcome
        moving = tuple(i for i, v in enumerate(out.values) if is_inexact(v.type))
        first = traced.block(out.values)
        named = [(p.type, p.name) for p in traced.params]

        def run(builder: Builder, params: list[Value], moved: list[Value]) -> Any:
            with _instead(m, self.rule.function, own):
                return self._tangent(self.rule.forward, params, moved, out, moving)

        params, more, found, builder = self._in_region(traced.params, named, "t", run)
        results = m.builder.custom_(
            traced.values,
            [first, builder.block([*params, *more], found)],
            forward=True,
            rule=self.rule.name,
            outs=len(out.values),
            moving=moving,
            wrt=tuple(range(len(params))),
        )
        return rebuild(m, out, [m.wrap(v) for v in results])

    def _tangent(
        self,
        rule: Any,
        params: Sequence[Value],
        moved: Sequence[Value],
        out: Parts,
        moving: Sequence[int],
    ) -> list[Value]:
        """What a rule that takes primals and tangents gives."""
        primals, tangents = self.rebuilt(params), self.rebuilt(moved, zero=True)
        given = call_value(self.m, self.node, rule, (*self.aside, primals, tangents), {})
        return pair_of_tangents(self, given, out, moving)

    def _run(self, m: Machine, node: ast.AST, *args: Any) -> Any:
        """The function itself."""
        name, function = self.rule.name, self.rule.function

        def as_is(reason: Exception) -> Any:
            run = ordinary(m, function, reason)
            return forward_as_is(
                m,
                node,
                name,
                lambda *a: (run(*a), None),
                args,
                reason,
                self.rule.shape,
                saves=False,
            ).out

        def compiled() -> Any:
            with _instead(m, function, None):
                return call_value(m, node, function, args, {})

        return attempt(m, f"`{name}`", compiled, as_is)

    def rebuilt(self, values: Sequence[Value], *, zero: bool = False) -> tuple[Any, ...]:
        """The arguments with these values in them; others as they are, or zero."""
        m, incoming = self.m, iter(values)
        found = []
        for x in self.inputs:
            leaves = [
                m.wrap(next(incoming)) if on else zeros(m, leaf) if zero else leaf
                for leaf, on in zip(x.parts.leaves, x.active, strict=True)
            ]
            found.append(rebuild(m, x.parts, leaves))
        return tuple(found)


@contextmanager
def _instead(m: Machine, function: Any, standin: Any) -> Iterator[None]:
    """Calls of ``function`` are calls of ``standin``, or of itself again if that is None."""
    before = m.standins
    try:
        hash(function)
    except TypeError:
        yield
        return
    m.standins = {k: v for k, v in before.items() if k is not function}
    if standin is not None:
        m.standins[function] = standin
    try:
        yield
    finally:
        m.standins = before


def active(m: Machine, x: Any) -> tuple[bool, ...]:
    """Which leaves of ``x`` are real or complex."""
    return tuple(is_inexact(type_of(leaf)) for leaf in take_apart(m, x).leaves)


def same(a: Any, b: Any) -> bool:
    """Whether two abstract values are certainly one."""
    return a is b or isinstance(a, Ref) and a.same(b)


def _names(rule: CustomRule) -> tuple[list[str], int]:
    """The names of the function's parameters, and how many of them are given by position."""
    target = rule.function
    skip = 0
    if rule.kind == "function":
        target, skip = rule.function.forward, int(rule.function.setup_context is None)
    try:
        listed = list(inspect.signature(target).parameters.values())[skip:]
    except (TypeError, ValueError):
        return [], 0
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    return [p.name for p in listed], sum(p.kind in positional for p in listed)


def _alike(m: Machine, a: Value, b: Value) -> bool:
    """Whether two results have the same type, lengths that may be equal being so."""
    if isinstance(a.type, ScalarType) or isinstance(b.type, ScalarType):
        return a.type == b.type
    if not isinstance(a.type, ArrayType) or not isinstance(b.type, ArrayType):
        return False
    if a.type.dtype != b.type.dtype or a.type.ndim != b.type.ndim:
        return False
    try:
        for p, q in zip(a.type.shape, b.type.shape, strict=True):
            m.builder.dims.unify(p, q)
    except ShapeError:
        return False
    return True
