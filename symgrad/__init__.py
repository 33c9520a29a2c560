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
    from .runtime import autograd as autograd
    from .runtime import tree as tree
    from .runtime.inserting import insert_grad_of as insert_grad_of
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
    "spec",
    "stop_gradient",
    "tree",
    "value_and_grad",
    "vjp",
    "vmap",
]


_CUSTOM = (
    "Function",
    "custom_jvp",
    "custom_vjp",
    "def_rule",
    "elementwise",
    "once_differentiable",
)


def __getattr__(name: str) -> Any:
    """Rooms that are imported when they are first used."""
    if name in ("testing", "nn", "optim", "tree", "autograd"):
        import importlib

        room = f"{__name__}.runtime" if name in ("tree", "autograd") else __name__
        where = f"{room}.{name}"
        found = globals()[name] = importlib.import_module(where)
        return found
    if name == "insert_grad_of":
        from .runtime import inserting

        globals()[name] = inserting.insert_grad_of
        return inserting.insert_grad_of
    if name in _CUSTOM:
        from . import custom

        found = globals()[name] = getattr(custom, name)
        return found
    if name in ("enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"):
        from .runtime import tracking

        found = globals()[name] = getattr(tracking, name)
        return found
    if name == "config":
        from .runtime import settings

        globals()[name] = settings.config
        return settings.config
    if name in ("load", "save"):
        from . import saving

        found = globals()[name] = getattr(saving, name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
