"""Generated code as a module of its own, which needs NumPy only."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any

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
    """Write the specialisation's code to ``path``; what it captures are arguments there. Numbers,
    strings and tuples of them are defaults there too, where the code is for such arguments."""
    if format != "py":
        raise ValueError(f'export: the format is "py", a module of Python, not {format!r}')
    from ..emit.export import Interface, module_text
    from ..ir.tree import Node

    program = specialisation.program
    origin = program.initial.origin
    fixed = {
        argument.name: argument.tree.value
        for argument in program.initial.arguments
        if isinstance(argument.tree, Node) and argument.tree.kind == "static"
    }
    place = str(origin) if origin else ""
    signature = specialisation.signature or inspect.Signature()
    defaults = {
        argument.name: signature.parameters[argument.name].default
        for argument in program.initial.arguments
        if argument.name in signature.parameters
        and argument.capture is None
        and _is_like(argument.tree, signature.parameters[argument.name].default)
    }
    named = {a.name for a in program.initial.arguments if a.capture is not None}
    interface = Interface(fixed, defaults, frozenset(named))
    text = module_text(program.emitted, place, __version__, specialisation.key, interface)
    written(text, path)


def _is_like(tree: Any, default: Any) -> bool:
    """Whether code for arguments like ``tree`` is for a default too, and that can be written
    as it is."""
    from ..emit.export import LITERALS
    from ..ir.tree import Node
    from ..ir.types import ScalarType

    if not isinstance(tree, Node):
        t = tree.type
        return isinstance(t, ScalarType) and type(default).__name__ == t.kind
    if tree.kind == "static":
        literal = type(default) in LITERALS and type(default) is type(tree.value)
        return literal and bool(tree.value == default)
    same = tree.kind == "tuple" and type(default) is tuple and tree.cls is None
    return (
        same
        and len(default) == len(tree.children)
        and all(map(_is_like, tree.children, default))
    )
