"""Batching of single ops: by a rule, or looking at shapes only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InternalError, UnknownLengthError, UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.dims import Dimension
from ...ir.expr import Expr, lift
from ...ir.rewrite import Env, copy_op
from ...ir.types import ArrayType, ScalarType, Type, batched
from ...ir.values import Block, Op, Value
from ...ops.rules.batching import front, grown, spread
from ..rules import call_rule
from .plan import Plan, matters

AXES = ("axis", "axes", "axis1", "axis2")


@dataclass(slots=True)
class State:
    """Old values to new ones, what differs between examples, and how many examples there are."""

    env: Env
    batched: set[Value]
    plan: Plan
    size: Value
    length: Dimension

    def child(self) -> State:
        """For a region."""
        return State(dict(self.env), self.batched, self.plan, self.size, self.length)

    def get(self, value: Value) -> Value:
        """What stands for an old value."""
        return self.env.get(value, value)

    def parameters(self, builder: Builder, region: Block) -> list[Value]:
        """A region's parameters for all examples."""
        params = []
        for p in region.params:
            if p in self.batched:
                new = builder.param(self.type_of(p), p.name)
            else:
                new = Value(p.type, p.name, None, p.dim)
                builder.bind(new)
            params.append(new)
            self.env[p] = new
        return params

    def carried(
        self, builder: Builder, params: Sequence[Value], values: Sequence[Value]
    ) -> list[Value]:
        """What a loop with these parameters carries on, or starts with."""
        return [
            full(builder, self, v) if p in self.batched else self.get(v)
            for p, v in zip(params, values, strict=True)
        ]

    def started(
        self, builder: Builder, params: Sequence[Value], values: Sequence[Value]
    ) -> list[Value]:
        """As ``carried``, for a loop where a mask chooses between what an example has and what
        it gets: memory for what nothing has been assigned to yet."""
        return [
            room(builder, self, v, "zeros")
            if p in self.batched and is_undef(v)
            else self.carried(builder, [p], [v])[0]
            for p, v in zip(params, values, strict=True)
        ]

    def type_of(self, value: Value) -> Type:
        """The type of what stands for an old value."""
        return batched(value.type, self.length) if value in self.batched else value.type


def is_undef(value: Value) -> bool:
    """Whether a value stands for a variable to which nothing is assigned."""
    return value.op is not None and value.op.name == "undef"


def full(builder: Builder, state: State, value: Value) -> Value:
    """What stands for an old value, with an axis of examples in any case."""
    new = state.get(value)
    if value in state.batched:
        return new
    if is_undef(value):
        return builder.undef(batched(value.type, state.length))
    if isinstance(value.type, ScalarType | ArrayType):
        return grown(Expr(builder, new), Expr(builder, state.size)).value
    raise InternalError(f"{value!r} is shared between examples, but is no array")


def room(builder: Builder, state: State, result: Value, kind: str) -> Value:
    """Memory for the results of all examples, made by the op ``kind``."""
    t = result.type
    if not isinstance(t, ArrayType | ScalarType):
        raise UnsupportedFunctionError(
            f"a function under `vmap` gives {t}, which cannot be put together", builder.span
        )
    try:
        lengths = [builder.length(builder.dims.canonical(d)) for d in t.shape]
    except (InternalError, KeyError):
        raise UnknownLengthError(
            f"under `vmap` a result of type {t} may have another shape for each example; reduce "
            "it inside the function, or write a loop",
            builder.span,
        ) from None
    return builder.one(kind, state.size, *lengths, dtype=t.dtype)


# ------------------------------------------------------------------- the same for all
def shared(builder: Builder, op: Op, state: State) -> None:
    """An op whose results are the same for every example, though it may look at the shape of
    something that is not."""
    moved = [i for i, v in enumerate(op.inputs) if v in state.batched]
    if not moved or op.kind.has("list"):
        copies = copy_op(builder, op, state.env)  # a list is as long for every example
    elif op.name in _SHAPES:
        x = Expr(builder, state.get(op.inputs[0]))
        copies = (lift(builder, _SHAPES[op.name](x, **op.attrs)),)
    else:
        copies = _shape_only(builder, op, state)
    state.env.update(zip(op.results, copies, strict=True))


def _shape(x: Expr, axis: int) -> Any:
    return x.length(axis + 1)


def _size(x: Expr) -> Any:
    total: Any = 1
    for axis in range(1, x.ndim):
        total = x.length(axis) * total
    return total


_SHAPES: dict[str, Callable[..., Any]] = {"shape": _shape, "size": _size}


def _shape_only(builder: Builder, op: Op, state: State) -> tuple[Value, ...]:
    inputs = []
    for v in op.inputs:
        new = state.get(v)
        if v in state.batched:
            x = Expr(builder, new)
            lengths = [lift(builder, n) for n in x.shape[1:]]
            base = op.name.removesuffix("_like")
            if base != op.name:
                dtype = op.attrs["dtype"] or x.dtype
                rest = [state.get(w) for w in op.inputs[1:]]
                return (builder.one(base, *rest, *lengths, dtype=dtype),)
            zero = builder.const(x.dtype.type(0))
            new = builder.one("broadcast_to", zero, *lengths)
        inputs.append(new)
    return builder.append(op.kind, inputs, op.attrs).results


# ----------------------------------------------------------------------- one op for all
def by_rule(builder: Builder, op: Op, state: State) -> bool:
    """Do an op for all examples, if there is a way."""
    found = _by_rule(builder, op, state)
    if found is None:
        return False
    listed = found if isinstance(found, tuple) else (found,)
    for old, new in zip(op.results, listed, strict=True):
        state.env[old] = _fitted(builder, lift(builder, new), old)
    return True


def _fitted(builder: Builder, value: Value, old: Value) -> Value:
    """The result in its dtype: Python scalars are weak, a batch of them is not."""
    t = value.type
    if not isinstance(t, ArrayType) or t.ndim != old.type.ndim + 1:  # type: ignore[union-attr]
        raise InternalError(f"a batch rule gave {t} for {old.type}")
    due = old.type.dtype  # type: ignore[union-attr]
    if t.dtype != due:
        value = builder.one("astype", value, dtype=due)
    if old.name and not value.name and value.op is not None:
        value.name = old.name
    return value


def _by_rule(builder: Builder, op: Op, state: State) -> Any:
    kind, rule = op.kind, op.kind.batch
    flags = tuple(v in state.batched for v in op.inputs)
    inputs = tuple(state.get(v) for v in op.inputs)
    size = Expr(builder, state.size)
    if callable(rule):
        like = tuple(r.type for r in op.results)
        extra = {"batched": flags, "size": size, "like": like, "attrs": dict(op.attrs)}
        return call_rule(builder, rule, op, inputs, (), extra)
    exprs = [Expr(builder, v) for v in inputs]
    attrs: Mapping[str, Any] | None = op.attrs
    if rule == "broadcast" or (not rule and kind.has("elementwise")):
        rank = max(_rank(v) for v in op.inputs)
        exprs = [front(x, rank) if m else x for x, m in zip(exprs, flags, strict=True)]
    elif rule == "leading" or not rule:
        ranks = {_rank(v) for v in op.inputs if _rank(v) and matters(op, v)}
        numbers = any(m and not _rank(v) for v, m in zip(op.inputs, flags, strict=True))
        if ranks and (numbers or len(ranks) > 1):
            return None
        exprs = [
            spread(x, size) if x.ndim and not m else x
            for x, m in zip(exprs, flags, strict=True)
        ]
        attrs = op.attrs if rule else _shifted(op, max(ranks, default=0))
    else:
        return None
    if attrs is None:
        return None
    made = builder.append(kind, [x.value for x in exprs], attrs).results
    return tuple(Expr(builder, r) for r in made)


def _rank(value: Value) -> int:
    return int(value.type.ndim)  # type: ignore[union-attr]


def _shifted(op: Op, rank: int) -> dict[str, Any] | None:
    """The attributes, axes counted from the batch axis on; None if there are none."""
    names = [name for name in AXES if name in op.attrs]
    if not names:
        return None
    attrs = dict(op.attrs)
    for name in names:
        value = attrs[name]
        if value is None and "keepdims" in attrs:
            attrs[name] = tuple(range(1, rank + 1))
        elif isinstance(value, int):
            attrs[name] = value + 1
        elif isinstance(value, tuple):
            attrs[name] = tuple(a + 1 for a in value)
        else:
            return None
    return attrs
