"""``out=`` of another dtype than the result's: NumPy's bits, or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import DTypeError

M = np.random.default_rng(0).uniform(0.1, 1.0, (5, 5)).astype(np.float32)

ADDED: list[Callable[[Any, Any], Any]] = [
    lambda m, out: np.sum(m, axis=0, out=out),
    lambda m, out: m.sum(0, out=out),
    lambda m, out: np.mean(m, axis=1, out=out),
    lambda m, out: np.cumsum(m[0], out=out),
    lambda m, out: np.prod(m, axis=0, out=out),
    lambda m, out: np.add.reduce(m, out=out),
    lambda m, out: np.multiply.accumulate(m[1], out=out),
    lambda m, out: np.nansum(m, axis=0, out=out),
]
CAST: list[Callable[[Any, Any], Any]] = [
    lambda m, out: np.max(m, axis=0, out=out),
    lambda m, out: np.clip(m[0], 0.3, 0.6, out=out),
    lambda m, out: np.add(m[0], m[1], out=out),
    lambda m, out: np.matmul(m, m[0], out=out),
    lambda m, out: np.concatenate([m[0, :2], m[1, 2:]], out=out),
]
NARROW: list[Callable[[Any, Any], Any]] = [
    lambda m, out: np.dot(m, m[0], out=out),
    lambda m, out: np.mean(m, axis=0, out=out),
    lambda m, out: np.std(m, axis=0, out=out),
    lambda m, out: np.percentile(m, 30, axis=0, out=out),
]
WIDE: list[Callable[[Any, Any], Any]] = [
    lambda m, out: np.dot(m, m[0], out=out),
    lambda m, out: np.round(m[0], 1, out=out),
    lambda m, out: np.einsum("ij,j->i", m, m[0], out=out),
    lambda m, out: np.take(m[0], [0, 2, 1, 3, 4], out=out),
]


@pytest.mark.parametrize("k", range(len(ADDED + CAST)))
def test_wider(k: int) -> None:
    f = (ADDED + CAST)[k]
    ours, theirs = np.zeros(5), np.zeros(5)
    sg.compile(f)(M, ours)
    f(M, theirs)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("k", range(len(CAST)))
def test_narrower(k: int) -> None:
    f, m = CAST[k], M.astype(np.float64)
    ours, theirs = np.zeros(5, np.float32), np.zeros(5, np.float32)
    sg.compile(f)(m, ours)
    f(m, theirs)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("k", range(len(WIDE)))
def test_too_wide(k: int) -> None:
    with pytest.raises(DTypeError, match="`out` is float64, the result float32"):
        sg.compile(WIDE[k])(M, np.zeros(5))


@pytest.mark.parametrize("k", range(len(NARROW)))
def test_too_narrow(k: int) -> None:
    with pytest.raises(DTypeError, match="`out` is float32, the result float64"):
        sg.compile(NARROW[k])(M.astype(np.float64), np.zeros(5, np.float32))
