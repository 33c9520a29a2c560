"""symgrad: a compiler from NumPy functions to NumPy functions that compute derivatives."""

from ._version import __version__
from .errors import SymgradError, SymgradWarning
from .runtime import CompiledFunction, compile, grad, spec, value_and_grad

__all__ = [
    "CompiledFunction",
    "SymgradError",
    "SymgradWarning",
    "__version__",
    "compile",
    "grad",
    "spec",
    "value_and_grad",
]
