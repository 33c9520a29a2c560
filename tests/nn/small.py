"""A small network with statistics, its loss, and gradients against differences."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad import nn

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(6, 3)), RNG.normal(size=(6, 1))


class Norm(nn.Module):
    """Batch normalisation, written out."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(np.linspace(0.5, 1.5, n))
        self.register_buffer("mean", np.zeros(n))
        self.register_buffer("batches", np.array(0))

    def forward(self, x: Any) -> Any:
        if self.training:
            mean = x.mean(axis=0)
            self.mean[...] = 0.9 * self.mean + 0.1 * mean
            self.batches[...] += 1
        else:
            mean = self.mean
        return (x - mean) / np.sqrt(np.var(x, axis=0) + 1e-5) * self.weight


class Net(nn.Module):
    """Two layers and a norm between them."""

    def __init__(self) -> None:
        super().__init__()
        rng = np.random.default_rng(1)
        self.first = nn.Parameter(rng.normal(size=(4, 3)))
        self.norm = Norm(4)
        self.second = nn.Parameter(rng.normal(size=(1, 4)))

    def forward(self, x: Any) -> Any:
        return np.tanh(self.norm(x @ self.first.T)) @ self.second.T


def mean_square(net: Any, x: Any, y: Any) -> Any:
    return np.mean((net(x) - y) ** 2)


def check(net: nn.Module, loss: Callable[[], Any], rtol: float = 1e-5) -> None:
    """``grad`` of every parameter against central differences of ``loss()``."""
    state = copy.deepcopy(net.state_dict())
    for p in net.parameters():
        wanted = np.empty(p.shape)
        for i in np.ndindex(p.shape):
            there, step, values = p.data[i], 1e-6, []
            for sign in (1, -1):
                net.load_state_dict(state)
                p.data[i] = there + sign * step
                values.append(loss())
            wanted[i] = (values[0] - values[1]) / (2 * step)
            net.load_state_dict(state)
        np.testing.assert_allclose(p.grad, wanted, rtol=rtol, atol=1e-7)
