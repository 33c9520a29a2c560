"""A module that can be run without symgrad."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputTypeError
from .function import Emitted

LITERALS = (str, int, bool, float, type(None))


def module_text(
    emitted: Emitted,
    origin: str = "",
    version: str = "",
    kinds: str = "",
    fixed: Mapping[str, Any] | None = None,
) -> str:
    """The text of a module that defines the function and needs NumPy only (and what else the
    function itself uses).

    Args:
        emitted: the generated code.
        origin: where it comes from, for the first line.
        version: symgrad's version, for the first line.
        kinds: of the arguments that the code is for.
        fixed: arguments that the code is for one value of; others are refused.

    Raises:
        InputTypeError: the result contains objects that cannot be imported by name.
    """
    title = (
        f"{emitted.name}, generated from {origin}"
        if origin
        else f"{emitted.name}, generated"
    )
    maker = f"symgrad {version}".strip()
    head = [f'"""{title} by {maker} (NumPy {np.__version__}).']
    if kinds:
        head += ["", *textwrap.wrap(f"For arguments {kinds}.", 88, break_long_words=False)]
    head = [*head[:-1], f'{head[-1]}"""', ""]
    imports = sorted({*emitted.imports, *_bound(emitted.bindings)}, key=_import_order)
    exported = ["", f'__all__ = ["{emitted.name}"]', "", "", ""]
    text = _guarded(emitted, fixed or {})
    return "\n".join([*head, *imports, *exported]) + text


def _guarded(emitted: Emitted, fixed: Mapping[str, Any]) -> str:
    """The code, which refuses other values of arguments that it is for one value of."""
    tests = []
    for name, value in fixed.items():
        if type(value) in LITERALS and value == value:
            other = "is not" if value is None or value is True or value is False else "!="
            told = repr(f"this code is for {name}={value!r}")
            tests += [
                f"    if {name} {other} {value!r}:",
                f"        raise ValueError({told})",
            ]
    lines = emitted.text.splitlines()
    start = next(i for i, t in enumerate(lines) if t.startswith(f"def {emitted.name}("))
    body = next(i for i in range(start, len(lines)) if lines[i].startswith('    """')) + 1
    return "\n".join([*lines[:body], *tests, *lines[body:]]) + "\n"


def _import_order(line: str) -> tuple[bool, str]:
    return (line.startswith("from"), line)


def _bound(bindings: dict[str, Any]) -> list[str]:
    lines = []
    for name, thing in bindings.items():
        module, path = (
            getattr(thing, "__module__", None),
            getattr(thing, "__qualname__", ""),
        )
        importable = inspect.isclass(thing) and module not in (None, "__main__")
        if not importable or not path.isidentifier():
            raise InputTypeError(
                f"the result contains {thing!r}, which an exported module cannot import; "
                "define it at the top level of a module, or return a tuple or dict"
            )
        renamed = "" if path == name else f" as {name}"
        lines.append(f"from {module} import {path}{renamed}")
    return lines
