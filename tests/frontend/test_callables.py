"""Everything that can be called with source, and what needs none."""

from __future__ import annotations

import functools
import math
import operator
from functools import partial, reduce

import numpy as np
import pytest

import symgrad as sg
from tests.frontend.decorating import doubled, passed_on, untouched

X = np.random.default_rng(0).uniform(0.2, 1.0, 6)


@doubled([1, (2, 3)], key=lambda a: (a[0], {"x": [a, ")"]}))
@untouched
@passed_on
def decorated(x):
    return np.sum(x**2)


class Scaled:
    by = 2.0

    def __init__(self, w):
        self.w = w

    def method(self, x):
        return np.sum(x * self.w)

    @staticmethod
    def static(x):
        return np.sum(x**3)

    @classmethod
    def of_class(cls, x):
        return np.sum(x * cls.by)

    @property
    def twice(self):
        return self.w * 2

    def with_property(self, x):
        return np.sum(x * self.twice)

    def __call__(self, x):
        return np.sum(np.sin(x) * self.w)


SCALED = Scaled(1.5)
TWO = (lambda x: np.sum(x * 2), lambda x: np.sum(x * 3))  # on one line
# fmt: off
INSIDE = {"a": lambda x: np.sum(
        x * 4
    ), "b": [lambda x: np.sum(x * 5)]}
# fmt: on
LATE = [lambda x, k=k: np.sum(x * k) for k in (1.0, 2.0)]
FIRST_TWO = operator.itemgetter(1, 0)
SUMMED = operator.methodcaller("sum", axis=0)
BY = operator.attrgetter("by")


def outer(c):
    def inner(x, f=lambda v: v * c):
        return np.sum(f(x))

    return inner


def keyword_only(x, *, w=3.0):
    return np.sum(x * w)


def starred(*args, **named):
    return np.sum(args[0] * named.get("w", 2.0))


def higher_order(x):
    squares = sum(map(lambda v: v * v, [x[0], x[1]]))  # noqa: C417
    return (
        squares + sum(filter(lambda v: True, [x[2]])) + reduce(operator.mul, [x[3], x[4]])
    )


def getters(x):
    p, q = FIRST_TWO([x[0], x[1] * 2])
    first = operator.itemgetter(0)([x[2], x[3]])
    return p * q * BY(SCALED) + SUMMED(x) * first + operator.attrgetter("T.size")(x)


def nested(x):
    def g(y):
        def h(z):
            return z * x[0]

        return h(y) + y

    return np.sum(g(x))


def annotated(x: np.ndarray, ws: tuple[float, ...] = (1.0, 2.0)) -> float:
    y: float = np.sum((t := x * ws[1]) + t)
    return y if 0 < x[0] < x[1] * 10 <= 100 else 0.0 * y


def special(x):
    y = x.__add__(2.0).__mul__(x).__rsub__(1.0).__rtruediv__(x).__neg__().__abs__()
    y = y.__pow__(0.5).__rpow__(1.1).__sub__(x.__getitem__(slice(None, None, -1)))
    quotient, rest = y.__divmod__(0.3)
    y = rest.__add__(quotient.__matmul__(y)).__rmod__(7.0).__floordiv__(0.7).__add__(y)
    y = y.__radd__(x.__rmatmul__(y)).__pos__().__truediv__(y.__len__() + 1)
    y.__imul__(x)
    y.__setitem__(0, x[1] * 3)
    operator.iadd(y, 1.0)
    operator.setitem(y, 1, operator.getitem(y, 0) * 2)
    y = y.__array__().__copy__() * 0.01
    return np.sum(y) if y.__lt__(100).all().__bool__() and x.__len__() == 6 else y[0]


def unbound(x):
    return (
        np.ndarray.sum(np.ndarray.__mul__(x, x), axis=0) + np.ndarray.reshape(x, 2, 3)[1, 1]
    )


def contained(x):
    return np.sum(x * 2 if x[3] in x else x) + (0.0 if operator.contains(x, 7.0) else x[0])


CALLABLES = [
    decorated, SCALED.method, Scaled.static, Scaled.of_class, SCALED.static, SCALED,
    SCALED.with_property, *TWO, INSIDE["a"], INSIDE["b"][0], *LATE, outer(2.5),
    partial(keyword_only, w=4.0), partial(starred, w=3.0), partial(SCALED.method), higher_order,
    getters, starred, keyword_only, nested, annotated, functools.partial(operator.matmul, X),
    special, unbound, contained,
]  # fmt: skip


@pytest.mark.parametrize("f", CALLABLES)
def test_python(f):
    assert np.isclose(sg.compile(f)(X), f(X), rtol=1e-14)
    way = np.random.default_rng(1).normal(size=6)
    slope = (f(X + 1e-6 * way) - f(X - 1e-6 * way)) / 2e-6
    assert np.isclose(sg.grad(f)(X) @ way, slope, rtol=1e-6)


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [
        (np.sin, (0.5,), math.cos(0.5)),
        (math.sin, (0.5,), math.cos(0.5)),
        (operator.mul, (2.0, 3.0), 3.0),
        (operator.pow, (2.0, 3.0), 12.0),
        (np.multiply, (2.0, 3.0), 3.0),
        (abs, (-2.0,), -1.0),
        (pow, (2.0, 3.0), 12.0),
        (float, (2.5,), 1.0),
        (np.sum, (X,), np.ones(6)),
        (np.add.reduce, (X,), np.ones(6)),
        (np.linalg.norm, (X,), X / np.linalg.norm(X)),
        (np.dot, (X, X[::-1]), X[::-1]),
    ],
)
def test_without_source(f, args, expected):
    assert np.allclose(sg.grad(f)(*args), expected)


def test_methods_that_numbers_do_not_have_for_arrays():
    with pytest.raises(NotImplementedError, match="__add__"):
        sg.compile(lambda x, y: x.__add__(y))(1.5, X)


def test_floats_that_have_to_be_known_are_found_by_specialising():
    f = sg.compile(lambda x, d: np.std(x, ddof=d / 2))
    for d in (1.0, 3.0, 1.0, float("nan"), float("nan")):
        np.testing.assert_equal(f(X, d), np.std(X, ddof=d / 2))
    assert len(f.specializations) == 3
    with pytest.raises(SyntaxError, match="not differentiated"):
        sg.grad(lambda x, d: np.std(x, ddof=d), argnums=1)(X, 1.0)
