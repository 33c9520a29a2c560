"""Rates that go from one factor of the base rates to another: at once, in a line, in a power."""

from __future__ import annotations

from typing import Any, ClassVar

from ..checks import at_least_zero, number, positive_int
from ..optimizer import Optimizer
from .scheduler import LRScheduler


class ConstantLR(LRScheduler):
    """Multiplies the rates by ``factor`` until epoch ``total_iters``.

    Raises:
        ValueError: ``factor`` is not in (0, 1], ``total_iters`` not above 0.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.ConstantLR(opt, factor=0.5, total_iters=2)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.5]
    [1.]
    [1.]
    """

    _kept: ClassVar[tuple[str, ...]] = ("factor", "total_iters")

    def __init__(
        self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5
    ) -> None:
        self.factor = _fraction("factor", factor)
        self.total_iters = positive_int("total_iters", total_iters)
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        return [rate * self.factor for rate in self.get_last_lr()]

    def _rates(self, epoch: int) -> list[float]:
        if epoch != self.total_iters:
            return self.get_last_lr()
        return [rate * (1.0 / self.factor) for rate in self.get_last_lr()]


class LinearLR(LRScheduler):
    """Moves the factor of the base rates from ``start_factor`` to ``end_factor`` in a line.

    Args:
        optimizer: whose rates are set.
        start_factor: in (0, 1].
        end_factor: in [0, 1].
        total_iters: in so many epochs.

    Raises:
        ValueError: a factor is out of its range, ``total_iters`` not above 0.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.LinearLR(opt, total_iters=3)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.556]
    [0.778]
    [1.]
    """

    _kept: ClassVar[tuple[str, ...]] = ("start_factor", "end_factor", "total_iters")

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        self.start_factor = _fraction("start_factor", start_factor)
        self.end_factor = at_least_zero("end_factor", end_factor)
        if self.end_factor > 1:
            raise ValueError(f"end_factor has to be in [0, 1], not {end_factor}")
        self.total_iters = positive_int("total_iters", total_iters)
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        return [rate * self.start_factor for rate in self.get_last_lr()]

    def _rates(self, epoch: int) -> list[float]:
        if epoch > self.total_iters:
            return self.get_last_lr()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (epoch - 1) * rise
        return [rate * (1.0 + rise / before) for rate in self.get_last_lr()]


class PolynomialLR(LRScheduler):
    """Base rates times (1 - epoch / total_iters)**power, then 0.

    Raises:
        ValueError: ``total_iters`` is not above 0.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.PolynomialLR(opt, total_iters=4)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.75]
    [0.5]
    [0.25]
    """

    _kept: ClassVar[tuple[str, ...]] = ("total_iters", "power")

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0
    ) -> None:
        self.total_iters = positive_int("total_iters", total_iters)
        self.power = at_least_zero("power", power)
        super().__init__(optimizer)

    def _rates(self, epoch: int) -> list[float]:
        total = self.total_iters
        if epoch > total:
            return self.get_last_lr()
        quotient = (1.0 - epoch / total) / (1.0 - (epoch - 1) / total)
        return [rate * quotient**self.power for rate in self.get_last_lr()]


def _fraction(name: str, value: Any) -> float:
    found = number(name, value)
    if not 0 < found <= 1:
        raise ValueError(f"{name} has to be in (0, 1], not {found}")
    return found
