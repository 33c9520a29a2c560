"""Code that changes objects returns a pair: its result, and what to put there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy
from functools import partial
from typing import Any

from ..frontend.requests import Target
from .nans import is_trouble


def assigning(call: Callable[..., Any], targets: Sequence[Target]) -> Callable[..., Any]:
    """``call`` as a function that returns its result alone and puts the rest in place."""

    def run(*args: Any, **kwargs: Any) -> Any:
        found = call(*args, **kwargs)
        if is_trouble(found):
            return found
        result, values = found
        assign(targets, values)
        return result

    return run


def assign(targets: Sequence[Target], values: Sequence[Any]) -> None:
    """Change objects: all, or none where one cannot be changed."""
    undo: list[Callable[[], Any]] = []
    try:
        for target, value in zip(targets, values, strict=True):
            undo.append(_put(target, target.place.fetch(), value))
    except Exception:
        for back in reversed(undo):
            back()
        raise


def _put(target: Target, owner: Any, new: dict[Any, Any]) -> Callable[[], Any]:
    """Make one change; what takes it back."""
    if target.kind == "attributes":
        before = {name: getattr(owner, name) for name in new if hasattr(owner, name)}
        back = partial(_set, owner, before, new.keys() - before.keys())
        try:
            _set(owner, new)
        except Exception:
            back()
            raise
        return back
    kept = copy(owner)
    for key, value in new.items():
        owner[key] = value
    for key in target.removed:
        del owner[key]
    return partial(_refill, owner, kept)


def _set(owner: Any, values: dict[str, Any], gone: Collection[str] = ()) -> None:
    for name, value in values.items():
        setattr(owner, name, value)
    for name in gone:
        if hasattr(owner, name):
            delattr(owner, name)


def _refill(owner: Any, content: Any) -> None:
    owner.clear()
    (owner.extend if isinstance(owner, list) else owner.update)(content)


__all__ = ["assign", "assigning"]
