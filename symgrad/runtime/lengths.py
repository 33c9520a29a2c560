"""Lengths about which code took something for granted that does not hold: they have to be known
when compiling, where others stay symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..frontend import Lowered
from ..frontend.requests import Path
from ..ir.dims import Atom, Dimension, Sym, as_symbol, substitute, symbols
from ..ir.tree import Node
from ..ir.types import ArrayType


def taken_for_granted(
    lowered: Lowered,
    trees: tuple[tuple[Any, ...], Mapping[str, Any]],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> frozenset[Path]:
    """The lengths, as paths, of which one is 1 that was assumed not to be, or that were assumed
    to be equal and are not."""
    known: dict[Atom, Dimension] = {}
    for tree, value in zip(trees[0], args, strict=True):
        known.update(_lengths(tree, value))
    for name, tree in trees[1].items():
        known.update(_lengths(tree, kwargs[name]))
    for capture in lowered.captures:
        known.update(_of_array(capture.type, capture.fetch()))
    wrong: set[Sym] = set()
    for length in lowered.function.not_one:
        if substitute(length, known) == 1:
            wrong |= symbols(length)
    for a, b in lowered.function.equal:
        if substitute(a, known) != substitute(b, known):
            wrong |= symbols(a) | symbols(b)
    return frozenset(("length", symbol.name) for symbol in wrong if symbol in known)


def _lengths(tree: Any, value: Any) -> Iterator[tuple[Sym, int]]:
    if not isinstance(tree, Node):
        yield from _of_array(tree.type, value)
    elif tree.kind != "static":
        for position, child in enumerate(tree.children):
            how, key = tree.access(position)
            inner = getattr(value, key) if how == "attr" else value[key]
            yield from _lengths(child, inner)


def _of_array(kind: Any, value: Any) -> Iterator[tuple[Sym, int]]:
    if isinstance(kind, ArrayType):
        for length, n in zip(kind.shape, value.shape, strict=True):
            single = as_symbol(length)
            if single is not None:
                yield single, n


__all__ = ["taken_for_granted"]
