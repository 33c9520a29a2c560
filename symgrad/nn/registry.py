"""What a module's attributes are: parameters, buffers, modules, or nothing special.

The values are ordinary attributes; ``_kinds`` says of which names they are registered, in order:
``"parameter"``, ``"module"``, ``"buffer"``, or ``"buffer (not saved)"``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParameterNameError
from .parameter import Parameter

if TYPE_CHECKING:
    from .module import Module

TRANSIENT = "buffer (not saved)"


def assign(module: Module, name: str, value: Any) -> None:
    """``module.name = value``.

    Raises:
        AttributeError: a parameter or module comes before ``super().__init__()``.
        TypeError: something of another kind is put over what is registered.
    """
    from .module import Module

    kinds = module.__dict__.get("_kinds")
    special = isinstance(value, Parameter | Module)
    if kinds is None:
        if special:
            raise AttributeError(
                f"`{name}` is assigned before {type(module).__name__}.__init__ has called "
                "super().__init__()"
            )
        object.__setattr__(module, name, value)
    elif special:
        kind = "parameter" if isinstance(value, Parameter) else "module"
        _put(module, name, value, kind)
    else:
        if name in kinds and value is not None:
            if kinds[name].startswith("buffer") and isinstance(value, np.generic):
                value = np.array(value)  # what arithmetic makes of an array of rank 0
            _check_over(kinds[name], name, value)
        object.__setattr__(module, name, value)


def _check_over(kind: str, name: str, value: Any) -> None:
    if kind.startswith("buffer") and isinstance(value, np.ndarray):
        return
    wanted = {"parameter": "a Parameter", "module": "a Module"}.get(kind, "an array")
    advice = ""
    if kind == "parameter" and isinstance(value, np.ndarray):
        advice = f"; to change its values, write `self.{name}.data[...] = ...`"
    word = kind.partition(" ")[0]
    raise TypeError(
        f"`{name}` is a {word}: only {wanted} or None can be assigned to it, not "
        f"{type(value).__name__}{advice}"
    )


def register_parameter(module: Module, name: str, value: Any) -> None:
    """See ``Module.register_parameter``."""
    check_name(module, name, "parameter")
    if value is not None and not isinstance(value, Parameter):
        raise TypeError(f"`{name}` has to be a Parameter, not {type(value).__name__}")
    _put(module, name, value, "parameter")


def register_buffer(module: Module, name: str, value: Any, persistent: bool) -> None:
    """See ``Module.register_buffer``."""
    check_name(module, name, "buffer")
    if value is not None and not isinstance(value, np.ndarray):
        raise TypeError(f"`{name}` has to be an array, not {type(value).__name__}")
    _put(module, name, value, "buffer" if persistent else TRANSIENT)


def register_module(module: Module, name: str, value: Any) -> None:
    """See ``Module.register_module``."""
    from .module import Module

    check_name(module, name, "module")
    if value is not None and not isinstance(value, Module):
        raise TypeError(f"`{name}` has to be a Module, not {type(value).__name__}")
    _put(module, name, value, "module")


def _put(module: Module, name: str, value: Any, kind: str) -> None:
    module._kinds[name] = kind
    module.__dict__[name] = value


def check_name(module: Module, name: Any, kind: str) -> None:
    """Refuse a name that cannot be registered."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a {kind} is a string, not {type(name).__name__}")
    if "_kinds" not in module.__dict__:
        raise AttributeError(
            f"`{name}` is registered before {type(module).__name__}.__init__ has called "
            "super().__init__()"
        )
    if not name or "." in name:
        what = "contain a dot" if name else "be empty"
        raise ParameterNameError(f"the name of a {kind} cannot {what}: {name!r}")
    known = module._kinds.get(name, "")
    if known.partition(" ")[0] != kind and hasattr(module, name):
        raise ParameterNameError(
            f"{type(module).__name__} has an attribute `{name}` already, which is no {kind}"
        )
