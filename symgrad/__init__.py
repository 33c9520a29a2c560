"""symgrad: a compiler from NumPy functions to NumPy functions that compute derivatives."""

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .errors import SymgradError, SymgradWarning
from .runtime import (
    CompiledFunction,
    compile,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    spec,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)

if TYPE_CHECKING:
    from .runtime import autograd as autograd
    from .runtime import tree as tree

__all__ = [
    "CompiledFunction",
    "SymgradError",
    "SymgradWarning",
    "__version__",
    "autograd",
    "compile",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "spec",
    "stop_gradient",
    "tree",
    "value_and_grad",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    """Rooms that are imported when they are first used."""
    if name in ("testing", "nn", "tree", "autograd"):
        import importlib

        room = f"{__name__}.runtime" if name in ("tree", "autograd") else __name__
        where = f"{room}.{name}"
        found = globals()[name] = importlib.import_module(where)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
