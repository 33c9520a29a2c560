"""Batching of ops on lists: the elements have an axis of examples in front, the number of
elements and the places in the list are the same for every example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir.builder import Builder
from ...ir.expr import Expr, f, one
from ...ir.types import batched
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
    if op.kind.input_name(position) != "x":
        return state.get(value)
    return full(builder, state, value)


def _attrs(op: Op, state: State) -> dict[str, Any]:
    attrs = dict(op.attrs)
    if "axis" in attrs:
        attrs["axis"] += attrs["axis"] >= 0
    if attrs.get("type") is not None:
        attrs["type"] = batched(attrs["type"], state.length)
    return attrs


def _stack(builder: Builder, op: Op, state: State, inputs: list[Value]) -> tuple[Value]:
    made = Expr(builder, builder.one("list_stack", *inputs, rows=True))
    return (_turned(made).value,)


def _unstack(builder: Builder, op: Op, state: State, inputs: list[Value]) -> tuple[Value]:
    x = _turned(Expr(builder, inputs[0]))
    return (one("list_unstack", x, type=state.type_of(op.result)).value,)


def _turned(x: Expr) -> Expr:
    """The first two axes exchanged: examples and elements."""
    return f.transpose(x, axes=(1, 0, *range(2, x.ndim)))  # type: ignore[no-any-return]


_OWN: dict[str, Callable[..., tuple[Value]]] = {
    "list_zeros": _zeros,
    "list_split": _split,
    "list_stack": _stack,
    "list_unstack": _unstack,
}
