"""Which entries of an operation's result depend on which entries of one input.

Asked only of operations that are linear in that input, such as those of derivative code, whose
other inputs are at hand. An operation that only moves entries is run on distinct numbers, which
tells where each entry goes. Of others it is found out along which axes they go: an entry weighted
by a random number for its place along an axis of the input comes out with just that weight at one
place along an axis of the result only if the operation does not mix along it. What is not
understood links everything to everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import SymgradError
from ...ir.evaluate import compute_op
from ...ir.types import ScalarType
from ...ir.values import Op

Array = Any
Pairs = tuple[Array, Array]
"""Entries of the result and of the input that are linked, by their place in memory order."""

SEED = 20240229
TOLERANCE = 1e-9
MOST_PAIRS = 50_000_000


def linked(op: Op, position: int, inputs: Sequence[Any], result: Any) -> Pairs:
    """The links of a result with input number ``position``.

    Args:
        inputs: what the inputs are at this point.
        result: what the result is.
    """
    x, out = np.asarray(inputs[position]), np.asarray(result)
    if x.size == 0 or out.size == 0:
        return _none()
    if op.kind.has("elementwise") and _broadcasts(x.shape, out.shape):
        places = np.arange(x.size).reshape(x.shape)
        return np.arange(out.size), np.broadcast_to(places, out.shape).ravel()
    known = _Probe(op, position, inputs, x.shape, out.shape)
    if not known.linear:
        return everything(x.size, out.size)
    found = _moved(known)
    if found is None:
        found = _along_axes(known)
    return everything(x.size, out.size) if found is None else found


def everything(inputs: int, outputs: int) -> Pairs:
    """Every entry linked with every entry."""
    if inputs * outputs > MOST_PAIRS:
        raise TooMany
    rows = np.repeat(np.arange(outputs), inputs)
    return rows, np.tile(np.arange(inputs), outputs)


class TooMany(Exception):
    """The links of one operation are too many to be written down."""


def _none() -> Pairs:
    return np.empty(0, int), np.empty(0, int)


def _broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


class _Probe:
    """The operation as a linear map of one input, the others being what they are: zero where it
    is linear in them too, one where it multiplies by them."""

    def __init__(
        self,
        op: Op,
        position: int,
        inputs: Sequence[Any],
        shape: tuple[int, ...],
        target: tuple[int, ...],
    ) -> None:
        self.op, self.position = op, position
        self.shape, self.target = shape, target
        self.random = np.random.default_rng(SEED)
        kind, name = op.kind, op.kind.input_name(position)
        bilinear = kind.has("contraction")
        self.linear = (bilinear or kind.has("linear")) and name in kind.vjp
        self.inputs = [
            self._fixed(i, x, bilinear) if i != position else x
            for i, x in enumerate(inputs)
        ]
        self.dtype = np.asarray(inputs[position]).dtype

    def _fixed(self, i: int, x: Any, bilinear: bool) -> Any:
        if self.op.kind.input_name(i) not in self.op.kind.vjp:
            return x
        return x * 0 if not bilinear else np.ones_like(x)

    def __call__(self, x: Array) -> Array | None:
        """The result for ``x``; None if there is none of the right shape."""
        given = list(self.inputs)
        value = x.astype(self.dtype)
        scalar = isinstance(self.op.inputs[self.position].type, ScalarType)
        given[self.position] = value.item() if scalar else value
        try:
            out = compute_op(self.op, given)
        except (SymgradError, ValueError, IndexError, TypeError, ArithmeticError):
            return None
        found = np.asarray(out, dtype=np.result_type(out, np.float64))
        return found if found.shape == self.target else None


def _moved(probe: _Probe) -> Pairs | None:
    """The links of an operation each of whose entries is one of the input's, or zero."""
    size = int(np.prod(probe.shape))
    first = probe.random.uniform(1.0, 2.0, size)
    second = probe.random.uniform(1.0, 2.0, size)
    found = []
    for numbers in (first, second):
        out = probe(numbers.reshape(probe.shape))
        if out is None or np.iscomplexobj(out):
            return None
        found.append(out.ravel())
    single = np.asarray(0, probe.dtype).dtype.itemsize < 8
    if single:
        first, second = (x.astype(probe.dtype).astype(float) for x in (first, second))
        if len(np.unique(first)) < size:
            return None
    order = np.argsort(first)
    at = np.searchsorted(first, found[0], sorter=order).clip(max=size - 1)
    source = order[at]
    there = (first[source] == found[0]) & (second[source] == found[1])
    empty = (found[0] == 0) & (found[1] == 0)
    if not np.all(there | empty):
        return None
    rows = np.flatnonzero(there)
    return rows, source[rows]


def _along_axes(probe: _Probe) -> Pairs | None:
    """The links of an operation that keeps to its place along some axes."""
    ones = probe(np.ones(probe.shape))
    if ones is None or np.iscomplexobj(ones) or np.any(ones == 0):
        return None
    kept: dict[int, int] = {}
    for axis, length in enumerate(probe.shape):
        weights = probe.random.uniform(1.0, 2.0, length)
        form = [length if a == axis else 1 for a in range(len(probe.shape))]
        out = probe(np.broadcast_to(weights.reshape(form), probe.shape))
        if out is None or length == 1:
            continue
        target = _followed(out / ones, weights, probe.target, set(kept.values()))
        if target is not None:
            kept[axis] = target
    return _pairs(probe.shape, probe.target, kept)


def _followed(
    ratio: Array, weights: Array, shape: tuple[int, ...], taken: set[int]
) -> int | None:
    """The axis of a result along which it has the weights."""
    for axis, length in enumerate(shape):
        if axis in taken or length != len(weights):
            continue
        form = [length if a == axis else 1 for a in range(len(shape))]
        if np.all(np.abs(ratio - weights.reshape(form)) < TOLERANCE):
            return axis
    return None


def _pairs(shape: tuple[int, ...], target: tuple[int, ...], kept: dict[int, int]) -> Pairs:
    """Links of entries at the same place along the axes kept, and at any place along others."""
    free = [a for a in range(len(shape)) if a not in kept]
    lengths = [*target, *(shape[a] for a in free)]
    if int(np.prod(lengths)) > MOST_PAIRS:
        raise TooMany
    rows = np.zeros(lengths, int)
    columns = np.zeros(lengths, int)
    row_strides, column_strides = _strides(target), _strides(shape)
    for axis, length in enumerate(target):
        index = _index(length, axis, len(lengths))
        rows += index * row_strides[axis]
        for source, goal in kept.items():
            if goal == axis:
                columns += index * column_strides[source]
    for k, source in enumerate(free):
        index = _index(shape[source], len(target) + k, len(lengths))
        columns += index * column_strides[source]
    return rows.ravel(), columns.ravel()


def _index(length: int, axis: int, rank: int) -> Array:
    return np.arange(length).reshape([length if a == axis else 1 for a in range(rank)])


def _strides(shape: tuple[int, ...]) -> list[int]:
    return [int(np.prod(shape[a + 1 :])) for a in range(len(shape))]
