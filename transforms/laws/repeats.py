"""Laws of arrays in which entries stand several times next to each other, as the adjoint of
pooling makes them: a reshape of what has been repeated along axes of its own. What can be done
before that is done before, on the fewer entries; or without ever making the repeated array."""

from __future__ import annotations

from typing import Any

from ...ir.dims import Dimension, floordiv, multiply
from ...ir.expr import f
from ...ir.types import ArrayType
from ...ir.values import Op, Value
from .words import Site, law, rank


@law("transpose", adjoint=True, needed={"reshape"})
def transpose_of_repeated(site: Site) -> Any:
    """Axes change places before their entries are repeated."""
    found = _repeated(site, site.inputs[0])
    if found is None:
        return None
    merged, repeated = found
    groups = _groups(site, repeated.result, merged.result)
    if groups is None or rank(repeated.inputs[0]) != rank(repeated.result):
        return None
    axes = site.attrs["axes"]
    order = tuple(a for axis in axes for a in groups[axis])
    small, lengths, shape = repeated.inputs[0], repeated.inputs[1:], merged.inputs[1:]
    turned = f.transpose(site.expr(small), axes=order).value
    again = site.builder.op("broadcast_to", turned, *(lengths[a] for a in order))
    return site.builder.op("reshape", again, *(shape[a] for a in axes))


@law("multiply", adjoint=True, needed={"reshape"})
def product_before_merging(site: Site) -> Any:
    """``np.reshape(np.broadcast_to(x, a), b) * y`` is ``np.reshape(x * np.reshape(y, a), b)``."""
    for value, y in (site.inputs, site.inputs[::-1]):
        found = _repeated(site, value)
        if found is None or not site.same(value.type, y.type):
            continue
        merged, repeated = found
        if _groups(site, repeated.result, merged.result) is None:
            continue
        apart = site.builder.op("reshape", y, *repeated.inputs[1:])
        product = site.builder.op(site.kind, repeated.inputs[0], apart)
        return site.builder.op("reshape", product, *merged.inputs[1:])
    return None


def _repeated(site: Site, value: Value) -> tuple[Op, Op] | None:
    """The reshape and the broadcast that made a value, which nobody else reads."""
    merged = site.made_by(value, "reshape", once=True)
    if merged is None or any(v.is_constant and v.constant == -1 for v in merged.inputs[1:]):
        return None
    repeated = site.made_by(merged.inputs[0], "broadcast_to", once=True)
    if repeated is None or not rank(repeated.inputs[0]):
        return None
    return merged, repeated


def _groups(site: Site, before: Value, after: Value) -> list[tuple[int, ...]] | None:
    """Which axes a reshape has made one of; None where it does more than that. An axis of
    ``n // 2`` and one of 2 make one of ``n``: the reshape would fail if they did not."""
    assert isinstance(before.type, ArrayType) and isinstance(after.type, ArrayType)
    lengths, groups = list(before.type.shape), list[tuple[int, ...]]()
    position = 0
    for length in after.type.shape:
        count = next((k for k in (1, 2) if _make(site, lengths[position:][:k], length)), 0)
        if not count:
            return None
        groups.append(tuple(range(position, position + count)))
        position += count
    return groups if position == len(lengths) else None


def _make(site: Site, lengths: list[Dimension], whole: Dimension) -> bool:
    """Whether axes of these lengths make one of length ``whole``."""
    if len(lengths) == 1:
        return site.builder.dims.equal(lengths[0], whole)
    if len(lengths) != 2:
        return False
    first, second = map(site.builder.dims.canonical, lengths)
    if site.builder.dims.equal(multiply(first, second), whole):
        return True
    if not isinstance(second, int) or second < 1:
        return False
    return site.builder.dims.equal(
        first, floordiv(site.builder.dims.canonical(whole), second)
    )
