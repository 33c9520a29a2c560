"""``Adagrad``: steps divided by the root of the sum of all squared gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .kernels import add_product, add_quotient, descent
from .optimizer import Optimizer, Update


class Adagrad(Optimizer):
    """Adagrad (Duchi, Hazan and Singer, 2011): s += g**2, and in step t
    x -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps).

    Args:
        params: parameters, pairs (name, parameter), or groups as dicts.
        lr: the learning rate.
        lr_decay: as above.
        weight_decay: its product with x is added to the gradient.
        initial_accumulator_value: where s starts.
        eps: keeps the quotient finite.
        maximize: go up instead of down.

    Raises:
        TypeError, ValueError, KeyError: as ``Optimizer`` says.

    >>> import numpy as np
    >>> from symgrad import nn, optim
    >>> x = nn.Parameter(np.array([1.0]))
    >>> optimizer = optim.Adagrad([x], lr=0.5)
    >>> x.grad = np.array([3.0])
    >>> optimizer.step()
    >>> x.data.round(6)
    array([0.5])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def _kept(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        return ("step", "sum")

    def _update(self, update: Update, options: Mapping[str, Any]) -> None:
        x, g, state, fresh, (work, other) = update
        s = state["sum"]
        if fresh:
            s.fill(options["initial_accumulator_value"])
        g = descent(g, x, options["weight_decay"], options["maximize"], work)
        add_product(s, g, g, 1.0, other)
        rate = options["lr"] / (1 + state["step"] * options["lr_decay"])
        np.sqrt(s, out=other)
        np.add(other, options["eps"], out=other)
        add_quotient(x, g, other, -rate, work)
        state["step"] += 1
