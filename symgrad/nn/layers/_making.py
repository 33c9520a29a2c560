"""How layers make their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import init
from ..parameter import Parameter


def uniform(shape: Any, bound: float, dtype: Any, generator: Any) -> Parameter:
    """Uniform between plus and minus ``bound``."""
    parameter = Parameter(np.empty(shape, np.dtype(dtype)))
    init.uniform_(parameter, -bound, bound, generator)
    return parameter


def filled(shape: Any, value: float, dtype: Any) -> Parameter:
    """One value everywhere."""
    return Parameter(np.full(shape, value, np.dtype(dtype)))


def single(x: Any) -> tuple[int]:
    """One integer as a tuple, as PyTorch's layers show it."""
    return (x,) if isinstance(x, int) else tuple(x)


def double(x: Any) -> tuple[int, int]:
    """One integer for both axes, or one for each."""
    return (x, x) if isinstance(x, int) else (x[0], x[1])
