"""Hooks for when a gradient has been added: on the way back, and taken back where it fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn, optim

X = np.array([[0.5, -1.0, 2.0]])


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        rng = np.random.default_rng(0)
        self.a = nn.Parameter(rng.normal(size=(3, 3)))
        self.b = nn.Parameter(rng.normal(size=(3, 2)))

    def forward(self, x: Any) -> Any:
        return np.tanh(x @ self.a) @ self.b


def loss_of(net: Net) -> Any:
    return lambda x: np.sum(net(x) ** 2)


def gradients(net: Net) -> dict[str, Any]:
    return nn.value_and_grad(net, loss_of(net))(X)[1]


def test_a_step_in_a_hook_does_not_change_the_gradients_to_come() -> None:
    net = Net()
    expected = gradients(net)
    for p in net.parameters():
        step = optim.SGD([p], lr=0.1)

        def update(p: Any, step: Any = step) -> None:
            step.step()
            p.grad = None

        p.register_post_accumulate_grad_hook(update)
    before = {name: p.data.copy() for name, p in net.named_parameters()}
    held = {name: p.data for name, p in net.named_parameters()}
    nn.backward(loss_of(net), X)
    for name, p in net.named_parameters():
        assert p.data is held[name]
        assert p.grad is None
        np.testing.assert_allclose(p.data, before[name] - 0.1 * expected[name], rtol=1e-14)


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("times", [0, 2])
def test_what_was_added_is_taken_back_where_the_rest_fails(
    times: int, deterministic: bool
) -> None:
    net, seen = Net(), []
    with sg.config(deterministic=deterministic):
        for _ in range(times):
            nn.backward(loss_of(net), X)
        before = {n: (p.grad, np.copy(p.grad)) for n, p in net.named_parameters()}

        def fail(p: Any) -> None:
            raise KeyError("in a hook")

        net.b.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.copy()))
        net.a.register_post_accumulate_grad_hook(fail)
        with pytest.raises(KeyError, match="in a hook"):
            nn.backward(loss_of(net), X)
        assert len(seen) == 1
        for name, p in net.named_parameters():
            grad, content = before[name]
            assert p.grad is grad
            if times:
                np.testing.assert_array_equal(p.grad, content)


def test_what_other_threads_have_added_since_stays() -> None:
    w = nn.Parameter(np.zeros(2))
    take_back = w.accumulate_provisionally(np.array([1.0, 2.0]))
    w.accumulate(np.array([10.0, 20.0]))
    take_back()
    np.testing.assert_array_equal(w.grad, [10.0, 20.0])


def test_a_gradient_that_is_zero_whatever_the_loss() -> None:
    w, v, seen = nn.Parameter(np.ones(2)), nn.Parameter(np.ones(2)), []
    v.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))
    nn.backward(lambda: np.sum(w**2) + np.sum(sg.stop_gradient(v)))
    assert seen == ([[0.0, 0.0]] if v.grad is not None else [])


def test_a_gradient_that_does_not_fit_is_refused_before_hooks_see_it() -> None:
    w, seen = nn.Parameter(np.ones(2)), []
    w.register_post_accumulate_grad_hook(seen.append)
    w.grad = np.ones(2)
    w.data = np.ones(3)
    with pytest.raises(sg.errors.GradientError, match="set `grad` to None"):
        nn.backward(lambda: np.sum(w**2))
    assert not seen
    np.testing.assert_array_equal(w.grad, [1.0, 1.0])


def test_code_has_no_more_in_it_without_such_hooks() -> None:
    net = Net()
    plain = nn.compiled_backward(loss_of(net)).lower(X).source
    net.a.register_post_accumulate_grad_hook(lambda p: None).remove()
    assert nn.compiled_backward(loss_of(net)).lower(X).source == plain
    assert "hook" not in plain
