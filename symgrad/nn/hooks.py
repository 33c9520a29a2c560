"""Hooks of modules: what is registered, and the call of a module that has some.

Compiled code calls a hook as it is when it runs, at the module's boundary. Only a hook on the
forward pass that returns something is compiled, if it can be, so that derivatives know what it
does; of one that cannot be, a replacement is refused where a derivative is taken through it.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import HookError
from ..extend import compiled_as, enter, leave, tap
from .backward_hooks import forward_and_back
from .handles import RemovableHandle, added

if TYPE_CHECKING:
    from .module import Module


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook and how it is called; ``returns``: it may return something."""

    function: Callable[..., Any]
    with_kwargs: bool = False
    always_call: bool = False
    returns: bool = False


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
    entry = Hook(hook, with_kwargs, always_call, _returns(hook))
    return added(module, ModuleHooks(), which, hook, entry, prepend=prepend)


def _returns(hook: Any) -> bool:
    """Whether a function may return something else than None."""
    code = getattr(hook, "__code__", None)
    if code is None:
        return hasattr(hook, "__symgrad_request__")
    previous = None
    for step in dis.get_instructions(code):
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return True
        nothing = previous is not None and (previous.opname, previous.argval) == (
            "LOAD_CONST",
            None,
        )
        if step.opname == "RETURN_VALUE" and not nothing:
            return True
        previous = step
    return False


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module(*args, **kwargs)``: hooks before, ``forward``, hooks after."""
    hooks = module._hooks
    assert hooks is not None
    try:
        for hook in hooks.pre.values():
            if hook.with_kwargs:
                found = before_with_kwargs(module, hook, (args, kwargs))
                args, kwargs = (args, kwargs) if found is None else found
            else:
                found = before(module, hook, args)
                args = args if found is None else found
        output = module.forward(*args, **kwargs)
    except Exception:
        failed(module, hooks, args, kwargs)
        raise
    for hook in hooks.forward.values():
        found = after(module, hook, args, kwargs, output)
        output = output if found is None else found
    return output


def failed(module: Module, hooks: ModuleHooks, args: Any, kwargs: Any) -> None:
    """Tell the hooks that are called always that there is no output."""
    for hook in hooks.forward.values():
        if hook.always_call:
            after(module, hook, args, kwargs, None)


@compiled_as(call_with_hooks)
def _compiled_call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``call_with_hooks`` as it is compiled."""
    hooks: Any = module._hooks
    always = any(hook.always_call for hook in hooks.forward.values())
    if always:
        enter(failed, (module, hooks), args, kwargs)
    for hook in hooks.pre.values():
        title = _title(module, "forward pre-hook")
        if hook.with_kwargs:
            args, kwargs = tap(
                title,
                before_with_kwargs,
                (module, hook),
                (args, kwargs),
                compiled=hook.returns,
            )
        else:
            args = tap(title, before, (module, hook), args, compiled=hook.returns)
    if hooks.backward or hooks.backward_pre:
        output = forward_and_back(module, hooks, args, kwargs)
    else:
        output = module.forward(*args, **kwargs)
    if always:
        leave()
    for hook in hooks.forward.values():
        title = _title(module, "forward hook")
        output = tap(
            title, after, (module, hook), output, args, kwargs, compiled=hook.returns
        )
    return output


def _title(module: Any, what: str) -> str:
    return f"a {what} of {type(module).__name__}"


def before(module: Module, hook: Hook, args: tuple[Any, ...]) -> Any:
    """What takes the place of the positional arguments, or None."""
    found = hook.function(module, args)
    if found is None or isinstance(found, tuple):
        return found
    return (found,)


def before_with_kwargs(module: Module, hook: Hook, given: tuple[Any, Any]) -> Any:
    """What takes the place of ``(args, kwargs)``, or None.

    Raises:
        HookError: the hook returned something else.
    """
    found = hook.function(module, given[0], given[1])
    if found is None:
        return None
    fits = isinstance(found, tuple) and len(found) == 2
    if not fits or not isinstance(found[0], tuple) or not isinstance(found[1], dict):
        raise HookError(
            f"a forward pre-hook of {type(module).__name__} with with_kwargs=True has to "
            "return None or (args, kwargs)"
        )
    return found


def after(module: Module, hook: Hook, args: Any, kwargs: Any, output: Any) -> Any:
    """What takes the place of the output, or None."""
    if hook.with_kwargs:
        return hook.function(module, args, kwargs, output)
    return hook.function(module, args, output)
