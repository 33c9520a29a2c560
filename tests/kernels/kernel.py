"""What the lists of kernels are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function as people write it, and arguments to check its derivatives at.

    ``make`` is given a random generator; ``order`` is how often it is differentiated.
    """

    fun: Callable[..., Any]
    make: Callable[[np.random.Generator], tuple[Any, ...]]
    order: int = 1

    def args(self) -> tuple[Any, ...]:
        """Fresh arguments, the same on each call."""
        return tuple(self.make(np.random.default_rng(7)))


def uniform(rng: np.random.Generator, *shapes: int | tuple[int, ...]) -> list[Any]:
    """Arrays without structure, their entries between 0.1 and 1."""
    return [rng.uniform(0.1, 1.0, shape) for shape in shapes]


def diagonal(rng: np.random.Generator, n: int) -> np.ndarray:
    """A matrix whose diagonal outweighs the rest of its row; not symmetric."""
    return rng.uniform(-0.5, 0.5, (n, n)) + np.diag(rng.uniform(2.0, 3.0, n))
