"""Activation functions as modules. Those that PyTorch lets work ``inplace`` take the word and
work as without it: what is overwritten is the compiler's affair."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from ..module import Module
from ._making import filled

Array = Any


class _Shown(Module):
    """Shows the options that ``_shown`` names."""

    _shown: tuple[str, ...] = ()
    inplace = False

    def extra_repr(self) -> str:
        parts = [f"{name}={getattr(self, name)}" for name in self._shown]
        return ", ".join([*parts, "inplace=True"] if self.inplace else parts)


class _InPlace(Module):
    """Takes ``inplace``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """``max(x, 0)``, with derivative 0 at 0."""

    def forward(self, x: Array) -> Array:
        return F.relu(x)


class ReLU6(_InPlace):
    """``min(max(x, 0), 6)``."""

    def forward(self, x: Array) -> Array:
        return F.relu6(x)


class SELU(_InPlace):
    """``ELU`` scaled so that mean 0 and variance 1 are kept."""

    def forward(self, x: Array) -> Array:
        return F.selu(x)


class SiLU(_InPlace):
    """``x * sigmoid(x)``."""

    def forward(self, x: Array) -> Array:
        return F.silu(x)


class Mish(_InPlace):
    """``x * tanh(softplus(x))``."""

    def forward(self, x: Array) -> Array:
        return F.mish(x)


class Hardsigmoid(_InPlace):
    """A line from 0 at -3 to 1 at 3, constant outside."""

    def forward(self, x: Array) -> Array:
        return F.hardsigmoid(x)


class Hardswish(_InPlace):
    """``x * hardsigmoid(x)``."""

    def forward(self, x: Array) -> Array:
        return F.hardswish(x)


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    def forward(self, x: Array) -> Array:
        return F.sigmoid(x)


class LogSigmoid(Module):
    """The logarithm of ``sigmoid``."""

    def forward(self, x: Array) -> Array:
        return F.logsigmoid(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: Array) -> Array:
        return F.tanh(x)


class Tanhshrink(Module):
    """``x - tanh(x)``."""

    def forward(self, x: Array) -> Array:
        return F.tanhshrink(x)


class Softsign(Module):
    """``x / (1 + abs(x))``."""

    def forward(self, x: Array) -> Array:
        return F.softsign(x)


# --------------------------------------------------------------------------- with options
class LeakyReLU(_Shown):
    """``x`` where positive, else ``negative_slope * x``."""

    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.leaky_relu(x, self.negative_slope)


class PReLU(_Shown):
    """``LeakyReLU`` with learned slopes: one, or one per channel."""

    _shown = ("num_parameters",)

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, *, dtype: Any = np.float32
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = filled(num_parameters, init, dtype)

    def forward(self, x: Array) -> Array:
        return F.prelu(x, self.weight)


class ELU(_Shown):
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""

    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.elu(x, self.alpha)


class CELU(_Shown):
    """``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``."""

    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.celu(x, self.alpha)


class GELU(_Shown):
    """``x`` times the normal distribution function; ``"tanh"`` is quicker."""

    _shown = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, x: Array) -> Array:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softplus(_Shown):
    """``log(1 + exp(beta x)) / beta``; with a threshold, ``x`` where ``beta x`` is above it."""

    _shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float | None = None) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, x: Array) -> Array:
        return F.softplus(x, self.beta, self.threshold)


class Hardtanh(_Shown):
    """``x`` clipped to the range."""

    _shown = ("min_val", "max_val")

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
    ) -> None:
        super().__init__()
        if max_val <= min_val:
            raise ValueError(f"max_val {max_val} must be above min_val {min_val}")
        self.min_val, self.max_val = min_val, max_val
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.hardtanh(x, self.min_val, self.max_val)


class Hardshrink(Module):
    """``x`` where it is further from 0 than ``lambd``, else 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, x: Array) -> Array:
        return F.hardshrink(x, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Module):
    """``x`` moved towards 0 by ``lambd``, and 0 in between."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, x: Array) -> Array:
        return F.softshrink(x, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Threshold(_Shown):
    """``x`` where it is above ``threshold``, else ``value``."""

    _shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.threshold(x, self.threshold, self.value)
