"""Random control flow on numbers: values and what is raised as in Python, to the last bit; the two
modes of derivatives agree. ``make fuzz`` runs many."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given as drawn
from hypothesis import note
from hypothesis import strategies as st

import symgrad as sg

from . import checking
from .control import Control
from .drawing import many

X = np.array([0.4, -0.7, 0.9])
POINTS = ((0.43, 3), (0.9, 1), (-0.2, 4))


@st.composite
def texts(draw: Any) -> str:
    """A module's text."""
    return Control(lambda n: int(draw(st.integers(0, n - 1)))).text()


@many
@drawn(texts())
def test_control(tmp_path_factory: Any, text: str) -> None:
    note(text)
    path: Path = tmp_path_factory.mktemp("control") / "program.py"
    try:
        check(checking.load(text, path, "fuzzed_control").f)
    finally:
        del sys.modules["fuzzed_control"]


def check(f: Any) -> None:
    """Values at each point, derivatives where they are moderate."""
    compiled, slope = sg.compile(f), sg.value_and_grad(f, argnums=(0, 2))
    for s, n in POINTS:
        value = outcome(f, s, n)
        found = outcome(compiled, s, n)
        assert type(found) is type(value), (s, n, found, value)
        if isinstance(value, Exception) or not math.isfinite(value) or abs(value) > 1e6:
            continue
        assert found == value, (s, n)
        again, (by_s, by_x) = slope(s, n, X)
        moved = sg.jvp(lambda s, x, n=n: f(s, n, x), (s, X), (1.0, X))[1]
        assert again == value, (s, n)
        np.testing.assert_allclose(by_s + by_x @ X, moved, rtol=1e-9, atol=1e-9)


def outcome(f: Any, s: float, n: int) -> Any:
    """What a call gives or raises."""
    try:
        return f(s, n, X)
    except (ArithmeticError, UnboundLocalError) as error:
        return error
