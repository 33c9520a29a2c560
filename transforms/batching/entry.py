"""Batching: a block for all examples of a batch at once.

Values that differ between examples get an axis in front; the others stay as they are. What
cannot be done for all at once is done in a loop over the examples.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import ShapeError
from ...ir.builder import Builder
from ...ir.rewrite import Env
from ...ir.types import ArrayType
from ...ir.values import Block, Value
from .control import run_block
from .each import each_example
from .plan import plan
from .single import State, full


def batch(
    builder: Builder,
    block: Block,
    args: Sequence[Value],
    positions: Sequence[int],
    out: Sequence[bool],
) -> list[Value]:
    """The block's results for ``args``, of which those at ``positions`` have an axis of
    examples in front.

    Args:
        out: which results are to have such an axis too.

    Raises:
        ShapeError: one that is not to have it differs between examples.
        UnsupportedFunctionError: results of different shapes.
    """
    span = builder.span
    made = plan(block, [block.params[i] for i in positions])
    first = args[positions[0]]
    assert isinstance(first.type, ArrayType)
    size = builder.op("shape", first, axis=0)
    env: Env = dict(zip(block.params, args, strict=True))
    state = State(env, set(made.batched), made, size, first.type.shape[0])
    if made.whole:
        each_example(builder, state, block.ops, block.results)
    else:
        run_block(builder, block, state)
    results = []
    for position, (r, axis) in enumerate(zip(block.results, out, strict=True)):
        if not axis and r in state.batched:
            raise ShapeError(
                f"result {position} of a function under `vmap` differs between examples, but "
                "out_axes says None for it; give it an axis",
                span,
            )
        results.append(full(builder, state, r) if axis else state.get(r))
    return results
