"""``CyclicLR``: up and down between two rates, again and again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from ..checks import at_least_zero, number
from ..optimizer import Optimizer
from .grouping import checked_optimizer, momentum_of, per_group, set_momentum
from .phases import share
from .scheduler import LRScheduler

MODES = ("triangular", "triangular2", "exp_range")


class CyclicLR(LRScheduler):
    """Cyclical rates (Smith, 2017), stepped after every batch.

    Args:
        optimizer: whose rates are set, and momentum or first beta.
        base_lr, max_lr: between these, or lists with one for each group.
        step_size_up, step_size_down: steps up, and down if not as many.
        mode: ``"triangular"``; ``"triangular2"``, whose cycles are half as high as the one
            before; or ``"exp_range"``, with a height of ``gamma`` to the power of the step.
        gamma: for that.
        scale_fn: another height, a function of the number of the cycle from 1, or with
            ``scale_mode="iterations"`` of the step; not part of the state.
        cycle_momentum: move the momentum the other way round.
        base_momentum, max_momentum: between these.

    Raises:
        TypeError, ValueError: an argument is out of its range, or the optimizer has no
            momentum to cycle.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.CyclicLR(opt, 0.0, 1.0, step_size_up=4, cycle_momentum=False)
    >>> for _ in range(7):
    ...     opt.step()
    ...     sched.step()
    >>> sched.get_last_lr()
    [0.25]
    """

    _kept: ClassVar[tuple[str, ...]] = (
        "highest", "momenta", "momentum", "total_size", "rising", "mode", "gamma",
        "scale_mode",
    )  # fmt: skip

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
    ) -> None:
        groups = checked_optimizer(optimizer).param_groups
        _check_words(mode, scale_mode)
        up = at_least_zero("step_size_up", step_size_up)
        down = up if step_size_down is None else at_least_zero("down", step_size_down)
        if up + down == 0:
            raise ValueError("step_size_up and step_size_down are both 0")
        self.total_size, self.rising = up + down, up / (up + down)
        self.mode, self.gamma = mode, number("gamma", gamma)
        self.scale_fn, self.scale_mode = scale_fn, scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.highest = [
            at_least_zero("max_lr", x) for x in per_group("max_lr", max_lr, groups)
        ]
        lowest = [
            at_least_zero("base_lr", x) for x in per_group("base_lr", base_lr, groups)
        ]
        self.momentum = momentum_of(optimizer) if cycle_momentum else None
        self.momenta = [
            [share("base_momentum", low, 1 - 1e-9), share("max_momentum", high, 1 - 1e-9)]
            for low, high in zip(
                per_group("base_momentum", base_momentum, groups),
                per_group("max_momentum", max_momentum, groups),
                strict=True,
            )
        ]
        for group, low in zip(groups, lowest, strict=True):
            group["lr"] = group["initial_lr"] = low
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        return self._rates(0)

    def _rates(self, epoch: int) -> list[float]:
        cycle = math.floor(1 + epoch / self.total_size)
        x = 1.0 + epoch / self.total_size - cycle
        way = x / self.rising if x <= self.rising else (x - 1) / (self.rising - 1)
        height = self._height(cycle if self.scale_mode == "cycle" else epoch)
        if self.momentum is not None:
            for group, (low, high) in zip(self.groups, self.momenta, strict=True):
                set_momentum(group, self.momentum, high - (high - low) * way * height)
        pairs = zip(self._bases(), self.highest, strict=True)
        return [low + (high - low) * way * height for low, high in pairs]

    def _height(self, x: float) -> float:
        """Of a cycle, or at a step."""
        if self.scale_fn is not None:
            return self.scale_fn(x)
        if self.mode == "triangular2":
            return float(1 / (2.0 ** (x - 1)))
        return float(self.gamma**x) if self.mode == "exp_range" else 1.0


def _check_words(mode: Any, scale_mode: Any) -> None:
    if mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not {mode!r}")
    if scale_mode not in ("cycle", "iterations"):
        raise ValueError(f"scale_mode is 'cycle' or 'iterations', not {scale_mode!r}")
