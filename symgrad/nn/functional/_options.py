"""What the functions share: sizes for one or two axes, the name of an axis, reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
Pair = int | tuple[int, int]


def pair(x: Any, what: str) -> tuple[int, int]:
    """One integer for both axes, or one for each."""
    if isinstance(x, tuple | list):
        if len(x) != 2:
            raise ValueError(f"{what} must be one integer or two, got {x}")
        return (x[0], x[1])
    return (x, x)


def axis_of(dim: Any, axis: Any) -> Any:
    """``axis`` is another name for ``dim``."""
    return dim if axis is None else axis


def floating(x: Array) -> Array:
    """``x``, whole numbers and truth values as floats: their own arithmetic wraps around."""
    dtype = getattr(x, "dtype", None)
    if dtype is None or dtype.kind not in "biu":
        return x
    return x.astype(np.result_type(dtype, np.float32))


def check_reduction(reduction: str) -> None:
    """Raises ValueError for what is no reduction."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction must be 'mean', 'sum' or 'none', got {reduction!r}")


def reduced(losses: Array, reduction: str) -> Array:
    """The mean, the sum, or all of them."""
    check_reduction(reduction)
    if reduction == "mean":
        return np.mean(losses)
    return np.sum(losses) if reduction == "sum" else losses


def fitting(x: Array, target: Array) -> Array:
    """The target of losses, as floats; ValueError where broadcasting would make more losses
    than there are entries."""
    if np.shape(x) != np.shape(target):
        raise ValueError(
            f"input {np.shape(x)} and target {np.shape(target)} must have the same shape; "
            "use np.broadcast_to if broadcasting is meant"
        )
    return target.astype(x.dtype) if target.dtype.kind in "iub" else target
