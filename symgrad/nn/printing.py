"""A module as text: its class, what ``extra_repr`` says, its children indented."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import Module


def text(module: Module) -> str:
    """The text of ``repr(module)``."""
    extra = module.extra_repr()
    title = type(module).__name__
    lines = extra.splitlines()
    children = [
        f"({name}): {_indented(repr(child))}" for name, child in module._own("module")
    ]
    if not children and len(lines) <= 1:
        return f"{title}({extra})"
    inside = "".join(f"  {line}\n" for line in (*lines, *children))
    return f"{title}(\n{inside})"


def _indented(lines: str) -> str:
    return lines.replace("\n", "\n  ")
