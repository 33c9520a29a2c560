"""Comparing generated code with what was expected."""

from __future__ import annotations

import difflib
import textwrap
from typing import Any


def assert_source_equal(function: Any, expected: str) -> None:
    """The generated code of ``function`` is ``expected``, blank lines and
    the indentation of the whole aside.

    Args:
        function: a compiled function that has been called or lowered, the result of
            ``lower``, or a text.
        expected: the code; a triple-quoted text may be indented like its surroundings.

    Raises:
        AssertionError: with a unified diff.
    """
    text = function if isinstance(function, str) else function.source
    now, wanted = _lines(text), _lines(expected)
    if now != wanted:
        diff = difflib.unified_diff(wanted, now, "expected", "generated", lineterm="")
        raise AssertionError("\n".join(diff))


def _lines(text: str) -> list[str]:
    lines = textwrap.dedent(text).strip("\n").splitlines()
    return [line.rstrip() for line in lines if line.strip()]
