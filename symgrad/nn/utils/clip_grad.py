"""Clipping gradients, by their total norm or one entry at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...errors import NonFiniteGradientError, SymgradWarning
from ..parameter import Parameter
from .norms import get_total_norm

Array = np.ndarray[Any, Any]
Parameters = Parameter | Iterable[Parameter]
EPS = 1e-6  # so that a norm of 0 can be divided by


def clip_grad_norm_(
    parameters: Parameters,
    max_norm: float,
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
) -> Any:
    """Scale all gradients, in place, so that their total norm is at most ``max_norm``.

    The total norm is that of all gradients' entries as one vector; every gradient is
    multiplied by min(1, max_norm / (total + 1e-6)). Parameters without gradient are passed over.

    If the total norm is infinite or nan, the gradients become 0 or nan by that formula, as in
    PyTorch; ``error_if_nonfinite=True`` raises instead, before anything is changed.

    Args:
        parameters: a parameter, or any iterable of them.
        max_norm: from 0 on.
        norm_type: any number, ``inf`` or ``"inf"`` for the greatest magnitude.
        error_if_nonfinite: see above.

    Returns:
        The total norm before clipping, a scalar of the gradients' dtype.

    Raises:
        TypeError: something is no parameter.
        ValueError: ``max_norm`` is negative or nan, ``norm_type`` no norm.
        NonFiniteGradientError: see above.

    >>> x = nn.Parameter(np.zeros(2))
    >>> x.grad = np.array([3.0, 4.0])
    >>> float(nn.utils.clip_grad_norm_(x, max_norm=1.0))
    5.0
    >>> x.grad.round(3)
    array([0.6, 0.8])
    """
    limit = _limit("max_norm", max_norm)
    found = _distinct(parameters)
    if not found and isinstance(parameters, Iterator):
        warnings.warn(
            "clip_grad_norm_ was given an iterator with nothing left in it",
            SymgradWarning,
            stacklevel=2,
        )
    gradients = [p.grad for p in found if p.grad is not None]
    total = get_total_norm(gradients, norm_type)
    if error_if_nonfinite and not np.isfinite(total):
        raise NonFiniteGradientError(
            f"the total norm of the gradients is {total}; {_first_nonfinite(found)}"
        )
    _scale(gradients, limit, total)
    return total


def clip_grads_with_norm_(parameters: Parameters, max_norm: float, total_norm: Any) -> None:
    """Scale all gradients, in place, as ``clip_grad_norm_`` does for this total norm.

    Raises:
        TypeError: something is no parameter.
        ValueError: ``max_norm`` is negative or nan.

    >>> p = nn.Parameter(np.zeros(2))
    >>> p.grad = np.array([3.0, 4.0])
    >>> nn.utils.clip_grads_with_norm_([p], 2.5, 5.0)
    >>> np.round(p.grad, 3)
    array([1.5, 2. ])
    """
    limit = _limit("max_norm", max_norm)
    gradients = [p.grad for p in _distinct(parameters) if p.grad is not None]
    _scale(gradients, limit, total_norm)


def clip_grad_value_(parameters: Parameters, clip_value: float) -> None:
    """Move every entry of every gradient, in place, into [-clip_value, clip_value].

    Raises:
        TypeError: something is no parameter.
        ValueError: ``clip_value`` is negative or nan.

    >>> p = nn.Parameter(np.zeros(2))
    >>> p.grad = np.array([3.0, 4.0])
    >>> nn.utils.clip_grad_value_([p], 3.5)
    >>> p.grad
    array([3. , 3.5])
    """
    limit = _limit("clip_value", clip_value)
    for parameter in _distinct(parameters):
        if parameter.grad is not None:
            np.clip(parameter.grad, -limit, limit, out=parameter.grad)


def _distinct(parameters: Parameters) -> list[Parameter]:
    """The parameters, each once however often it is there."""
    found = [parameters] if isinstance(parameters, Parameter) else list(parameters)
    for x in found:
        if not isinstance(x, Parameter):
            raise TypeError(
                f"this takes nn.Parameter, not {type(x).__name__}; for a module, pass "
                "module.parameters()"
            )
    return list({id(x): x for x in found}.values())


def _limit(name: str, value: Any) -> float:
    found = float(value)
    if not found >= 0:
        raise ValueError(f"{name} has to be at least 0, not {found}")
    return found


def _scale(gradients: list[Array], limit: float, total: Any) -> None:
    with np.errstate(all="ignore"):
        factor = np.minimum(limit / (total + EPS), 1.0)  # nan stays nan
        for g in gradients:
            np.multiply(g, g.dtype.type(factor), out=g)


def _first_nonfinite(parameters: list[Parameter]) -> str:
    for i, parameter in enumerate(parameters):
        if parameter.grad is not None and not np.all(np.isfinite(parameter.grad)):
            called = f"{parameter.name!r}" if parameter.name else f"number {i}"
            return f"the first parameter with such an entry is {called}"
    return "every entry is finite, so it is their sum that overflows"
