"""``Adam`` and ``AdamW``: steps scaled by running averages of the gradient and its square."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .kernels import Array, add_product, add_quotient, descent, move_towards
from .optimizer import Optimizer, Update


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): m and v are running averages of g and g**2, and
    x -= lr / (1 - beta1**t) * m / (sqrt(v) / sqrt(1 - beta2**t) + eps) in step t.

    Args:
        params: parameters, pairs (name, parameter), or groups as dicts.
        lr: the learning rate.
        betas: how much of m and of v is kept in a step.
        eps: keeps the quotient finite.
        weight_decay: its product with x is added to the gradient.
        amsgrad: use the greatest v so far.
        maximize: go up instead of down.

    Raises:
        TypeError, ValueError, KeyError: as ``Optimizer`` says.

    >>> import numpy as np
    >>> from symgrad import nn, optim
    >>> x = nn.Parameter(np.array([1.0]))
    >>> optimizer = optim.Adam([x], lr=0.25)
    >>> x.grad = np.array([3.0])
    >>> optimizer.step()
    >>> x.data.round(6)
    array([0.75])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def _kept(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        greatest = ("max_exp_avg_sq",) if options["amsgrad"] else ()
        return ("step", "exp_avg", "exp_avg_sq", *greatest)

    def _update(self, update: Update, options: Mapping[str, Any]) -> None:
        decay, maximize = options["weight_decay"], options["maximize"]
        _move(update, descent(update.g, update.x, decay, maximize, update.work[0]), options)


class AdamW(Adam):
    """Adam with decay apart from the gradient (Loshchilov and Hutter, 2019):
    x *= 1 - lr * weight_decay, then a step of Adam without decay.

    Args:
        params, lr, betas, eps, amsgrad, maximize: as for ``Adam``.
        weight_decay: as above.

    Raises:
        TypeError, ValueError, KeyError: as ``Optimizer`` says.

    >>> import numpy as np
    >>> from symgrad import nn, optim
    >>> x = nn.Parameter(np.array([1.0]))
    >>> optimizer = optim.AdamW([x], lr=0.25, weight_decay=0.4)
    >>> x.grad = np.array([3.0])
    >>> optimizer.step()
    >>> x.data.round(6)
    array([0.65])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        rest = (lr, betas, eps, weight_decay, amsgrad)
        super().__init__(params, *rest, maximize=maximize)

    def _update(self, update: Update, options: Mapping[str, Any]) -> None:
        x = update.x
        if options["weight_decay"] != 0:
            np.multiply(x, 1 - options["lr"] * options["weight_decay"], out=x)
        _move(update, descent(update.g, x, 0, options["maximize"], update.work[0]), options)


def _move(update: Update, g: Array, options: Mapping[str, Any]) -> None:
    """A step of Adam without decay along ``g``, which may stand in the first work array."""
    state, (work, other) = update.state, update.work
    beta1, beta2 = options["betas"]
    t = state["step"] + 1
    m, v = state["exp_avg"], state["exp_avg_sq"]
    move_towards(m, g, 1 - beta1, other)
    np.multiply(v, beta2, out=v)
    add_product(v, g, g, 1 - beta2, other)
    if options["amsgrad"]:
        v = np.maximum(state["max_exp_avg_sq"], v, out=state["max_exp_avg_sq"])
    scale = options["lr"] / (1 - beta1**t)
    np.sqrt(v, out=other)
    np.divide(other, (1 - beta2**t) ** 0.5, out=other)
    np.add(other, options["eps"], out=other)
    add_quotient(update.x, m, other, -scale, work)
    state["step"] = t
