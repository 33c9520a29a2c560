"""Numbers as a person writes them: ``np.sin(x)``, not ``np.sin(np.float64(x))``; ``x if c else y``.

Before: any IR after the last ``simplify``. After: calls of NumPy's functions on Python floats
have no conversion before them. They still give NumPy's numbers, so such an op is of a kind of its
own, in which Python numbers do not call for ``math``'s function. In derivative code, ``where`` of
numbers is a choice between them.
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
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .dce import dce
from .laws.words import rank, scalar_constant

PICK = TABLE["pick"]


def numbers(function: Function) -> Function:
    """The function with Python floats handed to NumPy's functions directly, and with choices."""
    ops = list(function.block.walk())
    choices = {op.result for op in ops if _chooses(op)}
    if not choices and not any(map(_converts, ops)):
        return function
    plain = choices - _typed(function.block, choices)

    def visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        if op.results and op.results[0] in choices:
            return _chosen(builder, op, env, op.result in plain)
        return _called(builder, op, env)

    return dce(rewrite(function, TABLE, visit))


def _called(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    if not _is_call(op.kind):
        return None
    inputs = tuple(env.get(v, v) for v in op.inputs)
    plain = tuple(v.op.inputs[0] if v.op and _converts(v.op) else v for v in inputs)
    if plain == inputs or not all(isinstance(v.type, ScalarType) for v in plain):
        return None
    return _made(builder, op, _of_numbers(op.kind, op.result.type), plain)


def _made(builder: Builder, op: Op, kind: OpDef, inputs: tuple[Value, ...]) -> list[Value]:
    made = Op(kind, inputs, op.attrs, (), op.span, op.role)
    made.results = (Value(op.result.type, op.result.name, made),)
    builder.ops.append(made)
    return list(made.results)


def _chooses(op: Op) -> bool:
    """Whether the op is ``where`` of NumPy's numbers in derivative code."""
    if op.name != "where" or not op.role or any(map(rank, op.inputs)):
        return False
    wanted = op.result.type
    sides = (v.type == wanted or scalar_constant(v) is not None for v in op.inputs[1:])
    return isinstance(wanted, ArrayType) and all(sides)


def _typed(block: Block, choices: set[Value]) -> set[Value]:
    """Those of ``choices`` whose dtype shows: a Python number in their place might give another
    dtype, or another type of result."""
    found = {v for v in block.results if v in choices}
    for op in block.ops:
        read = [v for v in op.inputs if v in choices]
        if read and not _knows_dtype(op, choices):
            found.update(read)
        for region in op.regions:
            found |= _typed(region, choices)
    return found


def _knows_dtype(op: Op, choices: set[Value]) -> bool:
    """Whether the dtype of an op's result is float64 whatever Python floats are in it."""
    if op.kind.has("store") and op.inputs[0] not in choices:
        return True
    rest = [v.type for v in op.inputs if v not in choices]
    known = all(isinstance(t, ArrayType) and t.dtype == np.float64 for t in rest)
    return bool(rest) and known and op.kind.has("elementwise") and len(op.inputs) == 2


def _chosen(builder: Builder, op: Op, env: Env, plain: bool) -> list[Value]:
    test, *sides = (env.get(v, v) for v in op.inputs)
    wanted = op.result.type
    assert isinstance(wanted, ArrayType)
    dtype = float if plain and wanted.dtype == np.float64 else wanted.dtype.type
    typed = [
        v if v.type == wanted and not v.is_constant else builder.const(dtype(v.constant))
        for v in sides
    ]
    return _made(builder, op, _of_numbers(PICK, wanted), (test, *typed))


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
