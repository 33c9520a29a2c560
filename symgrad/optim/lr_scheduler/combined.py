"""Schedulers made of schedulers: one after another, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, ClassVar

from ..checks import positive_int
from ..optimizer import Optimizer
from .grouping import set_rates
from .plateau import ReduceLROnPlateau
from .scheduler import LRScheduler


class SequentialLR(LRScheduler):
    """One scheduler after another.

    Args:
        optimizer: whose rates are set.
        schedulers: each starts from the base rates when its turn comes.
        milestones: the epochs at which the second, third, ... scheduler takes over.

    Raises:
        TypeError, ValueError: there are no schedulers, one cannot take part or is another
            optimizer's, or milestones are not one fewer and increasing.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> first = lr_scheduler.ConstantLR(opt, factor=0.5, total_iters=2)
    >>> rest = lr_scheduler.ExponentialLR(opt, 0.5)
    >>> sched = lr_scheduler.SequentialLR(opt, [first, rest], milestones=[2])
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.5]
    [1.]
    [0.5]
    """

    _kept: ClassVar[tuple[str, ...]] = ("milestones",)

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
    ) -> None:
        self.schedulers = _checked(schedulers, optimizer)
        self.milestones = [positive_int("a milestone", m) for m in milestones]
        if len(self.milestones) != len(self.schedulers) - 1:
            raise ValueError(
                f"{len(self.schedulers)} schedulers take {len(self.schedulers) - 1} "
                f"milestones, not {len(self.milestones)}"
            )
        if sorted(set(self.milestones)) != self.milestones:
            raise ValueError(f"milestones have to increase, unlike {self.milestones}")
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        set_rates(self.groups, self._bases())
        self.schedulers[0].start()
        return self.get_last_lr()

    def _rates(self, epoch: int) -> list[float]:
        i = bisect_right(self.milestones, epoch)
        if i > 0 and self.milestones[i - 1] == epoch:
            self.schedulers[i].restart()
        else:
            self.schedulers[i].advance()
        return self.get_last_lr()


class ChainedScheduler(LRScheduler):
    """Several schedulers that step together, so that their factors multiply.

    Args:
        schedulers: in the order in which they step.
        optimizer: theirs, if given.

    Raises:
        TypeError, ValueError: there are none, one cannot take part or is another optimizer's.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> first = lr_scheduler.ConstantLR(opt, factor=0.5, total_iters=2)
    >>> sched = lr_scheduler.ChainedScheduler([first, lr_scheduler.ExponentialLR(opt, 0.9)])
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.45]
    [0.81]
    [0.729]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self.schedulers = _checked(schedulers, optimizer)
        super().__init__(self.schedulers[0].optimizer)

    def _first_rates(self) -> list[float]:
        set_rates(self.groups, self._bases())
        for scheduler in self.schedulers:
            scheduler.start()
        return self.get_last_lr()

    def _rates(self, epoch: int) -> list[float]:
        for scheduler in self.schedulers:
            scheduler.advance()
        return self.get_last_lr()


def _checked(schedulers: Any, optimizer: Optimizer | None) -> tuple[LRScheduler, ...]:
    """The schedulers, all of one optimizer."""
    found = tuple(schedulers)
    if not found:
        raise ValueError("there has to be at least one scheduler")
    for i, scheduler in enumerate(found):
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(f"scheduler {i} is none but a {type(scheduler).__name__}")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                f"scheduler {i} is a ReduceLROnPlateau, whose step needs a metric"
            )
        if scheduler.optimizer is not (optimizer or found[0].optimizer):
            raise ValueError(f"scheduler {i} is that of another optimizer")
    return found
