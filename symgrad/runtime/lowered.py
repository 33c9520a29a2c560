"""One specialisation as an object to look at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .export import write_module

if TYPE_CHECKING:
    from ..ir.values import Function
    from .pipeline import PassRecord
    from .specialise import Specialisation


class LoweredFunction:
    """What a function becomes for one kind of arguments: ``lower`` returns it."""

    __slots__ = ("_passes", "specialisation")

    def __init__(self, specialisation: Specialisation) -> None:
        self.specialisation = specialisation
        self._passes: tuple[PassRecord, ...] | None = None

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
    def ir(self) -> str:
        """The IR as the front end made it, derivatives not yet expanded."""
        from ..ir.printer import to_text

        return to_text(self.function)

    @property
    def function(self) -> Function:
        """The IR behind ``ir``, as an object."""
        return self.specialisation.program.initial

    @property
    def passes(self) -> tuple[PassRecord, ...]:
        """``(name, text)`` for the IR after lowering and after each pass that changed it."""
        if self._passes is None:
            self._passes = self.specialisation.program.passes()
        return self._passes

    @property
    def line_map(self) -> Any:
        """Which line of the user's each generated line comes from."""
        return self.specialisation.program.emitted.line_map

    def as_text(self) -> str:
        """The generated code."""
        return self.source

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write a module that needs NumPy only."""
        write_module(self.specialisation, path)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run this code; the arguments must be of the kind it was made for."""
        captured = self.specialisation.admit(*args, **kwargs)
        if captured is None:
            raise TypeError(f"this code is for arguments {self.key}")
        return self.specialisation.program.call(*args, **kwargs, **captured)

    def __repr__(self) -> str:
        return f"<symgrad lowered {self.specialisation.program.emitted.name}{self.key}>"
