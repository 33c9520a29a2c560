"""Places in the user's code: every IR value knows the span it came from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one file (or notebook cell), as lines without line ends."""

    filename: str
    lines: tuple[str, ...] = field(repr=False)

    def line(self, number: int) -> str:
        """Line ``number``, counted from 1; empty where there is none."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one or more lines: ``line`` from 1, ``column`` from 0, end exclusive.

    ``errstates`` are the keyword arguments of each ``with np.errstate(...)`` around it, the
    outermost first.
    """

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int
    errstates: tuple[tuple[tuple[str, str], ...], ...] = ()

    @property
    def text(self) -> str:
        """The first line of the span's statement, without indentation."""
        return self.source.line(self.line).strip()

    def caret(self) -> str:
        """File, line, the line's text and a caret under the span."""
        line = self.source.line(self.line)
        width = self.end_column - self.column if self.end_line == self.line else 1
        marker = " " * self.column + "^" * max(width, 1)
        where = f'  File "{self.source.filename}", line {self.line}'
        return f"{where}\n    {line}\n    {marker}".rstrip()

    def __str__(self) -> str:
        name = self.source.filename.rsplit("/", 1)[-1]
        return f"{name}:{self.line}"
