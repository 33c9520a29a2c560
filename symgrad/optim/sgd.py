"""``SGD``: down the gradient, with momentum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .kernels import add_scaled, descent
from .optimizer import Optimizer, Update


class SGD(Optimizer):
    """Stochastic gradient descent: with momentum, b = momentum * b + (1 - dampening) * g, where
    the first b is g; then x -= lr * b, or with ``nesterov`` x -= lr * (g + momentum * b).

    Args:
        params: parameters, pairs (name, parameter), or groups as dicts.
        lr: the learning rate.
        momentum, dampening: as above.
        weight_decay: its product with x is added to the gradient.
        nesterov: look ahead along the momentum.
        maximize: go up instead of down.

    Raises:
        TypeError, ValueError, KeyError: as ``Optimizer`` says; ``nesterov`` without momentum.

    >>> import numpy as np
    >>> from symgrad import nn, optim
    >>> x = nn.Parameter(np.array([1.0, 2.0]))
    >>> optimizer = optim.SGD([x], lr=0.5)
    >>> x.grad = np.array([2.0, 2.0])
    >>> optimizer.step()
    >>> x.data
    array([0., 1.])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def _kept(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if options["momentum"] != 0 else ()

    def _update(self, update: Update, options: Mapping[str, Any]) -> None:
        x, g, state, fresh, (work, other) = update
        momentum = options["momentum"]
        g = descent(g, x, options["weight_decay"], options["maximize"], work)
        if momentum != 0:
            b = state["momentum_buffer"]
            if fresh:
                np.copyto(b, g)
            else:
                np.multiply(b, momentum, out=b)
                add_scaled(b, g, 1 - options["dampening"], other)
            if options["nesterov"]:
                np.multiply(b, momentum, out=other)
                g = np.add(g, other, out=work)
            else:
                g = b
        add_scaled(x, g, -options["lr"], other)
