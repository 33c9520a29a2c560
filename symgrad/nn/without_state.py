"""``functional_call``: a module called with other arrays in place of its own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .. import extend
from .module import Module
from .parameter import Parameter


@extend.call_with_others
def functional_call(
    model: Module,
    params_and_buffers: Mapping[str, Any],
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
) -> Any:
    """``model(*args, **kwargs)``, with given arrays in place of parameters and buffers.

    The module itself is not touched. Inside compiled and differentiated functions the arrays
    may be values that are being computed, so that derivatives pass through them.

    Args:
        model: the module.
        params_and_buffers: arrays by dotted name; what is not named is the module's own. A
            parameter with several names is replaced under all of them.
        args: a tuple of positional arguments, or one that is no tuple or list.
        kwargs: keyword arguments.

    Raises:
        AttributeError: there is no parameter or buffer of a name.

    >>> from symgrad import nn
    >>> model = nn.Linear(2, 1, bias=False)
    >>> nn.functional_call(model, {"weight": np.array([[1.0, 10.0]])}, np.array([2.0, 3.0]))
    array([32.])
    """
    new = {}
    for name, value in params_and_buffers.items():
        array = value.data if isinstance(value, Parameter) else value
        new[id(_named(model, name))] = array
    inputs = args if isinstance(args, tuple | list) else (args,)
    return _copied(model, new, {})(*inputs, **(kwargs or {}))


def _named(model: Module, name: str) -> Any:
    for find in (model.get_parameter, model.get_buffer):
        with suppress(AttributeError):
            return find(name)
    raise AttributeError(f"{type(model).__name__} has no parameter or buffer `{name}`")


def _copied(x: Any, new: dict[int, Any], made: dict[int, Any]) -> Any:
    """``x`` with other arrays in it, modules and their lists being copied on the way."""
    if id(x) in new:
        return new[id(x)]
    if id(x) in made:
        return made[id(x)]
    if isinstance(x, Module):
        copy = made[id(x)] = object.__new__(type(x))
        for name, value in x.__dict__.items():
            registered = name in x._kinds or name == "_items"
            copy.__dict__[name] = _copied(value, new, made) if registered else value
        return copy
    if type(x) is list:
        return [_copied(item, new, made) for item in x]
    if type(x) is dict:
        return {key: _copied(item, new, made) for key, item in x.items()}
    return x
