"""Neural networks: modules and their parameters on top of the compiler.

``parameter`` and ``module`` are the base (``registry``: what a module's attributes are,
``walking``: going through a tree of modules, ``state``: saving and conversion, ``printing``),
``hooks`` and ``handles`` what users hang on them, ``containers`` lists and dicts of modules.
``training`` has ``backward`` (with ``gradient_hooks``) and ``value_and_grad``, ``without_state``
calls with other arrays than the module's own.
``layers`` has layers and losses as modules, ``functional`` the same as functions, ``init``
initial values. ``utils`` clips gradients, ``data`` goes through arrays in batches; ``models`` are
residual networks.
"""

from . import functional, init, layers, models, utils
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .data import DataLoader
from .handles import RemovableHandle
from .layers import *  # noqa: F403
from .module import Module
from .parameter import Parameter
from .training import backward, compiled_backward, value_and_grad
from .without_state import functional_call

__all__ = [
    "DataLoader",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RemovableHandle",
    "Sequential",
    "backward",
    "compiled_backward",
    "functional",
    "functional_call",
    "init",
    "layers",
    "models",
    "utils",
    "value_and_grad",
    *layers.__all__,
]
