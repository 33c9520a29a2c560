"""Checks of lengths that NumPy makes itself.

Before: any IR without derivatives. After: no ``require`` asks for lengths to be equal that an
operation which is still there, in the same region or around it, asks for as well. The checks are
for the operations that derivatives do without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.builder import UNFIT, Builder
from ..ir.context import Dims
from ..ir.dims import Dimension
from ..ir.rewrite import Env, rewrite
from ..ir.types import ArrayType
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .dce import dce


def checks(function: Function) -> Function:
    """The function without those checks."""
    dims = Dims()
    dims.not_one.update(dict.fromkeys(function.not_one))
    for a, b in function.equal:
        dims.unify(a, b)
    needless = set(_needless(function.block, dims)) if _any_check(function.block) else None
    if not needless:
        return function

    def visit(builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        return [builder.const(True)] if op in needless else None

    return dce(rewrite(function, TABLE, visit))


def _any_check(block: Block) -> bool:
    return any(is_check(op) or any(map(_any_check, op.regions)) for op in block.ops)


def is_check(op: Op) -> bool:
    """Whether the op asks for lengths to be equal."""
    return op.kind.name == "require" and op.attrs["args"] == (UNFIT,)


def _needless(block: Block, dims: Dims) -> Iterator[Op]:
    """The checks whose lengths the other operations bring together in ``dims``."""
    for op in block.ops:
        if not op.regions and not op.kind.has("effect"):
            op.kind.infer(dims, op.inputs, **op.attrs)
    for op in block.ops:
        if is_check(op) and _follows(op, dims):
            yield op
        for region in op.regions:
            yield from _needless(region, dims.child())


def _follows(check: Op, dims: Dims) -> bool:
    if check.inputs[0].is_constant:
        return bool(check.inputs[0].constant)
    compared = check.inputs[0].op
    if compared is None or compared.kind.name != "equal":
        return False
    a, b = map(_length, compared.inputs)
    return a is not None and b is not None and dims.equal(a, b)


def _length(value: Value) -> Dimension | None:
    """The length that an integer is; of an array that was made anew, what its type says now."""
    op = value.op
    if op is None or op.kind.name != "shape":
        return value.dim
    kind = op.inputs[0].type
    assert isinstance(kind, ArrayType)
    axis: int = op.attrs["axis"]
    return kind.shape[axis]
