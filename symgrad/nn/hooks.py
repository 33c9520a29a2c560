"""Hooks of modules: what is registered, and the call of a module that has some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import HookError
from .handles import RemovableHandle, added

if TYPE_CHECKING:
    from .module import Module


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook on the forward pass and how it is called."""

    function: Callable[..., Any]
    with_kwargs: bool = False
    always_call: bool = False


@dataclass(frozen=True, slots=True)
class ModuleHooks:
    """Hooks by number, in the order in which they run."""

    pre: dict[int, Hook] = field(default_factory=dict)
    forward: dict[int, Hook] = field(default_factory=dict)
    backward_pre: dict[int, Hook] = field(default_factory=dict)
    backward: dict[int, Hook] = field(default_factory=dict)


def register(
    module: Module,
    which: str,
    hook: Callable[..., Any],
    *,
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """Put a hook among those of its kind."""
    entry = Hook(hook, with_kwargs, always_call)
    return added(module, ModuleHooks(), which, hook, entry, prepend=prepend)


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module(*args, **kwargs)``: hooks before, ``forward``, hooks after."""
    hooks = module._hooks
    assert hooks is not None
    try:
        args, kwargs = before_forward(module, hooks, args, kwargs)
        output = module.forward(*args, **kwargs)
    except Exception:
        for hook in hooks.forward.values():
            if hook.always_call:
                after_one(module, hook, args, kwargs, None)
        raise
    return after_forward(module, hooks, args, kwargs, output)


def before_forward(
    module: Module, hooks: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments after the hooks before ``forward``.

    Raises:
        HookError: one returned something of the wrong form.
    """
    for hook in hooks.pre.values():
        if hook.with_kwargs:
            found = hook.function(module, args, kwargs)
            if found is not None:
                args, kwargs = _pair(module, found)
            continue
        found = hook.function(module, args)
        if found is not None:
            args = found if isinstance(found, tuple) else (found,)
    return args, kwargs


def _pair(module: Module, found: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    fits = isinstance(found, tuple) and len(found) == 2
    if not fits or not isinstance(found[0], tuple) or not isinstance(found[1], dict):
        raise HookError(
            f"a forward pre-hook of {type(module).__name__} with with_kwargs=True has to "
            f"return None or (args, kwargs), not {found!r:.60}"
        )
    args, kwargs = found
    return args, kwargs


def after_forward(
    module: Module,
    hooks: ModuleHooks,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    output: Any,
) -> Any:
    """The output after the hooks after ``forward``."""
    for hook in hooks.forward.values():
        output = after_one(module, hook, args, kwargs, output)
    return output


def after_one(
    module: Module, hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
) -> Any:
    """The output after one hook."""
    if hook.with_kwargs:
        found = hook.function(module, args, kwargs, output)
    else:
        found = hook.function(module, args, output)
    return output if found is None else found
