"""Training that is saved and taken up again gives the bits of training in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn, optim

X = np.linspace(-1, 1, 40).reshape(20, 2).astype(np.float32)
Y = np.sin(3 * X[:, :1])


def loss(model: nn.Module, x: Any, y: Any) -> Any:
    return np.mean((model(x) - y) ** 2)


class Run:
    """All that changes in training: model, optimizer, scheduler, random numbers."""

    def __init__(self, kind: Any, options: dict[str, Any], seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.model = nn.Sequential(
            nn.Linear(2, 5, generator=self.rng),
            nn.BatchNorm1d(5),
            nn.Tanh(),
            nn.Dropout(0.2, generator=self.rng),
            nn.Linear(5, 1, generator=self.rng),
        )
        self.optimizer = kind(self.model.named_parameters(), lr=0.02, **options)
        s = optim.lr_scheduler
        warm = s.LinearLR(self.optimizer, 0.5, 1.0, 2)
        self.scheduler = s.SequentialLR(
            self.optimizer, [warm, s.CosineAnnealingLR(self.optimizer, 5)], [2]
        )
        self.batches = nn.DataLoader((X, Y), 6, shuffle=self.rng)

    def train(self, epochs: int) -> list[float]:
        losses = []
        for _ in range(epochs):
            for x, y in self.batches:
                self.optimizer.zero_grad()
                losses.append(float(nn.backward(loss, self.model, x, y)))
                nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
                self.optimizer.step()
            self.scheduler.step()
        return losses

    def state(self) -> dict[str, Any]:
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "rng": self.rng.bit_generator.state,
        }

    def load(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.rng.bit_generator.state = state["rng"]


@pytest.mark.parametrize(
    ("kind", "options"),
    [(optim.SGD, {"momentum": 0.9}), (optim.Adam, {"amsgrad": True})],
)
def test_resumed_training_equals_training_in_one_go(
    kind: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "training.safetensors"
    whole, second = Run(kind, options, seed=0), Run(kind, options, seed=1)
    whole.train(3)
    sg.save(whole.state(), path)
    expected = whole.train(2)
    second.load(sg.load(path))
    assert second.train(2) == expected
    a, b = whole.state(), second.state()
    assert a["rng"] == b["rng"] and a["scheduler"] == b["scheduler"]
    assert a["optimizer"]["param_groups"] == b["optimizer"]["param_groups"]
    for name, x in a["model"].items():
        np.testing.assert_array_equal(x, b["model"][name])
    for number, kept in a["optimizer"]["state"].items():
        for name, x in kept.items():
            np.testing.assert_array_equal(x, b["optimizer"]["state"][number][name])
