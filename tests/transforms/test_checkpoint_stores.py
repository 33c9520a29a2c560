"""Checkpointed functions that store into arrays from outside: what plain code leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([0.3, 0.5, 0.7])


def functions(checkpoint: Any) -> dict[str, Any]:
    def local(x: Any) -> Any:
        buffer = np.zeros(3)

        @checkpoint
        def inner(y: Any) -> Any:
            buffer[:] = y * 2
            return np.sin(y) * y

        r = inner(x)
        return np.sum(r * buffer)

    def rows(x: Any) -> Any:
        out = np.zeros((4, 3))

        @checkpoint
        def step(i: Any, y: Any) -> Any:
            out[i] = np.tanh(y) * y
            return np.tanh(y) + y

        for i in range(4):
            x = step(i, x)
        return np.sum(out**2) + x.sum()

    def argument(x: Any) -> Any:
        @checkpoint
        def inner(y: Any) -> Any:
            y[0] = 5 * y[1]
            y *= 2
            return np.sum(y**2)

        z = x * 2
        view = z[1:]
        r = inner(z)
        return r * z[0] + z[1] * view[0]

    def nested(x: Any) -> Any:
        @checkpoint
        def inner(p: Any) -> Any:
            p["w"][1:] *= p["v"][0]
            return np.sum(p["w"])

        p = {"w": x * 1.0, "v": x**2}
        return inner(p) * p["w"][1]

    def overlapping(x: Any) -> Any:
        @checkpoint
        def inner(y: Any, z: Any) -> Any:
            y[1] = z[0] * 3
            return np.sum(y * z)

        z = x * 2
        return inner(z[:2], z[1:]) + z[0] ** 2 * z[1]

    return {f.__name__: f for f in (local, rows, argument, nested, overlapping)}


@pytest.mark.parametrize("name", functions(lambda f: f))
def test_as_without_checkpoint(name: str) -> None:
    f, plain = functions(sg.checkpoint)[name], functions(lambda f: f)[name]
    assert sg.compile(f)(X) == plain(X)
    for transform in (sg.grad, sg.hessian):
        expected = transform(plain)(X)
        np.testing.assert_allclose(transform(f)(X), expected, rtol=1e-13, atol=1e-14)
    slopes = [(plain(X + e) - plain(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(sg.grad(f)(X), slopes, rtol=1e-7)


def test_at_the_top_level() -> None:
    @sg.checkpoint
    def doubled(x: Any) -> Any:
        x *= 2
        return np.sum(x)

    x = X.copy()
    assert doubled(x) == np.sum(2 * X)
    np.testing.assert_array_equal(x, 2 * X)
    np.testing.assert_array_equal(sg.grad(doubled)(x), np.full(3, 2.0))
    np.testing.assert_array_equal(x, 2 * X)
