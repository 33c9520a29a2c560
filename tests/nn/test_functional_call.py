"""``functional_call``: uncompiled, compiled, differentiated; what is not named stays."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import CallError
from symgrad.testing import check_grads

X = np.random.default_rng(0).normal(size=(5, 3))


class Net(nn.Module):
    """A tied parameter, a buffer, and a list of layers."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(np.linspace(-1, 1, 3))
        self.again = self.w
        self.register_buffer("shift", np.ones(3))
        self.layers = nn.ModuleList([nn.Linear(3, 3).double(), nn.Linear(3, 2).double()])

    def forward(self, x: Any, scale: Any = 1.0) -> Any:
        x = x * self.w + self.again + self.shift
        for layer in self.layers:
            x = np.tanh(layer(x))
        return x * scale


def given(net: nn.Module) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {
        k: rng.normal(size=v.shape) for k, v in net.state_dict().items() if k != "again"
    }


def test_equals_a_copy_with_these_arrays() -> None:
    net = Net()
    arrays = given(net)
    other = copy.deepcopy(net)
    other.load_state_dict(arrays, strict=False)
    before = copy.deepcopy(net.state_dict())

    def call(arrays: Any, x: Any) -> Any:
        return nn.functional_call(net, arrays, (x,), {"scale": 2.0})

    wanted = other(X, scale=2.0)
    np.testing.assert_allclose(call(arrays, X), wanted, rtol=1e-14)
    np.testing.assert_allclose(sg.compile(call)(arrays, X), wanted, rtol=1e-14)
    for name, array in net.state_dict().items():
        np.testing.assert_array_equal(array, before[name])


def test_gradients_by_the_arrays() -> None:
    net = Net()
    arrays = given(net)
    del arrays["layers.1.bias"]
    check_grads(
        lambda arrays: np.sum(nn.functional_call(net, arrays, X) ** 2), (arrays,), order=1
    )


def test_a_step_inside_a_loss() -> None:
    net = nn.Linear(3, 1).double()
    loss = sg.compile(lambda w, x: np.sum(nn.functional_call(net, {"weight": w}, x) ** 2))

    def after_a_step(x: Any) -> Any:
        step = net.weight - 0.1 * sg.grad(loss)(net.weight, x)
        return np.sum(nn.functional_call(net, {"weight": step}, (x,)) ** 2)

    nn.backward(after_a_step, X)
    eager = sg.compile(after_a_step)
    for i in np.ndindex(1, 3):
        there, values = net.weight.data[i], []
        for sign in (1, -1):
            net.weight.data[i] = there + sign * 1e-6
            values.append(eager(X))
        net.weight.data[i] = there
        assert net.weight.grad[i] == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-6)


def test_parameters_in_place_of_parameters() -> None:
    net, w = nn.Linear(3, 1, bias=False).double(), nn.Parameter(np.ones((1, 3)))
    np.testing.assert_allclose(nn.functional_call(net, {"weight": w}, X), X.sum(1)[:, None])
    nn.backward(lambda x: np.sum(nn.functional_call(net, {"weight": w}, x)), X)
    np.testing.assert_allclose(w.grad, X.sum(axis=0)[None])
    assert net.weight.grad is None


def test_stores_go_to_the_arrays_given() -> None:
    shift = np.zeros(3)

    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", np.zeros(3))

        def forward(self, x: Any) -> Any:
            self.seen[...] = self.seen + x
            return self.seen * 2

    counting = Counting()

    def call(seen: Any, x: Any) -> Any:
        return nn.functional_call(counting, {"seen": seen}, (x,))

    for function in (call, sg.compile(call)):
        shift[:] = 0
        np.testing.assert_array_equal(function(shift, X[0]), 2 * X[0])
        np.testing.assert_array_equal(shift, X[0])
    assert not counting.seen.any()


def test_names_that_are_not_there() -> None:
    net = Net()

    def call(arrays: Any) -> Any:
        return nn.functional_call(net, arrays, (X,))

    for function in (call, sg.compile(call)):
        with pytest.raises(AttributeError, match="has no parameter or buffer `more`"):
            function({"more": X})
    with pytest.raises(CallError, match="takes a module and a dict"):
        sg.compile(lambda x: nn.functional_call(net, x, (x,)))(X)
