"""Three functions end to end: stores in a time loop, a loop and branch on data, a gradient
inside a loss. Each compiled, differentiated, and compared with itself undecorated."""

# ruff: noqa: B007
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

Array = np.ndarray[Any, Any]


def heat(u0: Array, c: Array, steps: int) -> Any:
    u = u0.copy()
    for t in range(steps):
        u[1:-1, 1:-1] += c * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )
    return 0.5 * np.sum(u**2)


def relax(x: Array, target: Array, tol: float) -> Any:
    steps = 0
    while np.max(np.abs(x - target)) > tol:
        if x[0] > 0:
            x = x - 0.1 * np.sin(x - target)
        else:
            x = 0.5 * (x + target)
        steps += 1
    return np.sum(x * x)


def critic(w1: Array, w2: Array, x: Array) -> Any:
    return np.tanh(x @ w1) @ w2


def r1(w1: Array, w2: Array, x: Array, gamma: float) -> Any:
    score = critic(w1, w2, x)
    g_x = sg.grad(lambda x: np.sum(critic(w1, w2, x)))(x)
    return np.mean(np.logaddexp(0, -score)) + gamma / 2 * np.mean(np.sum(g_x**2, axis=1))


RNG = np.random.default_rng(1)
HEAT = (RNG.standard_normal((6, 7)), RNG.uniform(0.01, 0.2, (4, 5)), 5)
RELAX = (RNG.uniform(-2, 2, 4), RNG.uniform(-1, 1, 4), 0.05)
R1 = (RNG.standard_normal((3, 5)), RNG.standard_normal(5), RNG.standard_normal((4, 3)), 2.0)

CASES = [
    pytest.param(heat, HEAT, (0, 1), id="heat"),
    pytest.param(relax, RELAX, (0,), id="relax"),
    pytest.param(r1, R1, (0, 1), id="r1"),
]


def numeric(fun: Callable[..., Any], args: Sequence[Any], argnum: int) -> Array:
    """The gradient by central differences, entry by entry."""
    eps = 1e-6
    gradient = np.zeros(args[argnum].shape)
    for index in np.ndindex(gradient.shape):
        values = []
        for step in (eps, -eps):
            moved = list(args)
            moved[argnum] = args[argnum].copy()
            moved[argnum][index] += step
            values.append(fun(*moved))
        gradient[index] = (values[0] - values[1]) / (2 * eps)
    return gradient


@pytest.mark.parametrize(("fun", "args", "argnums"), CASES)
def test_value_and_gradient(fun: Any, args: Any, argnums: tuple[int, ...]) -> None:
    before = [np.copy(a) for a in args]
    expected = fun(*args)
    assert sg.compile(fun)(*args) == pytest.approx(expected, rel=1e-14)
    value, gradients = sg.value_and_grad(fun, argnums=argnums)(*args)
    assert value == pytest.approx(expected, rel=1e-14)
    for argnum, gradient in zip(argnums, gradients, strict=True):
        np.testing.assert_allclose(
            gradient, numeric(fun, args, argnum), rtol=1e-6, atol=1e-7
        )
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_both_modes_and_orders() -> None:
    check_grads(heat, HEAT)
    check_grads(relax, RELAX)
    check_grads(r1, R1, order=1)


@pytest.mark.parametrize(("fun", "args", "argnums"), CASES)
def test_generated_code_does_not_need_symgrad(fun: Any, args: Any, argnums: Any) -> None:
    source = sg.grad(fun, argnums=argnums).lower(*args).source
    scope: dict[str, Any] = {"np": np}
    exec(source, scope)
    made = scope[f"{fun.__name__}_grad"]
    for a, b in zip(made(*args), sg.grad(fun, argnums=argnums)(*args), strict=True):
        np.testing.assert_array_equal(a, b)


def test_one_specialisation_serves_other_lengths() -> None:
    f = sg.grad(heat, argnums=(0, 1))
    for n in (4, 6, 9):
        u, c = np.ones((n, n + 1)), np.full((n - 2, n - 1), 0.1)
        g_u, g_c = f(u, c, n)
        assert (g_u.shape, g_c.shape) == (u.shape, c.shape)
    assert len(f.specializations) == 1
