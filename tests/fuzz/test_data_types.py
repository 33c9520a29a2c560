"""Data of every dtype beside what is differentiated: values are NumPy's, derivatives those
with the same numbers as doubles.

A few functions run always; ``make fuzz`` runs them all, and every entry of the op table with
data of all dtypes.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_op
from tests.ops.test_table import SAMPLES

ALL = "SYMGRAD_FUZZ" in os.environ
EVERY = 1 if ALL else 17
WHOLE = (bool, np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint64)
A = np.array([0.3, 1.2, 2.4, 0.9])
S = np.array([[2.0, 0.3, 0.1], [0.2, 3.0, 0.4], [0.5, 0.1, 4.0]])
D, LARGE = np.array([3, 1, 0, 2]), np.array([200, 3, 100, 127])
P, T = np.array([2, 1, 3, 1]), np.array([[1, 2, 3], [1, 3, 1], [2, 1, 2]])
RISING = np.array([0, 1, 100, 127])
Function = Callable[[Any, Any], Any]


def stored(a: Any, d: Any) -> Any:
    y = np.zeros(4)
    y[:] = d
    y[1] = a[1] * d[2]
    y *= a
    y -= d
    np.add.at(y, [0, 0, 1, 2], a * d)
    return y * d


def in_a_loop(a: Any, d: Any) -> Any:
    total, scale = np.zeros_like(a), 0
    for i in range(4):
        scale = scale + d[i]
        total = total + a * scale * d[i]
    return total


def masks(a: Any, d: Any) -> Any:
    one, two = d > 0, d > 1
    both = (a * one + a * two) * (a * one * two) + a * (one | two) + a * ~one
    return both + np.sum(one) * a + np.mean(one) * a + np.cumsum(one) * (one @ a)


FUNCTIONS: list[tuple[Function, Any, tuple[Any, ...]]] = [
    (lambda a, d: (a * d) * d + (a * d) * (d * a), A, (D, LARGE)),
    (lambda a, d: (d - a) ** 2 * (d + a) - d * a - d, A, (D, LARGE)),
    (lambda a, d: a / d / d + d / a / (a + d), A, (P, LARGE)),
    (lambda a, d: a**d * (a * a) ** d + d**a, A, (P,)),
    (lambda a, d: np.sqrt(a * d + 1) * np.sqrt(d) * np.log(d + a), A, (D, LARGE)),
    (lambda a, d: np.hypot(a, d) * np.arctan2(d, a) * np.logaddexp(a, d), A, (D, LARGE)),
    (lambda a, d: np.maximum(a, d) * np.minimum(d, a) * np.where(d, a * d, d), A, (D, LARGE)),
    (lambda a, d: np.clip(a, 0, d) * np.clip(d, a, a + 1), A, (P, LARGE)),
    (lambda a, d: np.sum(a * d) * np.mean(a + d) * np.var(a * d), A, (D, LARGE)),
    (lambda a, d: np.sum(a, where=d > 1) * np.max(a, initial=d[0]), A, (D, LARGE)),
    (lambda a, d: np.average(a, weights=d) * np.average(d, weights=a), A, (D, LARGE)),
    (lambda a, d: np.cov(a, d) * np.cov(a, fweights=d) * np.corrcoef(a, d), A, (P,)),
    (lambda a, d: np.prod(a * d) * np.cumprod(a + d) * np.cumsum(d), A, (P,)),
    (lambda a, d: (a @ d) @ (d @ a) * np.sum(d @ a @ d), S, (T, T + 100)),
    (lambda a, d: np.einsum("ij,jk,kl->il", a, d, d), S, (T, T + 100)),
    (lambda a, d: np.einsum("i,i,j->j", a, d, d, optimize=True), A, (D, LARGE)),
    (lambda a, d: np.linalg.multi_dot([d, a, d]), S, (T,)),
    (lambda a, d: np.kron(a, d) * np.outer(d, a).ravel(), A, (D, LARGE)),
    (lambda a, d: np.cross(a, d) * np.tensordot(d, a, 1), S, (T, T + 100)),
    (lambda a, d: np.convolve(a, d) * np.correlate(d, a, "full"), A, (D, LARGE)),
    (lambda a, d: np.interp(a * 2, np.arange(4), d), A, (D, LARGE)),
    (lambda a, d: np.interp(a, d, a) + np.interp(50 * a, d, d), A, (RISING,)),
    (lambda a, d: np.interp(d, [0.1, 1.1, 2.3, 9], a), A, (D, LARGE)),
    (lambda a, d: np.polyval(a, d) * np.polyval(d, a) + np.polymul(a, d)[0], A, (D,)),
    (lambda a, d: np.polydiv(a, d[:2])[0][0] * np.vander(a, 3) * np.vander(d, 3), A, (P,)),
    (lambda a, d: np.gradient(a, d) * np.trapezoid(a, d) * np.gradient(d, a), A, (RISING,)),
    (lambda a, d: np.diff(a, prepend=d[:1]) * np.trapezoid(d, a), A, (D, LARGE)),
    (lambda a, d: np.gradient(a, d[0]) * np.trapezoid(a, dx=d[0]), A, (D, LARGE)),
    (lambda a, d: np.histogram(d, bins=2, weights=a * d)[0] * np.sum(a), A, (D, LARGE)),
    (lambda a, d: np.bincount(d, weights=a)[:4] * a[d] * np.take(a, d), A, (D,)),
    (lambda a, d: np.percentile(a, d) * np.median(a * d), A, (D,)),
    (lambda a, d: np.repeat(a, 2) * np.tile(d, 2) * np.roll(d, 1), A, (D,)),
    (lambda a, d: np.pad(a, 1, constant_values=d[0])[:4] * np.linspace(a, d, 2), A, (D, LARGE)),
    (lambda a, d: np.linalg.norm(a * d) * np.linalg.norm(a - d, 3), A, (D, LARGE)),
    (lambda a, d: np.linalg.solve(d, a) * np.linalg.solve(a, d), S, (T,)),
    (lambda a, d: np.linalg.inv(d) @ a * np.linalg.det(a * d), S, (T,)),
    (lambda a, d: np.linalg.lstsq(a, d[0], rcond=None)[0], S, (T, T + 100)),
    (lambda a, d: np.abs(np.fft.fft(d) * np.fft.fft(a * d)) ** 2, A, (D, LARGE)),
    (lambda a, d: np.real((a + 1j * d) * np.exp(1j * a * d)), A, (D,)),
    (lambda a, d: np.sort(a * d) * np.concatenate([d, a])[2:6], A, (D, LARGE)),
    (lambda a, d: np.select([d > 1, d > 0], [a * d, d], d) * np.choose(d, [a] * 4), A, (D,)),
    (lambda a, d: np.multiply.reduce(a * d + 1) * np.subtract.outer(d, a), A, (P,)),
    (lambda a, d: a * d.sum() * (d * d).sum() * d.mean() * d[0].item(), A, (D,)),
    (lambda a, d: a * d[0] * d[0] - a * d[1] + a[0] ** d[0] * d[3] ** a, A, (D, P)),
    (lambda a, d: np.var(d, mean=a[:1], keepdims=True) * a, A, (D, LARGE)),
    (lambda a, d: (a * 3) % d + np.fmod(3 * a, d), A, (P,)),
    (stored, A, (D, LARGE)),
    (in_a_loop, A, (D,)),
    (masks, A, (D, LARGE)),
]  # fmt: skip


def doubled(x: Any) -> Any:
    return x.astype(float)


@pytest.mark.parametrize("number", range(0, len(FUNCTIONS), EVERY))
def test_data_of_functions(number: int) -> None:
    function, a, examples = FUNCTIONS[number]

    def loss(a: Any, d: Any) -> Any:
        y = function(a, d)
        return np.sum(y * y / 2 + y)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for d in examples:
            for dtype in (*WHOLE, np.float16, np.float32) if ALL else (bool, np.uint8):
                compare(loss, a, d.astype(dtype))


def compare(loss: Function, a: Any, d: Any) -> None:
    """Where NumPy computes what it does with doubles, derivatives are those with doubles."""
    try:
        expected, usual = loss(a, d), loss(a, doubled(d))
    except (TypeError, ValueError):
        return  # truth values have no difference, floats are no places
    digits = 1e-12 if d.dtype.kind != "f" else 1e-5
    if not np.allclose(expected, usual, rtol=digits):
        return
    np.testing.assert_allclose(sg.compile(loss)(a, d), expected, rtol=1e-14)
    for transform in (sg.grad, sg.jacfwd, sg.hessian):
        got, due = transform(loss)(a, d), transform(loss)(a, doubled(d))
        scale = np.max(np.abs(due[np.isfinite(due)]), initial=1)
        np.testing.assert_allclose(got, due, 10 * digits, 10 * digits * scale)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SAMPLES if ALL else [])
def test_data_of_entries(name: str) -> None:
    """Matrices of truth values would be singular."""
    check_op(name, *SAMPLES[name], data=[d for d in WHOLE if d is not bool])
