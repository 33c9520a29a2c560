"""Numbers in derivatives have the dtype of their type.

Before: IR in which derivatives are to be taken; where Python's numbers meet NumPy's they may stay
what they are (``joined``). After: they are NumPy's, so that arrays and gradients made of them
have the dtype that they are said to have.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.builder import Builder
from ..ir.rewrite import Env, rewrite
from ..ir.types import ScalarType
from ..ir.values import Function, Op, Value
from ..ops import TABLE


def settle(function: Function) -> Function:
    """The function with every number converted where it meets others."""
    if not any(op.name == "joined" for op in function.block.walk()):
        return function
    return rewrite(function, TABLE, _visit)


def _visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
    if op.name != "joined":
        return None
    x, wanted = env.get(op.inputs[0], op.inputs[0]), op.attrs["type"]
    if isinstance(wanted, ScalarType):
        return [builder.one("item", x, kind=wanted.kind)]
    return [builder.one("asarray", x, dtype=wanted.dtype)]
