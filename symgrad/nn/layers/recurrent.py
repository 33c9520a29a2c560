"""Recurrent layers. The inputs of all times are multiplied at once, and what can be added to them
is added before the loop that does the rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from ..functional.sampling import check_probability
from ..module import Module
from ._making import uniform

Array = Any


# -------------------------------------------------------------------------------- one step
def rnn_step(
    inputs: Array, h: Array, weight: Array, bias: Array, nonlinearity: str
) -> Array:
    """The next state of a plain recurrent layer (Elman, 1990)."""
    total = inputs + F.linear(h, weight, bias)
    return F.relu(total) if nonlinearity == "relu" else np.tanh(total)


def lstm_step(
    inputs: Array, h: Array, c: Array, weight: Array, bias: Array
) -> tuple[Array, Array]:
    """The next states of a long short-term memory (Hochreiter and Schmidhuber, 1997)."""
    gates = inputs + F.linear(h, weight, bias)
    n = c.shape[-1]
    entering = F.sigmoid(gates[..., :n]) * np.tanh(gates[..., 2 * n : 3 * n])
    c = F.sigmoid(gates[..., n : 2 * n]) * c + entering
    return F.sigmoid(gates[..., 3 * n :]) * np.tanh(c), c


def gru_step(inputs: Array, h: Array, weight: Array, bias: Array) -> Array:
    """The next state of a gated recurrent unit (Cho et al., 2014)."""
    own = F.linear(h, weight, bias)
    n = weight.shape[1]
    reset = F.sigmoid(inputs[..., :n] + own[..., :n])
    keep = F.sigmoid(inputs[..., n : 2 * n] + own[..., n : 2 * n])
    new = np.tanh(inputs[..., 2 * n :] + reset * own[..., 2 * n :])
    return new + keep * (h - new)


# ------------------------------------------------------------------------------ whole layers
class _Recurrent(Module):
    """Layers of one kind on top of each other, in one direction or both; see ``RNN``."""

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        if min(input_size, hidden_size, num_layers) < 1:
            raise ValueError("input_size, hidden_size and num_layers must be positive")
        if proj_size and not (self.gates == 4 and 0 < proj_size < hidden_size):
            raise ValueError(
                "proj_size is for LSTM only, and has to be positive and below hidden_size"
            )
        check_probability(dropout)
        self.proj_size = proj_size
        self.input_size, self.hidden_size = input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional = dropout, bidirectional
        self.generator, self._drops = generator, dropout > 0
        self._names: tuple[tuple[str, ...], ...] = ()
        directions = ("", "_reverse") if bidirectional else ("",)
        for layer in range(num_layers):
            fan_in = (proj_size or hidden_size) * len(directions) if layer else input_size
            for direction in directions:
                self._add(f"l{layer}{direction}", fan_in, dtype, generator)

    def _add(self, suffix: str, fan_in: int, dtype: Any, generator: Any) -> None:
        """The parameters of one layer and direction."""
        rows, bound = self.gates * self.hidden_size, 1 / math.sqrt(self.hidden_size)
        shapes: dict[str, Any] = {
            "weight_ih": (rows, fan_in),
            "weight_hh": (rows, self.proj_size or self.hidden_size),
            "bias_ih": rows, "bias_hh": rows,
        }  # fmt: skip
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = tuple(f"{kind}_{suffix}" for kind in shapes)
        for name, shape in zip(names, shapes.values(), strict=True):
            if self.bias or name.startswith("weight"):
                setattr(self, name, uniform(shape, bound, dtype, generator))
            else:
                self.register_parameter(name, None)
        self._names = (*self._names, names)

    def _begin(self, x: Array) -> Array:
        """The input as (length, n, features)."""
        if x.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__} needs rank 2 or 3, got {x.ndim}")
        if x.ndim == 2:
            return np.expand_dims(x, 1)
        return np.swapaxes(x, 0, 1) if self.batch_first else x

    def _initial(self, x: Array, inputs: Array, h: Array, size: int) -> Array:
        """Initial states (layers, n, size); ``inputs`` is x from ``_begin``."""
        if h is None:
            return np.zeros((len(self._names), inputs.shape[1], size), inputs.dtype)
        return np.expand_dims(h, 1) if x.ndim == 2 else h

    def _end(self, out: Array, x: Array) -> Array:
        """The output in the form of the input ``x``."""
        if x.ndim == 2:
            return np.squeeze(out, 1)
        return np.swapaxes(out, 0, 1) if self.batch_first else out

    def _through(
        self, x: Array, inputs: Array, run: Callable[..., tuple[Array, ...]]
    ) -> tuple[Array, list[Array]]:
        """The output, and the last states of all layers, of each kind: ``run`` takes the number
        of a layer and direction, its inputs, its parameters and whether it runs backwards, and
        returns the states at all times, and the last ones of other kinds."""
        last, outs = [], []
        for k, names in enumerate(self._names):
            backwards = names[0].endswith("reverse")
            weights = [getattr(self, name) for name in names]
            all_states, *others = run(k, inputs, weights, backwards)
            outs.append(all_states)
            last.append((all_states[0] if backwards else all_states[-1], *others))
            if backwards or not self.bidirectional:
                inputs, outs = self._between(outs, k // len(outs)), []
        kinds = range(len(last[0]))
        return self._end(inputs, x), [_stacked([s[i] for s in last], x) for i in kinds]

    def _between(self, outs: list[Array], layer: int) -> Array:
        """What both directions found, as input of the next layer."""
        out = outs[0] if len(outs) == 1 else np.concatenate(outs, axis=-1)
        last = layer == len(self._names) // len(outs) - 1
        if not self.training or not self._drops or last:
            return out
        return F.dropout(out, self.dropout, generator=self.generator)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, usual in [
            ("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False),
            ("dropout", 0), ("bidirectional", False),
        ]:  # fmt: skip
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)


class RNN(_Recurrent):
    """``h = tanh(weight_ih @ x + bias_ih + weight_hh @ h + bias_hh)``.

    Args:
        input_size: the length of the input's last axis.
        hidden_size: that of the state.
        num_layers: how many layers; each one's output is the next one's input.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        bias: whether there are biases.
        batch_first: whether arrays are (n, length, features) instead of (length, n, features).
        dropout: the probability that an entry between two layers is dropped when training.
        bidirectional: whether there are layers that run backwards as well.
        dtype: of the parameters.
        generator: where their initial values come from, uniform within
            ``1 / sqrt(hidden_size)``, and what dropout draws; by default NumPy's global state.

    The call takes the input and, if they are not 0, the initial states; it returns the states
    of the last layer at all times, and the last states of all layers.

    Raises:
        ValueError: an unknown nonlinearity, or an argument is out of range.

    >>> out, h = nn.RNN(3, 5)(np.ones((7, 2, 3), np.float32))
    >>> out.shape, h.shape
    ((7, 2, 5), (1, 2, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}")
        rest = (num_layers, bias, batch_first, dropout, bidirectional)
        super().__init__(input_size, hidden_size, *rest, dtype=dtype, generator=generator)
        self.nonlinearity = nonlinearity

    def forward(self, x: Array, hx: Array = None) -> tuple[Array, Array]:
        inputs = self._begin(x)
        h = self._initial(x, inputs, hx, self.hidden_size)

        def run(k: int, inputs: Array, weights: Any, backwards: bool) -> tuple[Array]:
            w_ih, w_hh, b_ih, b_hh = weights
            driven = F.linear(inputs, w_ih, b_ih if b_ih is None else b_ih + b_hh)
            return (_rnn(driven, h[k], w_hh, backwards, self.nonlinearity),)

        out, [last] = self._through(x, inputs, run)
        return out, last


class GRU(_Recurrent):
    """Layers of gated recurrent units. The arguments are those of ``RNN``, without
    ``nonlinearity``.

    The call takes the input and, if they are not 0, the initial states; it returns the states
    of the last layer at all times, and the last states of all layers.

    >>> out, h = nn.GRU(3, 5)(np.ones((7, 2, 3), np.float32))
    >>> out.shape, h.shape
    ((7, 2, 5), (1, 2, 5))
    """

    gates = 3

    def forward(self, x: Array, hx: Array = None) -> tuple[Array, Array]:
        inputs = self._begin(x)
        h = self._initial(x, inputs, hx, self.hidden_size)

        def run(k: int, inputs: Array, weights: Any, backwards: bool) -> tuple[Array]:
            w_ih, w_hh, b_ih, b_hh = weights
            return (_gru(F.linear(inputs, w_ih, b_ih), h[k], w_hh, b_hh, backwards),)

        out, [last] = self._through(x, inputs, run)
        return out, last


class LSTM(_Recurrent):
    """Layers of long short-term memories. The arguments are those of ``RNN``, without
    ``nonlinearity``, and ``proj_size``: states h are multiplied by a matrix, so that they have
    this length.

    The call takes the input and, if they are not 0, the initial states ``(h, c)``; it
    returns the states h of the last layer at all times, and the last ``(h, c)`` of all layers.

    >>> out, (h, c) = nn.LSTM(3, 5)(np.ones((7, 2, 3), np.float32))
    >>> out.shape, h.shape, c.shape
    ((7, 2, 5), (1, 2, 5), (1, 2, 5))
    """

    gates = 4

    def forward(
        self, x: Array, hx: tuple[Array, Array] | None = None
    ) -> tuple[Array, tuple[Array, Array]]:
        inputs = self._begin(x)
        given = (None, None) if hx is None else hx
        h = self._initial(x, inputs, given[0], self.proj_size or self.hidden_size)
        c = self._initial(x, inputs, given[1], self.hidden_size)

        def run(
            k: int, inputs: Array, weights: Any, backwards: bool
        ) -> tuple[Array, Array]:
            w_ih, w_hh, b_ih, b_hh, *w_hr = weights
            driven = F.linear(inputs, w_ih, b_ih if b_ih is None else b_ih + b_hh)
            return _lstm(driven, h[k], c[k], w_hh, w_hr, backwards)

        out, [last, last_c] = self._through(x, inputs, run)
        return out, (last, last_c)


def _stacked(last: list[Array], x: Array) -> Array:
    states = np.stack(last)
    return np.squeeze(states, 1) if x.ndim == 2 else states


# ------------------------------------------------------------------------- through the times
def _rnn(
    inputs: Array, h: Array, weight: Array, backwards: bool, nonlinearity: str
) -> Array:
    length = inputs.shape[0]
    out = np.empty((length, *h.shape), inputs.dtype)
    for t in range(length):
        place = length - 1 - t if backwards else t
        h = rnn_step(inputs[place], h, weight, None, nonlinearity)
        out[place] = h
    return out


def _gru(inputs: Array, h: Array, weight: Array, bias: Array, backwards: bool) -> Array:
    length = inputs.shape[0]
    out = np.empty((length, *h.shape), inputs.dtype)
    for t in range(length):
        place = length - 1 - t if backwards else t
        h = gru_step(inputs[place], h, weight, bias)
        out[place] = h
    return out


def _lstm(
    inputs: Array, h: Array, c: Array, weight: Array, smaller: list[Array], backwards: bool
) -> tuple[Array, Array]:
    """``smaller`` is empty, or has the matrix that the states are multiplied by."""
    length = inputs.shape[0]
    out = np.empty((length, *h.shape), inputs.dtype)
    for t in range(length):
        place = length - 1 - t if backwards else t
        h, c = lstm_step(inputs[place], h, c, weight, None)
        if smaller:
            h = F.linear(h, smaller[0])
        out[place] = h
    return out, c
