"""The IR of a function as it is shown: a text, and its operations one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ir.values import Function, Op


@dataclass(frozen=True, slots=True, repr=False)
class Listing:
    """The IR of a function; ``str`` gives its text, and iterating over it its operations, those
    inside of loops, branches and derivatives too.

    Each operation has a ``name``, ``inputs`` and ``results`` (values with ``name`` and ``type``),
    and ``span``, the user's line that it comes from.
    """

    function: Function

    def __str__(self) -> str:
        from ..ir.printer import to_text

        return to_text(self.function)

    __repr__ = __str__

    def __iter__(self) -> Iterator[Op]:
        return iter(self.function.block.walk())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, part: object) -> bool:
        return (
            part in str(self) if isinstance(part, str) else any(op is part for op in self)
        )


__all__ = ["Listing"]
