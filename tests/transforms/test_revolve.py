"""checkpoint with a budget: snapshots of loops, and the rounds between them computed again."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import InputTypeError, UnsupportedFunctionError
from tests.transforms.checkpointing import V, W, gradients, peak, same


def steps(x: Any, w: Any, n: int) -> Any:
    for i in range(n):
        x = x + 0.1 * np.sin(w @ x) * (i + 1)
    return x


def strided(x: Any, w: Any, n: int) -> Any:
    for i in range(5, 5 + 3 * n, 3):
        x = x + 0.01 * np.sin(w @ x) * i
    return x


def counting(x: Any, w: Any, n: int) -> Any:
    k = 0
    while k < n:
        x = x + 0.1 * np.sin(w @ x) * (k + 1)
        k += 1
    return x


def leaving(x: Any, w: Any, n: int) -> Any:
    for i in range(n):
        x = x + 0.1 * np.sin(w @ x)
        if i > 4:
            break
    return x


@pytest.mark.parametrize(
    ("f", "budget"), [(steps, 1), (steps, 3), (strided, 2), (counting, 2), (leaving, 2)]
)
def test_loops_with_a_budget(f: Any, budget: int) -> None:
    c = sg.checkpoint(f, budget=budget)
    remade = sg.value_and_grad(lambda x, w, n: np.sum(c(x, w, n) ** 2), (0, 1))
    plain = sg.value_and_grad(lambda x, w, n: np.sum(f(x, w, n) ** 2), (0, 1))
    for n in (0, 1, 2, 3, 9):
        (found, grads), (expected, others) = remade(V, W, n), plain(V, W, n)
        assert found == expected
        same(grads, others)


def test_loops_with_a_budget_in_loops_and_branches() -> None:
    c = sg.checkpoint(steps, budget=2)

    def nested(inner: Any, x: Any, w: Any) -> Any:
        for _ in range(3):
            if np.sum(x) > -50:
                x = 0.5 * inner(x, w, 4)
        return x

    same(
        gradients(lambda x, w: nested(c, x, w), V, W),
        gradients(lambda x, w: nested(steps, x, w), V, W),
    )


def test_loops_with_a_budget_at_higher_order_and_batched() -> None:
    c = sg.checkpoint(steps, budget=2)
    for make in (
        lambda f: sg.hessian(lambda x: np.sum(f(x, W, 4) ** 2)),
        lambda f: sg.jacrev(sg.grad(lambda x: np.sum(f(x, W, 4) ** 2))),
        lambda f: sg.jacrev(lambda x: f(x, W, 4)),
    ):
        np.testing.assert_allclose(make(c)(V), make(steps)(V), rtol=1e-12)


def test_arrays_stored_into_are_kept_as_they_were() -> None:
    def f(x: Any, w: Any, n: int) -> Any:
        y = x.copy()
        for i in range(n):
            y[i % 3] = np.sin(y[i % 3] * w[0, i % 3]) + y[(i + 1) % 3]
        return y

    same(gradients(sg.checkpoint(f, budget=2), V, W, 7), gradients(f, V, W, 7))


def test_snapshots_are_not_overwritten_by_loops_within_a_round() -> None:
    def f(x: Any, w: Any, n: int) -> Any:
        v = x * 1.5
        for _ in range(n):
            for _ in range(2):
                v[...] = np.tanh(v[len(x) - 1])
            np.add(v, v[::-1], out=v)
        return v

    same(gradients(sg.checkpoint(f, budget=2), V, W, 4), gradients(f, V, W, 4))


@cache
def fewest(rounds: int, snapshots: int) -> int:
    """How many rounds a schedule has to make at least, the last one of them aside."""
    if rounds == 1:
        return 0
    if snapshots == 1:
        return rounds * (rounds - 1) // 2
    return min(
        m + fewest(m, snapshots) + fewest(rounds - m, snapshots - 1)
        for m in range(1, rounds)
    )


class _Counting:
    """NumPy with the calls of ``sin`` counted."""

    def __init__(self) -> None:
        self.rounds = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def sin(self, x: Any) -> Any:
        self.rounds += 1
        return np.sin(x)


@pytest.mark.parametrize("budget", [1, 2, 3, 6])
def test_the_schedule_takes_the_fewest_rounds(budget: int) -> None:
    c = sg.checkpoint(steps, budget=budget)
    f = sg.grad(lambda x, w, n: np.sum(c(x, w, n)))
    f(V, W, 2)
    counted = _Counting()
    scope: dict[str, Any] = {"np": counted, "math": math}
    exec(f.source, scope)
    for n in (1, 2, 5, 13, 40):
        counted.rounds = 0
        np.testing.assert_array_equal(scope["f_grad"](V, W, n), f(V, W, n))
        # The way there goes on to the result: the last round, and the rounds between the last
        # snapshot and that, which are made again for it.
        repeats = next(r for r in range(n) if math.comb(budget + r, budget) >= n)
        least = fewest(n, budget) + 1
        assert least <= counted.rounds <= least + repeats


def test_the_budget_is_kept() -> None:
    x = np.linspace(0.0, 1.0, 5000)

    def scaled(x: Any, n: int) -> Any:
        for i in range(n):
            x = x + 0.1 * np.sin(x) * (i + 1)
        return x

    f = sg.grad(lambda x, n: np.sum(sg.checkpoint(scaled, budget=4)(x, n)))
    assert peak(f, x, 60) < 10 * x.nbytes
    assert peak(sg.grad(lambda x, n: np.sum(scaled(x, n))), x, 60) > 60 * x.nbytes


def test_a_list_that_grows_is_refused() -> None:
    @sg.checkpoint(budget=2)
    def f(x: Any, n: int) -> Any:
        kept = []
        for _ in range(n):
            x = np.sin(x)
            if x[0] > 0:
                kept.append(x)
        return np.sum(sum(kept))

    with pytest.raises(UnsupportedFunctionError, match="a list which grows, `kept`"):
        sg.grad(f)(V, 3)


def test_states_of_several_parts() -> None:
    def f(p: Any, n: int) -> Any:
        h, c = p["h"], p["c"]
        for _ in range(n):
            h, c = np.tanh(h + c), c * np.cos(h)
        return np.sum(h * c)

    p = {"h": V, "c": 2 * V}
    plain = sg.grad(f)(p, 12)
    for c in (sg.checkpoint(f), sg.checkpoint(f, budget=3)):
        found = sg.grad(c)(p, 12)
        same(found.values(), plain.values())


def test_numbers_and_methods() -> None:
    @sg.checkpoint(budget=2)
    def root(a: float, n: int) -> float:
        x = 1.0
        for _ in range(n):
            x = x - (x * x - a) / (2 * x)
        return x

    np.testing.assert_allclose(sg.grad(root)(2.0, 8), 0.5 / np.sqrt(2))

    class Layer:
        def __init__(self) -> None:
            self.w = np.array([1.0, 2.0, 3.0])

        @sg.checkpoint
        def call(self, x: Any) -> Any:
            return np.sin(x * self.w)

    made = Layer()
    found = sg.grad(lambda x: np.sum(made.call(made.call(x))))(V)
    inner = np.sin(V * made.w)
    np.testing.assert_allclose(
        found, np.cos(inner * made.w) * made.w * np.cos(V * made.w) * made.w
    )


@pytest.mark.parametrize("budget", [0, -1, True, 2.0, "4"])
def test_budget_has_to_be_a_number_of_rounds(budget: Any) -> None:
    with pytest.raises(InputTypeError, match="budget has to be an int"):
        sg.checkpoint(steps, budget=budget)
