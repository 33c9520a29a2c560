"""Hooks of parameters, run by ``backward``: on new gradients, and once these are added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import GradientError, HookError
from .parameter import Parameter


def before(boxes: Sequence[Parameter], grads: Sequence[Any]) -> Sequence[Any]:
    """The gradients after the hooks on them; after this nothing can fail any more.

    Raises:
        GradientError: a gradient that a parameter has does not fit it any more.
        TypeError: a hook returned something else than an array or None.
        HookError: a hook returned an array of another shape or dtype.
    """
    for box, g in zip(boxes, grads, strict=True):
        old = box._grad
        if old is not None and (old.shape != g.shape or old.dtype != g.dtype):
            raise GradientError(
                f"{_title(box)} has a gradient of shape {old.shape} and dtype {old.dtype}, but "
                f"its data now have shape {g.shape} and dtype {g.dtype}; set `grad` to None"
            )
    if all(box._hooks is None for box in boxes):
        return grads
    # As on the way back: what was read last has its gradient first.
    pairs = reversed(list(zip(boxes, grads, strict=True)))
    return [_hooked(box, g) for box, g in pairs][::-1]


def _hooked(box: Parameter, g: Any) -> Any:
    if box._hooks is None:
        return g
    g = np.asarray(g)
    for hook in box._hooks.gradient.values():
        new = hook(g)
        if new is None:
            continue
        if not isinstance(new, np.ndarray | np.generic):
            raise TypeError(
                f"a hook on the gradient of {_title(box)} has to return an array or None, not "
                f"{type(new).__name__}"
            )
        if new.shape != g.shape or new.dtype != g.dtype:
            raise HookError(
                f"a hook on the gradient of {_title(box)}, of shape {g.shape} and dtype "
                f"{g.dtype}, returned one of shape {new.shape} and dtype {new.dtype}"
            )
        # What it returned may be in use elsewhere; what is accumulated may not.
        g = np.array(new)
    return g


def _title(box: Parameter) -> str:
    return f"parameter {box.name!r}" if box.name else "a parameter"


def after(boxes: Sequence[Parameter]) -> None:
    """Run the hooks for when a gradient has been added."""
    for box in reversed(boxes):
        if box._hooks is not None:
            for hook in box._hooks.accumulated.values():
                hook(box)
