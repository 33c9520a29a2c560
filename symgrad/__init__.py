"""symgrad: a compiler from NumPy functions to NumPy functions that compute derivatives."""

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .errors import SymgradError, SymgradWarning
from .runtime import (
    CompiledFunction,
    checkpoint,
    checkpoint_name,
    checkpoint_policies,
    compile,
    debug_nans,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    remat,
    spec,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)

if TYPE_CHECKING:
    from .custom import Function as Function
    from .custom import custom_jvp as custom_jvp
    from .custom import custom_vjp as custom_vjp
    from .custom import def_rule as def_rule
    from .custom import elementwise as elementwise
    from .custom import once_differentiable as once_differentiable
    from .custom import unbroadcast as unbroadcast
    from .runtime import autograd as autograd
    from .runtime import tree as tree
    from .runtime.inserting import insert_grad_of as insert_grad_of
    from .runtime.inserting import set_trace as set_trace
    from .runtime.settings import config as config
    from .runtime.tracking import enable_grad as enable_grad
    from .runtime.tracking import is_grad_enabled as is_grad_enabled
    from .runtime.tracking import no_grad as no_grad
    from .runtime.tracking import set_grad_enabled as set_grad_enabled
    from .saving import load as load
    from .saving import save as save

__all__ = [
    "CompiledFunction",
    "Function",
    "SymgradError",
    "SymgradWarning",
    "__version__",
    "autograd",
    "checkpoint",
    "checkpoint_name",
    "checkpoint_policies",
    "compile",
    "config",
    "custom_jvp",
    "custom_vjp",
    "debug_nans",
    "def_rule",
    "elementwise",
    "enable_grad",
    "grad",
    "hessian",
    "hvp",
    "insert_grad_of",
    "is_grad_enabled",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "load",
    "no_grad",
    "once_differentiable",
    "remat",
    "save",
    "set_grad_enabled",
    "set_trace",
    "spec",
    "stop_gradient",
    "tree",
    "unbroadcast",
    "value_and_grad",
    "vjp",
    "vmap",
]


_LATER = {
    "custom": (
        "Function",
        "custom_jvp",
        "custom_vjp",
        "def_rule",
        "elementwise",
        "once_differentiable",
        "unbroadcast",
    ),
    "runtime.inserting": ("insert_grad_of", "set_trace"),
    "runtime.tracking": ("enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"),
    "runtime.settings": ("config",),
    "saving": ("load", "save"),
}
"""Where names are that are imported when they are first used."""
_ROOMS = {name: name for name in ("testing", "nn", "optim", "extend")}
_ROOMS |= {name: f"runtime.{name}" for name in ("tree", "autograd")}


def __getattr__(name: str) -> Any:
    """Rooms, and names of rooms, that are imported when they are first used."""
    import importlib

    found: Any = None
    if name in _ROOMS:
        found = importlib.import_module(f"{__name__}.{_ROOMS[name]}")
    for room, names in _LATER.items():
        if name in names:
            found = getattr(importlib.import_module(f"{__name__}.{room}"), name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
