"""Neural networks: modules and their parameters on top of the compiler.

``parameter`` and ``module`` are the base (``registry``: what a module's attributes are,
``walking``: going through a tree of modules, ``state``: saving and conversion, ``printing``),
``hooks`` and ``handles`` what users hang on them, ``containers`` lists and dicts of modules.
``layers`` has layers and losses as modules, ``functional`` the same as functions, ``init``
initial values.
"""

from . import functional, init, layers
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .handles import RemovableHandle
from .layers import *  # noqa: F403
from .module import Module
from .parameter import Parameter

__all__ = [
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterList",
    "RemovableHandle",
    "Sequential",
    "functional",
    "init",
    "layers",
    *layers.__all__,
]
