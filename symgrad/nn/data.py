"""``DataLoader``: going through arrays in batches, shuffled or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ShapeError

Array = np.ndarray[Any, Any]


class DataLoader:
    """Batches of arrays whose first axis counts examples.

    Args:
        arrays: an array, or a tuple or dict of arrays of one length; a batch is the same of
            their slices. With ``shuffle`` these are copies, else views.
        batch_size: the number of examples in a batch.
        shuffle: a generator for a new order in every pass; None for the order of the arrays.
        drop_last: leave out a last batch that is smaller than the others.

    Raises:
        TypeError: ``arrays``, ``batch_size`` or ``shuffle`` is of another kind.
        ValueError: ``batch_size`` is not above 0, or there are no arrays.
        ShapeError: the arrays differ in length.

    >>> loader = nn.DataLoader((np.arange(5), np.arange(5) ** 2), batch_size=2)
    >>> len(loader)
    3
    >>> for x, y in loader:
    ...     print(x, y)
    [0 1] [0 1]
    [2 3] [4 9]
    [4] [16]
    """

    def __init__(
        self,
        arrays: Any,
        batch_size: int = 1,
        *,
        shuffle: np.random.Generator | None = None,
        drop_last: bool = False,
    ) -> None:
        if isinstance(batch_size, bool) or not isinstance(batch_size, int | np.integer):
            raise TypeError(f"batch_size is an int, not {type(batch_size).__name__}")
        if batch_size < 1:
            raise ValueError(f"batch_size has to be at least 1, not {batch_size}")
        if shuffle is not None and not isinstance(shuffle, np.random.Generator):
            raise TypeError(
                f"shuffle is a numpy.random.Generator or None, not {type(shuffle).__name__}"
            )
        self.arrays = arrays
        self.batch_size = int(batch_size)
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.examples = _length(arrays)

    def __len__(self) -> int:
        """The number of batches in a pass."""
        whole, rest = divmod(self.examples, self.batch_size)
        return whole if self.drop_last or rest == 0 else whole + 1

    def __iter__(self) -> Iterator[Any]:
        order = None if self.shuffle is None else self.shuffle.permutation(self.examples)
        return self._batches(order)

    def _batches(self, order: Array | None) -> Iterator[Any]:
        for i in range(len(self)):
            part = slice(i * self.batch_size, (i + 1) * self.batch_size)
            yield _taken(self.arrays, part if order is None else order[part])


def _leaves(arrays: Any) -> list[Array]:
    if isinstance(arrays, dict):
        found = list(arrays.values())
    else:
        found = list(arrays) if isinstance(arrays, tuple) else [arrays]
    for x in found:
        if not isinstance(x, np.ndarray) or x.ndim == 0:
            kind = "a number" if isinstance(x, np.ndarray) else type(x).__name__
            raise TypeError(
                f"batches are taken of arrays, or tuples or dicts of them, not {kind}"
            )
    return found


def _length(arrays: Any) -> int:
    lengths = [len(x) for x in _leaves(arrays)]
    if not lengths:
        raise ValueError("there are no arrays to take batches of")
    if len(set(lengths)) > 1:
        raise ShapeError(f"the arrays have different lengths: {lengths}")
    return lengths[0]


def _taken(arrays: Any, which: Any) -> Any:
    if isinstance(arrays, dict):
        return {name: x[which] for name, x in arrays.items()}
    if isinstance(arrays, tuple):
        return tuple(x[which] for x in arrays)
    return arrays[which]
