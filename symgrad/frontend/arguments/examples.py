"""Arguments made up when compiling, to see what code that runs as it is returns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from ...ir.dims import Dimension, Sym, substitute, symbols
from ...ir.types import ArrayType, ObjectType, ScalarType, Type
from ..machine import Machine
from .leaftypes import type_of

LARGEST = 100_000
FIRST_LENGTHS = (37, 11, 5, 2)
SAME_LENGTH = 4
SCALARS: dict[str, Any] = {"bool": True, "int": 2, "float": 0.5, "complex": 0.5 + 0.25j}
GENERATORS: dict[str, Any] = {
    "Generator": np.random.default_rng,
    "RandomState": np.random.RandomState,
}


def examples(m: Machine, leaves: Sequence[Any], *, apart: bool) -> list[Any]:
    """A number or array for each runtime value.

    Args:
        apart: lengths that are not known are different primes, so that they can be told apart
            in what comes out; else they are all the same.
    """
    types = [type_of(leaf) for leaf in leaves]
    lengths = _lengths(m, types, apart)
    return [_made(m, t, lengths) for t in types]


def _lengths(m: Machine, types: Iterable[Type], apart: bool) -> dict[Sym, Dimension]:
    """A length for each symbol; primes as large as can be before arrays get huge."""
    shapes = [
        [m.builder.dims.canonical(d) for d in t.shape]
        for t in types
        if isinstance(t, ArrayType)
    ]
    free = list(dict.fromkeys(s for shape in shapes for d in shape for s in symbols(d)))
    found: dict[Sym, Dimension] = dict.fromkeys(free, SAME_LENGTH)
    if not apart:
        return found
    for first in FIRST_LENGTHS:
        found = dict(zip(free, _primes(first), strict=False))
        sizes = (math.prod(_length(d, found) for d in shape) for shape in shapes)
        if max(sizes, default=0) <= LARGEST:
            break
    return found


def _length(d: Dimension, lengths: dict[Sym, Dimension]) -> int:
    known = substitute(d, lengths)  # type: ignore[arg-type]
    return max(known, 0) if isinstance(known, int) else 2


def _primes(first: int) -> Iterator[int]:
    for n in count(first):
        if all(n % k for k in range(2, math.isqrt(n) + 1)):
            yield n


def _made(m: Machine, t: Type, lengths: dict[Sym, Dimension]) -> Any:
    if isinstance(t, ScalarType):
        return SCALARS[t.kind]
    if isinstance(t, ObjectType):
        return GENERATORS[t.name](0) if t.name in GENERATORS else None
    assert isinstance(t, ArrayType)
    shape = tuple(_length(m.builder.dims.canonical(d), lengths) for d in t.shape)
    whole = np.linspace(0.25, 0.75, math.prod(shape)) if t.dtype.kind in "fc" else 1
    array = np.broadcast_to(np.asarray(whole, t.dtype).reshape(-1), (math.prod(shape),))
    return array.reshape(shape).copy() if shape else array[0]


__all__ = ["examples"]
