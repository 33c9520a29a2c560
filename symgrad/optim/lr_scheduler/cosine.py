"""Rates along a half wave of the cosine: there and back, or with restarts."""

from __future__ import annotations

import math
from typing import ClassVar

from ..checks import at_least_zero, number, positive_int
from ..optimizer import Optimizer
from .scheduler import LRScheduler


class CosineAnnealingLR(LRScheduler):
    """From the base rates to ``eta_min`` in ``T_max`` epochs, and back again
    (Loshchilov and Hutter, 2017, without its restarts).

    Raises:
        ValueError: ``T_max`` is not above 0.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.CosineAnnealingLR(opt, T_max=4)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.854]
    [0.5]
    [0.146]
    """

    _kept: ClassVar[tuple[str, ...]] = ("T_max", "eta_min")

    def __init__(self, optimizer: Optimizer, T_max: float, eta_min: float = 0.0) -> None:  # noqa: N803
        self.T_max = number("T_max", T_max)
        if self.T_max <= 0:
            raise ValueError(f"T_max has to be above 0, not {T_max}")
        self.eta_min = number("eta_min", eta_min)
        super().__init__(optimizer)

    def restart(self) -> None:
        super().restart()
        low = self.eta_min  # as the closed form rounds
        self._write(0, [low + (rate - low) * (1 + 1.0) / 2 for rate in self._bases()])

    def _rates(self, epoch: int) -> list[float]:
        low, length = self.eta_min, self.T_max
        if (epoch - 1 - length) % (
            2 * length
        ) == 0:  # at the bottom: no factor leads out of it
            return [
                rate + (base - low) * (1 - math.cos(math.pi / length)) / 2
                for base, rate in zip(self._bases(), self.get_last_lr(), strict=True)
            ]
        now = 1 + math.cos(math.pi * epoch / length)
        before = 1 + math.cos(math.pi * (epoch - 1) / length)
        return [now / before * (rate - low) + low for rate in self.get_last_lr()]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the base rates to ``eta_min``, again and again (Loshchilov and Hutter, 2017).

    Args:
        optimizer: whose rates are set.
        T_0: the first time in so many epochs.
        T_mult: each time in so many times the epochs of the time before.
        eta_min: where the rates go.

    Raises:
        TypeError, ValueError: ``T_0`` or ``T_mult`` is no int above 0.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> sched = lr_scheduler.CosineAnnealingWarmRestarts(opt, 2)
    >>> for _ in range(3):
    ...     opt.step()
    ...     sched.step()
    ...     print(np.round(sched.get_last_lr(), 3))
    [0.5]
    [1.]
    [0.5]
    """

    _kept: ClassVar[tuple[str, ...]] = ("T_0", "T_mult", "eta_min", "T_cur", "T_i")

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
    ) -> None:
        self.T_0 = positive_int("T_0", T_0)
        self.T_mult = positive_int("T_mult", T_mult)
        self.eta_min = number("eta_min", eta_min)
        super().__init__(optimizer)

    def _first_rates(self) -> list[float]:
        self.T_cur: float = 0
        self.T_i = self.T_0
        return self._wave()

    def _rates(self, epoch: int) -> list[float]:
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        return self._wave()

    def step(self, epoch: float | None = None) -> None:
        """Set the rates of the next epoch, or of a given one, which may lie between two.

        Raises:
            TypeError, ValueError: ``epoch`` is no number, or negative.
        """
        if epoch is None:
            super().step()
            return
        rest, length = at_least_zero("epoch", epoch), self.T_0
        if self.T_mult == 1:
            rest %= length
        while rest >= length:
            rest -= length
            length *= self.T_mult
        self.T_cur, self.T_i = rest, length
        self._write(math.floor(epoch), self._wave())

    def _wave(self) -> list[float]:
        low = self.eta_min
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [low + (base - low) * height / 2 for base in self._bases()]
