"""Hooks of parameters: on new gradients, and for when they have been added. Generated code runs
them where a gradient is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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
        if self.gradient:
            g = self._through(box, g)
        if self.accumulated:
            _EARLY.get().add(box, g)
        return g

    def _through(self, box: Parameter, g: Any) -> Any:
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


class Early:
    """Gradients that are added before the end of a backward, since a hook waits for them.

    Args:
        boxes: the parameters of the backward.
    """

    __slots__ = ("_done", "_undo", "arrays")

    def __init__(self, boxes: Iterable[Parameter]) -> None:
        waiting = [box for box in boxes if _waits(box)]
        self.arrays: list[Any] = [box.data for box in waiting]
        self._done: set[int] = set()
        self._undo: list[Callable[[], None]] = []

    def add_waiting(
        self, pairs: Iterable[tuple[Parameter, Any]]
    ) -> list[tuple[Parameter, Any]]:
        """Add the gradients that hooks wait for and that no code has brought, since they are
        zeros whatever the loss computes; the others that have not been added."""
        left = []
        for box, g in pairs:
            if id(box) in self._done:
                continue
            if _waits(box):
                self.add(box, g)
            else:
                left.append((box, g))
        return left

    def add(self, box: Parameter, g: Any) -> None:
        """Add a gradient and run the hooks that wait for it."""
        check_fitting([(box, g)])
        self._undo.append(box.accumulate_provisionally(g))
        self._done.add(id(box))
        assert box._hooks is not None
        for hook in box._hooks.accumulated.values():
            hook(box)

    def take_back(self) -> None:
        """Make all gradients what they were."""
        for undo in reversed(self._undo):
            undo()


_EARLY: ContextVar[Early] = ContextVar("symgrad_early_gradients")


@contextmanager
def early(boxes: Iterable[Parameter]) -> Iterator[Early]:
    """For one backward: gradients that hooks wait for are added when they are complete, and
    taken back if it fails."""
    made = Early(boxes)
    token = _EARLY.set(made)
    try:
        yield made
    except BaseException:
        made.take_back()
        raise
    finally:
        _EARLY.reset(token)


def _waits(box: Parameter) -> bool:
    return box._hooks is not None and bool(box._hooks.accumulated)


def check_fitting(pairs: Iterable[tuple[Parameter, Any]]) -> None:
    """Make sure that gradients can be added: nothing can fail any more after this.

    Raises:
        GradientError: a gradient that a parameter has does not fit it any more.
    """
    for box, g in pairs:
        old = box._grad
        if old is not None and (old.shape != g.shape or old.dtype != g.dtype):
            raise GradientError(
                f"{_title(box)} has a gradient of shape {old.shape} and dtype {old.dtype}, but "
                f"its data now have shape {g.shape} and dtype {g.dtype}; set `grad` to None"
            )


def _title(box: Parameter) -> str:
    return f"parameter {box.name!r}" if box.name else "a parameter"
