"""Functions of one example, and what they are compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import symgrad as sg

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 5))
TABLE = RNG.standard_normal(6)


def check(fun: Callable[..., Any], *args: Any, rtol: float = 1e-12) -> str:
    """All examples at once give what one after the other gives; the code for them."""
    batched = sg.vmap(fun)
    wanted = np.stack([np.asarray(fun(*rows)) for rows in zip(*args, strict=True)])
    got = batched(*args)
    np.testing.assert_allclose(got, wanted, rtol=rtol)
    assert got.dtype == wanted.dtype
    return batched.source


def slopes(fun: Callable[[Any], Any], x: Any, eps: float = 1e-6) -> Any:
    """Central differences."""
    g = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[k] = eps
        g[k] = (fun(x + e) - fun(x - e)) / (2 * eps)
    return g


# ----------------------------------------------------------------------- control flow
def first_power(v: Any) -> Any:
    while v > 1:
        v = v / 2
    return v


def two_ways(v: Any) -> Any:
    if v.sum() > 0:
        return np.tanh(v)
    return v * 2


def logarithm(v: Any) -> Any:
    if v > 0:
        return np.log(v)
    return v


def stable(v: Any) -> Any:
    if v > 0:
        return 1 / (1 + np.exp(-v))
    e = np.exp(v)
    return e / (1 + e)


def guarded(i: Any) -> Any:
    if i < 6:
        return TABLE[i]
    return 0.0


def recurrence(v: Any) -> Any:
    s = 0.0
    for i in range(len(v)):
        s = s * 0.5 + np.sin(v[i]) * s + v[i]
    return s


def leaves_early(v: Any) -> Any:
    for i in range(len(v)):
        if v[i] > 0.5:
            return v[i] * 2
        if v[i] < -1:
            return np.log(-v[i])
    return 0.0


def summed_until(v: Any) -> Any:
    s = 0.0
    for i in range(len(v)):
        if s > 1:
            break
        s += abs(v[i])
    return s


def newton(a: Any) -> Any:
    y = a
    while abs(y * y - a) > 1e-12:
        y = 0.5 * (y + a / y)
    return y


def collatz(n: Any) -> Any:
    c = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        c += 1
    return c


def falling(v: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n, -1, -1):
        s = s * 0.5 + v[i]
        if s > 1:
            break
    return s


def stored(v: Any) -> Any:
    out = np.zeros_like(v)
    for i in range(1, len(v)):
        out[i] = out[i - 1] + v[i] * v[0]
    if v[0] > 0:
        out[1] = 7.0
    return out


def overwritten_while(v: Any) -> Any:
    out = np.zeros_like(v)
    i = 0
    while i < len(v) and v[i] < 1:
        out[i] = v[i] ** 2
        i += 1
    return out
