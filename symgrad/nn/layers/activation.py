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
    """``max(x, 0)``, with derivative 0 at 0.

    >>> nn.ReLU()(np.array([-2.0, 0.5, 3.0]))
    array([0. , 0.5, 3. ])
    """

    def forward(self, x: Array) -> Array:
        return F.relu(x)


class ReLU6(_InPlace):
    """``min(max(x, 0), 6)``.

    >>> nn.ReLU6()(np.array([-2.0, 0.5, 3.0]))
    array([0. , 0.5, 3. ])
    """

    def forward(self, x: Array) -> Array:
        return F.relu6(x)


class SELU(_InPlace):
    """``ELU`` scaled so that mean 0 and variance 1 are kept.

    >>> nn.SELU()(np.array([-2.0, 0.5, 3.0]))
    array([-1.52016647,  0.52535049,  3.15210296])
    """

    def forward(self, x: Array) -> Array:
        return F.selu(x)


class SiLU(_InPlace):
    """``x * sigmoid(x)``.

    >>> nn.SiLU()(np.array([-2.0, 0.5, 3.0]))
    array([-0.23840584,  0.31122967,  2.85772238])
    """

    def forward(self, x: Array) -> Array:
        return F.silu(x)


class Mish(_InPlace):
    """``x * tanh(softplus(x))``.

    >>> nn.Mish()(np.array([-2.0, 0.5, 3.0]))
    array([-0.25250148,  0.37524521,  2.986535  ])
    """

    def forward(self, x: Array) -> Array:
        return F.mish(x)


class Hardsigmoid(_InPlace):
    """A line from 0 at -3 to 1 at 3, constant outside.

    >>> nn.Hardsigmoid()(np.array([-2.0, 0.5, 3.0]))
    array([0.16666667, 0.58333333, 1.        ])
    """

    def forward(self, x: Array) -> Array:
        return F.hardsigmoid(x)


class Hardswish(_InPlace):
    """``x * hardsigmoid(x)``.

    >>> nn.Hardswish()(np.array([-2.0, 0.5, 3.0]))
    array([-0.33333333,  0.29166667,  3.        ])
    """

    def forward(self, x: Array) -> Array:
        return F.hardswish(x)


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``.

    >>> nn.Sigmoid()(np.array([-2.0, 0.5, 3.0]))
    array([0.11920292, 0.62245933, 0.95257413])
    """

    def forward(self, x: Array) -> Array:
        return F.sigmoid(x)


class LogSigmoid(Module):
    """The logarithm of ``sigmoid``.

    >>> nn.LogSigmoid()(np.array([-2.0, 0.5, 3.0]))
    array([-2.12692801, -0.47407698, -0.04858735])
    """

    def forward(self, x: Array) -> Array:
        return F.logsigmoid(x)


class Tanh(Module):
    """The hyperbolic tangent.

    >>> nn.Tanh()(np.array([-2.0, 0.5, 3.0]))
    array([-0.96402758,  0.46211716,  0.99505475])
    """

    def forward(self, x: Array) -> Array:
        return F.tanh(x)


class Tanhshrink(Module):
    """``x - tanh(x)``.

    >>> nn.Tanhshrink()(np.array([-2.0, 0.5, 3.0]))
    array([-1.03597242,  0.03788284,  2.00494525])
    """

    def forward(self, x: Array) -> Array:
        return F.tanhshrink(x)


class Softsign(Module):
    """``x / (1 + abs(x))``.

    >>> nn.Softsign()(np.array([-2.0, 0.5, 3.0]))
    array([-0.66666667,  0.33333333,  0.75      ])
    """

    def forward(self, x: Array) -> Array:
        return F.softsign(x)


# --------------------------------------------------------------------------- with options
class LeakyReLU(_Shown):
    """``x`` where positive, else ``negative_slope * x``.

    >>> nn.LeakyReLU()(np.array([-2.0, 0.5, 3.0]))
    array([-0.02,  0.5 ,  3.  ])
    """

    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.leaky_relu(x, self.negative_slope)


class PReLU(_Shown):
    """``LeakyReLU`` with learned slopes: one, or one per channel.

    >>> nn.PReLU(dtype=float)(np.array([-2.0, 0.5, 3.0]))
    array([-0.5,  0.5,  3. ])
    """

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
    """``x`` where positive, else ``alpha * (exp(x) - 1)``.

    >>> nn.ELU()(np.array([-2.0, 0.5, 3.0]))
    array([-0.86466472,  0.5       ,  3.        ])
    """

    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.elu(x, self.alpha)


class CELU(_Shown):
    """``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``.

    >>> nn.CELU()(np.array([-2.0, 0.5, 3.0]))
    array([-0.86466472,  0.5       ,  3.        ])
    """

    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.celu(x, self.alpha)


class GELU(_Shown):
    """``x`` times the normal distribution function; ``"tanh"`` is quicker.

    >>> nn.GELU()(np.array([-2.0, 0.5, 3.0]))
    array([-0.04550026,  0.34573123,  2.99595031])
    """

    _shown = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, x: Array) -> Array:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softplus(_Shown):
    """``log(1 + exp(beta x)) / beta``; with a threshold, ``x`` where ``beta x`` is above it.

    >>> nn.Softplus()(np.array([-2.0, 0.5, 3.0]))
    array([0.12692801, 0.97407698, 3.04858735])
    """

    _shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float | None = None) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, x: Array) -> Array:
        return F.softplus(x, self.beta, self.threshold)


class Hardtanh(_Shown):
    """``x`` clipped to the range.

    >>> nn.Hardtanh()(np.array([-2.0, 0.5, 3.0]))
    array([-1. ,  0.5,  1. ])
    """

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
    """``x`` where it is further from 0 than ``lambd``, else 0.

    >>> nn.Hardshrink()(np.array([-2.0, 0.5, 3.0]))
    array([-2.,  0.,  3.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, x: Array) -> Array:
        return F.hardshrink(x, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Module):
    """``x`` moved towards 0 by ``lambd``, and 0 in between.

    >>> nn.Softshrink()(np.array([-2.0, 0.5, 3.0]))
    array([-1.5,  0. ,  2.5])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, x: Array) -> Array:
        return F.softshrink(x, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Threshold(_Shown):
    """``x`` where it is above ``threshold``, else ``value``.

    >>> nn.Threshold(1.0, 0.0)(np.array([-2.0, 0.5, 3.0]))
    array([0., 0., 3.])
    """

    _shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value
        self.inplace = inplace

    def forward(self, x: Array) -> Array:
        return F.threshold(x, self.threshold, self.value)
