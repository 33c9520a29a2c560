"""The arrays that a function is called with: what is known of how they lie in memory, and of
the memory that they share."""

from __future__ import annotations

from collections.abc import Sequence

from .layouts import given as lies
from .machine import Machine
from .requests import ArgLeaf, Path
from .together import Alias
from .values import Ref


def given(
    m: Machine,
    ref: Ref,
    leaf: ArgLeaf,
    path: Path,
    aliases: Sequence[Alias],
    leaders: dict[Path, Ref],
) -> Ref:
    """An array argument in its place in memory.

    Args:
        leaders: the arguments so far whose memory others may be in.
    """
    m.places[ref.storage] = path
    shape, current = ref.type.shape, ref.storage.current
    if leaf.layout is not None:
        m.lies[current] = lies(leaf.layout, shape, leaf.name, m.static_shapes)
    elif len(shape) == 1:
        m.lies[current] = lies((-2, 0), shape, leaf.name, False)
    alias = next((a for a in aliases if a.path == path), None)
    if alias is None or alias.leader == path:
        leaders[path] = ref
    if alias is None:
        return ref
    whole = leaders[alias.leader]
    if alias.part is None:
        return whole
    offset, shape, strides = alias.part
    value = m.builder.one(
        "strided", m.read(whole), offset=offset, shape=shape, strides=strides
    )
    return m.trace(value)
