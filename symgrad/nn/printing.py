"""A module as text: its class, what ``extra_repr`` says, its children indented."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import Module


def text(module: Module, *, fold: bool = False) -> str:
    """The text of ``repr(module)``; with ``fold`` equal children in a row are one line."""
    extra = module.extra_repr()
    title = type(module).__name__
    lines = extra.splitlines()
    shown = [(name, repr(child)) for name, child in module._own("module")]
    rows = _folded(shown) if fold else [(f"({name})", each) for name, each in shown]
    children = [f"{name}: {_indented(each)}" for name, each in rows]
    if not children and len(lines) <= 1:
        return f"{title}({extra})"
    inside = "".join(f"  {line}\n" for line in (*lines, *children))
    return f"{title}(\n{inside})"


def _folded(shown: list[tuple[str, str]]) -> list[tuple[str, str]]:
    rows = []
    for each, group in groupby(shown, key=lambda entry: entry[1]):
        names = [name for name, _ in group]
        if len(names) == 1:
            rows.append((f"({names[0]})", each))
        else:
            rows.append((f"({names[0]}-{names[-1]})", f"{len(names)} x {each}"))
    return rows


def _indented(lines: str) -> str:
    return lines.replace("\n", "\n  ")
