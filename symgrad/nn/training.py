"""``backward`` and ``value_and_grad``: a loss, and its gradient by the parameters it reads."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import CompiledFunction, extend
from ..errors import UnusedParameterWarning
from .closures import settled
from .gradient_hooks import check_fitting, early
from .parameter import Parameter
from .standins import others, standin

if TYPE_CHECKING:
    from .module import Module

KEPT = 128
"""How many loss functions code is kept for."""

Array = np.ndarray[Any, Any]


@extend.outside
def backward(loss_fn: Callable[..., Any], *args: Any, scale: float = 1.0) -> Any:
    """Compute a loss, and add its gradient to ``grad`` of each parameter that it depends on.

    The loss is compiled on its first call with arguments of a kind; the code is kept for as
    long as the same function is passed, or functions made by the same line of code. Several
    threads may do this at once. If anything fails, no gradient and no buffer has changed.

    Args:
        loss_fn: a function of ``args`` with one real number as its result. It may close over
            modules and parameters, or be given them among ``args``.
        args: arrays, numbers, modules, parameters, and containers of these.
        scale: a factor of the gradients, as ``1 / k`` for the mean over ``k`` small batches.

    Returns:
        The loss, without the factor.

    Raises:
        TypeError: ``scale`` is no number.
        GradientError: the loss depends on no parameter that requires a gradient.
        NonScalarOutputError: the loss is not one real number.
        HookError: a hook returns something of the wrong form.

    >>> from symgrad import nn
    >>> w = nn.Parameter(np.array([1.0, 2.0]))
    >>> nn.backward(lambda x: np.sum(w * x), np.array([3.0, 4.0]))
    np.float64(11.0)
    >>> w.grad
    array([3., 4.])
    """
    if isinstance(scale, bool) or not isinstance(scale, numbers.Real):
        raise TypeError(f"scale has to be a real number, not {type(scale).__name__}")
    loss_fn, args = settled(loss_fn, args)
    other, scaled = standin(loss_fn, args), scale != 1.0
    if other is None:
        call = _kept(loss_fn, scaled)
    else:
        call, args = _shared(other.function, scaled, other.names), others(args)
    return call(scale, *args) if scaled else call(*args)


@extend.outside
def compiled_backward(
    loss_fn: Callable[..., Any], *, scaled: bool = False
) -> CompiledFunction:
    """What ``backward`` calls: to look at its ``source``. With ``scaled``, the factor of the
    gradients is its first argument.

    >>> from symgrad import nn
    >>> w = nn.Parameter(np.array([1.0, 2.0]))
    >>> def loss(x):
    ...     return np.sum(w * x)
    >>> print(nn.compiled_backward(loss).lower(np.ones(2)).source.splitlines()[0])
    def loss_backward(x, w):
    """
    return _kept(settled(loss_fn)[0], scaled)


def _kept(loss_fn: Callable[..., Any], scaled: bool) -> CompiledFunction:
    try:
        hash(loss_fn)
    except TypeError:
        return _made(loss_fn, accumulating, scaled)
    return _remembered(loss_fn, scaled)


@lru_cache(maxsize=KEPT)
def _shared(
    function: Callable[..., Any], scaled: bool, names: tuple[str, ...]
) -> CompiledFunction:
    return _made(function, accumulating, scaled, names)


@lru_cache(maxsize=KEPT)
def _remembered(loss_fn: Callable[..., Any], scaled: bool) -> CompiledFunction:
    return _made(loss_fn, accumulating, scaled)


def _made(
    loss_fn: Any,
    finish: Any,
    scaled: bool = False,
    parameters: tuple[Any, ...] | None = None,
) -> CompiledFunction:
    if scaled:
        parameters = ("scale", *((...,) if parameters is None else parameters))
    hooks = finish is accumulating
    return extend.loss_backward(
        loss_fn, finish, scaled=scaled, hooks=hooks, parameters=parameters
    )


def accumulating(run: extend.Run) -> Any:
    """The loss alone: gradients are added and changes made at the end, but for gradients by
    parameters with hooks for that, which are added on the way and taken back if it fails."""
    with early(run.boxes) as added:
        loss, found = run.compute(added.arrays)
        boxes, grads = together(run.boxes, found)
        left = added.add_waiting(zip(boxes, grads, strict=True))
        check_fitting(left)
        run.commit()
    for box, g in left:
        box.accumulate(g)
    return loss


def together(
    boxes: Sequence[Parameter], grads: Sequence[Any]
) -> tuple[Sequence[Parameter], Sequence[Any]]:
    """Each parameter once: code for parameters that differed may run with one in their places."""
    if len(set(map(id, boxes))) == len(boxes):
        return boxes, grads
    sums: dict[int, Any] = {}
    for box, g in zip(boxes, grads, strict=True):
        sums[id(box)] = sums[id(box)] + g if id(box) in sums else g
    return list({id(box): box for box in boxes}.values()), list(sums.values())


@extend.outside
def value_and_grad(
    model: Module, loss_fn: Callable[..., Any]
) -> Callable[..., tuple[Any, dict[str, Array]]]:
    """The function that computes a loss and its gradient by a model's parameters, without
    touching ``grad``.

    Args:
        model: whose parameters to differentiate by.
        loss_fn: a function with one real number as its result.

    Returns:
        ``step(*args)``, which gives ``(loss, gradients)`` of ``loss_fn(*args)``: the gradients
        by dotted name, of each parameter that requires one; zeros, and the first time an
        ``UnusedParameterWarning``, where the loss does not depend on it.

    Raises:
        GradientError: (of ``step``) the loss depends on no parameter that requires a gradient.

    >>> from symgrad import nn
    >>> model = nn.ParameterList([nn.Parameter(np.array([2.0]))])
    >>> step = nn.value_and_grad(model, lambda x: np.sum(model[0] * x))
    >>> step(np.array([5.0]))
    (np.float64(10.0), {'0': array([5.])})
    """
    compiled = _made(loss_fn, _by_box)
    told: set[str] = set()

    def step(*args: Any) -> tuple[Any, dict[str, Array]]:
        loss, found = compiled(*args)
        grads = {
            name: found[id(p)] if id(p) in found else np.zeros_like(p.data)
            for name, p in model.named_parameters()
            if p.requires_grad
        }
        _warn_of_unused(model, found, told)
        return loss, grads

    return step


def _warn_of_unused(model: Module, found: Mapping[int, Any], told: set[str]) -> None:
    """Name the parameters without a gradient; those that have been named are in ``told``."""
    wanted = ((name, p) for name, p in model.named_parameters() if p.requires_grad)
    unused = [name for name, p in wanted if id(p) not in found and name not in told]
    if unused:
        told.update(unused)
        names = ", ".join(f"`{name}`" for name in unused)
        warnings.warn(
            f"the loss does not depend on {names}: zero gradients; parameters that are not to be "
            "trained have requires_grad=False",
            UnusedParameterWarning,
            stacklevel=3,
        )


def _by_box(run: extend.Run) -> Any:
    """The loss, and gradients by their parameters' ids."""
    loss, found = run.compute()
    run.commit()
    boxes, grads = together(run.boxes, found)
    return loss, dict(zip(map(id, boxes), map(np.asarray, grads), strict=True))


__all__ = ["backward", "compiled_backward", "value_and_grad"]
