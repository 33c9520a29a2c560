"""Whether options of optimizers and schedulers are numbers of the right kind and range."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

FLAGS = frozenset({"amsgrad", "centered", "maximize", "nesterov"})
ANY_SIGN = frozenset({"dampening"})


def number(name: str, value: Any) -> float:
    """``value`` as a float.

    Raises:
        TypeError: it is no real number.
        ValueError: it is nan or infinite.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} has to be a number, not {type(value).__name__}")
    found = float(value)
    if not math.isfinite(found):
        raise ValueError(f"{name} has to be finite, not {found}")
    return found


def at_least_zero(name: str, value: Any) -> float:
    """``value`` as a float that is not negative."""
    found = number(name, value)
    if found < 0:
        raise ValueError(f"{name} has to be at least 0, not {found}")
    return found


def positive_int(name: str, value: Any) -> int:
    """``value`` as an int above 0."""
    if int_from_zero(name, value) == 0:
        raise ValueError(f"{name} has to be at least 1, not 0")
    return int(value)


def int_from_zero(name: str, value: Any) -> int:
    """``value`` as an int that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} has to be an int, not {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} has to be an int from 0 on, not {value}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """``value`` as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} has to be True or False, not {type(value).__name__}")
    return bool(value)


def betas(value: Any) -> tuple[float, float]:
    """The two decay rates of Adam, each in [0, 1)."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"betas has to be a pair of numbers, not {value!r}")
    first, second = (number("each of betas", beta) for beta in value)
    for beta in (first, second):
        if not 0 <= beta < 1:
            raise ValueError(f"each of betas has to be in [0, 1), not {beta}")
    return first, second


def checked(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The options called ``names``, as floats, bools and pairs of floats.

    Raises:
        KeyError: one of them is missing.
        TypeError, ValueError: one is of the wrong kind or out of its range.
    """
    found: dict[str, Any] = {}
    for name in names:
        if name not in options:
            raise KeyError(f"the option {name!r} is missing")
        value = options[name]
        if name == "betas":
            found[name] = betas(value)
        elif name in FLAGS:
            found[name] = flag(name, value)
        elif name in ANY_SIGN:
            found[name] = number(name, value)
        else:
            found[name] = at_least_zero(name, value)
    if found.get("nesterov") and (found["momentum"] == 0 or found["dampening"] != 0):
        raise ValueError("nesterov needs a momentum above 0, and dampening 0")
    return found
