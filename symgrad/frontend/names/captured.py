"""The gradient by arrays that a function reads from its surroundings, held by boxes.

A box is an object whose class says by ``__symgrad_array__`` in which attribute the array is, and by
``__symgrad_wanted__`` which attribute is True where a gradient by it is wanted, and by
``__symgrad_hook__`` which is None, or called with the box and each gradient by it. The result of a
request of kind ``"backward"`` is ``(value, gradients, written)``: a gradient for each chosen
box that the value depends on, and the new content of captured arrays that were stored into;
whoever calls the code has to put it there.
"""

from __future__ import annotations

import ast
import operator
from functools import partial
from typing import Any

from ...errors import AliasError, GradientError
from ...ir.builder import Builder
from ...ir.rewrite import Env, free_values, rewrite_ops
from ...ir.values import Block, Op, Value
from ..arguments.leaftypes import as_value, check_scalar, name_of
from ..derivatives.gradients import LOWERED, name_gradients
from ..derivatives.tracing import Traced, put_fields, trace
from ..machine import Machine
from ..operations import binary_values
from ..requests import Request
from ..values import Ref
from .captures import Found


def lower_backward(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """``(value, gradients, written)`` of a function called with ``args``; with the option
    ``scaled``, the first of them is a factor of the gradients.

    Raises:
        GradientError: the value depends on no array that a gradient is wanted by.
        AliasError: the function stores into such an array.
        NonScalarOutputError: the value is not one real number.
    """
    name = name_of(request.fun)
    scale = args.pop(0) if request.option("scaled") else 1.0

    def finish(given: Any) -> tuple[Value, Value]:
        check_scalar("backward", name, given, has_aux=False)
        scaled = binary_values(m, node, ast.Mult(), given, scale) if scale != 1.0 else given
        return as_value(m, scaled), as_value(m, given)

    traced = trace(m, node, request.fun, args, kwargs, [], finish, stores=True)
    scaled, value = traced.outcome
    stored = [_content(traced.builder, new) for _, new in traced.written]
    given = [v for what in traced.assigned for v in what.parts.values]
    block = traced.builder.block([], [scaled, value, *stored, *given])
    boxes = _wanted(m, block, name)
    held = [value_of for _, value_of in boxes]
    _check_not_stored(traced, boxes)
    hooks = [_hook(m, box) if request.option("hooks") else None for box, _ in boxes]
    opened = _opened(m, block, held, hooks)
    results = m.builder.reverse_(held, tuple(range(len(held))), opened)
    grads = results[len(results) - len(held) :]
    name_gradients(grads, held)
    m.gradients_by = tuple(box.place for box, _ in boxes if box.place is not None)
    m.written += [storage for storage, _ in traced.written]
    after = 2 + len(stored)
    new = tuple(m.wrap(v) for v in results[2:after])
    put_fields(m, traced, results[after : after + len(given)])
    found = tuple(m.wrap(g) for g in grads)
    return (m.wrap(results[1]), found, new) if new else (m.wrap(results[1]), found)


LOWERED["backward"] = lower_backward


def _wanted(m: Machine, block: Block, name: str) -> list[tuple[Found, Value]]:
    """The boxes to differentiate by, and what is in them."""
    read = _behind(block)
    found, frozen = [], []
    for box, made in m.captures.boxes:
        value = _first(made)
        attribute = getattr(type(box.value), "__symgrad_wanted__", None)
        if value not in read or attribute is None:
            continue
        assert box.place is not None
        wanted = getattr(box.value, attribute)
        m.captures.rely(box.place.attr(attribute), wanted, operator.is_)
        if wanted:
            m.captures.rely(box.place.type(), type(box.value), operator.is_)
            found.append((box, value))
        else:
            frozen.append(value.name)
    if not found:
        met = f"; frozen: {', '.join(frozen)}" if frozen else ""
        raise GradientError(
            f"`{name}` reads no parameter that requires a gradient{met}; set requires_grad of "
            "one that it depends on"
        )
    return found


def _content(b: Builder, new: Value) -> Value:
    """What is stored into the whole of an array, rather than the array with it stored."""
    op = new.op
    if op is None or not op.kind.has("store") or op.attrs.get("index") != ():
        return new
    value = op.inputs[1]
    return value if b.dims.same_type(value.type, new.type) else new


def _first(made: Any) -> Value:
    """The value of an array when the function is called."""
    storage = made.storage if isinstance(made, Ref) else made
    value: Value = storage.current
    return value


def _behind(block: Block) -> set[Value]:
    """What the first result depends on."""
    needed = {block.results[0]}
    for op in reversed(block.ops):
        if any(r in needed for r in op.results):
            needed.update(op.inputs)
            for region in op.regions:
                needed.update(free_values(region))
    return needed


def _check_not_stored(
    traced: Traced[tuple[Value, Value]], boxes: list[tuple[Found, Value]]
) -> None:
    changed: dict[Value, Value] = {s.current: new for s, new in traced.written}
    for box, value in boxes:
        if value in changed and not _only_replaced(changed[value], value):
            where = box.place.text if box.place is not None else value.name
            raise AliasError(
                f"`{where}` requires a gradient and is stored into: freeze it, compute a new "
                "array, or store `with sg.no_grad():`, outside of loops and branches"
            )


def _only_replaced(new: Value, old: Value) -> bool:
    """Whether all that has been stored into an array is constants to derivatives."""
    while new is not old and new.op is not None and new.op.name == "replacing":
        new = new.op.inputs[1]
    return new is old


def _hook(m: Machine, box: Found) -> Any:
    """What is to be called with each gradient by what is in a box; None if nothing."""
    name = getattr(type(box.value), "__symgrad_hook__", None)
    if name is None:
        return None
    assert box.place is not None
    hook = getattr(box.value, name)
    m.captures.rely(box.place.attr(name), hook, operator.is_)
    return None if hook is None else partial(hook, box.value)


def _opened(m: Machine, block: Block, held: list[Value], hooks: list[Any]) -> Block:
    """The block with parameters in place of what it reads from outside. Their gradients pass
    through the hooks where the first op that reads them has been gone back through: they are
    complete then."""
    inner = m.builder.sub()
    params = [inner.param(v.type, v.name) for v in held]
    env: Env = dict(zip(held, params, strict=True))
    waiting = {v: h for v, h in zip(held, hooks, strict=True) if h is not None}

    def visit(builder: Builder, op: Op, known: Env) -> None:
        read = {*op.inputs, *(v for region in op.regions for v in free_values(region))}
        for value in [v for v in waiting if v in read]:
            callee = m.captures.callee(waiting.pop(value), f"{value.name}_hook")
            attrs = {"passed": 1, "flagged": False}
            made = builder.append("tap_gradient", (callee, known[value]), attrs)
            [known[value]] = made.results

    rewrite_ops(inner, block.ops, env, visit)
    return inner.block(params, [env.get(r, r) for r in block.results])


__all__ = ["lower_backward"]
