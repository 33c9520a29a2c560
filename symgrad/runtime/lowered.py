"""One specialisation as an object to look at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .export import write_module, written
from .listing import Listing

if TYPE_CHECKING:
    from ..ir.values import Function
    from .pipeline import Passes
    from .saved import Saved
    from .specialise import Specialisation


class LoweredFunction:
    """What a function becomes for one kind of arguments: ``lower`` returns it."""

    __slots__ = ("_passes", "lengths", "specialisation")

    def __init__(
        self, specialisation: Specialisation, lengths: dict[Any, Any] | None = None
    ) -> None:
        self.specialisation = specialisation
        self.lengths = lengths or {}
        self._passes: Passes | None = None

    @property
    def key(self) -> str:
        """The kinds of arguments that the code is for."""
        return self.specialisation.key

    @property
    def source(self) -> str:
        """The generated code."""
        return self.specialisation.program.source

    @property
    def filename(self) -> str:
        """The name under which tracebacks and debuggers know the code."""
        return self.specialisation.program.filename

    @property
    def ir(self) -> Listing:
        """The IR as the front end made it, derivatives not yet expanded: a text to print, and
        operations to iterate over."""
        return Listing(self.function)

    @property
    def function(self) -> Function:
        """The IR behind ``ir``, as an object."""
        return self.specialisation.program.initial

    @property
    def passes(self) -> Passes:
        """``(name, text)`` for the IR after lowering and after each pass that changed it;
        ``.diff(i)`` says what number ``i`` changed."""
        if self._passes is None:
            self._passes = self.specialisation.program.passes()
        return self._passes

    @property
    def line_map(self) -> Any:
        """Which line of the user's each generated line comes from:
        ``.to_original(line)``, ``.to_generated(line)``, and ``.rules[line]``, the derivative
        rules behind it."""
        from .explain import line_map

        return line_map(self.specialisation.program)

    @property
    def saved(self) -> Saved:
        """What is kept for the backward; for what lengths is said by the arguments given to
        ``lower``."""
        from .saved import saved_values

        return saved_values(self.specialisation.program.final, self.lengths)

    def explain(self, what: str | int) -> str:
        """How a gradient, by its name in the generated code, or a line of the user's came
        about."""
        from .explain import explain

        return explain(self.specialisation.program, what)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The user's code and the generated code side by side as a page of HTML, whose lines
        light up together; also written to ``path``."""
        from .html import page

        return written(page(self.specialisation.program), path)

    def to_dot(self, max_nodes: int = 200) -> str:
        """The operations as a graph in the language of Graphviz, by the user's lines. Where
        there are more than ``max_nodes``, lines stand for their operations."""
        from .dot import dot

        return dot(self.specialisation.program.final, max_nodes)

    def to_svg(
        self, path: str | os.PathLike[str] | None = None, max_nodes: int = 200
    ) -> str:
        """The graph drawn by Graphviz's program ``dot``; also written to ``path``.

        Raises:
            MissingToolError: there is no such program.
        """
        from .dot import drawn

        return written(drawn(self.to_dot(max_nodes)), path)

    def _repr_html_(self) -> str:
        return self.to_html()

    def as_text(self) -> str:
        """The generated code."""
        return self.source

    def export(self, path: str | os.PathLike[str], format: str = "py") -> None:
        """Write a module that needs NumPy only.

        Raises:
            ValueError: ``format`` is not ``"py"``, the only one there is.
        """
        write_module(self.specialisation, path, format)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run this code; the arguments must be of the kind it was made for."""
        captured = self.specialisation.admit(*args, **kwargs)
        if captured is None:
            raise TypeError(f"this code is for arguments {self.key}")
        return self.specialisation.program.call(*args, **kwargs, **captured)

    def __repr__(self) -> str:
        return f"<symgrad lowered {self.specialisation.program.emitted.name}{self.key}>"
