"""Long functions compile: nothing recurses over the length of the program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([0.1, 0.2])


def straight(count: int) -> tuple[Any, str]:
    """A function of ``count`` statements, and its text."""
    lines = ["def f(x):", "    a0 = x"]
    lines += [
        f"    a{i} = np.sin(a{i - 1}) + {i % 3}.5 * a{max(i - 2, 0)} / 4"
        for i in range(1, count)
    ]
    lines.append(f"    return np.sum(a{count - 1})")
    scope: dict[str, Any] = {"np": np}
    exec("\n".join(lines), scope)
    return scope["f"], "\n".join(lines)


def test_two_thousand_statements() -> None:
    f, text = straight(2000)
    assert sg.compile(f, source=text)(X) == pytest.approx(f(X), rel=1e-12)


def test_the_gradient_of_a_long_function() -> None:
    f, text = straight(500)
    gradient = sg.grad(sg.compile(f, source=text))(X)
    step = np.array([0.0, 1e-6])
    slope = (f(X + step) - f(X - step)) / 2e-6
    assert gradient[1] == pytest.approx(slope, rel=1e-4, abs=1e-9)


def test_a_long_row_of_stores() -> None:
    lines = [f"    x[{i}] = x[{i}] * 2.0 + x[{i * 7 % 400}]" for i in range(400)]
    text = "\n".join(["def f(x):", *lines, "    return np.sum(x)"])
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    mine, theirs = np.ones(400), np.ones(400)
    assert sg.compile(scope["f"], source=text)(mine) == scope["f"](theirs)
    assert np.array_equal(mine, theirs)
