"""R1 as it is written with modules: ``sg.grad`` inside of a loss, ``nn.backward`` of the loss.
Slow to compile: each is a second derivative of a whole network."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn

DOUBLE = {"dtype": np.float64}


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(1, 2, 3, padding=1, **DOUBLE)
        self.norm = nn.BatchNorm2d(2, **DOUBLE)
        self.pool = nn.AvgPool2d(2)
        self.score = nn.Linear(8, 1, **DOUBLE)

    def forward(self, x):
        h = self.pool(np.tanh(self.norm(self.convolution(x))))
        return self.score(np.reshape(h, (len(x), -1)))


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True, **DOUBLE)
        self.norm = nn.LayerNorm(4, **DOUBLE)
        self.score = nn.Linear(4, 1, **DOUBLE)

    def forward(self, x):
        mixed, _ = self.attention(x, x, x)
        return self.score(np.mean(self.norm(x + mixed), axis=1))


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 4, batch_first=True, **DOUBLE)
        self.score = nn.Linear(4, 1, **DOUBLE)

    def forward(self, x):
        states, _ = self.cell(x)
        return self.score(states[:, -1])


def r1(critic, x):
    g_x = sg.grad(lambda x: np.sum(critic(x)))(x)
    lengths = np.sum(np.reshape(g_x, (len(g_x), -1)) ** 2, axis=1)
    return np.mean(F.softplus(-critic(x))) + 0.5 * np.mean(lengths)


CRITICS = {Images: (3, 1, 4, 4), Tokens: (2, 3, 4), Steps: (2, 3, 3)}


@pytest.mark.parametrize("kind", CRITICS, ids=lambda kind: kind.__name__)
def test_r1_of_modules(kind):
    rng = np.random.default_rng(2)
    critic, x, step = kind(), rng.standard_normal(CRITICS[kind]), 1e-6

    def loss():
        return r1(critic, x)

    nn.backward(loss)
    value, parameters = sg.compile(loss), list(critic.parameters())
    directions = [rng.standard_normal(p.data.shape) for p in parameters]
    ends = []
    for size in (step, -2 * step):
        for p, d in zip(parameters, directions, strict=True):
            p.data += size * d
        ends.append(value())
    for p, d in zip(parameters, directions, strict=True):
        p.data += step * d
    slope = sum(np.sum(p.grad * d) for p, d in zip(parameters, directions, strict=True))
    assert slope == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)
