"""Small functions of expressions, evaluated and differentiated without the front end."""

from collections.abc import Callable, Sequence
from typing import Any

from symgrad.ir.builder import Builder
from symgrad.ir.evaluate import evaluate
from symgrad.ir.expr import Expr, find_builder, lift
from symgrad.ir.tree import Node
from symgrad.ir.values import Function
from symgrad.ops import SURFACE, TABLE
from symgrad.testing.single_op import symbolic_type
from symgrad.transforms.expand import expand


def surface(target: Any) -> Callable[..., Any]:
    """A callable's surface as a function of expressions."""

    def call(*args: Any, **options: Any) -> Any:
        builder = find_builder((*args, *options.values()))
        return SURFACE[target](builder, *args, **options)

    return call


def traced(function: Callable[..., Any], *args: Any) -> Function:
    """``function`` of expressions as IR, with arguments of the types of ``args``."""
    builder = Builder(TABLE)
    params = [
        builder.param(symbolic_type(x, f"x{i}"), f"x{i}", entry=True)
        for i, x in enumerate(args)
    ]
    result = function(*(Expr(builder, p) for p in params))
    many = result if isinstance(result, tuple | list) else (result,)
    block = builder.block(params, [lift(builder, r) for r in many])
    return Function("f", block, (), Node("tuple"))


def value(function: Callable[..., Any], *args: Any) -> Any:
    """What ``function`` gives."""
    results = evaluate(traced(function, *args), args)
    return results if len(results) > 1 else results[0]


def gradient(function: Callable[..., Any], *args: Any, wrt: Sequence[int] = (0,)) -> Any:
    """The gradient of ``function``'s only result, which is one number."""
    made = traced(function, *args)
    builder = Builder(TABLE)
    params = [builder.param(p.type, p.name, entry=True) for p in made.params]
    outer = builder.reverse_(params, tuple(wrt), made.block)
    block = builder.block(params, outer[1:])
    found = evaluate(expand(Function("g", block, (), Node("tuple"))), args)
    return found if len(found) > 1 else found[0]


def total(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with the sum over its result."""
    import numpy as np

    return lambda *args: surface(np.sum)(function(*args))
