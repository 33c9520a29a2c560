"""The lines of generated code: what they assign, and what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pipeline import Program


def lines_of(program: Program) -> list[str]:
    """The generated code."""
    return program.emitted.text.splitlines()


def names_of(program: Program) -> set[str]:
    """The variables that are assigned, or stored into."""
    return {name for text in lines_of(program) for name in targets_of(text)}


def targets_of(text: str) -> list[str]:
    """The variables that a line assigns, or stores into."""
    left = re.match(r"\s*([\w\s,.\[\]():-]+?) [-+*/@]?= ", text)
    if left is None:
        return []
    parts = re.sub(r"\[.*?\]", "", left[1]).split(",")
    return [part.strip() for part in parts if part.strip().isidentifier()]


def assigning(program: Program, name: str) -> list[int]:
    """Generated lines that assign ``name``, or a part of it."""
    return [n for n, text in enumerate(lines_of(program), 1) if name in targets_of(text)]


def around(lines: list[str], number: int) -> Iterator[int]:
    """The loops and branches around a generated line."""
    depth = depth_of(lines[number - 1])
    for n in range(number - 1, 0, -1):
        text = lines[n - 1]
        if text.strip() and depth_of(text) < depth:
            depth = depth_of(text) + text.lstrip().startswith(("else:", "elif "))
            if not text.lstrip().startswith("def "):
                yield n


def depth_of(text: str) -> int:
    """By how much a line is indented."""
    return len(text) - len(text.lstrip())


def indented(lines: list[str], number: int, first: int) -> str:
    """A line, indented as it is below the first one shown."""
    inside = depth_of(lines[number - 1]) - depth_of(lines[first - 1])
    return " " * max(inside, 0) + lines[number - 1].strip()


__all__ = ["around", "assigning", "indented", "lines_of", "names_of"]
