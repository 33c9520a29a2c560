"""Arguments that share memory, where the function stores into one of them."""

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import AliasError

WEIGHTS = np.ones(3)


def twice(x, y):
    before = np.sum(y)
    x[0] = 5.0
    return np.sum(y) - before


def test_arrays_of_two_kinds_in_one_memory_are_refused():
    z = np.ones(3, complex)
    with pytest.raises(
        AliasError, match="`twice` stores into argument 0, which shares mem"
    ):
        sg.compile(twice)(z.real, z)


def test_separate_parts_of_one_array_are_fine():
    function, a = sg.compile(twice), np.ones(6)
    assert function(a[:3], a[3:]) == 0.0
    assert a[0] == 5.0


def test_readers_may_share():
    a = np.ones(3)
    assert sg.compile(lambda x, y: np.sum(x * y))(a, a) == 3.0


def test_inside_structures():
    def store(p: dict[str, Any], z):
        p["a"][0][0] = 2.0
        return np.sum(z)

    a = np.ones(3)
    assert sg.compile(store)({"a": [a]}, a) == store({"a": [a]}, a) == 4.0
    a[0] = 1.0
    assert sg.compile(store)({"a": [a[1:]]}, a) == 4.0
    assert list(a) == [1.0, 2.0, 1.0]


def test_captured_arrays():
    @sg.compile
    def step(x):
        x *= 2.0
        return np.sum(WEIGHTS)

    assert step(np.ones(3)) == 3.0
    with pytest.raises(
        AliasError, match="into argument 0, which shares memory with `WEIGHTS`"
    ):
        step(WEIGHTS)


def test_through_a_gradient_of_a_part():
    def inner(a, b):
        a[0] = 0.0
        return np.sum(a * b)

    @sg.compile
    def outer(x, y):
        return sg.grad(inner)(x, y)

    a = np.ones(3)
    np.testing.assert_array_equal(outer(a, a.copy()), [0.0, 1.0, 1.0])
    with pytest.raises(AliasError, match="no gradient by the one alone"):
        outer(a, a)


def update(x, y):
    for i in range(1, len(x)):
        x[i] = x[i] + y[i - 1]
    y[0] = x[2] * 3
    return x, y


OVERLAPS = {
    "same": lambda a: (a, a),
    "shifted": lambda a: (a[1:], a[:-1]),
    "longer": lambda a: (a[1:], a),
    "reversed": lambda a: (a, a[::-1]),
    "in turn": lambda a: (a[::2], a[1::2]),
    "rows": lambda a: (a.reshape(4, 4)[1], a.reshape(4, 4)[1, ::-1]),
    "transposed": lambda a: (a.reshape(4, 4), a.reshape(4, 4).T),
    "column": lambda a: (a.reshape(4, 4)[1], a.reshape(4, 4)[:, 1]),
}


@pytest.mark.parametrize("how", OVERLAPS)
def test_arguments_that_share_memory_do_as_in_numpy(how):
    compiled = sg.compile(update)
    for _ in range(2):
        mine, theirs = np.linspace(0.1, 1, 16), np.linspace(0.1, 1, 16)
        found = compiled(*OVERLAPS[how](mine))
        expected = update(*OVERLAPS[how](theirs))
        np.testing.assert_array_equal(mine, theirs)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
        assert np.shares_memory(*found) == np.shares_memory(*expected)
    one, other = OVERLAPS[how](np.linspace(0.1, 1, 16))
    apart, again = (one.copy(), other.copy()), (one.copy(), other.copy())
    compiled(*apart)
    update(*again)
    for a, b in zip(apart, again, strict=True):
        np.testing.assert_array_equal(a, b)


def weighted(w, x, y):
    x[1:] += y[:-1] * w
    y[0] = x[2] * 3
    return np.sum(x * w) + np.sum(y**2)


def test_gradients_where_arguments_share_memory():
    a = np.linspace(0.1, 1, 8)

    def alone(w, lay):
        return weighted(w, *lay(a.copy()))

    for lay in (lambda a: (a, a), lambda a: (a[1:], a[:-1])):
        g = sg.grad(weighted)(0.7, *lay(a))
        due = (alone(0.7 + 1e-6, lay) - alone(0.7 - 1e-6, lay)) / 2e-6
        np.testing.assert_allclose(g, due, rtol=1e-7)
        with pytest.raises(AliasError, match="no gradient by the one alone"):
            sg.grad(weighted, argnums=1)(0.7, *lay(a))
    np.testing.assert_array_equal(a, np.linspace(0.1, 1, 8))
