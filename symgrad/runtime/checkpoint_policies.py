"""``symgrad.checkpoint_policies``: what a checkpointed function keeps for its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a checkpointed function, as policies see it.

    Args:
        name: NumPy's name of it, such as ``"matmul"``; ``"named"`` for ``checkpoint_name``.
        label: the name given with ``checkpoint_name``, else empty.
        dtype: the result's data type.
        shape: the result's shape; None for a length that is not known when compiling.
        traits: what the compiler knows of the operation, such as ``"elementwise"`` and
            ``"contraction"``.

    Example:
        >>> def matmuls(operation):
        ...     return operation.name == "matmul"
        >>> @sg.checkpoint(policy=matmuls)
        ... def layer(w, x):
        ...     return np.tanh(x @ w)
        >>> sg.grad(lambda w, x: np.sum(layer(w, x)))(np.zeros((2, 1)), np.ones((3, 2)))
        array([[3.],
               [3.]])
    """

    name: str
    label: str
    dtype: str
    shape: tuple[int | None, ...]
    traits: frozenset[str]

    @classmethod
    def of(cls, op: Any) -> Operation:
        """What there is to say about an operation of the IR."""
        found = op.results[0].type
        dtype = str(getattr(found, "dtype", found))
        shape = tuple(
            n if isinstance(n, int) else None for n in getattr(found, "shape", ())
        )
        label = op.attrs["name"] if op.name == "named" else ""
        return cls(op.name, label, dtype, shape, op.kind.traits)


Policy = Callable[[Operation], bool]


def nothing_saveable(op: Operation) -> bool:
    """Keep nothing but the arguments: the default.

    Example:
        >>> @sg.checkpoint(policy=sg.checkpoint_policies.nothing_saveable)
        ... def layer(w, x):
        ...     return np.tanh(x @ w)
        >>> sg.grad(lambda w, x: np.sum(layer(w, x)))(np.zeros((2, 1)), np.ones((3, 2)))
        array([[3.],
               [3.]])
    """
    return False


def everything_saveable(op: Operation) -> bool:
    """Keep everything, as without ``checkpoint``.

    Example:
        >>> @sg.checkpoint(policy=sg.checkpoint_policies.everything_saveable)
        ... def layer(w, x):
        ...     return np.tanh(x @ w)
        >>> sg.grad(lambda w, x: np.sum(layer(w, x)))(np.zeros((2, 1)), np.ones((3, 2)))
        array([[3.],
               [3.]])
    """
    return True


def dots_saveable(op: Operation) -> bool:
    """Keep the results of products of matrices and of convolutions, which cost most.

    Example:
        >>> @sg.checkpoint(policy=sg.checkpoint_policies.dots_saveable)
        ... def layer(w, x):
        ...     return np.tanh(x @ w)
        >>> sg.grad(lambda w, x: np.sum(layer(w, x)))(np.zeros((2, 1)), np.ones((3, 2)))
        array([[3.],
               [3.]])
    """
    return "contraction" in op.traits


@dataclass(frozen=True, slots=True)
class save_only_these_names:  # noqa: N801  (used as a function)
    """Keep what ``checkpoint_name`` has given one of these names.

    Example:
        >>> policy = sg.checkpoint_policies.save_only_these_names("h")
        >>> @sg.checkpoint(policy=policy)
        ... def layer(w, x):
        ...     h = sg.checkpoint_name(x @ w, "h")
        ...     return np.tanh(h)
        >>> sg.grad(lambda w, x: np.sum(layer(w, x)))(np.zeros((2, 1)), np.ones((3, 2)))
        array([[3.],
               [3.]])
    """

    names: frozenset[str]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", frozenset(names))

    def __call__(self, op: Operation) -> bool:
        return op.label in self.names


__all__ = [
    "Operation",
    "dots_saveable",
    "everything_saveable",
    "nothing_saveable",
    "save_only_these_names",
]
