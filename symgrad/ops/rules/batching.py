"""Batch rules of ops on shapes: the same for every example, an axis for these in front."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.expr import Expr, f, lift
from ...ir.indexing import FULL, Gather
from ...ir.types import ArrayType
from ..reshaping import permute

Batched = tuple[bool, ...]
INDEX = np.dtype(np.intp)
CREATED = ("zeros", "ones", "empty")


# ------------------------------------------------------------------------------- pieces
def front(x: Expr, rank: int) -> Expr:
    """``x``, which has a batch axis, with new axes after that for ``rank`` in each example."""
    missing = rank + 1 - x.ndim
    return f.expand_dims(x, axes=tuple(range(1, missing + 1))) if missing > 0 else x


def spread(x: Expr, size: Expr) -> Expr:
    """A view of ``x`` that repeats it for each example."""
    return f.broadcast_to(x, size, *x.shape)  # type: ignore[no-any-return]


def grown(x: Expr, size: Expr) -> Expr:
    """``x`` once for each example, in memory of its own."""
    made = x.value.op
    name = "" if made is None else made.name.removesuffix("_like")
    if made is not None and name in CREATED:
        b, given = x.builder, made.inputs
        if name != made.name:
            given = tuple(lift(b, n) for n in Expr(b, made.inputs[0]).shape)
        return Expr(b, b.op(name, size.value, *given, dtype=x.dtype))
    if not x.ndim:
        return f.full(x, size, dtype=x.dtype)  # type: ignore[no-any-return]
    return f.copy(spread(x, size))  # type: ignore[no-any-return]


def counting(b: Any, count: Any) -> Expr:
    """0, 1, 2, ... up to ``count``."""
    ends = (b.const(0), lift(b, count), b.const(1))
    return Expr(b, b.op("arange", *ends, dtype=INDEX))


def entries(x: Expr) -> Any:
    """How many entries each example has."""
    total: Any = 1
    for axis in range(1, x.ndim):
        total = x.length(axis) * total
    return total


def flat(x: Expr, size: Expr) -> Expr:
    """One axis of entries for each example."""
    return x if x.ndim == 2 else f.reshape(x, size, entries(x))


# -------------------------------------------------------------------------------- shape
def reshape(x: Expr, lengths: tuple[Expr, ...], size: Expr, batched: Batched) -> Any:
    """``x.reshape``."""
    return None if any(batched[1:]) else f.reshape(x, size, *lengths)


def broadcast_to(x: Expr, lengths: tuple[Expr, ...], size: Expr, batched: Batched) -> Any:
    """``np.broadcast_to``."""
    if any(batched[1:]):
        return None
    return f.broadcast_to(front(x, len(lengths)), size, *lengths)


def flatten(x: Expr, size: Expr) -> Any:
    """``x.flatten()``."""
    return f.copy(flat(x, size))


def transpose(x: Expr, axes: tuple[int, ...]) -> Any:
    """``np.transpose``."""
    return f.transpose(x, axes=(0, *(a + 1 for a in axes)))


def joined(x: Expr, type: Any, size: Expr) -> Expr:
    """A number for each example, which have one dtype."""
    return x if x.dtype == type.dtype else f.astype(x, dtype=type.dtype)


def unchanged(x: Expr) -> Any:
    """Scalars that only change their type."""
    return x


def tile(x: Expr, reps: tuple[Expr, ...], batched: Batched) -> Any:
    """``np.tile``."""
    return None if any(batched[1:]) else f.tile(x, 1, *reps)


def pad(x: Expr, value: Expr, widths: tuple[Expr, ...], batched: Batched) -> Any:
    """``np.pad``."""
    return None if any(batched[1:]) else f.pad(x, value, 0, 0, *widths)


def array(
    xs: tuple[Expr, ...],
    shape: Any,
    dtype: Any,
    size: Expr,
    batched: Batched,
    like: tuple[ArrayType, ...],
) -> Any:
    """``np.array`` of numbers or arrays."""
    rank = like[0].ndim - len(shape)
    parts = []
    for x, moves in zip(xs, batched, strict=True):
        part = front(x, rank) if moves else grown(x, size)
        parts.append(part if part.dtype == dtype else f.astype(part, dtype=dtype))
    whole = f.stack(*parts, axis=1)
    if len(shape) == 1:
        return whole
    return f.reshape(whole, size, *shape, *whole.shape[2:])


def full(
    value: Expr, lengths: tuple[Expr, ...], dtype: Any, size: Expr, batched: Batched
) -> Any:
    """``np.full``."""
    if any(batched[1:]):
        return None
    whole = f.broadcast_to(front(value, len(lengths)), size, *lengths)
    same = dtype is None or whole.dtype == dtype
    return f.copy(whole) if same else f.astype(whole, dtype=dtype)


def full_like(x: Expr, value: Expr, size: Expr, batched: Batched) -> Any:
    """``np.full_like``."""
    lengths = x.shape[1:] if batched[0] else x.shape
    return f.copy(f.broadcast_to(front(value, len(lengths)), size, *lengths))


def diag(x: Expr, k: int, size: Expr) -> Any:
    """``np.diag`` of a vector."""
    b, n = x.builder, x.length(1)
    side = n + abs(k) if k else n
    places = counting(b, n)
    rows, columns = (places + max(-k, 0), places + max(k, 0)) if k else (places, places)
    lengths = (size.value, lift(b, side), lift(b, side))
    empty = Expr(b, b.op("zeros", *lengths, dtype=x.dtype))
    return f.store(empty, x, rows, columns, index=(FULL, Gather(0), Gather(1)))


# --------------------------------------------------------------------------- reductions
def position(name: str) -> Callable[..., Any]:
    """``np.argmax`` and ``np.argmin``."""

    def rule(x: Expr, axis: int | None, keepdims: bool, size: Expr) -> Any:
        if axis is not None:
            return getattr(f, name)(x, axis=axis + 1, keepdims=keepdims)
        found = getattr(f, name)(flat(x, size), axis=1, keepdims=False)
        return front(found, x.ndim - 1) if keepdims else found

    return rule


def norm(x: Expr, axis: Any, keepdims: bool, size: Expr) -> Any:
    """``np.linalg.norm``."""
    if axis is not None:
        return f.norm(x, axis=tuple(a + 1 for a in axis), keepdims=keepdims)
    found = f.norm(flat(x, size), axis=(1,), keepdims=False)
    return front(found, x.ndim - 1) if keepdims else found


def _all_equal(equal: Callable[[Expr, Expr], Expr], inputs: Any, batched: Batched) -> Any:
    rank = max(x.ndim - moves for x, moves in zip(inputs, batched, strict=True))
    x, y = (front(v, rank) if m else v for v, m in zip(inputs, batched, strict=True))
    same = equal(x, y)
    return f.all(same, axis=tuple(range(1, same.ndim)))


def allclose(
    inputs: Any, batched: Batched, rtol: float, atol: float, equal_nan: bool
) -> Any:
    """``np.allclose``."""
    attrs = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan}
    return _all_equal(lambda x, y: f.isclose(x, y, **attrs), inputs, batched)


def array_equal(inputs: Any, batched: Batched) -> Any:
    """``np.array_equal``."""
    return _all_equal(lambda x, y: f.equal(x, y), inputs, batched)


def require(condition: Expr, error: str, args: Any) -> Any:
    """An assert: of every example."""
    f.require(f.all(condition), error=error, args=args)
    return condition


def discard(x: Expr, size: Expr) -> Any:
    """All examples at once."""
    f.discard(x)
    return f.zeros(size, dtype=np.dtype(bool))


def try_end(values: tuple[Expr, ...], size: Expr, key: int) -> Any:
    """The end of a stretch is one for all examples."""
    f.try_end(*values, key=key)
    return f.zeros(size, dtype=np.dtype(bool))


def truth(x: Expr) -> Any:
    """Python's ``not``."""
    return f.logical_not(x)


def searchsorted(a: Expr, v: Expr, side: str, batched: Batched) -> Any:
    """``np.searchsorted`` in one table."""
    return None if batched[0] else f.searchsorted(a, v, side=side)


def solve(a: Expr, y: Expr, size: Expr, batched: Batched) -> Any:
    """``np.linalg.solve``: of one matrix, all right-hand sides at once."""
    if batched[1] and not batched[0] and a.ndim == 2 and y.ndim <= 3:
        if y.ndim == 2:
            return f.linalg_solve(a, y.T).T
        rows, columns = y.length(1), y.length(2)
        wide = f.reshape(permute(y, (1, 0, 2)), rows, columns * size)
        return permute(f.reshape(f.linalg_solve(a, wide), rows, size, columns), (1, 0, 2))
    vector = y.ndim - batched[1] == 1
    if vector:
        y = f.expand_dims(y, axes=(y.ndim,))
    rank = max(a.ndim - batched[0], y.ndim - batched[1])
    a, y = (front(v, rank) if m else v for v, m in zip((a, y), batched, strict=True))
    found = f.linalg_solve(a, y)
    return f.squeeze(found, axes=(found.ndim - 1,)) if vector else found


# ------------------------------------------------------------------------------- images
def merged(x: Expr, size: Expr, moves: bool) -> Expr:
    """Batch and first axis as one."""
    x = x if moves else spread(x, size)
    return f.reshape(x, x.length(1) * size, *x.shape[2:])  # type: ignore[no-any-return]


def parted(x: Expr, size: Expr, count: Any) -> Expr:
    """The first axis as batch and ``count``."""
    return f.reshape(x, size, count, *x.shape[1:])  # type: ignore[no-any-return]


def images(name: str, among: tuple[int, ...]) -> Callable[..., Any]:
    """Ops whose inputs at ``among`` start with an axis of images: more of these. None if
    another input differs between examples."""

    def rule(inputs: tuple[Expr, ...], batched: Batched, size: Expr, attrs: Any) -> Any:
        if any(moves and i not in among for i, moves in enumerate(batched)):
            return None
        if any(x.ndim - moves < 3 for x, moves in zip(inputs, batched, strict=True)):
            return None
        given = [
            merged(x, size, batched[i]) if i in among else x for i, x in enumerate(inputs)
        ]
        count = inputs[among[0]].length(int(batched[among[0]]))
        return parted(getattr(f, name)(*given, **attrs), size, count)

    return rule
