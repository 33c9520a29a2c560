"""Objects of the user's classes under operators, subscripts and builtins."""

from __future__ import annotations

import dataclasses
import typing

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


class Vector:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Vector(self.v + (other.v if isinstance(other, Vector) else other))

    __radd__ = __add__

    def __mul__(self, k):
        return Vector(self.v * k) if isinstance(k, int | float) else NotImplemented

    def __rmul__(self, k):
        return Vector(k * self.v)

    def __neg__(self):
        return Vector(-self.v)

    def __sub__(self, other):
        return self + (-other)

    def __matmul__(self, other):
        return self.v @ other.v

    def __iadd__(self, other):
        self.v = self.v + 2 * other.v
        return self

    def __getitem__(self, i):
        return self.v[i]

    def __setitem__(self, i, x):
        self.v[i] = x

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((self.v[0], self.v[1]))

    def __abs__(self):
        return np.sqrt((self.v**2).sum())

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __eq__(self, other):
        return (self.v == other.v).all()

    def __contains__(self, x):
        return (self.v == x).any()

    def __bool__(self):
        return bool((self.v > 0).any())


CAPTURED = Vector(np.array([1.0, 3.0]))


def operators(x):
    w = Vector(x)
    u = 2.0 * w + Vector(x**2) * 3.0 - w + 1.0
    u -= w
    w += u
    return w @ u + abs(-w)


def items(x):
    w = Vector(x * 2)
    w[0] = 5.0 * x[1]
    a, b = w
    return a * b + w[1] ** len(w) + sum(w)


def conditions(x):
    w, u = Vector(x), Vector(x**2)
    a = 2 * x.sum() if w < u else x.sum()
    if u > w:
        a = a * 3
    if w == u or 7.0 in w:
        a = a * 5
    if w != u and 1.0 not in u:
        a = a * 7
    return a * 11 if w else a


def captured(x):
    return abs((Vector(x) + CAPTURED) * 2.0) + abs(CAPTURED + Vector(x))


class Deferred:
    __array_ufunc__ = None

    def __init__(self, v):
        self.v = v

    def __rmul__(self, k):
        return Deferred(k * self.v)


class Element:
    def __init__(self, v):
        self.v = v

    def __rmul__(self, k):
        return Element(k * self.v)


def numpy_on_the_left(x):
    deferred = x * Deferred(x)
    return (x.sum() * deferred).v.sum() + (x.sum() * Element(x[0])).v


@dataclasses.dataclass(frozen=True)
class Pair:
    a: float
    b: float

    def __mul__(self, k):
        return Pair(self.a * k, self.b * k)


def fields(x):
    p, q = Pair(x[0], x[1]) * 2.0, Pair(2 * x[0], 2 * x[1])
    if p != q:
        return p.a
    return p.a * p.b if p == q and p != x[0] else q.a


class Point(typing.NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Point(self.x * k, self.y * k)


def named(x):
    return sum((Point(x[0], 1.0) + Point(x[1], x[0])) * 3.0)


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return self.v + other.v


class Derived(Base):
    def __radd__(self, other):
        return 10 * self.v + other.v


def a_subclass_is_asked_first(x):
    return (Base(x) + Derived(x) + (Derived(x) + Base(x))).sum()


class Measured:
    def __init__(self, v, unit):
        self.v, self.unit = v, unit

    def __float__(self):
        return float(self.v)

    def __int__(self):
        return int(self.unit)


@dataclasses.dataclass
class Prepared:
    """Its fields are made of others, some of them not by its caller."""

    x: typing.Any
    factor: dataclasses.InitVar[float]
    log: list = dataclasses.field(init=False, default_factory=list)
    size: typing.Any = dataclasses.field(init=False)
    unit: float = dataclasses.field(init=False, default=3.0)

    def __post_init__(self, factor):
        self.x = self.x * factor
        self.size = np.sum(self.x**2)
        self.log.append(self.size)


def made_of_others(x):
    d = Prepared(x, 2.0)
    d.size = d.size * d.unit
    return d.size + d.log[0]


def numbers(x):
    m = Measured(x[0] * x[1], 2)
    return float(m) * int(m) + np.sum(x)


class Layer(typing.NamedTuple):
    w: typing.Any
    b: float

    def __call__(self, x):
        return np.tanh(x * self.w + self.b)


def called_tuples(x):
    h = x
    for layer, weight in zip([Layer(x, 0.1), Layer(x[::-1], 0.2)], x, strict=True):
        h = layer(h) * weight
    return np.sum(h)


def sorted_objects(x):
    several = [Measured(x * k, unit) for k, unit in ((1.0, 3), (2.0, 1), (3.0, 2))]
    several.sort(key=lambda s: s.unit)
    return sum(np.sum(s.v**2) * k for k, s in enumerate(several))


ALL = [
    *(made_of_others, numbers, called_tuples, sorted_objects),
    *(operators, items, conditions, captured, numpy_on_the_left, fields, named),
    a_subclass_is_asked_first,
]


@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("x", [[1.5, 2.5], [0.25, 0.5], [-1.0, -2.0], [1.0, 1.0]], ids=str)
def test_methods_are_called_as_python_calls_them(f, x):
    alike(f, np.array(x))


@pytest.mark.parametrize("f", ALL)
def test_gradients_go_through_them(f):
    check_grads(f, (np.array([1.5, 2.5]),), order=2)


def test_what_is_made_of_others_is_made_once():
    made = sg.compile(lambda x: Prepared(x, 2.0))(np.ones(2))
    expected = Prepared(np.ones(2), 2.0)
    assert list(vars(made)) == list(vars(expected))
    np.testing.assert_array_equal(made.x, expected.x)
    assert (made.size, made.log, made.unit) == (8.0, [8.0], 3.0)
    with pytest.raises(ValueError, match="init=False"):
        sg.compile(lambda x: dataclasses.replace(Prepared(x, 2.0), size=1.0))(np.ones(2))


def order_hangs_on_data(x):
    return sorted([Measured(x[0], 1), Measured(x[1], 2)], key=lambda s: s.v)[0].v


def array_on_the_left(x):
    return (x * Vector(x)).v


def no_such_operator(x):
    return Vector(x) % Vector(x)


@pytest.mark.parametrize(
    ("f", "word"),
    [
        (array_on_the_left, "swap the operands"),
        (no_such_operator, "does not work"),
        (order_hangs_on_data, "np.argsort"),
    ],
)
def test_refused(f, word):
    with pytest.raises(UnsupportedSyntaxError, match=word):
        sg.compile(f)(np.ones(2))
