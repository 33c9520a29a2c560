"""Policies of ``checkpoint`` for what is inside of loops and branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([0.3, 0.5, 0.7])
A = np.arange(9.0).reshape(3, 3) / 9
DOTS = sg.checkpoint_policies.dots_saveable


def layers(x: Any, a: Any) -> Any:
    y = np.cos(x)
    for _ in range(3):
        h = sg.checkpoint_name(np.exp(np.sin(y)), "hidden")
        y = np.tanh(a @ y) * h
    return np.sum(y * x)


def branches(x: Any, a: Any) -> Any:
    for i in range(4):
        if x[0] > 0.2:
            x = np.sin(a @ x) + i
        else:
            x = np.exp(np.tanh(a @ x))
    return np.sum(x)


def grown(x: Any, a: Any, n: Any) -> Any:
    kept = []
    for _ in range(n):
        x = np.tanh(a @ x)
        kept.append(np.sum(np.sin(x)))
    return sum(kept)


def until(x: Any, a: Any) -> Any:
    while np.sum(x) > 0.1:
        x = np.tanh(a @ x) * 0.4
    return np.sum(x**2)


@pytest.mark.parametrize(
    "policy", [DOTS, sg.checkpoint_policies.save_only_these_names("hidden")]
)
@pytest.mark.parametrize(
    ("fun", "more"), [(layers, ()), (branches, ()), (grown, (3,)), (until, ())]
)
def test_values(fun: Any, more: Any, policy: Any) -> None:
    kept = sg.checkpoint(fun, policy=policy)
    expected = sg.grad(fun, argnums=(0, 1))(X, A, *more)
    found = sg.grad(kept, argnums=(0, 1))(X, A, *more)
    for g, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(g, right, rtol=1e-13)
    second = sg.hessian(kept)(X, A, *more)
    np.testing.assert_allclose(second, sg.hessian(fun)(X, A, *more), rtol=1e-11, atol=1e-14)
    if fun is until:  # whose length may differ between examples
        return
    for_all = sg.vmap(sg.grad(kept), in_axes=(0, *[None] * (1 + len(more))))
    both = np.stack([X, X / 2])
    right = np.stack([sg.grad(fun)(x, A, *more) for x in both])
    np.testing.assert_allclose(for_all(both, A, *more), right, rtol=1e-13)


def statements(policy: Any = None) -> str:
    """The code without comments."""
    source = sg.value_and_grad(sg.checkpoint(layers, policy=policy)).lower(X, A).source
    return "\n".join(line for line in source.splitlines() if "#" not in line)


def test_products_in_a_loop_are_kept() -> None:
    code = statements(DOTS)
    assert code.count("a @ y") == 1 < statements().count("a @ y")
    assert code.count("np.exp(") == 2  # not kept: computed again


def test_names_in_a_loop_are_kept() -> None:
    policy = sg.checkpoint_policies.save_only_these_names("hidden")
    code = statements(policy)
    assert code.count("a @ ") == 2
    assert code.count("np.exp(") == 1
