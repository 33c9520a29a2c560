"""The caller's own lists, returned from loops, ``try`` and conditional expressions."""

import numpy as np
import pytest

import symgrad as sg


def left_in_a_loop(x, xs):
    for i in range(len(x)):
        if x[i] > 1.5:
            return xs
    return [x[0], 3.0]


def changed_and_left(x, xs):
    while True:
        if x.sum() > 3:
            xs[0] = x[0]
            return xs
        x = x + 1.0


def left_from_a_try(x, xs):
    for v in x:
        try:
            if v > 1.5:
                return xs
            if v < 0:
                raise ValueError
        except ValueError:
            return xs
    return [1.0]


def chosen_from_two(x, xs):
    return xs if x.sum() > 3 else [x[0], 3.0]


def within_a_tuple(x, xs):
    if x.sum() > 3:
        return xs, 1
    return [x[0], 2.0], 2


@pytest.mark.parametrize(
    "f",
    [left_in_a_loop, changed_and_left, left_from_a_try, chosen_from_two, within_a_tuple],
)
def test_the_callers_list_is_returned_itself_from_anywhere(f):
    compiled = sg.compile(f)
    for x in (np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25, 1.0]), np.array([0.5, -1.0])):
        mine, theirs = [1.0, 2.0], [1.0, 2.0]
        found, expected = compiled(x.copy(), mine), f(x.copy(), theirs)
        assert found == expected and mine == theirs
        one, other = (r[0] if isinstance(r, tuple) else r for r in (found, expected))
        assert (one is mine) == (other is theirs)
