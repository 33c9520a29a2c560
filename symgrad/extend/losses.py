"""Losses that read arrays out of objects, and their gradients by these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.api import make
from ..runtime.assigning import assign
from ..runtime.compiled import CompiledFunction
from ..runtime.nans import is_trouble

if TYPE_CHECKING:
    from ..frontend import Lowered


class Run:
    """One call of a loss, and what comes of it; ``boxes`` are what the gradients are by.

    Args:
        call, lowered, args, kwargs: the generated code, what is known of it, and its arguments.

    >>> from symgrad import nn
    >>> w = nn.Parameter(np.ones(2))
    >>> extend.loss_backward(lambda: np.sum(w**2), lambda run: run.boxes[0] is w)()
    True
    """

    __slots__ = ("_args", "_assigned", "_call", "_captured", "_lowered", "_new", "boxes")

    def __init__(self, call: Callable[..., Any], lowered: Lowered, args: Any, kwargs: Any):
        self.boxes: tuple[Any, ...] = tuple(place.fetch() for place in lowered.boxes)
        self._call, self._lowered = call, lowered
        self._args, self._captured = args, kwargs
        self._assigned: Any = ()
        self._new: Any = ()

    def compute(self, kept: Sequence[Any] = ()) -> tuple[Any, tuple[Any, ...]]:
        """The loss and the gradients, in the order of ``boxes``. Nothing has been changed yet.

        Args:
            kept: arrays that may be changed by hooks before the code is done with them: it
                works with copies.

        >>> from symgrad import nn
        >>> w = nn.Parameter(np.ones(2))
        >>> extend.loss_backward(lambda: np.sum(w**2), lambda run: run.compute())()
        (np.float64(2.0), (array([2., 2.]),))
        """
        inputs = self._captured
        if kept:
            inputs = {name: _apart(x, kept) for name, x in inputs.items()}
        result = self._call(*self._args, **inputs)
        if is_trouble(result):
            raise _TroubleFound(result)
        if self._lowered.assigned:
            result, self._assigned = result
        loss, grads, *new = result
        self._new = new[0] if new else ()
        return loss, grads

    def commit(self) -> None:
        """Make the changes of the loss itself: of attributes, and of arrays that it stores into.

        >>> from symgrad import nn
        >>> norm, x = nn.BatchNorm1d(1, momentum=1.0), np.ones((2, 1))
        >>> step = extend.loss_backward(lambda x: np.sum(norm(x)), lambda run: (
        ...     run.compute(), run.commit()))
        >>> found = step(np.full((2, 1), 5.0))
        >>> norm.running_mean
        array([5.], dtype=float32)
        """
        assign(self._lowered.assigned, self._assigned)
        for name, new in zip(self._lowered.written, self._new, strict=True):
            self._captured[name][...] = new


class _TroubleFound(BaseException):
    """``debug_nans`` will raise, for the result that this holds."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


def _apart(x: Any, kept: Sequence[Any]) -> Any:
    shared = isinstance(x, np.ndarray) and any(np.may_share_memory(x, a) for a in kept)
    return x.copy() if shared else x


@dataclass(frozen=True, slots=True)
class _Finish:
    """Makes of generated code what is called in its place."""

    accept: Callable[[Run], Any]

    def __call__(self, call: Callable[..., Any], lowered: Lowered) -> Callable[..., Any]:
        accept = self.accept

        def run(*args: Any, **kwargs: Any) -> Any:
            try:
                return accept(Run(call, lowered, args, kwargs))
            except _TroubleFound as trouble:
                return trouble.result

        return run


def loss_backward(
    loss_fn: Callable[..., Any],
    accept: Callable[[Run], Any],
    *,
    scaled: bool = False,
    hooks: bool = False,
    parameters: tuple[Any, ...] | None = None,
) -> CompiledFunction:
    """Compile a loss together with its gradient by the boxes that it reads.

    Args:
        loss_fn: a function with one real number as its result.
        accept: called with a ``Run`` at each call; what it returns is the result.
        scaled: there is one argument more, the first: a factor of the gradients.
        hooks: gradients pass through the boxes' hooks.
        parameters: names of the arguments, where ``loss_fn`` does not have them.

    Raises:
        GradientError: (at a call) the loss depends on no box that wants a gradient.
        NonScalarOutputError: (at a call) the loss is not one real number.

    >>> from symgrad import nn
    >>> w = nn.Parameter(np.ones(2))
    >>> def descend(run):
    ...     loss, gradients = run.compute()
    ...     for box, g in zip(run.boxes, gradients):
    ...         box.data -= 0.25 * g
    ...     return loss
    >>> step = extend.loss_backward(lambda: np.sum(w**2), descend)
    >>> step(), step()
    (np.float64(2.0), np.float64(0.5))
    """
    options = {
        "finish": _Finish(accept),
        "scaled": scaled,
        "hooks": hooks,
        "parameters": parameters,
    }
    return make("backward", loss_fn, options)


__all__ = ["Run", "loss_backward"]
