"""A linear block for each of the basis vectors of its parameter, by few passes.

Basis vectors that share no entry of the results are added up and go through the block at once:
one pass where the matrix is diagonal, as many as the band is wide where it is banded, as many as
a block has columns where it is a stack of blocks. Where a band goes around the ends, the last
vectors, those that are left when the others are in sums of the same number, take a pass each. What
comes out is put into its places in the whole matrix (Curtis, Powell and Reid, 1974).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..ir.bands import modulus
from ..ir.builder import Builder
from ..ir.expr import Expr, f, lift
from ..ir.indexing import FULL, Gather
from ..ir.rewrite import inline
from ..ir.types import ArrayType
from ..ir.values import Block, Value
from ._bands import Known, Unknown, bands_of
from ._scatter import Axes, spread
from .batching.entry import batch


def compressed(
    builder: Builder, block: Block, outs: Sequence[bool], unit: complex
) -> list[Value] | None:
    """The block's results for ``unit`` times each basis vector of its parameter, with an axis
    in front for these where ``outs`` is true; None where that takes as many passes as there are
    vectors.

    Args:
        block: with one parameter.
    """
    [seed] = block.params
    if not all(outs):
        return None
    try:
        found = bands_of(block, seed)
    except Unknown:
        return None
    widths = _widths(seed, found)
    if all(w is None for w in widths):
        return None
    axes = Axes(builder, seed, widths, _cyclic(seed, found))
    role, builder.role = builder.role, "jacobian"
    pairs = zip(_passes(axes, block, unit), found, strict=True)
    builder.role = "jacobian"
    whole = [spread(axes, Expr(builder, value), known) for value, known in pairs]
    builder.role = role
    return whole


def _widths(seed: Value, found: Sequence[Known]) -> tuple[int | None, ...]:
    """For each axis of the parameter how many passes it takes, None for its length."""
    assert isinstance(seed.type, ArrayType)
    listed = [k.bands for k in found if k.bands is not None]
    if len(listed) < len(found) and not all(k.zero for k in found if k.bands is None):
        return (None,) * seed.type.ndim
    widths: list[int | None] = []
    for axis in range(seed.type.ndim):
        bands = [b[axis] for b in listed]
        known = [b for b in bands if b is not None]
        around = max((b.span for b in known if b.cyclic), default=1)
        widths.append(modulus(known, around) if len(known) == len(bands) else None)
    return tuple(widths)


def _cyclic(seed: Value, found: Sequence[Known]) -> tuple[bool, ...]:
    """Whether entries are counted around each axis of the parameter."""
    listed = [k.bands for k in found if k.bands is not None]
    return tuple(
        any(b[axis] is not None and b[axis].cyclic for b in listed)  # type: ignore[union-attr]
        for axis in range(seed.type.ndim)  # type: ignore[union-attr]
    )


def _passes(axes: Axes, block: Block, unit: complex) -> list[Value]:
    """The block's results for the sums of basis vectors, with an axis in front for these
    if there are several."""
    b, several = axes.builder, axes.several
    one = b.const(axes.dtype.type(unit))
    if not several:
        lengths = [lift(b, n) for n in axes.lengths]
        return list(inline(b, block, [b.one("broadcast_to", one, *lengths)]))
    seeds = Expr(b, one)
    for axis in several:
        seeds = _sums(axes, axis) * seeds
    seeds = f.broadcast_to(seeds, *seeds.shape[: len(several)], *axes.lengths)
    if len(several) > 1:
        count = math.prod(seeds.shape[: len(several)], start=1)
        seeds = f.reshape(seeds, count, *axes.lengths)
    return batch(b, block, [seeds.value], (0,), [True] * len(block.results))


def _sums(axes: Axes, axis: int) -> Expr:
    """Which entries along an axis are in which sum, as zeros and ones: an axis for the sums
    in its place among those of all, then those of the parameter."""
    b = axes.builder
    n = lift(b, axes.count(axis))
    found = Expr(b, b.op("eye", n, n, b.const(0), dtype=axes.dtype))
    if axes.widths[axis] is not None:
        found = f.gather(found, axes.sums(axis), index=(FULL, Gather(0)), hint="seeds")
    first, rank = axes.several.index(axis), len(axes.several) + len(axes.widths)
    places = (first, len(axes.several) + axis)
    new = tuple(a for a in range(first, rank) if a not in places)
    new = tuple(a - first for a in new)
    return f.expand_dims(found, axes=new) if new else found
