"""NumPy's functions take Python numbers as they are: ``np.sin(x)``, not ``np.sin(np.float64(x))``.

Before: any IR after the last ``simplify``. After: calls of NumPy's functions on Python floats
have no conversion before them. They still give NumPy's numbers, so such an op is of a kind of its
own, in which Python numbers do not call for ``math``'s function.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..ir.builder import Builder
from ..ir.opdef import OpDef
from ..ir.rewrite import Env, rewrite
from ..ir.types import FLOAT, ArrayType, ScalarType, Type
from ..ir.values import Function, Op, Value
from ..ops import TABLE
from .dce import dce


def numbers(function: Function) -> Function:
    """The function with Python floats handed to NumPy's functions directly."""
    if not any(_converts(op) for op in function.block.walk()):
        return function
    return dce(rewrite(function, TABLE, _visit))


def _visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    if not _is_call(op.kind):
        return None
    inputs = tuple(env.get(v, v) for v in op.inputs)
    plain = tuple(v.op.inputs[0] if v.op and _converts(v.op) else v for v in inputs)
    if plain == inputs or not all(isinstance(v.type, ScalarType) for v in plain):
        return None
    made = Op(_of_numbers(op.kind, op.result.type), plain, op.attrs, (), op.span, op.role)
    made.results = (Value(op.result.type, op.result.name, made),)
    builder.ops.append(made)
    return made.results


def _converts(op: Op) -> bool:
    """Whether the op makes a Python float a ``np.float64``."""
    return (
        op.name == "asarray"
        and op.inputs[0].type == FLOAT
        and op.attrs["dtype"] == np.float64
    )


@lru_cache(maxsize=512)
def _is_call(kind: OpDef) -> bool:
    """Whether the op is written as a call of one of NumPy's elementwise functions."""
    match kind.emit:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr=name), keywords=[]):
            return isinstance(getattr(np, name, None), np.ufunc)
    return False


@lru_cache(maxsize=512)
def _of_numbers(kind: OpDef, result: Type) -> OpDef:
    assert isinstance(result, ArrayType)
    return replace(kind, emit_scalar=None, infer=lambda dims, inputs, **attrs: result)
