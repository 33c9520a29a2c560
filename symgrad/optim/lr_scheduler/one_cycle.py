"""``OneCycleLR``: up to a high rate, then down to nearly nothing."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..checks import at_least_zero, flag, positive_int
from ..groups import Group
from ..optimizer import Optimizer
from .grouping import checked_optimizer, momentum_of, per_group, set_momentum
from .phases import phases_of, share
from .scheduler import LRScheduler


class OneCycleLR(LRScheduler):
    """The policy of one cycle (Smith and Topin, 2018), stepped after every batch.

    Args:
        optimizer: whose rates are set, and momentum or first beta.
        max_lr: the highest rate, or a list with one for each group.
        total_steps: of the cycle; or
        epochs, steps_per_epoch: whose product it is.
        pct_start: the part of the cycle in which the rate goes up.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        cycle_momentum: move the momentum the other way round.
        base_momentum, max_momentum: between these.
        div_factor: the first rate is ``max_lr / div_factor``,
        final_div_factor: the last one the first rate divided by this.
        three_phase: go down as slowly as up, then on to the last rate.

    Raises:
        TypeError, ValueError: an argument is out of its range, or the optimizer has no
            momentum to cycle.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.OneCycleLR(opt, 1.0, total_steps=4, cycle_momentum=False)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.812]
    [0.283]
    [0.]
    """

    _kept: ClassVar[tuple[str, ...]] = (
        "total_steps", "pct_start", "three_phase", "anneal", "momentum",
    )  # fmt: skip

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
    ) -> None:
        checked_optimizer(optimizer)
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        self.three_phase = flag("three_phase", three_phase)
        self.pct_start = share("pct_start", pct_start, 0.5 if three_phase else 1.0)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}"
            )
        self.anneal = anneal_strategy
        self.momentum = momentum_of(optimizer) if cycle_momentum else None
        groups = optimizer.param_groups
        limits = [
            _limits(*values, div_factor, final_div_factor)
            for values in zip(
                per_group("max_lr", max_lr, groups),
                per_group("base_momentum", base_momentum, groups),
                per_group("max_momentum", max_momentum, groups),
                strict=True,
            )
        ]
        for group, values in zip(groups, limits, strict=True):
            group.update(values)
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        return self._rates(0)

    def _rates(self, epoch: int) -> list[float]:
        if epoch > self.total_steps:
            raise ValueError(f"this is step {epoch} of a cycle of {self.total_steps} steps")
        phases = phases_of(self.total_steps, self.pct_start, self.three_phase)
        i = next((i for i, phase in enumerate(phases) if epoch <= phase.end), -1)
        phase, start = phases[i], phases[i - 1].end if i != 0 else 0.0
        part = (epoch - start) / (phase.end - start) if phase.end != start else 1.0
        if self.momentum is not None:
            for group in self.groups:
                value = self._between(group, phase.momentums, part)
                set_momentum(group, self.momentum, value)
        return [self._between(group, phase.rates, part) for group in self.groups]

    def _between(self, group: Group, keys: tuple[str, str], part: float) -> float:
        start, end = group[keys[0]], group[keys[1]]
        if self.anneal == "linear":
            return float((end - start) * part + start)
        return float(end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1))


def _total(steps: int | None, epochs: int | None, per_epoch: int | None) -> int:
    if steps is not None:
        return positive_int("total_steps", steps)
    if epochs is None or per_epoch is None:
        raise ValueError("give total_steps, or both epochs and steps_per_epoch")
    return positive_int("epochs", epochs) * positive_int("steps_per_epoch", per_epoch)


def _limits(
    highest: Any, low: Any, high: Any, div_factor: float, final_div_factor: float
) -> Group:
    first = at_least_zero("max_lr", highest) / div_factor
    return {
        "initial_lr": first,
        "max_lr": float(highest),
        "min_lr": first / final_div_factor,
        "base_momentum": share("base_momentum", low, 1 - 1e-9),
        "max_momentum": share("max_momentum", high, 1 - 1e-9),
    }
