"""Rates that are multiplied by a factor: at once, at milestones, or in every epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..checks import at_least_zero, int_from_zero, number, positive_int
from ..optimizer import Optimizer
from .scheduler import LRScheduler, per_group


class StepLR(LRScheduler):
    """Multiplies the rates by ``gamma`` every ``step_size`` epochs.

    Raises:
        TypeError, ValueError: ``step_size`` is no int above 0.
    """

    _kept: ClassVar[tuple[str, ...]] = ("step_size", "gamma")

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size = positive_int("step_size", step_size)
        self.gamma = number("gamma", gamma)
        super().__init__(optimizer)

    def _rates(self, epoch: int) -> list[float]:
        if epoch % self.step_size != 0:
            return self.get_last_lr()
        return [rate * self.gamma for rate in self.get_last_lr()]


class MultiStepLR(LRScheduler):
    """Multiplies the rates by ``gamma`` at each of ``milestones``, as often as it is there.

    Raises:
        TypeError, ValueError: milestones are no ints, or negative.
    """

    _kept: ClassVar[tuple[str, ...]] = ("milestones", "gamma")

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1
    ) -> None:
        self.milestones = [int_from_zero("a milestone", m) for m in milestones]
        self.gamma = number("gamma", gamma)
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        return self._rates(0)

    def _rates(self, epoch: int) -> list[float]:
        times = self.milestones.count(epoch)
        return [rate * self.gamma**times for rate in self.get_last_lr()]


class ExponentialLR(LRScheduler):
    """Multiplies the rates by ``gamma`` in every epoch."""

    _kept: ClassVar[tuple[str, ...]] = ("gamma",)

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma = number("gamma", gamma)
        super().__init__(optimizer)

    def _rates(self, epoch: int) -> list[float]:
        return [rate * self.gamma for rate in self.get_last_lr()]


class ConstantLR(LRScheduler):
    """Multiplies the rates by ``factor`` until epoch ``total_iters``.

    Raises:
        ValueError: ``factor`` is not in (0, 1], ``total_iters`` not above 0.
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


class LambdaLR(LRScheduler):
    """Base rates times ``lr_lambda(epoch)``.

    Args:
        optimizer: whose rates are set.
        lr_lambda: a function, or a list with one for each group; not part of the state.

    Raises:
        TypeError: it cannot be called.
        ValueError: there are not as many as groups.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
    ) -> None:
        groups = getattr(optimizer, "param_groups", [])
        self.lr_lambdas: list[Any] = per_group("lr_lambda", lr_lambda, groups)
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda is called, so no {type(function).__name__}")
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        return self._rates(0)

    def _rates(self, epoch: int) -> list[float]:
        return [
            rate * function(epoch)
            for rate, function in zip(self.base_lrs, self.lr_lambdas, strict=True)
        ]


def _fraction(name: str, value: Any) -> float:
    found = number(name, value)
    if not 0 < found <= 1:
        raise ValueError(f"{name} has to be in (0, 1], not {found}")
    return found
