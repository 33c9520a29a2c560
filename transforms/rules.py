"""Calling the op table's rules, and fitting what they return to the type that is due."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InternalError, SymgradError
from ..ir.builder import Builder
from ..ir.dims import Dimension, may_be_one
from ..ir.expr import Expr, f, lift, one
from ..ir.opdef import OpDef, Rule
from ..ir.types import ArrayType, ListType, ScalarType, Type, is_complex
from ..ir.values import Op, Value
from .reading import reader


@lru_cache(maxsize=4096)
def _parameters(rule: Rule) -> tuple[str, ...]:
    return tuple(inspect.signature(rule).parameters)


def wants(rule: Rule, name: str) -> bool:
    """Whether a rule asks for ``name``."""
    return name in _parameters(rule)


def call_rule(
    builder: Builder,
    rule: Rule,
    op: Op,
    inputs: tuple[Value, ...],
    results: tuple[Value, ...],
    extra: dict[str, Any],
) -> Any:
    """The rule's result. ``inputs`` and ``results`` are the op's values as seen by
    ``builder``; ``extra`` holds ``g``, ``t``, ``acc`` and the like."""
    builder = reader(builder, op, inputs, results)
    given = _available(builder, op.kind, inputs, results)
    given |= {"attrs": op.attrs, **op.attrs}
    given |= {name: _read_by(builder, x) for name, x in extra.items()}
    missing = [name for name in _parameters(rule) if name not in given]
    if missing:
        text = f"the rule of {op.name} asks for {missing[0]!r}, which there is not"
        raise InternalError(text, spot=op)
    try:
        return rule(**{name: given[name] for name in _parameters(rule)})
    except SymgradError as error:
        if error.span is not None or isinstance(error, InternalError):
            raise
        raise type(error)(error.message, op.span) from error.__cause__


def _read_by(builder: Builder, x: Any) -> Any:
    """What is handed to a rule, as expressions of its builder."""
    if isinstance(x, tuple):
        return tuple(_read_by(builder, part) for part in x)
    return Expr(builder, x.value) if isinstance(x, Expr) else x


def _available(
    builder: Builder, kind: OpDef, inputs: tuple[Value, ...], results: tuple[Value, ...]
) -> dict[str, Any]:
    exprs = tuple(Expr(builder, v) for v in inputs)
    outs = tuple(Expr(builder, v) for v in results)
    given: dict[str, Any] = kind.named_inputs(exprs)
    given["inputs"] = exprs
    given["out"] = outs[0] if len(outs) == 1 else outs
    return given


# ------------------------------------------------------------------------------- fitting
def conform(builder: Builder, x: Any, like: Value) -> Value:
    """``x`` in exactly the type of ``like``: summed over broadcast axes, broadcast, cast."""
    target = like.type
    value = lift(builder, x)
    if value.type == target:
        return value
    expr = Expr(builder, value)
    if isinstance(target, ListType) or isinstance(value.type, ListType):
        return value
    assert isinstance(target, ArrayType | ScalarType)
    if is_complex(expr.type) and not is_complex(target):
        expr = f.real(expr)
    if isinstance(target, ScalarType):
        if expr.ndim:
            expr = f.sum(expr)
        return (
            expr.value if expr.type == target else one("item", expr, kind=target.kind).value
        )
    return _conform_array(builder, expr, target, like)


def _conform_array(builder: Builder, expr: Expr, target: ArrayType, like: Value) -> Value:
    if isinstance(expr.type, ScalarType):
        expr = f.asarray(expr, dtype=target.dtype)
    expr = _match_shape(builder, expr, target.shape, like)
    if expr.dtype != target.dtype:
        cast = f.astype if expr.ndim else f.asarray
        expr = cast(expr, dtype=target.dtype)
    return expr.value


def _match_shape(
    builder: Builder, expr: Expr, shape: tuple[Dimension, ...], like: Value
) -> Expr:
    dims = builder.dims
    if len(expr.dims) == len(shape) and all(map(dims.equal, expr.dims, shape)):
        return expr
    extra = expr.ndim - len(shape)
    if extra > 0:
        expr = f.sum(expr, axis=tuple(range(extra)))
    if expr.ndim < len(shape) or _grows(builder, expr.dims, shape):
        return one("broadcast_to", expr, *Expr(builder, like).shape)
    summed = tuple(
        axis
        for axis, (have, want) in enumerate(zip(expr.dims, shape, strict=True))
        if dims.canonical(want) == 1 and dims.canonical(have) != 1
    )
    if summed:
        expr = f.sum(expr, axis=summed, keepdims=True)
    if _uncertain(builder, expr.dims, shape):
        expr = f.unbroadcast(expr, *Expr(builder, like).shape)
    return expr


def _grows(
    builder: Builder, have: tuple[Dimension, ...], want: tuple[Dimension, ...]
) -> bool:
    canonical = builder.dims.canonical
    return any(
        canonical(h) == 1 and canonical(w) != 1 for h, w in zip(have, want, strict=True)
    )


def _uncertain(
    builder: Builder, have: tuple[Dimension, ...], want: tuple[Dimension, ...]
) -> bool:
    """Whether ``want`` could be 1 at run time where ``have`` is not."""
    dims = builder.dims
    return any(
        not dims.equal(h, w) and may_be_one(dims.canonical(w)) and w not in dims.not_one
        for h, w in zip(have, want, strict=True)
    )


# -------------------------------------------------------------------------- zeros and ones
def zeros(builder: Builder, like: Value) -> Value:
    """Zeros of the type of ``like``; undefined where that is."""
    t = like.type
    if like.op is not None and like.op.name == "undef":
        return builder.undef(t)
    if isinstance(t, ListType):
        if t.own:
            return builder.one("list_zeros", like, of=t.element)
        return builder.one("list_new", type=t)  # what was saved has all been taken off
    if isinstance(t, ArrayType) and t.ndim:
        with suppress(InternalError):
            if like in builder.open:  # it may not have the lengths of its type
                return builder.op("zeros", *map(builder.length, t.shape), dtype=t.dtype)  # type: ignore[no-any-return]
        return builder.one("zeros_like", like)
    return builder.const(constant_of(t, 0))


def constant_of(t: Type, number: int) -> Any:
    """``number`` as a Python or NumPy scalar of type ``t``."""
    if isinstance(t, ScalarType):
        return {"float": float, "complex": complex, "int": int, "bool": bool}[t.kind](
            number
        )
    assert isinstance(t, ArrayType)
    return np.array(number, t.dtype)[()]
