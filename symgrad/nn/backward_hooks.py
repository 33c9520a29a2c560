"""Full backward hooks: called when the gradients by a module's outputs, and then those by its
inputs, are there.

The gradients by the outputs arrive first (``arrived``); they are kept in a ``Pass``, an object of
its own for each call of the module, until those by the inputs do (``left``). If no input has a
gradient, there is nothing to wait for.

Hooks that return something are compiled, if they can be: they are part of the derivative then,
and what they return is differentiated again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import HookError
from ..extend import bent_call, new_call, tap_gradients

if TYPE_CHECKING:
    from .hooks import ModuleHooks
    from .module import Module

Gradients = tuple[Any, ...]


class Pass:
    """What is known on the way back through one call of a module."""

    __slots__ = ("grad_output",)

    def __init__(self) -> None:
        self.grad_output: Gradients = ()


def forward_and_back(
    module: Module, hooks: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``module.forward(*args, **kwargs)``, with the hooks on the way back; compiled code."""
    kinds = (hooks.backward_pre, hooks.backward)
    if any(hook.returns for kind in kinds for hook in kind.values()):
        found = bent_call(
            module.forward, by_outputs, by_inputs, (module, hooks), args, kwargs
        )
        if found is not None:
            return found[0]
    call = new_call(Pass)
    title = f"a backward hook of {type(module).__name__}"
    inputs = tap_gradients(title, left, (module, hooks), call, args)
    output = module.forward(*inputs, **kwargs)
    if isinstance(output, tuple):
        return tap_gradients(title, arrived, (module, hooks), call, output, args)
    if isinstance(output, list | dict) or output is None:
        raise TypeError(
            f"{type(module).__name__} has backward hooks: its output has to be an array or a "
            "tuple of arrays"
        )
    outputs = tap_gradients(title, arrived, (module, hooks), call, (output,), args)
    return outputs[0]


def by_outputs(module: Module, hooks: ModuleHooks, grads: Gradients) -> Gradients:
    """What hooks before make of the gradients by the outputs."""
    for hook in hooks.backward_pre.values():
        found = hook.function(module, grads)
        grads = _replaced(module, "backward pre-hook", found, grads)
    return grads


def by_inputs(
    module: Module, hooks: ModuleHooks, grads: Gradients, grad_output: Gradients
) -> Gradients:
    """What hooks after make of the gradients by the inputs."""
    for hook in hooks.backward.values():
        found = hook.function(module, grads, grad_output)
        grads = _replaced(module, "backward hook", found, grads)
    return grads


def arrived(
    module: Module,
    hooks: ModuleHooks,
    call: Pass,
    flows: tuple[bool, ...],
    grads: Gradients,
) -> Gradients | None:
    """Gradients by the outputs: hooks before, and if no input has a gradient, hooks after."""
    new = by_outputs(module, hooks, grads)
    call.grad_output = new
    if not any(flows):
        after = left(module, hooks, call, (), (None,) * len(flows))
        assert after is None
    return None if new is grads else new


def left(
    module: Module,
    hooks: ModuleHooks,
    call: Pass,
    flows: tuple[bool, ...],
    grads: Gradients,
) -> Gradients | None:
    """Gradients by the inputs: hooks after."""
    new = by_inputs(module, hooks, grads, call.grad_output)
    return None if new is grads or all(g is None for g in grads) else new


def _replaced(module: Module, kind: str, found: Any, grads: Gradients) -> Gradients:
    """What a hook returned, in place of ``grads``; zeros where it returned None for one.

    Raises:
        HookError: it is no tuple of the same length.
    """
    if found is None:
        return grads
    if not isinstance(found, tuple) or len(found) != len(grads):
        raise HookError(
            f"a {kind} of {type(module).__name__} has to return None or a tuple of "
            f"{len(grads)}, not {_text(found)}"
        )
    return tuple(
        None if old is None else np.zeros_like(old) if new is None else new
        for new, old in zip(found, grads, strict=True)
    )


def _text(x: Any) -> str:
    return f"one of {len(x)}" if isinstance(x, tuple) else f"a {type(x).__name__}"
