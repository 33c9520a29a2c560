"""An optimizer's groups: values for each, and their rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..groups import Group
from ..optimizer import Optimizer


def checked_optimizer(optimizer: Any) -> Optimizer:
    """``optimizer``, which is one."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"a scheduler takes an Optimizer, not {type(optimizer).__name__}")
    return optimizer


def set_rates(groups: list[Group], rates: Sequence[float]) -> None:
    """Write a rate into each group."""
    for group, rate in zip(groups, rates, strict=True):
        group["lr"] = rate


def per_group(name: str, value: Any, groups: list[Group]) -> list[Any]:
    """``value`` for each group: a list or tuple of one each, or the same for all."""
    if not isinstance(value, list | tuple):
        return [value] * len(groups)
    if len(value) != len(groups):
        raise ValueError(
            f"{name} has {len(value)} entries, the optimizer {len(groups)} groups"
        )
    return list(value)


def momentum_of(optimizer: Optimizer) -> str:
    """The option that takes the part of momentum."""
    for name in ("betas", "momentum"):
        if name in optimizer.defaults:
            return name
    raise ValueError(
        f"{type(optimizer).__name__} has no momentum to cycle: write cycle_momentum=False"
    )


def set_momentum(group: Group, option: str, value: float) -> None:
    """Write a momentum into a group."""
    group[option] = (value, *group["betas"][1:]) if option == "betas" else value
