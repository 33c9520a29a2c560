"""Names for the generated code: the user's where possible, each given once."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

TEMPORARY = ("t", "r", "v", "q", "w", "tmp")
RESERVED = (
    frozenset(keyword.kwlist)
    | frozenset(dir(builtins))
    | {"np", "math", "cmath", "builtins"}
)


def is_name(text: str) -> bool:
    """Whether ``text`` can be written as a variable."""
    return text.isidentifier() and not keyword.iskeyword(text)


def clean(hint: str) -> str:
    """The hint as an identifier; empty if nothing is left of it."""
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in hint).strip()
    if not text or not text.strip("_"):
        return ""
    return text if is_name(text) else f"v_{text}" if text[0].isdigit() else text


class Names:
    """Gives out names that are not yet taken.

    >>> names = Names(["x"])
    >>> names.new("x"), names.new("x"), names.new("sum")
    ('x_1', 'x_2', 'sum_1')
    """

    __slots__ = ("_next", "_stem", "taken")

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken) | RESERVED
        self._next: dict[str, int] = {}
        self._stem = ""

    def new(self, hint: str) -> str:
        """A free name like ``hint``."""
        stem = clean(hint) or "t"
        if stem not in self.taken:
            self.taken.add(stem)
            return stem
        number = self._next.get(stem, 1)
        while f"{stem}_{number}" in self.taken:
            number += 1
        self._next[stem] = number + 1
        name = f"{stem}_{number}"
        self.taken.add(name)
        return name

    def temporary(self, wishes: Iterable[str]) -> str:
        """A free name for something nameless, unlike any name that is wished for."""
        if not self._stem:
            avoided = self.taken | set(wishes)
            self._stem = next((s for s in TEMPORARY if s not in avoided), TEMPORARY[0])
        return self.new(self._stem)
