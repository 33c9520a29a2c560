"""Hooks on parameters and modules: put in, and taken out by a handle.

A holder has an attribute ``_hooks``: None, or a frozen dataclass of dicts that are never changed.
Adding or removing a hook makes a new one, so that a call which is going through the old one is
not disturbed, and compiled code can tell by identity.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from dataclasses import fields, replace
from types import TracebackType
from typing import Any

_numbers = itertools.count()


class RemovableHandle:
    """Takes a hook away again: by ``remove()``, or at the end of a ``with`` block.

    >>> module = nn.ReLU()
    >>> handle = module.register_forward_hook(lambda module, args, out: print(out))
    >>> module(np.array([1.0]))
    [1.]
    array([1.])
    >>> handle.remove()
    >>> module(np.array([1.0]))
    array([1.])
    """

    __slots__ = ("_holder", "_number", "_which")

    def __init__(self, holder: Any, which: str, number: int) -> None:
        self._holder: weakref.ref[Any] = weakref.ref(holder)
        self._which = which
        self._number = number

    def remove(self) -> None:
        """Remove the hook; a second time does nothing."""
        holder = self._holder()
        if holder is None or holder._hooks is None:
            return
        hooks = getattr(holder._hooks, self._which)
        left = {n: hook for n, hook in hooks.items() if n != self._number}
        made = replace(holder._hooks, **{self._which: left})
        any_left = any(getattr(made, field.name) for field in fields(made))
        holder._hooks = made if any_left else None

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


def added(
    holder: Any,
    empty: Any,
    which: str,
    hook: Callable[..., Any],
    entry: Any = None,
    *,
    prepend: bool = False,
) -> RemovableHandle:
    """Put ``hook`` into the dict called ``which``.

    Args:
        holder: whose hook it is.
        empty: what ``holder._hooks`` is to begin with, if it is None.
        entry: what to store, if not the hook itself.
        prepend: before the hooks that are there already.

    Raises:
        TypeError: ``hook`` cannot be called.
    """
    if not callable(hook):
        raise TypeError(f"a hook has to be callable, not {type(hook).__name__}")
    number = next(_numbers)
    new = {number: hook if entry is None else entry}
    before = empty if holder._hooks is None else holder._hooks
    hooks = getattr(before, which)
    after = {**new, **hooks} if prepend else {**hooks, **new}
    holder._hooks = replace(before, **{which: after})
    return RemovableHandle(holder, which, number)
