"""``LRScheduler``: what all schedulers have, counting epochs and writing rates to groups."""

from __future__ import annotations

import copy
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ...errors import SymgradWarning
from ..groups import Group
from ..optimizer import Optimizer
from .grouping import checked_optimizer, set_rates

COUNTS = ("base_lrs", "last_epoch", "last_lr", "step_count")


class LRScheduler(ABC):
    """Sets the learning rates of an optimizer's groups, one epoch after another.

    Args:
        optimizer: whose groups' ``lr`` are set. Its rates of now are the base rates.

    Rates are computed from those before, so what else changes ``lr`` has a lasting effect, as in
    PyTorch, whose rates these are to the last bit.

    Raises:
        TypeError: ``optimizer`` is none.

    >>> opt = optim.SGD([nn.Parameter(np.ones(1))], lr=1.0)
    >>> lr_scheduler.ExponentialLR(opt, 0.5).get_last_lr()
    [1.0]
    """

    # What belongs to the state, beside COUNTS.
    _kept: ClassVar[tuple[str, ...]] = ()
    schedulers: tuple[LRScheduler, ...] = ()  # those this one is made of

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = checked_optimizer(optimizer)
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs: list[float] = [group["initial_lr"] for group in self.groups]
        self.step_count = 0
        self.start()

    @property
    def groups(self) -> list[Group]:
        """The optimizer's groups."""
        return self.optimizer.param_groups

    # -- what each scheduler says -------------------------------------------------------
    @abstractmethod
    def _rates(self, epoch: int) -> list[float]:
        """The rates of an epoch after the first, from those of the one before."""

    def _first_rates(self) -> list[float]:
        """The rates of epoch 0, from the base rates that stand in the groups."""
        return self.get_last_lr()

    # -- going on -----------------------------------------------------------------------
    def start(self) -> None:
        """Set the rates of epoch 0, from those in the groups."""
        self._write(0, self._first_rates())
        self.step_count = 1

    def restart(self) -> None:
        """Set the rates of epoch 0, from the base rates."""
        set_rates(self.groups, self._bases())
        self._write(0, self._first_rates())

    def step(self) -> None:
        """Set the rates of the next epoch.

        A warning says so if the optimizer has not stepped yet.
        """
        if self.step_count == 1 and self.optimizer.steps_taken == 0:
            warnings.warn(
                "the scheduler steps before the optimizer has: the first learning rate is "
                "skipped. Call optimizer.step() first",
                SymgradWarning,
                stacklevel=2,
            )
        self.advance()

    def advance(self) -> None:
        """Set the rates of the next epoch, and say nothing."""
        self._write(self.last_epoch + 1, self._rates(self.last_epoch + 1))
        self.step_count += 1

    def _write(self, epoch: int, rates: Sequence[float]) -> None:
        set_rates(self.groups, rates)
        self.last_epoch = epoch
        self.last_lr = list(rates)

    def get_last_lr(self) -> list[float]:
        """The rates of the groups as they are now."""
        return [group["lr"] for group in self.groups]

    def _bases(self) -> list[float]:
        """The base rates, one for each group."""
        if len(self.base_lrs) != len(self.groups):
            raise ValueError(
                f"there are {len(self.groups)} groups, {len(self.base_lrs)} when this "
                f"{type(self).__name__} was made: make it anew after adding a group"
            )
        return self.base_lrs

    # -- states -------------------------------------------------------------------------
    def state_dict(self) -> dict[str, Any]:
        """A copy of all numbers of the scheduler; functions given to it are left out."""
        names = (*COUNTS, *self._kept)
        out = {name: copy.deepcopy(getattr(self, name)) for name in names}
        if self.schedulers:
            out["schedulers"] = [part.state_dict() for part in self.schedulers]
        return out

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over a state; the rates in the groups are part of the optimizer's.

        Raises:
            ValueError: it is that of another kind of scheduler, or for other groups; nothing
                has been changed.
        """
        self.check_state(state_dict)
        for name in (*COUNTS, *self._kept):
            setattr(self, name, copy.deepcopy(state_dict[name]))
        for part, state in zip(
            self.schedulers, state_dict.get("schedulers", ()), strict=True
        ):
            part.load_state_dict(state)

    def check_state(self, state_dict: Mapping[str, Any]) -> None:
        """Raise the ValueError of ``load_state_dict``, or do nothing."""
        names = {*COUNTS, *self._kept, *(("schedulers",) if self.schedulers else ())}
        if not isinstance(state_dict, Mapping) or state_dict.keys() != names:
            raise ValueError(
                f"the state of a {type(self).__name__} is a dict with "
                f"{', '.join(sorted(names))}"
            )
        groups, parts = len(state_dict["base_lrs"]), state_dict.get("schedulers", ())
        if groups != len(self.base_lrs) or len(parts) != len(self.schedulers):
            raise ValueError(
                f"the state is for {groups} groups and {len(parts)} parts, the scheduler "
                f"for {len(self.base_lrs)} and {len(self.schedulers)}"
            )
        for part, state in zip(self.schedulers, parts, strict=True):
            part.check_state(state)
