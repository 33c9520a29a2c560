"""``ReduceLROnPlateau``: lower rates when a metric no longer improves."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..checks import at_least_zero, int_from_zero, number
from ..optimizer import Optimizer
from .grouping import per_group
from .scheduler import LRScheduler


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rates by ``factor`` when more than ``patience`` steps in a row have
    brought no better metric.

    Args:
        optimizer: whose rates are set.
        mode: ``"min"`` if less is better, ``"max"`` if more is.
        factor: in (0, 1).
        patience: so many steps without improvement are borne.
        threshold: what is better by less does not count;
        threshold_mode: ``"rel"``, a part of the best metric, or ``"abs"``.
        cooldown: steps after a reduction in which nothing is counted.
        min_lr: no rate goes below it; or a list with one for each group.
        eps: no rate changes by less.

    Raises:
        TypeError, ValueError: an argument is out of its range.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.ReduceLROnPlateau(opt, patience=1)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step(2.0)
    ...     print(np.round(sched.get_last_lr(), 3))
    [1.]
    [1.]
    [0.1]
    """

    _kept: ClassVar[tuple[str, ...]] = (
        "mode", "factor", "patience", "threshold", "threshold_mode", "cooldown", "min_lrs",
        "eps", "best", "num_bad_epochs", "cooldown_counter",
    )  # fmt: skip

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        self.mode = _one_of("mode", mode, "min", "max")
        self.threshold_mode = _one_of("threshold_mode", threshold_mode, "rel", "abs")
        self.factor = number("factor", factor)
        if not 0 < self.factor < 1:
            raise ValueError(f"factor has to be in (0, 1), not {factor}")
        self.patience = int_from_zero("patience", patience)
        self.cooldown = int_from_zero("cooldown", cooldown)
        self.threshold = at_least_zero("threshold", threshold)
        self.eps = at_least_zero("eps", eps)
        groups = getattr(optimizer, "param_groups", [])
        self.min_lrs = [
            at_least_zero("min_lr", low) for low in per_group("min_lr", min_lr, groups)
        ]
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        super().__init__(optimizer)

    def step(self, metric: Any = None) -> None:
        """Look at a metric: a number, such as the loss on the data kept for validation.

        Raises:
            TypeError: there is none.
        """
        if metric is None:
            raise TypeError("ReduceLROnPlateau.step needs the metric: step(loss)")
        value = float(metric)
        if self._better(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        self.advance()

    def _rates(self, epoch: int) -> list[float]:
        rates = self.get_last_lr()
        if self.num_bad_epochs <= self.patience:
            return rates
        self.cooldown_counter = self.cooldown
        self.num_bad_epochs = 0
        lower = [
            max(rate * self.factor, low)
            for rate, low in zip(rates, self.min_lrs, strict=True)
        ]
        return [
            new if old - new > self.eps else old
            for old, new in zip(rates, lower, strict=True)
        ]

    def _better(self, value: float) -> bool:
        sign = 1.0 if self.mode == "max" else -1.0
        if self.threshold_mode == "abs":
            bound = self.best + sign * self.threshold
        else:
            bound = self.best * (1.0 + sign * self.threshold)
        return value > bound if self.mode == "max" else value < bound


def _one_of(name: str, value: str, *known: str) -> str:
    if value not in known:
        raise ValueError(f"{name} is {' or '.join(map(repr, known))}, not {value!r}")
    return value
