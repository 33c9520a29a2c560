"""Conditions of loops that assign."""

import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


def counting(x):
    i = 0
    while (i := i + 1) < 5:
        if i == 2:
            continue
        x = x * 1.1
    return x * i


def halving(x):
    while (y := x * 0.5) > 1.0 and y < 100:
        x = y - 0.1
        if x > 30:
            break
    return x * y


def with_else(x):
    while (x := x * 0.5) > 1.0:
        pass
    else:
        x = x * 3
    return x


@pytest.mark.parametrize("f", [counting, halving])
@pytest.mark.parametrize("x", [0.7, 9.0, 70.0])
def test_values_and_slopes(f, x):
    alike(f, x)
    check_grads(f, (x,), order=1)


def test_with_else():
    with pytest.raises(UnsupportedSyntaxError, match="must not change anything; assign in"):
        sg.compile(with_else)(5.0)
