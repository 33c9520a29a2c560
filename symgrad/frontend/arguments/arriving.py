"""The arrays that a function is called with, or finds outside: what is known of how they lie in
memory, and of the memory that they share."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.types import ArrayType
from ...ir.values import Value
from ..machine import Machine
from ..memory.layouts import given as lies
from ..requests import ArgLeaf, Capture, Path
from ..values import Ref
from .together import Alias


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
    _note_lie(m, ref.storage.current, leaf)
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


def found(m: Machine, value: Value, capture: Capture) -> None:
    """A captured value in its place."""
    m.paths[value] = ("capture", capture.place)
    _note_lie(m, value, capture)


def _note_lie(m: Machine, value: Value, seen: ArgLeaf | Capture) -> None:
    if not isinstance(value.type, ArrayType):
        return
    if seen.layout is not None:
        m.lies[value] = lies(seen.layout, value.type.shape, seen.name, m.static_shapes)
    elif len(value.type.shape) == 1:
        m.lies[value] = lies((-2, 0), value.type.shape, seen.name, False)
