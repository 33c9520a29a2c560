"""The word ``composed``: one NumPy call whose meaning is written in terms of other ops.

The emitted code calls NumPy's function, so the value is NumPy's to the last bit. Type rule and
derivatives of every order are those of the composition, written out only where a derivative
asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.opdef import OpDef, Rule
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from .roots import per_root
from .table import TABLE, Template, op

By = Callable[..., Any]
Apply = Callable[[Builder, Value], Expr]


def composed(
    name: str,
    inputs: str,
    emit: Template,
    by: By,
    *,
    wrt: str | None = None,
    attrs: Mapping[str, Any] | None = None,
    dtype: Callable[..., Any] | None = None,
    infer: Callable[..., Type] | None = None,
    root: bool = False,
    **rest: Any,
) -> OpDef:
    """An op that NumPy computes in one call.

    Args:
        by: what it computes: a function of expressions, called with inputs and attributes by
            name, that gives the result in terms of other ops.
        wrt: the inputs that have a derivative, if not all.
        infer: a type rule, where the composition's type says too little.
        dtype: ``dtype(inputs' dtypes..., **attrs)``, where the composition's is not NumPy's.
        root: whether ``by`` gives the square of the result, a mean of squares.
    """
    listed = (inputs if wrt is None else wrt).replace("*", "").split()
    names = tuple(attrs or {})
    return op(
        name,
        inputs,
        infer or _type_rule(name, by, dtype),
        emit,
        attrs=attrs,
        vjp=dict.fromkeys(
            listed, _rule(_pull_root if root else pull, "g", name, by, names)
        ),
        jvp=dict.fromkeys(
            listed, _rule(_push_root if root else _push, "t", name, by, names)
        ),
        **rest,
    )


def _type_rule(name: str, by: By, dtype: Callable[..., Any] | None) -> Callable[..., Type]:
    def infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
        scratch = Builder(TABLE, dims)
        for value in inputs:
            scratch.bind(value)
        out = _meaning(name, by, scratch, inputs, attrs)
        if dtype is None:
            return out.type  # type: ignore[no-any-return]
        given = dtype(*(v.type.dtype for v in inputs), **attrs)  # type: ignore[union-attr]
        return ArrayType(np.dtype(given), out.dims)

    return infer


def _meaning(
    name: str, by: By, b: Builder, inputs: tuple[Value, ...], attrs: Mapping[str, Any]
) -> Expr:
    named = TABLE[name].named_inputs(tuple(Expr(b, v) for v in inputs))
    return by(**named, **attrs)  # type: ignore[no-any-return]


def _rule(mode: Any, seed: str, name: str, by: By, attrs: tuple[str, ...]) -> Rule:
    """A rule that takes what ``mode`` needs, and the attributes."""
    more = ("out",) if mode in (_pull_root, _push_root) else ()

    def rule(**given: Any) -> Any:
        seeded, inputs, position = (given.pop(k) for k in (seed, "inputs", "position"))
        out = [given.pop(k) for k in more]

        def apply(b: Builder, x: Value) -> Expr:
            values = [v.value for v in inputs]
            values[position] = x
            return _meaning(name, by, b, tuple(values), given)

        return mode(seeded, inputs[position], apply, *out)

    keyword = Parameter.KEYWORD_ONLY
    parameters = [
        Parameter(k, keyword) for k in (seed, "inputs", "position", *more, *attrs)
    ]
    rule.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return rule


def _body(b: Builder, x: Expr) -> tuple[Builder, Value]:
    inner, param = b.sub(), Value(x.type, x.value.name, None, x.value.dim)
    inner.bind(param)
    return inner, param


def _pull_root(g: Expr, x: Expr, apply: Apply, root: Expr) -> Expr:
    return pull(0.5 * per_root(g, root), x, apply)


def _push_root(t: Expr, x: Expr, apply: Apply, root: Expr) -> Expr:
    return 0.5 * f.share(_push(t, x, apply), root)  # type: ignore[no-any-return]


def pull(g: Expr, x: Expr, apply: Apply) -> Expr:
    """The gradient of <g, out>, left to be expanded."""
    b = g.builder
    inner, param = _body(b, x)
    out, weight = apply(inner, param), Expr(inner, g.value)
    if is_complex(out.type):
        product = f.real(f.conjugate(weight) * out)
    else:
        product = weight * out
    total = f.sum(product) if product.ndim else product
    body = inner.block([param], [total.value])
    return Expr(b, b.reverse_([x.value], (0,), body, b.role)[1])


def _push(t: Expr, x: Expr, apply: Apply) -> Expr:
    """The tangent of the composition, left to be expanded."""
    b = t.builder
    inner, param = _body(b, x)
    body = inner.block([param], [apply(inner, param).value])
    return Expr(b, b.forward_([x.value], [t.value], (0,), body)[1])


__all__ = ["composed", "pull"]
