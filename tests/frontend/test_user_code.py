"""The user's own functions, methods, classes and transforms, called from compiled code."""

import functools
import math
import operator
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import symgrad as sg

V = np.array([0.5, -1.5, 2.0])
Pair = namedtuple("Pair", "a b")


class Scale:
    def __init__(self, k: Any) -> None:
        self.k = k

    @property
    def twice(self) -> Any:
        return 2 * self.k

    def __call__(self, x):
        return self.twice * x

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def make(cls, k):
        return cls(k)


@dataclass
class Params:
    w: Any
    b: float = 0.5
    rest: list[float] = field(default_factory=list)

    def norm(self):
        return np.sum(self.w**2) * self.b


SCALE = Scale(np.array([1.0, 2.0, 3.0]))
PARTIAL = functools.partial(lambda a, b, c: a * b + c, V, c=1.0)


@sg.compile
def cubes(x):
    return np.sum(x**3)


GRADIENT = sg.grad(lambda x, w: np.sum(x * w) ** 2, argnums=1)


def closures(x):
    def outer(k):
        def inner(x):
            def deeper(y):
                return y * k + x

            return deeper(x * 2)

        return inner

    return np.sum(outer(3.0)(x) ** 2)


def star(x, *a, s=1.0, **k):
    return np.sum(x * a[0]) * s * k["q"]


def stars(x):
    return star(x, *[V, 2], s=2.0, q=3.0)


def dataclasses_(x):
    p = Params(x, b=2.0)
    q = replace(p, b=3.0)
    p.w = p.w * 2
    return p.norm() * q.b + Params(x).b


def namedtuples(x):
    pair = Pair(x, x * 2)._replace(b=x * x)
    a, b = pair
    return np.sum(a * pair.b) + np.sum(b)


def count_down(x, n):
    return np.sum(x) if n == 0 else count_down(x * x, n - 1)


def doubling(function):
    def inner(*args):
        return 2 * function(*args)

    return inner


def decorated(x):
    @doubling
    @doubling
    def cube(y):
        return y**3

    @sg.grad
    def slope(y):
        return np.sum(y**2)

    return np.sum(cube(x) * slope(x))


FUNCTIONS: list[Callable[..., Any]] = [
    lambda x: np.sum(SCALE(x) ** 2),
    lambda x: np.sum(Scale.square(x)) + np.sum(Scale.make(2.0)(x)),
    lambda x: np.sum(PARTIAL(x) ** 2),
    lambda x: cubes(x) * 2,
    lambda x: np.sum(cubes.grad()(x)),
    lambda x: np.sum(GRADIENT(V, x) ** 2),
    lambda x: np.sum(x * sg.grad(np.sin)(x[0])),
    closures,
    stars,
    dataclasses_,
    namedtuples,
    decorated,
    functools.partial(count_down, n=2),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_value_and_gradient(function):
    value, g = sg.value_and_grad(function)(V)
    np.testing.assert_allclose(value, function(V))
    for i, step in enumerate(np.eye(3) * 1e-6):
        slope = (function(V + step) - function(V - step)) / 2e-6
        np.testing.assert_allclose(g[i], slope, rtol=1e-4, atol=1e-6)


def test_callables_without_source():
    assert sg.grad(np.sin)(0.3) == np.cos(0.3)
    assert sg.grad(operator.mul)(2.0, 3.0) == 3.0
    assert sg.grad(math.exp)(1.0) == math.e


def test_a_recursion_is_specialised():
    f = sg.compile(count_down)
    assert f(V, 2) == np.sum(V**4)
    assert f(V, 1) == np.sum(V**2)


def halved(x):
    if len(x) == 1:
        return x[0]
    middle = len(x) // 2
    return np.sin(halved(x[:middle])) * halved(x[middle:])


def counted_down(x, mask, n):
    return x[mask] * n if n == 0 else counted_down(np.sin(x[mask]), mask[mask], n - 1) + n


def test_a_recursion_over_smaller_arrays_asks_for_their_lengths():
    x = np.array([0.3, 0.7, 1.1, 0.4, 0.9])
    f = sg.compile(halved)
    assert f(x) == halved(x)
    assert f(x[:3]) == halved(x[:3])


def test_a_recursion_that_counts_down_does_not_ask_for_lengths():
    x, mask = np.array([0.3, 0.7, 1.1]), np.array([True, False, True])
    assert np.array_equal(sg.compile(counted_down)(x, mask, 6), counted_down(x, mask, 6))


def test_state_of_a_method_is_read_at_each_call():
    class Model:
        def __init__(self) -> None:
            self.layers = [{"w": V}, {"w": 2 * V}]
            self.power = 2

        @sg.compile
        def loss(self, x):
            for layer in self.layers:
                x = x * layer["w"]
            return np.sum(x**self.power)

        def plain(self, x):
            for layer in self.layers:
                x = x * layer["w"]
            return np.sum(x**self.power)

    model = Model()
    for change in (
        lambda: None,
        lambda: model.layers[0].update(w=3 * V),
        lambda: model.layers.append({"w": V}),
        lambda: setattr(model, "power", 3),
        lambda: setattr(model, "layers", model.layers[:1]),
    ):
        change()
        np.testing.assert_allclose(model.loss(V), model.plain(V))
    assert len(model.loss.specializations) == 3
