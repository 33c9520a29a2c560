"""Truth, identity and order of values: the types of Python's own, and no more asked of the
operands than a condition needs."""

import numpy as np
import pytest

from tests.frontend.outcomes import alike

V = np.array([0.5, -1.5, 2.0])


def conditions(x):
    if x.size and x[0] > 0 and not x[1] > 0:
        return x.sum()
    return -x.sum()


def negated(x):
    return not x, bool(x), not (x > 1 or x < -1), x in (1, 2.5), x not in (1, 2.5)


def identity(x):
    y = x > 0
    return y is True, y is not True, y is False, x is None, x is True


def ordered(x, y):
    return (x, y) < (y, x), (x, 1) <= (x, 2), (x,) >= (x, y), (x, y) > (x, 0.0)


@pytest.mark.parametrize("x", [V, -V, np.zeros(0)])
def test_conditions(x):
    alike(conditions, x)


@pytest.mark.parametrize("x", [2.5, 0.0, np.float64(2.5), np.float32(0), np.int64(1), 3])
def test_negated(x):
    alike(negated, x)


@pytest.mark.parametrize("x", [2.5, -1.0, True, np.float64(2.5)])
def test_identity(x):
    alike(identity, x)


@pytest.mark.parametrize(("x", "y"), [(1.0, 2.0), (2.0, 1.0), (1.5, 1.5), (0.0, -1.0)])
def test_tuples_are_compared_by_the_first_difference(x, y):
    alike(ordered, x, y)
