"""``match`` on values, static and at run time."""

from __future__ import annotations

import enum
import importlib

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


def by_several(x, n):
    total = 0.0
    for i in range(n):
        match i % 2, int(x > 0.5):
            case 0, 1:
                total += x
            case 0, other:
                total += other + x * x
            case (1, k) as both if k > 0:
                total *= x + k + both[0]
            case _:
                total -= x
    return total


def by_expression(x, n):
    match int(x * 4):
        case 0 if x > 0.1:
            return x
        case (3 | 4 | 5) as k if k > n:
            return x * k
    match (n, 1, 2):
        case (_, _):
            return 3.0
        case (0, _, _) | (2, _, _):
            x = x * x
        case everything:
            return x**2 + everything[0]
    return x * 2


@pytest.mark.parametrize("kind", ["sin", "sine", None, True, "longer", "abc"])
def test_static(kind):
    alike(by_text, np.arange(3.0), kind)


@pytest.mark.parametrize("kind", Kind)
def test_enum(kind):
    alike(by_enum, 2.0, kind)


@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_runtime(n):
    alike(by_number, 1.5, n)


@pytest.mark.parametrize("f", [by_several, by_expression])
@pytest.mark.parametrize("n", [0, 2, 3, 7])
@pytest.mark.parametrize("x", [0.05, 0.2, 0.9, 1.3])
def test_expressions_and_several_values(f, n, x):
    alike(f, x, n)
    eps = 1e-6
    slope = (f(x + eps, n) - f(x - eps, n)) / (2 * eps)
    assert abs(sg.grad(f)(x, n) - slope) < 1e-6 * (1 + abs(slope))


def test_the_gradient_and_the_line():
    g = sg.value_and_grad(by_number)
    eps = 1e-6
    slope = (by_number(1.5 + eps, 9) - by_number(1.5 - eps, 9)) / (2 * eps)
    assert abs(g(1.5, 9)[1] - slope) < 1e-6 * abs(slope)
    assert "case 1 | -2:" in g.lower(1.5, 9).source


def test_a_module_that_is_loaded_again(tmp_path, monkeypatch):
    text = (
        "def f(x, n):\n    match n:\n        case 1:\n            x = x * 2\n    return x\n"
    )
    (tmp_path / "matched_again.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("matched_again")
    assert sg.grad(module.f)(1.0, 1) == 2.0
    assert sg.grad(importlib.reload(module).f)(1.0, 1) == 2.0
