"""Comparing generated code with what was expected."""

from __future__ import annotations

import difflib
import os
import textwrap
from pathlib import Path
from typing import Any

UPDATE = "SYMGRAD_UPDATE_SOURCES"
"""The environment variable that makes files of expected code be written anew."""


def assert_source_equal(function: Any, expected: str | os.PathLike[str]) -> None:
    """The generated code of ``function`` is ``expected``, blank lines and
    the indentation of the whole aside.

    Args:
        function: a compiled function that has been called or lowered, the result of
            ``lower``, or a text.
        expected: the code; a triple-quoted text may be indented like its surroundings. Or the
            path of a file that has it: with pytest's option ``--update-sources``, or the
            environment variable ``SYMGRAD_UPDATE_SOURCES=1``, the file is written instead.

    Raises:
        AssertionError: with a unified diff; or there is no such file.

    Example:
        >>> testing.assert_source_equal("h = np.exp(x)", "    h = np.exp(x)")
    """
    text = function if isinstance(function, str) else function.source
    wanted = expected if isinstance(expected, str) else _stored(Path(expected), text)
    now, lines = _lines(text), _lines(wanted)
    if now != lines:
        name = "expected" if isinstance(expected, str) else os.fspath(expected)
        diff = difflib.unified_diff(lines, now, name, "generated", lineterm="")
        raise AssertionError("\n".join(diff))


def _stored(path: Path, text: str) -> str:
    """What the file has; the text, after writing it there if that is asked for."""
    if os.environ.get(UPDATE, "") not in ("", "0"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return text
    if not path.exists():
        raise AssertionError(
            f"there is no {path} to compare with; pytest --update-sources writes it"
        )
    return path.read_text(encoding="utf-8")


def _lines(text: str) -> list[str]:
    lines = textwrap.dedent(text).strip("\n").splitlines()
    return [line.rstrip() for line in lines if line.strip()]
