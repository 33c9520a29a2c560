"""Hooks of parameters: on new gradients, which generated code runs where a gradient is
complete, and for when gradients have been added, which ``backward`` runs at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GradientError, HookError

if TYPE_CHECKING:
    from .parameter import Parameter


@dataclass(frozen=True, slots=True)
class ParameterHooks:
    """Hooks by number: on a new gradient, and after it has been added."""

    gradient: dict[int, Callable[..., Any]] = field(default_factory=dict)
    accumulated: dict[int, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, box: Parameter, g: Any) -> Any:
        """A gradient of ``box`` after the hooks on it.

        Raises:
            TypeError: a hook returned something else than an array or None.
            HookError: a hook returned an array of another shape or dtype.
        """
        if not self.gradient:
            return g
        scalar = isinstance(g, np.generic)
        g = np.array(g)  # its own: a hook may change it in place
        for hook in self.gradient.values():
            new = hook(g)
            if new is None:
                continue
            _check(box, new, g)
            # What it returned may be in use elsewhere; what is accumulated may not.
            g = np.array(new)
        return g[()] if scalar else g


def _check(box: Parameter, new: Any, g: Any) -> None:
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


def check_fitting(boxes: Sequence[Parameter], grads: Sequence[Any]) -> None:
    """Make sure that gradients can be added: nothing can fail any more after this.

    Raises:
        GradientError: a gradient that a parameter has does not fit it any more.
    """
    for box, g in zip(boxes, grads, strict=True):
        old = box._grad
        if old is not None and (old.shape != g.shape or old.dtype != g.dtype):
            raise GradientError(
                f"{_title(box)} has a gradient of shape {old.shape} and dtype {old.dtype}, but "
                f"its data now have shape {g.shape} and dtype {g.dtype}; set `grad` to None"
            )


def _title(box: Parameter) -> str:
    return f"parameter {box.name!r}" if box.name else "a parameter"


def after(boxes: Sequence[Parameter]) -> None:
    """Run the hooks for when a gradient has been added, in the order of the way back: what was
    read last has its gradient first."""
    for box in reversed(boxes):
        if box._hooks is not None:
            for hook in box._hooks.accumulated.values():
                hook(box)
