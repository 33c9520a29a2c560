"""A module that can be run without symgrad."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..errors import InputTypeError
from .function import Emitted


def module_text(emitted: Emitted, origin: str = "", version: str = "") -> str:
    """The text of a module that defines the function and needs NumPy only (and what else the
    function itself uses).

    Args:
        emitted: the generated code.
        origin: where it comes from, for the first line.
        version: symgrad's version, for the first line.

    Raises:
        InputTypeError: the result contains objects that cannot be imported by name.
    """
    title = (
        f"{emitted.name}, generated from {origin}"
        if origin
        else f"{emitted.name}, generated"
    )
    maker = f"symgrad {version}".strip()
    head = [f'"""{title} by {maker} (NumPy {np.__version__})."""', ""]
    imports = sorted({*emitted.imports, *_bound(emitted.bindings)}, key=_import_order)
    exported = ["", f'__all__ = ["{emitted.name}"]', "", "", ""]
    return "\n".join([*head, *imports, *exported]) + emitted.text


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
