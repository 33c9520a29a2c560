"""From a call to code: the pipeline of passes, specialisation, and what users hold in hand.

``pipeline.py`` says which passes run in which order, ``specialise.py`` makes code for one kind
of arguments, ``dispatch.py`` finds it again at the next call, ``compiled.py`` is the function
that users see, ``api.py`` the verbs that make one. May import every room before it. Importing
this room is cheap: the compiler itself is imported when something is compiled first.
"""

from . import checkpoint_policies
from .api import compile, grad, value_and_grad
from .batching import hessian, jacfwd, jacrev, vmap
from .checkpoints import checkpoint, checkpoint_name, remat
from .compiled import CompiledFunction
from .directional import hvp, jvp, linearize, stop_gradient, vjp
from .nans import debug_nans
from .trees import spec

__all__ = [
    "CompiledFunction",
    "checkpoint",
    "checkpoint_name",
    "checkpoint_policies",
    "compile",
    "debug_nans",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "remat",
    "spec",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "vmap",
]
