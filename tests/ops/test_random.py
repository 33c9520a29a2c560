"""Random draws: the stream that NumPy gives, in order, once, and without a gradient."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError

X = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
M = np.arange(12.0).reshape(6, 2)
CAPTURED = np.random.default_rng(0)


def shuffled(r: Any, x: Any) -> Any:
    y = x.copy()
    r.shuffle(y)
    np.random.shuffle(y)
    return y


def seeded(r: Any, x: Any) -> Any:
    np.random.seed(3)
    made = np.random.default_rng(2)
    return x * np.random.rand() + made.normal(size=5)


CALLS: list[tuple[Callable[..., Any], Any]] = [
    (lambda r, x: x + r.normal(size=x.shape), X),
    (lambda r, x: x + r.normal(x, 2.0), X),
    (lambda r, x: r.normal() + r.random(), X),
    (lambda r, x: r.uniform(-1, 1, (len(x), 3)), X),
    (lambda r, x: r.uniform(high=3.0, size=2), X),
    (lambda r, x: r.integers(0, 10, size=4), X),
    (lambda r, x: r.integers(10), X),
    (lambda r, x: r.permutation(x), X),
    (lambda r, x: r.permutation(x), M),
    (lambda r, x: r.choice(x, 3), X),
    (lambda r, x: r.choice(x, 3, replace=False, p=x / np.sum(x)), X),
    (lambda r, x: r.choice(5, 2), X),
    (lambda r, x: r.poisson(3.0, size=3), X),
    (lambda r, x: r.multivariate_normal(x[:2], np.eye(2), size=3), X),
    (lambda r, x: r.dirichlet(x), X),
    (lambda r, x: r.standard_normal(3, dtype=np.float32), X),
    (lambda r, x: np.random.normal(0, 1, 3) + np.random.rand(3) * np.random.randn(3), X),
    (lambda r, x: np.random.randint(0, 5, (2, 3)), X),
    (lambda r, x: np.random.permutation(x), X),
    (lambda r, x: np.random.choice(x), X),
    (lambda r, x: r.permuted(x), M),
    (lambda r, x: r.permuted(x, axis=1), M),
    (lambda r, x: r.permutation(x, axis=1), M),
    (lambda r, x: r.permutation(x, axis=-2), M),
    (lambda r, x: r.choice(x, 2, replace=False, axis=1, shuffle=False), M),
    (lambda r, x: r.choice(x, (2, 2), axis=1), M),
    (lambda r, x: r.multivariate_hypergeometric([3, 5, 2], 4, size=2), X),
    (shuffled, X),
    (shuffled, M),
    (seeded, X),
]


@pytest.mark.parametrize(("function", "x"), CALLS)
def test_draws_what_numpy_draws(function: Callable[..., Any], x: Any) -> None:
    np.random.seed(0)
    expected = function(np.random.default_rng(7), x)
    np.random.seed(0)
    got = sg.compile(function)(np.random.default_rng(7), x)
    assert type(got) is type(expected)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(got, expected)


def test_a_captured_generator_goes_on() -> None:
    draw = sg.compile(lambda x: x + CAPTURED.normal(size=3))
    assert (draw(np.ones(3)) != draw(np.ones(3))).all()


def test_the_backward_reads_what_was_drawn() -> None:
    def loss(x: Any, r: Any) -> Any:
        total = 0.0
        for _ in range(4):
            total = total + np.sum(np.tanh(x * r.normal(size=x.shape)))
        return total

    value, gradient = sg.value_and_grad(loss)(X, np.random.default_rng(1))
    assert value == loss(X, np.random.default_rng(1))
    again = np.random.default_rng(1)
    drawn = [again.normal(size=5) for _ in range(4)]
    expected = sum(z * (1 - np.tanh(X * z) ** 2) for z in drawn)
    np.testing.assert_allclose(gradient, expected)


def test_unused_draws_are_kept() -> None:
    def second(r: Any, x: Any) -> Any:
        r.normal()
        return x * r.normal()

    got = sg.compile(second)(np.random.default_rng(7), 2.0)
    assert got == second(np.random.default_rng(7), 2.0)


def test_refusals() -> None:
    r = np.random.default_rng(0)
    with pytest.raises(UnsupportedFunctionError, match=r"`\.spawn` of a Generator"):
        sg.compile(lambda r: r.spawn(1))(r)


def test_draws_and_shuffles_into_an_array() -> None:
    def filled(r: Any, x: Any) -> Any:
        a, b, c = np.empty((3, 4)), np.empty(5), x.copy()
        r.random(out=a)
        r.standard_normal(out=b)
        r.standard_gamma(2.0, out=b[:2])
        r.shuffle(c, axis=1)
        return a, b, c, r.random()

    got = sg.compile(filled)(np.random.default_rng(3), M)
    for x, y in zip(got, filled(np.random.default_rng(3), M), strict=True):
        np.testing.assert_array_equal(x, y)
