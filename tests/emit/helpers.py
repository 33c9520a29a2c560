"""Functions given as IR text, emitted and run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.emit import Emitted, emit, load
from symgrad.ir.parser import parse
from symgrad.ir.values import Function
from symgrad.ops import TABLE
from symgrad.transforms.memory.reuse import reuse


def function_of(text: str) -> Function:
    """IR text as a function."""
    return parse(text.strip() + "\n", TABLE)


def emitted(text: str, *, buffers: bool = True) -> Emitted:
    """The code for IR text; ``buffers=False`` leaves the reuse pass out."""
    function = function_of(text)
    return emit(reuse(function) if buffers else function)


def body(text: str, *, buffers: bool = True) -> str:
    """The generated lines after the docstring, without indentation of the function."""
    lines = emitted(text, buffers=buffers).text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith('"""'))
    return "\n".join(line.removeprefix("    ") for line in lines[start + 1 :])


def loaded(text: str) -> Callable[..., Any]:
    """The generated function."""
    return load(emitted(text), "<symgrad tests>")
