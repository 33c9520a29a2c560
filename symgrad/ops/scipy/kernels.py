"""Functions that emitted code brings along, in plain NumPy and SciPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg, special

from ..kernels import Array


def _eig_left(a: Array) -> tuple[Array, ...]:
    """linalg.eig with left and right vectors, complex whatever the eigenvalues are."""
    kind = np.result_type(a.dtype, np.complex64)
    found = [linalg.eig(m, left=True) for m in a.reshape(-1, *a.shape[-2:])]
    shapes = a.shape[:-1], a.shape, a.shape
    parts = (np.array([x[i] for x in found], kind) for i in range(3))
    return tuple(x.reshape(shape) for x, shape in zip(parts, shapes, strict=True))


def _eig_pair(a: Array, b: Array) -> tuple[Array, ...]:
    """linalg.eig of two matrices, complex whatever the eigenvalues are."""
    kind = np.result_type(a.dtype, b.dtype, np.complex64)
    return tuple(x.astype(kind, copy=False) for x in linalg.eig(a, b, left=True))


def _eigvals_pair(a: Array, b: Array) -> Array:
    """linalg.eigvals of two matrices, complex whatever the eigenvalues are."""
    kind = np.result_type(a.dtype, b.dtype, np.complex64)
    return linalg.eigvals(a, b).astype(kind, copy=False)  # type: ignore[no-any-return]


def _turns(given: Array, vectors: Array) -> Array:
    """The numbers of absolute value 1 that turn columns into the given ones."""
    product = np.sum(vectors.conj() * given, axis=0)
    return np.where(product == 0, 1, np.sign(product))


def _complex_polygamma(z: Any, n: int) -> Any:
    """Derivative number n of the digamma function at complex numbers: by recurrence from where
    its asymptotic series holds (Abramowitz and Stegun, 6.4.6, 6.4.11), on the left by
    reflection."""
    z = np.asarray(z)
    left = z.real < 0.5
    near = np.where(left, 1 - z, z)
    part = 1 / (near + (16 + n))
    total = math.factorial(n) * sum((1 / (near + k)) ** (n + 1) for k in range(16 + n))
    total += math.factorial(n - 1) * part**n + math.factorial(n) / 2 * part ** (n + 1)
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    for k, value in enumerate(bernoulli, 1):
        factor = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        total += value * factor * part ** (2 * k + n)
    total *= (-1) ** (n + 1)
    cotangent = 1 / np.tan(np.pi * np.where(left, z - np.rint(z.real), 0.25))
    slope = np.polynomial.Polynomial([0, 1])
    for _ in range(n):
        slope = slope.deriv() * np.polynomial.Polynomial([-1, 0, -1])
    mirrored = (-1) ** n * total - np.pi ** (n + 1) * slope(cotangent)
    return np.where(left, mirrored, total).astype(z.dtype, copy=False)[()]


def _powers_apart(u: Any, v: Any, n: int) -> Any:
    """(u**n - v**n) / (u - v)."""
    total, power = 1, 1
    for _ in range(n - 1):
        power = power * v
        total = total * u + power
    return total


def _polygamma_step(x: Any, h: Any, n: int) -> Any:
    """Derivative number n of the digamma function at x + h less that at x."""
    kind = np.result_type(np.asarray(x), np.asarray(h), np.float16)
    x, h = (np.asarray(v, kind) for v in np.broadcast_arrays(x, h))
    function = (lambda at: special.polygamma(n, at)) if n else special.digamma
    step = np.asarray(function(x + h) - function(x), kind)
    near = (x > 0) & (np.abs(h) < 0.5 * x)
    if np.any(near):
        step[near] = _polygamma_short_step(x[near], h[near], n)
    return step[()]


def _polygamma_short_step(x: Array, h: Array, n: int) -> Array:
    """As _polygamma_step, of positive numbers that may be close to each other: every term of
    the recurrence and of the asymptotic series is a difference that does not cancel."""
    total, count = np.zeros_like(x), 10 + n
    for k in range(count):
        u, v = 1 / (x + k), 1 / (x + h + k)
        total += h * v * u * math.factorial(n) * _powers_apart(u, v, n + 1)
    u, v = 1 / (x + count), 1 / (x + h + count)
    series = math.factorial(n) / 2 * _powers_apart(u, v, n + 1)
    if n:
        series += math.factorial(n - 1) * _powers_apart(u, v, n)
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
    for k, value in enumerate(bernoulli, 1):
        factor = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        series += value * factor * _powers_apart(u, v, 2 * k + n)
    total += h * v * u * series
    return (-1) ** n * total if n else total + np.log1p(h * u)
