"""symgrad: a compiler from NumPy functions to NumPy functions that compute derivatives."""

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .errors import SymgradError, SymgradWarning
from .runtime import (
    CompiledFunction,
    compile,
    grad,
    hvp,
    jvp,
    linearize,
    spec,
    value_and_grad,
    vjp,
)

if TYPE_CHECKING:
    from .runtime import tree as tree

__all__ = [
    "CompiledFunction",
    "SymgradError",
    "SymgradWarning",
    "__version__",
    "compile",
    "grad",
    "hvp",
    "jvp",
    "linearize",
    "spec",
    "tree",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> Any:
    """Rooms that are imported when they are first used."""
    if name in ("testing", "nn", "tree"):
        import importlib

        where = f"{__name__}.runtime.tree" if name == "tree" else f"{__name__}.{name}"
        found = globals()[name] = importlib.import_module(where)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
