"""Batch rules of products: one product of matrices where one side is the same for all."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from ...ir.expr import Expr, f
from ..reshaping import permute
from .batching import Batched, front


def matmul(x: Expr, y: Expr, batched: Batched) -> Any:
    """``x @ y``."""
    ranks = (x.ndim - batched[0], y.ndim - batched[1])
    if batched == (True, True):
        return _both(x, y, ranks)
    return _left(x, y, ranks) if batched[0] else _right(x, y, ranks)


def _left(x: Expr, y: Expr, ranks: tuple[int, int]) -> Any:
    """x has the batch axis."""
    if ranks == (1, 1) or ranks == (1, 2) or ranks[1] == 1:
        return x @ y
    if ranks == (2, 2):
        return f.tensordot(x, y, axes=((2,), (0,)))
    return _aligned(x, y, ranks, (True, False))


def _right(x: Expr, y: Expr, ranks: tuple[int, int]) -> Any:
    """y has the batch axis."""
    if ranks == (1, 1):
        return y @ x
    if ranks == (2, 1):
        return y @ x.T
    if ranks[1] == 1:
        return f.tensordot(y, x, axes=((1,), (x.ndim - 1,)))
    if ranks == (1, 2) or ranks == (2, 2):
        return x @ y
    return _aligned(x, y, ranks, (False, True))


def _both(x: Expr, y: Expr, ranks: tuple[int, int]) -> Any:
    if ranks == (1, 1):
        return f.einsum(x, y, subscripts="ij,ij->i", optimize=False)
    return _aligned(x, y, ranks, (True, True))


def _aligned(x: Expr, y: Expr, ranks: tuple[int, int], batched: Batched) -> Any:
    """Vectors made matrices, and the batch axis before all others."""
    row, column = ranks[0] == 1, ranks[1] == 1
    if row:
        x = f.expand_dims(x, axes=(x.ndim - 1,))
    if column:
        y = f.expand_dims(y, axes=(y.ndim,))
    rank = max(*ranks, 2)
    x, y = (front(v, rank) if m else v for v, m in zip((x, y), batched, strict=True))
    out = x @ y
    gone = (*((out.ndim - 2,) if row else ()), *((out.ndim - 1,) if column else ()))
    return f.squeeze(out, axes=gone) if gone else out


def tensordot(x: Expr, y: Expr, axes: Any, batched: Batched) -> Any:
    """``np.tensordot``."""
    first, second = axes
    if batched == (True, False):
        return f.tensordot(x, y, axes=(tuple(a + 1 for a in first), second))
    if batched == (False, True):
        out = f.tensordot(x, y, axes=(first, tuple(a + 1 for a in second)))
        place = x.ndim - len(first)
        order = [place, *(i for i in range(out.ndim) if i != place)]
        return permute(out, order)
    letters = iter(string.ascii_letters)
    batch = next(letters)
    left = [next(letters) for _ in range(x.ndim - 1)]
    right = [next(letters) for _ in range(y.ndim - 1)]
    for i, j in zip(first, second, strict=True):
        right[j] = left[i]
    kept = [c for i, c in enumerate(left) if i not in first]
    kept += [c for j, c in enumerate(right) if j not in second]
    terms = f"{batch}{''.join(left)},{batch}{''.join(right)}->{batch}{''.join(kept)}"
    return _einsum((x, y), terms)


def einsum(xs: tuple[Expr, ...], subscripts: str, optimize: Any, batched: Batched) -> Any:
    """``np.einsum``: one letter more."""
    batch = next(c for c in string.ascii_letters if c not in subscripts)
    inputs, _, output = subscripts.partition("->")
    terms = [
        batch + term if moves else term
        for term, moves in zip(inputs.split(","), batched, strict=True)
    ]
    return f.einsum(
        *xs, subscripts=f"{','.join(terms)}->{batch}{output}", optimize=optimize
    )


def _einsum(xs: tuple[Expr, ...], subscripts: str) -> Any:
    return f.einsum(*xs, subscripts=subscripts, optimize=len(xs) > 2)


def conv2d(
    x: Expr, weight: Expr, stride: Any, padding: Any, dilation: Any, groups: int,
    size: Expr, batched: Batched,
) -> Any:  # fmt: skip
    """Convolution: more images, or more filters."""
    attrs = {"stride": stride, "padding": padding, "dilation": dilation}
    if batched == (True, False):
        images = f.reshape(x, x.length(1) * size, *x.shape[2:])
        out = f.conv2d(images, weight, groups=groups, **attrs)
        return f.reshape(out, size, x.length(1), *out.shape[1:])
    if batched == (False, True) and groups == 1:
        filters = f.reshape(weight, weight.length(1) * size, *weight.shape[2:])
        out = f.conv2d(x, filters, groups=1, **attrs)
        parts = f.reshape(out, x.length(0), size, weight.length(1), *out.shape[2:])
        return permute(parts, np.argsort([1, 0, 2, 3, 4]).tolist())
    return None
