"""Arguments as nested structures: placeholders, and looking leaves up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..ir.nodes import attributes_of, is_static, revived


@dataclasses.dataclass(frozen=True, slots=True)
class Spec:
    """Shape and dtype of an array that is not there, accepted by ``lower``."""

    shape: tuple[int | None, ...]
    dtype: np.dtype[Any]

    def placeholder(self) -> np.ndarray[Any, Any]:
        """An array of this kind that takes no memory."""
        lengths = tuple(2 if n is None else n for n in self.shape)
        out = np.broadcast_to(np.zeros((), self.dtype), lengths).view(Placeholder)
        out.unknown = tuple(i for i, n in enumerate(self.shape) if n is None)
        return out if out.unknown else out.view(np.ndarray)


class Placeholder(np.ndarray[Any, Any]):
    """An array that stands for one of which some lengths are not known."""

    unknown: tuple[int, ...] = ()


def spec(shape: int | tuple[int | None, ...], dtype: Any = np.float64) -> Spec:
    """A placeholder for an array, for looking at code without data. A length of None is one that
    only the running code knows.

    Example:
        >>> f = sg.compile(lambda x: np.sum(x, axis=0))
        >>> f.lower(sg.spec((8, 3), "float32"))
        <symgrad lowered f(float32[x_0, x_1])>
    """
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    for length in lengths:
        if length is not None and (not isinstance(length, int) or length < 0):
            raise InputTypeError(f"spec: lengths must be non-negative ints, not {length!r}")
    return Spec(lengths, np.dtype(dtype))


def map_structure(function: Callable[[Any], Any], tree: Any) -> Any:
    """``tree`` with ``function`` applied to what is no container."""
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_structure(function, child) for child in tree))
    if type(tree) in (tuple, list):
        return type(tree)(map_structure(function, child) for child in tree)
    if type(tree) is dict:
        return {key: map_structure(function, child) for key, child in tree.items()}
    names = None if isinstance(tree, Spec) else attributes_of(tree)
    return function(tree) if names is None else _map_object(function, tree, names)


def _map_object(function: Callable[[Any], Any], tree: Any, names: tuple[str, ...]) -> Any:
    before = [getattr(tree, name) for name in names]
    after = [
        child if is_static(tree, name) else map_structure(function, child)
        for name, child in zip(names, before, strict=True)
    ]
    if all(a is b for a, b in zip(before, after, strict=True)):
        return tree
    return revived(type(tree), names, after)


def placeholders(tree: Any) -> Any:
    """``tree`` with every ``Spec`` replaced by an array of its kind."""
    return map_structure(lambda x: x.placeholder() if isinstance(x, Spec) else x, tree)


def plain_arrays(tree: Any) -> Any:
    """``tree`` with memory-mapped arrays seen as ordinary ones (of the same memory); ``tree``
    itself where there are none."""
    met: list[Any] = []

    def plain(x: Any) -> Any:
        if type(x) is not np.memmap:
            return x
        met.append(x)
        return np.asarray(x)

    made = map_structure(plain, tree)
    return made if met else tree
