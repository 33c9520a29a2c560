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


@pytest.mark.parametrize("make", [sg.compile, sg.grad])
def test_shared_memory_is_refused(make):
    function = make(twice)
    a, b = np.ones(3), np.ones(3)
    function(a.copy(), b)
    for x, y in ((a, a), (a[:2], a[1:]), (a, a[::-1])):
        with pytest.raises(
            AliasError, match="`twice` stores into argument 0, which shares mem"
        ):
            function(x, y)


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
    with pytest.raises(
        AliasError, match=r"into argument 0\['a'\]\[0\], which shares memory with"
    ):
        sg.compile(store)({"a": [a]}, a)


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
    with pytest.raises(AliasError, match="`outer` stores into argument 0"):
        outer(a, a)
