"""Attributes that the class decides on: setters, cached properties, ``__getattr__``."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


class Twice:
    def __init__(self, x):
        self.count = 0
        self.x = x

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = value * 2
        self.count += 1

    @property
    def fixed(self):
        return self._x + 1

    @functools.cached_property
    def large(self):
        self.count += 10
        return self._x * 100

    def __getattr__(self, name):
        if name == "missing":
            return self._x * 3
        raise AttributeError(name)


class Open:
    nothing = None

    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return self.x


class Other(Twice):
    @property
    def x(self):
        return super().x + 100

    @x.setter
    def x(self, value):
        self._x = value


@dataclass
class Oscillator:
    q: float
    p: float

    @property
    def energy(self):
        return 0.5 * (self.p**2 + self.q**2)

    @energy.setter
    def energy(self, value):
        scale = math.sqrt(value / self.energy)
        self.q *= scale
        self.p *= scale


def assigned(x):
    t = Twice(x)
    t.x = x * 3
    t.x += 1
    return t.x, t.count, t.fixed, t.missing


def computed_once(x):
    t = Twice(x)
    a = t.large
    t.x = 0.0
    return a + t.large, t.count


def no_setter(x):
    t = Twice(x)
    try:
        t.fixed = 3.0
    except AttributeError:
        return x * 7
    return t.fixed


def of_the_parent(x):
    t = Other(x)
    t.x = x * 5
    return t.x


def rescaled(q, p):
    o = Oscillator(q, p)
    o.energy = 2.0
    return o.q * 3 + o.p


def none_of_the_class(x):
    o = Open(x)
    return o.more * 3 if o.nothing is None else x


@pytest.mark.parametrize(
    "f", [assigned, computed_once, no_setter, of_the_parent, none_of_the_class]
)
def test_like_python(f):
    alike(f, 1.5)


def test_a_setter_that_changes_the_state():
    alike(rescaled, 1.0, 0.5)
    check_grads(rescaled, (1.0, 0.5))


OUTSIDE = Twice(1.0)


def test_an_object_from_outside():
    def f(x):
        OUTSIDE.x = x
        OUTSIDE.x += 1
        return OUTSIDE.x * OUTSIDE.count

    OUTSIDE.x = 1.0
    OUTSIDE.count = 0
    assert sg.compile(f)(2.0) == (2.0 * 2 + 1) * 2 * 2
    assert (OUTSIDE.x, OUTSIDE.count) == (10.0, 2)


class ByHand:
    def __init__(self, a):
        self.a = a

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


def test_assigning_by_hand():
    with pytest.raises(
        UnsupportedSyntaxError, match=r"up to `ByHand.__setattr__`; write a me"
    ):
        sg.compile(lambda x: ByHand(x).a)(1.0)


class Descriptor:
    def __get__(self, owner, cls):
        return 1.0

    def __set__(self, owner, value):
        owner.kept = value


class Described:
    a = Descriptor()

    def __init__(self, a):
        self.a = a


def test_descriptors():
    with pytest.raises(UnsupportedSyntaxError, match="up to `Descriptor`"):
        sg.compile(lambda x: Described(x).kept)(1.0)
