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


def write_module(specialisation: Specialisation, path: str | os.PathLike[str]) -> None:
    """Write the specialisation's code to ``path``; what it captures are arguments there."""
    from ..emit import module_text

    program = specialisation.program
    origin = program.initial.origin
    text = module_text(program.emitted, str(origin) if origin else "", __version__)
    written(text, path)
