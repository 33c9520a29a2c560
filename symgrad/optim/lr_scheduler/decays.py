"""Rates that are multiplied by a factor: at milestones, in every epoch, or by a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..checks import int_from_zero, number, positive_int
from ..optimizer import Optimizer
from .grouping import per_group
from .scheduler import LRScheduler


class StepLR(LRScheduler):
    """Multiplies the rates by ``gamma`` every ``step_size`` epochs.

    Raises:
        TypeError, ValueError: ``step_size`` is no int above 0.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.StepLR(opt, step_size=2)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [1.]
    [0.1]
    [0.1]
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

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.MultiStepLR(opt, [1, 3])
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.1]
    [0.1]
    [0.01]
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
    """Multiplies the rates by ``gamma`` in every epoch.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.ExponentialLR(opt, 0.5)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.5]
    [0.25]
    [0.125]
    """

    _kept: ClassVar[tuple[str, ...]] = ("gamma",)

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma = number("gamma", gamma)
        super().__init__(optimizer)

    def _rates(self, epoch: int) -> list[float]:
        return [rate * self.gamma for rate in self.get_last_lr()]


class LambdaLR(LRScheduler):
    """Base rates times ``lr_lambda(epoch)``.

    Args:
        optimizer: whose rates are set.
        lr_lambda: a function, or a list with one for each group; not part of the state.

    Raises:
        TypeError: it cannot be called.
        ValueError: there are not as many as groups.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.LambdaLR(opt, lambda step: 1 / (1 + step))
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.5]
    [0.333]
    [0.25]
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
        return self._times(self._bases(), epoch)

    def _times(self, rates: list[float], epoch: int) -> list[float]:
        pairs = zip(rates, self.lr_lambdas, strict=True)
        return [rate * function(epoch) for rate, function in pairs]


class MultiplicativeLR(LambdaLR):
    """The rates of the epoch before times ``lr_lambda(epoch)``; the arguments are those of
    ``LambdaLR``.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.MultiplicativeLR(opt, lambda epoch: 1 / epoch)
    >>> for _ in range(4):
    ...     opt.step()
    ...     sched.step()
    >>> sched.get_last_lr()
    [0.041666666666666664]
    """

    def _first_rates(self) -> list[float]:
        return self.get_last_lr()

    def _rates(self, epoch: int) -> list[float]:
        return self._times(self.get_last_lr(), epoch)
