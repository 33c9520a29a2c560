"""Batching of ops on lists: the elements have an axis of examples in front, the number of
elements and the places in the list are the same for every example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir.builder import Builder
from ...ir.expr import Expr, f, one
from ...ir.types import ListType, batched
from ...ir.values import Op, Value
from .single import State, full


def lists(builder: Builder, op: Op, state: State) -> None:
    """An op whose lists hold batches."""
    inputs = [_input(builder, state, op, i) for i in range(len(op.inputs))]
    values: Sequence[Value]
    if op.name in _OWN:
        values = _OWN[op.name](builder, op, state, inputs)
    else:
        values = builder.append(op.kind, inputs, _attrs(op, state)).results
    state.env.update(zip(op.results, values, strict=True))


def _zeros(builder: Builder, op: Op, state: State, inputs: list[Value]) -> tuple[Value]:
    if op.inputs[0] not in state.batched:
        return (builder.one("list_zeros", inputs[0], state.size, *inputs[1:], **op.attrs),)
    of = batched(op.attrs["of"], state.length)
    return (builder.one("list_zeros", *inputs, of=of),)


def _split(builder: Builder, op: Op, state: State, inputs: list[Value]) -> tuple[Value]:
    axis, ahead = op.attrs["axis"], op.attrs["ahead"]
    ahead += op.inputs[1] not in state.batched
    return (builder.one("list_split", *inputs, axis=axis + (axis >= 0), ahead=ahead),)


def _input(builder: Builder, state: State, op: Op, position: int) -> Value:
    """An input as it is if it is a list or a place, else an element for every example."""
    value = op.inputs[position]
    if op.kind.input_name(position) != "x" or isinstance(value.type, ListType):
        return state.get(value)
    return full(builder, state, value)


def _attrs(op: Op, state: State) -> dict[str, Any]:
    attrs = dict(op.attrs)
    if "axis" in attrs:
        attrs["axis"] += attrs["axis"] >= 0
    for name in ("type", "of"):
        if attrs.get(name) is not None:
            attrs[name] = batched(attrs[name], state.length)
    return attrs


def _stack(builder: Builder, op: Op, state: State, inputs: list[Value]) -> tuple[Value]:
    depth = _depth(op.inputs[0])
    made = Expr(builder, builder.one("list_stack", *inputs, rows=depth == 1))
    axes = (depth, *range(depth), *range(depth + 1, made.ndim))
    return (f.transpose(made, axes=axes).value,)


def _unstack(builder: Builder, op: Op, state: State, inputs: list[Value]) -> tuple[Value]:
    x, depth = Expr(builder, inputs[0]), _depth(op.result)
    x = f.transpose(x, axes=(*range(1, depth + 1), 0, *range(depth + 1, x.ndim)))
    return (one("list_unstack", x, type=state.type_of(op.result)).value,)


def _depth(xs: Value) -> int:
    """How many axes a list becomes in an array: one, and those of the lists in it."""
    depth, t = 0, xs.type
    while isinstance(t, ListType):
        depth, t = depth + 1, t.element
    return depth


_OWN: dict[str, Callable[..., tuple[Value]]] = {
    "list_zeros": _zeros,
    "list_split": _split,
    "list_stack": _stack,
    "list_unstack": _unstack,
}
