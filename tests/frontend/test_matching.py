"""``match`` on values, static and at run time."""

from __future__ import annotations

import enum
import importlib
from dataclasses import dataclass

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


@dataclass
class Point:
    a: float
    b: float


def by_structure(x, commands):
    for command in commands:
        match command:
            case ["scale", k]:
                x = x * k
            case ["shift", *ks] if len(ks) > 1:
                x = x + sum(ks)
            case {"op": "neg", **rest}:
                x = -x + len(rest)
            case str(s) | {"text": s}:
                x = x * len(s)
            case Point(a=a, b=(1.0 | 2.0) as b):
                x = x + a * b
            case Point(a, b):
                x = x * b - a
            case [("add", p), (q, _)]:
                x = x + p * q
            case _:
                x = x + 100
    return x


COMMANDS = [
    ["scale", 2.0],
    ["shift", 1.0, 2.0],
    ["shift", 1.0],
    {"op": "neg", "z": 1},
    "abc",
    {"text": "ab"},
    Point(2.0, 2.0),
    Point(2.0, 3.0),
    [("add", 2.0), (0.5, 1.0)],
    5,
]


@pytest.mark.parametrize("command", COMMANDS)
def test_structure(command):
    alike(by_structure, 1.5, [command, "ab"])


def by_type(x):
    match x:
        case int(n) if n > 5:
            return n * 2.0
        case float(y):
            return y * y
        case np.ndarray(shape=(n, k)):
            return x.sum() * n * k
        case np.ndarray():
            return x.sum()
        case 0 | 1:
            return 1.0
        case None:
            return 0.5


@pytest.mark.parametrize("x", [7, 1, 2.5, np.ones((2, 3)), np.ones(2), None, "a"])
def test_classes(x):
    alike(by_type, x)


def by_parts(x, y):
    match (x, y):
        case (0, v) | (v, 0):
            return v * 2
        case (a, b) if (s := a + b) > 3:
            return s * a
        case (a, b):
            return a * b


@pytest.mark.parametrize(("x", "y"), [(0.0, 2.0), (2.0, 0.0), (2.0, 3.0), (1.0, 1.5)])
def test_parts_at_run_time(x, y):
    alike(by_parts, x, y)
    found = sg.grad(by_parts, (0, 1))(x, y)
    eps = 1e-7
    slopes = [(by_parts(x + eps, y) - by_parts(x, y)) / eps]
    slopes += [(by_parts(x, y + eps) - by_parts(x, y)) / eps]
    if x and y:
        np.testing.assert_allclose(found, slopes, rtol=1e-5)


def too_many(p):
    match p:
        case Point(1.0, 2.0, 3.0):
            return 1.0
    return 2.0


def not_all(x):
    match x > 0, x < 1:
        case True, True:
            return x
        case True, False:
            return x * 2
        case False, _:
            return x * 3


def without_an_end(x):
    match x > 0:
        case True:
            return x


def test_errors():
    alike(too_many, Point(1.0, 2.0))
    for x in (0.5, 1.5, -1.0):
        alike(not_all, x)


def leaves_early(x):
    def fill(out, v):
        if v < 0:
            return
        out[0] = v

    out = np.ones(2)
    return fill(out, x) is None, out


def test_returning_nothing_on_every_way():
    alike(leaves_early, 2.0)
    alike(leaves_early, -2.0)


def test_a_function_that_may_come_to_its_end():
    alike(without_an_end, 2.0)
    alike(without_an_end, -2.0)
