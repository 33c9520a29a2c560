"""What a loss may do, and how it may be written: control flow, checkpoints, attributes of
parameters, lambdas of a loop, methods."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import (
    UnsupportedSyntaxError,
)

from .small import Net, X, Y, check, mean_square


def test_attributes_of_parameters() -> None:
    w = nn.Parameter(X[0].copy())

    def loss(x: Any) -> Any:
        fixed = w.data * x if w.requires_grad else x
        return np.sum(fixed * w) + (0.0 if w.grad is None else np.sum(w.grad))

    nn.backward(loss, X[1])
    np.testing.assert_allclose(w.grad, X[0] * X[1])
    first = float(np.sum(X[0] ** 2 * X[1]))
    assert nn.backward(loss, X[1]) == pytest.approx(first + np.sum(X[0] * X[1]))
    w.requires_grad = False
    assert sg.compile(loss)(X[1]) == pytest.approx(
        np.sum(X[0] * X[1]) + np.sum(2 * X[0] * X[1])
    )


def test_statistics_under_a_checkpoint_change_once() -> None:
    net, plain = Net(), Net()
    again = sg.checkpoint(lambda net, x: net(x))

    def loss(net: Any, x: Any, y: Any) -> Any:
        return np.mean((again(net, x) - y) ** 2)

    nn.backward(loss, net, X, Y)
    nn.backward(mean_square, plain, X, Y)
    assert net.norm.batches == 1
    for p, q in zip(net.parameters(), plain.parameters(), strict=True):
        np.testing.assert_allclose(p.grad, q.grad, rtol=1e-12)
    np.testing.assert_allclose(net.norm.mean, plain.norm.mean)
    again(net, X)
    assert net.norm.batches == 2


def test_not_inside_compiled_functions() -> None:
    w = nn.Parameter(np.ones(2))
    for inside in (
        lambda x: nn.backward(lambda: np.sum(w * x)),
        lambda x: nn.value_and_grad(w, lambda: np.sum(w * x)),
        lambda x: nn.compiled_backward(lambda: np.sum(w * x)),
    ):
        with pytest.raises(UnsupportedSyntaxError, match=r"`nn\..*outside of compiled"):
            sg.compile(inside)(np.ones(2))


def test_storage_in_control_flow() -> None:
    def looped(net: Any, x: Any, n: int) -> Any:
        total = 0.0
        for i in range(n):
            if i % 2 == 0:
                total = total + np.sum(net(x) ** 2)
            x = x * 1.1
        while net.norm.batches < 5:
            total = total + np.sum(net(x))
        return total

    net, plain = Net(), Net()
    before = copy.deepcopy(net.state_dict())
    assert nn.backward(looped, net, X, 3) == pytest.approx(looped(plain, X, 3))
    assert net.norm.batches == plain.norm.batches == 5
    np.testing.assert_allclose(net.norm.mean, plain.norm.mean)
    net.load_state_dict(before)
    check(net, lambda: looped(net, X, 3))


# ---------------------------------------------------------------- functions made anew
def test_lambdas_of_a_loop_are_compiled_once() -> None:
    net = Net().eval()
    plain = Net().eval()
    functions = set()
    for k in range(6):
        x, y = X + k, Y * k
        nn.backward(lambda x=x, y=y: np.mean((net(x) - y) ** 2) * k)  # noqa: B023
        loss = lambda: mean_square(net, x, y) * k  # noqa: B023, E731
        functions.add(nn.compiled_backward(loss))
        nn.backward(loss)
        for _ in range(2):
            nn.backward(mean_square, plain, x, y, scale=k)
    assert len(functions) == 2
    assert all(len(f.specializations) == 1 for f in functions)
    for p, q in zip(net.parameters(), plain.parameters(), strict=True):
        np.testing.assert_allclose(p.grad, q.grad, rtol=1e-12)


def test_lambdas_of_another_model() -> None:
    nets = [Net().eval(), Net().eval(), Net().eval()]
    for net in nets:
        nn.backward(lambda: np.sum(net(X)))  # noqa: B023
    for net in nets[1:]:
        np.testing.assert_array_equal(net.first.grad, nets[0].first.grad)


def test_methods() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.net = Net().eval()

        def loss(self, x: Any, y: Any) -> Any:
            return mean_square(self.net, x, y)

    trainer = Trainer()
    nn.backward(trainer.loss, X, Y)
    nn.backward(trainer.loss, X, Y)
    assert len(nn.compiled_backward(trainer.loss).specializations) == 1
    halved = trainer.net.second.grad / 2
    trainer.net.zero_grad()
    nn.backward(trainer.loss, X, Y)
    np.testing.assert_allclose(trainer.net.second.grad, halved)
