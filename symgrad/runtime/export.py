"""Generated code as a module of its own, which needs NumPy only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .._version import __version__

if TYPE_CHECKING:
    from .specialise import Specialisation


def written(text: str, path: str | os.PathLike[str] | None) -> str:
    """``text``, also written to a file if there is a path."""
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text


def write_module(
    specialisation: Specialisation, path: str | os.PathLike[str], format: str
) -> None:
    """Write the specialisation's code to ``path``; what it captures are arguments there."""
    if format != "py":
        raise ValueError(f'export: the format is "py", a module of Python, not {format!r}')
    from ..emit import module_text
    from ..ir.tree import Node

    program = specialisation.program
    origin = program.initial.origin
    fixed = {
        argument.name: argument.tree.value
        for argument in program.initial.arguments
        if isinstance(argument.tree, Node) and argument.tree.kind == "static"
    }
    place = str(origin) if origin else ""
    text = module_text(program.emitted, place, __version__, specialisation.key, fixed)
    written(text, path)
