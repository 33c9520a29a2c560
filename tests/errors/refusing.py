"""What a refusal has to have: its class, the builtin class, file, line, caret, key words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import SymgradError

X = np.arange(20.0).reshape(4, 5) % 7 - 2.5
W = np.array([0.3, -1.2, 2.4, 0.9, 1.1])
S = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.8]])
I = np.array([2, 0, 1, 4, 3])  # noqa: E741
Z = np.array([0.3 + 1.2j, -0.7 + 0.4j, 1.1 - 0.9j])
GIVEN = {"x": X, "w": W, "s": S, "i": I, "z": Z, "t": 0.7, "n": 3, "flag": True}


def arguments(function: Callable[..., Any]) -> list[Any]:
    """Arguments for the names of the parameters."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [GIVEN[name] for name in names]


def refused(
    function: Callable[..., Any], error: type[SymgradError], words: str
) -> SymgradError:
    """The refusal of ``function``: its message has ``words``, a regular expression, and its
    text points into the function."""
    with pytest.raises(error) as caught:
        sg.compile(function).lower(*arguments(function))
    refusal = caught.value
    assert type(refusal) is error
    assert re.search(words, refusal.message), (
        refusal.message
    )  # the line has the words as well
    code = function.__code__
    assert refusal.filename == code.co_filename
    lines = [line for *_, line in code.co_lines() if line]
    lines += [p for span in code.co_positions() for p in span[:2] if p]
    assert min(lines) <= refusal.lineno <= max(lines)
    assert f'File "{code.co_filename}", line {refusal.lineno}\n' in str(refusal)
    assert str(refusal).rstrip().endswith("^")
    return refusal
