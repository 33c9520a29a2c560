"""Objects around a function that change between calls: the code for what they were is not used."""

import collections
import enum
import operator
import types

import numpy as np
import pytest

import symgrad as sg

X = np.array([[1.0, 2.0], [3.0, 4.0]])


class Kind(enum.Enum):
    A = 1
    B = 2


class Number(enum.IntEnum):
    A = 2
    B = 3


class Plain:
    pass


class Level:
    def __init__(self, level):
        self.level = level

    def __eq__(self, other):
        return self.level == other.level

    __hash__ = None

    def __bool__(self):
        return self.level > 0


CASES = {
    "member": (Kind.A, lambda s, x: x * (2 if s.a is Kind.A else 3), Kind.B),
    "number": (Number.A, lambda s, x: x * s.a, Number.B),
    "slice": (slice(0, 1), lambda s, x: x[s.a], slice(0, 2)),
    "getter": (operator.itemgetter(0), lambda s, x: s.a(x), operator.itemgetter(1)),
    "object": (Plain(), lambda s, x: x * (2 if s.a is s.b else 3), None),
}


@pytest.mark.parametrize("name", CASES)
def test_replaced(name):
    first, f, second = CASES[name]
    held = types.SimpleNamespace(a=first, b=Plain())
    total = sg.grad(lambda x: np.sum(f(held, x)))
    for value in (first, held.b if second is None else second, first):
        held.a = value
        np.testing.assert_allclose(np.sum(total(X) * X), np.sum(f(held, X)))


HOLDERS = {
    "set": ({"a"}, lambda h, x: x * (2 if "a" in h else 3), lambda h: h.clear()),
    "its length": ({"a"}, lambda h, x: x * len(h), lambda h: h.add("b")),
    "its numbers": ({1.0}, lambda h, x: x * sum(h), lambda h: h.add(5.0)),
    "deque": (collections.deque([1.0]), lambda h, x: x * sum(h), lambda h: h.append(2.0)),
    "defaultdict": (
        collections.defaultdict(float, a=2.0),
        lambda h, x: x * h["a"],
        lambda h: h.update(a=3.0),
    ),
    "OrderedDict": (
        collections.OrderedDict(a=2.0),
        lambda h, x: x * (2 if "a" in h else 3),
        lambda h: h.clear(),
    ),
}


OBJECTS = {
    "equality": lambda s, x: x * (2 if s.a == s.b else 3),
    "truth": lambda s, x: x * (2 if s.a else 3),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_operators_of_an_object_that_changes(name):
    f, held = OBJECTS[name], types.SimpleNamespace(a=Level(1), b=Level(1))
    total = sg.grad(lambda x: np.sum(f(held, x)))
    for level in (1, -1, 1):
        held.a.level = level
        np.testing.assert_allclose(np.sum(total(X) * X), np.sum(f(held, X)))


def test_an_object_that_is_true_by_its_class_may_be_another():
    held = types.SimpleNamespace(a=Plain())
    compiled = sg.compile(lambda x: x * 2 if held.a else x)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(X), 2 * X)
        held.a = Plain()
    assert len(compiled.specializations) == 1


@pytest.mark.parametrize("name", HOLDERS)
def test_changed_inside(name):
    holder, f, change = HOLDERS[name]
    total = sg.grad(lambda x: np.sum(f(holder, x)))
    np.testing.assert_allclose(np.sum(total(X) * X), np.sum(f(holder, X)))
    before = np.sum(f(holder, X))
    change(holder)
    assert np.sum(f(holder, X)) != before
    np.testing.assert_allclose(np.sum(total(X) * X), np.sum(f(holder, X)))
