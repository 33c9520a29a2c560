"""``match`` on values, static and at run time."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import symgrad as sg
from tests.frontend.outcomes import alike


class Kind(enum.Enum):
    PLAIN = 1
    DOUBLE = 2


def by_text(x, kind):
    match kind:
        case "sin" | "sine":
            return np.sin(x)
        case None:
            y = x
        case True:
            y = -x
        case other if len(other) > 4:
            y = x * len(other)
        case _:
            raise ValueError("unknown")
    return y + 1


def by_enum(x, kind):
    match kind:
        case Kind.PLAIN:
            return x
        case Kind.DOUBLE:
            return 2 * x


def by_number(x, n):
    total = 0.0
    for i in range(n):
        k = i % 4
        match k:
            case 0:
                total += x
            case 1 | -2:
                total -= 3 * x
            case j if j < 3:
                total *= j
            case last:
                total *= x + last
    return total


@pytest.mark.parametrize("kind", ["sin", "sine", None, True, "longer", "abc"])
def test_static(kind):
    alike(by_text, np.arange(3.0), kind)


@pytest.mark.parametrize("kind", Kind)
def test_enum(kind):
    alike(by_enum, 2.0, kind)


@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_runtime(n):
    alike(by_number, 1.5, n)


def test_the_gradient_and_the_line():
    g = sg.value_and_grad(by_number)
    eps = 1e-6
    slope = (by_number(1.5 + eps, 9) - by_number(1.5 - eps, 9)) / (2 * eps)
    assert abs(g(1.5, 9)[1] - slope) < 1e-6 * abs(slope)
    assert "case 1 | -2:" in g.lower(1.5, 9).source
