"""Which generated line comes from which of the user's lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..source import Span


@dataclass(frozen=True, slots=True)
class LineMap:
    """Lines are counted from 1 on both sides.

    ``derived`` are the generated lines that belong to a derivative; ``rules`` says which
    derivative rules may be behind each of them: those of the operations of the user's line.

    >>> LineMap({3: span}).to_original(3)
    Span(...)
    """

    spans: Mapping[int, Span] = field(default_factory=dict)
    derived: frozenset[int] = frozenset()
    rules: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def to_original(self, line: int) -> Span | None:
        """The user's code that generated line ``line`` comes from."""
        return self.spans.get(line)

    def to_generated(self, line: int, filename: str | None = None) -> tuple[int, ...]:
        """The generated lines that come from line ``line`` of the user's file."""
        return tuple(
            number
            for number, span in self.spans.items()
            if span.line <= line <= span.end_line
            and filename in (None, span.source.filename)
        )

    def __iter__(self) -> Iterator[tuple[int, Span]]:
        return iter(self.spans.items())

    def __len__(self) -> int:
        return len(self.spans)
