"""Derivatives of whole IR functions, with every result and every real argument in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from ..ir.builder import Builder
from ..ir.expr import Expr, apply
from ..ir.rewrite import inline
from ..ir.tree import Node
from ..ir.types import is_complex, is_inexact
from ..ir.values import Argument, Function, Value
from ..ops import TABLE
from ..runtime.pipeline import build
from ..transforms.expand import expand


class Code:
    """A function and what is made of it, each made once: as it is evaluated, derivatives
    written out (``plain``); its derivatives; the code that is emitted for it."""

    def __init__(self, function: Function) -> None:
        self.function = function

    @cached_property
    def plain(self) -> Function:
        return expand(self.function)

    @cached_property
    def forward(self) -> Code:
        return Code(forward_of(self.function))

    @cached_property
    def reverse(self) -> Code:
        return Code(reverse_of(self.function))

    @cached_property
    def emitted(self) -> Callable[..., Any]:
        return build(self.function, "check_op").call


def wrt_of(function: Function) -> tuple[int, ...]:
    """Positions of the parameters that have a derivative."""
    return tuple(i for i, p in enumerate(function.params) if is_inexact(p.type))


def forward_of(function: Function) -> Function:
    """``(*params, *tangents) -> tangents of the results``."""
    builder, params, body_params = _start(function)
    wrt = wrt_of(function)
    tangents = [
        builder.param(params[i].type, f"t_{params[i].name or i}", entry=True) for i in wrt
    ]
    inner = builder.sub()
    results = inline(inner, function.block, body_params)
    body = inner.block(body_params, results)
    made = builder.forward_(params, tangents, wrt, body)
    return _finish(function, builder, [*params, *tangents], made[len(results) :], "forward")


def reverse_of(function: Function) -> Function:
    """``(*params, *weights) -> gradients`` of the sum of all real results times weights."""
    builder, params, body_params = _start(function)
    wrt = wrt_of(function)
    real = [i for i, r in enumerate(function.block.results) if is_inexact(r.type)]
    weights = [
        builder.param(function.block.results[i].type, f"w_{i}", entry=True) for i in real
    ]
    inner = builder.sub()
    results = inline(inner, function.block, body_params)
    total = Expr(inner, inner.const(0.0))
    for weight, i in zip(weights, real, strict=True):
        product = _inner_product(Expr(inner, weight), Expr(inner, results[i]))
        total = total + (apply("sum", product, axis=None) if product.ndim else product)
    body = inner.block(body_params, (total.value,))
    made = builder.reverse_(params, wrt, body)
    return _finish(function, builder, [*params, *weights], made[1:], "reverse")


def _inner_product(weight: Expr, result: Expr) -> Expr:
    if not is_complex(result.type):
        return weight * result
    return apply("real", apply("conjugate", weight) * result)  # type: ignore[no-any-return]


def _start(function: Function) -> tuple[Builder, list[Value], list[Value]]:
    builder = Builder(TABLE)
    builder.dims.not_one.update(dict.fromkeys(function.not_one))
    params = [
        builder.param(p.type, p.name or f"x{i}", entry=True)
        for i, p in enumerate(function.params)
    ]
    return builder, params, [Value(p.type, p.name, None, p.dim) for p in params]


def _finish(
    function: Function,
    builder: Builder,
    params: Sequence[Value],
    results: Sequence[Value],
    mode: str,
) -> Function:
    taken: set[str] = set()
    arguments = []
    for p in params:
        name = p.name
        while name in taken:
            name += "_"
        taken.add(name)
        arguments.append(Argument(name, p))
    return Function(
        name=f"{function.name}_{mode}",
        block=builder.block(params, results),
        arguments=tuple(arguments),
        returns=Node("tuple", tuple(range(len(results)))),
        not_one=tuple(builder.dims.not_one),
        origin=function.origin,
    )
