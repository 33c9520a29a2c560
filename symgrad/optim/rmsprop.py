"""``RMSprop``: steps divided by the root of the running average of the squared gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .kernels import add_product, add_quotient, add_scaled, descent, move_towards
from .optimizer import Optimizer, Update


class RMSprop(Optimizer):
    """RMSprop (Hinton, lecture 6 of the 2012 course): s is the running average of g**2, and
    x -= lr * g / (sqrt(s) + eps). With ``centered`` the square of the running average of g is
    taken off s (Graves, 2013); with momentum, b = momentum * b + that quotient, x -= lr * b.

    Args:
        params: parameters, pairs (name, parameter), or groups as dicts.
        lr: the learning rate.
        alpha: how much of the averages is kept in a step.
        eps: keeps the quotient finite.
        weight_decay: its product with x is added to the gradient.
        momentum, centered: as above.
        maximize: go up instead of down.

    Raises:
        TypeError, ValueError, KeyError: as ``Optimizer`` says.

    >>> import numpy as np
    >>> from symgrad import nn, optim
    >>> x = nn.Parameter(np.array([1.0]))
    >>> optimizer = optim.RMSprop([x], lr=0.1)
    >>> x.grad = np.array([3.0])
    >>> optimizer.step()
    >>> x.data.round(6)
    array([0.])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def _kept(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        b = ("momentum_buffer",) if options["momentum"] > 0 else ()
        mean = ("grad_avg",) if options["centered"] else ()
        return ("step", "square_avg", *b, *mean)

    def _update(self, update: Update, options: Mapping[str, Any]) -> None:
        x, g, state, _, (work, other) = update
        alpha, lr, s = options["alpha"], options["lr"], state["square_avg"]
        g = descent(g, x, options["weight_decay"], options["maximize"], work)
        np.multiply(s, alpha, out=s)
        add_product(s, g, g, 1 - alpha, other)
        if options["centered"]:
            mean = state["grad_avg"]
            move_towards(mean, g, 1 - alpha, other)
            np.multiply(mean, mean, out=other)
            np.subtract(s, other, out=other)
            np.sqrt(other, out=other)
        else:
            np.sqrt(s, out=other)
        np.add(other, options["eps"], out=other)
        if options["momentum"] > 0:
            b = state["momentum_buffer"]
            np.multiply(b, options["momentum"], out=b)
            add_quotient(b, g, other, 1.0, work)
            add_scaled(x, b, -lr, other)
        else:
            add_quotient(x, g, other, -lr, work)
        state["step"] += 1
