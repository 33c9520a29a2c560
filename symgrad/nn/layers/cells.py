"""Single steps of recurrent layers as modules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from ..module import Module
from ._making import uniform
from .recurrent import gru_step, lstm_step, rnn_step

Array = Any


class _Cell(Module):
    """One step.

    Args:
        input_size: the length of the input's last axis.
        hidden_size: that of the state.
        bias: whether there are biases.
        dtype: of the parameters.
        generator: where their initial values come from, uniform within
            ``1 / sqrt(hidden_size)``; by default NumPy's global state.
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        rows, bound = self.gates * hidden_size, 1 / math.sqrt(hidden_size)
        self.weight_ih = uniform((rows, input_size), bound, dtype, generator)
        self.weight_hh = uniform((rows, hidden_size), bound, dtype, generator)
        for name in ("bias_ih", "bias_hh"):
            made = uniform(rows, bound, dtype, generator) if bias else None
            self.register_parameter(name, made)

    def _driven(self, x: Array) -> Array:
        return F.linear(x, self.weight_ih, self.bias_ih)

    def _zeros(self, x: Array) -> Array:
        return np.zeros((*x.shape[:-1], self.hidden_size), x.dtype)

    def extra_repr(self) -> str:
        more = "" if self.bias_ih is not None else ", bias=False"
        return f"{self.input_size}, {self.hidden_size}{more}"


class RNNCell(_Cell):
    """One step of ``RNN``, from ``x`` and the state to the next state.

    >>> nn.RNNCell(3, 5)(np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(input_size, hidden_size, bias, dtype=dtype, generator=generator)
        self.nonlinearity = nonlinearity

    def extra_repr(self) -> str:
        usual = self.nonlinearity == "tanh"
        return super().extra_repr() + (
            "" if usual else f", nonlinearity={self.nonlinearity}"
        )

    def forward(self, x: Array, hx: Array = None) -> Array:
        h = self._zeros(x) if hx is None else hx
        rest = (self.weight_hh, self.bias_hh, self.nonlinearity)
        return rnn_step(self._driven(x), h, *rest)


class GRUCell(_Cell):
    """One step of ``GRU``, from ``x`` and the state to the next state.

    >>> nn.GRUCell(3, 5)(np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    gates = 3

    def forward(self, x: Array, hx: Array = None) -> Array:
        h = self._zeros(x) if hx is None else hx
        return gru_step(self._driven(x), h, self.weight_hh, self.bias_hh)


class LSTMCell(_Cell):
    """One step of ``LSTM``, from ``x`` and ``(h, c)`` to the next ``(h, c)``.

    >>> h, c = nn.LSTMCell(3, 5)(np.ones((2, 3), np.float32))
    >>> h.shape, c.shape
    ((2, 5), (2, 5))
    """

    gates = 4

    def forward(
        self, x: Array, hx: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        h, c = (self._zeros(x), self._zeros(x)) if hx is None else hx
        return lstm_step(self._driven(x), h, c, self.weight_hh, self.bias_hh)
