"""What the tests of checkpoints share: arguments, and how gradients, code and memory are seen."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np

import symgrad as sg

RNG = np.random.default_rng(3)
X = RNG.normal(size=(4, 3))
W = RNG.normal(size=(3, 3))
V = RNG.normal(size=3)


def gradients(f: Any, *args: Any) -> list[Any]:
    return list(sg.grad(lambda x, w: np.sum(f(x, w, *args[2:]) ** 2), (0, 1))(*args[:2]))


def same(found: Any, expected: Any) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def code(f: Any) -> str:
    """The generated code without its comments."""
    return "\n".join(x for x in f.source.splitlines() if not x.strip().startswith("#"))


def peak(f: Any, *args: Any) -> int:
    """The most memory that a call takes, beyond what is there before."""
    f(*args)
    tracemalloc.start()
    f(*args)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most
