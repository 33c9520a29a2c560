"""``backward`` and ``value_and_grad``: gradients against finite differences, what is touched and
what is not, and the generated code."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import (
    AliasError,
    GradientError,
    HookError,
    NonFiniteGradientError,
    NonScalarOutputError,
    UnusedParameterWarning,
)

from .small import Net, X, Y, check, mean_square


def test_gradients_and_statistics() -> None:
    net = Net()
    plain = copy.deepcopy(net)
    wanted = mean_square(plain, X, Y)
    assert nn.backward(mean_square, net, X, Y) == pytest.approx(wanted, rel=1e-14)
    for name, array in plain.state_dict().items():
        np.testing.assert_allclose(net.state_dict()[name], array, rtol=1e-14)
    assert net.norm.batches == 1
    check(net, lambda: mean_square(net, X, Y))


def test_evaluation_changes_no_statistics() -> None:
    net = Net().eval()
    nn.backward(mean_square, net, X, Y)
    assert net.norm.batches == 0
    assert "batches" not in nn.compiled_backward(mean_square).lower(net, X, Y).source
    check(net, lambda: mean_square(net, X, Y))
    net.train()
    nn.backward(mean_square, net, X, Y)
    assert net.norm.batches == 1


def test_the_gradient_is_added() -> None:
    net = Net().eval()
    nn.backward(mean_square, net, X, Y)
    first = {name: p.grad.copy() for name, p in net.named_parameters()}
    kept = net.first.grad
    nn.backward(mean_square, net, X, Y, scale=0.5)
    assert net.first.grad is kept
    for name, p in net.named_parameters():
        np.testing.assert_allclose(p.grad, 1.5 * first[name], rtol=1e-13)


def test_small_batches_add_up_to_a_large_one() -> None:
    net = Net().eval()
    net.norm = nn.Module()
    net.norm.forward = lambda x: x

    def loss(x: Any, y: Any) -> Any:
        return np.mean((net.norm.forward(x @ net.first.T) @ net.second.T - y) ** 2)

    whole = nn.backward(loss, X, Y)
    large = [p.grad for p in net.parameters()]
    net.zero_grad()
    parts = [
        nn.backward(loss, x, y, scale=1 / 3)
        for x, y in zip(np.split(X, 3), np.split(Y, 3), strict=True)
    ]
    assert np.mean(parts) == pytest.approx(whole, rel=1e-14)
    for p, g in zip(net.parameters(), large, strict=True):
        np.testing.assert_allclose(p.grad, g, rtol=1e-12)


def test_frozen_parameters_cost_nothing() -> None:
    net = Net().eval()
    net.first.requires_grad = False
    net.norm.requires_grad_(False)
    nn.backward(mean_square, net, X, Y)
    assert net.first.grad is None
    assert net.norm.weight.grad is None
    source = nn.compiled_backward(mean_square).lower(net, X, Y).source
    backward = source.split("# backward")[1]
    assert "g_second" in backward
    for name in ("g_first", "g_norm", "sqrt", "tanh", "first"):
        assert name not in backward
    net.requires_grad_()
    nn.backward(mean_square, net, X, Y)
    assert net.first.grad is not None


def test_what_was_frozen_later_keeps_its_gradient() -> None:
    net = Net().eval()
    nn.backward(mean_square, net, X, Y)
    before = net.first.grad.copy()
    net.first.requires_grad = False
    nn.backward(mean_square, net, X, Y)
    np.testing.assert_array_equal(net.first.grad, before)


def test_nothing_to_differentiate_by() -> None:
    net = Net().requires_grad_(False)
    with pytest.raises(RuntimeError, match="no parameter that requires a gradient; frozen"):
        nn.backward(mean_square, net, X, Y)
    assert net.norm.batches == 0
    with pytest.raises(GradientError, match="reads no parameter that requires a gradient"):
        nn.backward(lambda x: np.sum(x**2), X)


def test_parameters_without_influence_get_none() -> None:
    used, unused = nn.Parameter(np.ones(2)), nn.Parameter(np.ones(2))

    def loss(x: Any) -> Any:
        waste = unused * x
        return np.sum(used * x) + 0 * len(waste)

    nn.backward(loss, np.ones(2))
    assert unused.grad is None
    np.testing.assert_array_equal(used.grad, 1)


class Tied(nn.Module):
    """One parameter under two names."""

    def __init__(self) -> None:
        super().__init__()
        self.enc, self.dec = nn.Module(), nn.Module()
        self.enc.table = nn.Parameter(np.full((3, 2), 2.0))
        self.dec.table = self.enc.table


def test_a_tied_parameter_counts_once() -> None:
    model = Tied()
    assert len(list(model.parameters())) == 1

    def loss() -> Any:
        return np.sum(model.enc.table * model.dec.table)

    assert nn.backward(loss) == 24
    np.testing.assert_array_equal(model.enc.table.grad, 4.0)
    assert nn.compiled_backward(loss).source.startswith("def loss_backward(enc_table)")
    sg.optim.SGD(model.parameters(), lr=0.1).step()
    np.testing.assert_allclose(model.dec.table.data, 1.6)
    other = Tied()
    other.load_state_dict(model.state_dict())
    assert other.enc.table is other.dec.table
    np.testing.assert_allclose(other.enc.table.data, 1.6)
    model.dec.table = nn.Parameter(np.ones((3, 2)))
    nn.backward(loss)
    np.testing.assert_allclose(model.enc.table.grad, 5.0)
    np.testing.assert_allclose(model.dec.table.grad, 1.6)


def test_callables_that_cannot_be_hashed() -> None:
    w = nn.Parameter(np.ones(2))

    class Loss:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, x: Any) -> Any:
            return np.sum(w * x)

    nn.backward(Loss(), np.ones(2))
    np.testing.assert_array_equal(w.grad, 1)


def test_parameters_among_the_arguments() -> None:
    params = {"w": nn.Parameter(np.ones(3)), "b": [nn.Parameter(np.array(2.0))]}

    def loss(params: Any, x: Any) -> Any:
        return np.sum(params["w"] * x) * params["b"][0]

    assert nn.backward(loss, params, X[0]) == pytest.approx(2 * X[0].sum())
    np.testing.assert_allclose(params["w"].grad, 2 * X[0])
    np.testing.assert_allclose(params["b"][0].grad, X[0].sum())
    assert isinstance(params["b"][0].grad, np.ndarray)
    source = nn.compiled_backward(loss).source
    assert source.startswith("def loss_backward(params, x, params_w, params_b_0)")


def test_gradients_are_no_arrays_of_others() -> None:
    w, v = nn.Parameter(np.ones(3)), nn.Parameter(np.ones(3))
    x = X[0].copy()

    def loss(x: Any) -> Any:
        return np.sum(w * x) + np.sum(v * x)

    nn.backward(loss, x)
    arrays = [x, w.data, v.data, w.grad, v.grad]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    assert w.grad.flags.writeable


def test_a_gradient_penalty() -> None:
    net = Net()

    def loss(x: Any) -> Any:
        by_input = sg.grad(lambda x: np.sum(net(x)))(x)
        return np.mean(np.sum(by_input**2, axis=1)) + np.mean(net(x))

    eager = sg.compile(loss)
    nn.backward(loss, X)
    assert net.norm.batches == 2
    check(net, lambda: eager(X), rtol=1e-4)


def test_changed_objects_are_read_at_the_next_call() -> None:
    net = Net().eval()
    nn.backward(mean_square, net, X, Y)
    net.first.data = np.zeros((4, 3))
    wanted = mean_square(net, X, Y)
    assert nn.backward(mean_square, net, X, Y) == pytest.approx(wanted)
    net.second = nn.Parameter(np.ones((1, 4)))
    net.zero_grad()
    nn.backward(mean_square, net, X, Y)
    assert net.second.grad is not None
    net.double().float()
    assert nn.backward(
        mean_square, net, X.astype(np.float32), Y.astype(np.float32)
    ).dtype == (np.float32)


def test_numbers_of_a_module_are_constants_until_they_change() -> None:
    net = Net()
    net.alpha, net.power = 0.5, 2

    def loss(x: Any) -> Any:
        return np.sum(net.first * net.alpha) ** net.power

    compiled = nn.compiled_backward(loss)
    for alpha in (0.5, 1.0, 2.0, 3.0):
        net.alpha = alpha
        assert nn.backward(loss, X) == pytest.approx((net.first.sum() * alpha) ** 2)
    assert len(compiled.specializations) == 2
    assert compiled.source.startswith("def loss_backward(x, first, alpha):")


def test_all_parameters_in_a_loss() -> None:
    net = Net().eval()

    def loss(x: Any) -> Any:
        return np.mean(net(x)) + 0.1 * sum(np.sum(p**2) for p in net.parameters())

    nn.backward(loss, X)
    check(net, lambda: loss(X))
    net.extra = nn.Parameter(np.ones(2))
    nn.backward(loss, X)
    np.testing.assert_allclose(net.extra.grad, 0.2)


# ----------------------------------------------------------------------------- failures
def test_a_failure_leaves_everything_as_it_was() -> None:
    net = Net()

    def loss(x: Any) -> Any:
        out = np.sum(net(x))
        if out < 1e9:
            raise ValueError("too small")
        return out

    with pytest.raises(ValueError, match="too small"):
        nn.backward(loss, X)
    with pytest.raises(ValueError, match="lengths 2 and 3 are summed over together"):
        nn.backward(mean_square, net, X[:, :2], Y)

    def bad(g: Any) -> Any:
        raise KeyError("no")

    net.second.register_hook(bad)
    with pytest.raises(KeyError):
        nn.backward(mean_square, net, X, Y)
    assert net.norm.batches == 0
    assert not net.norm.mean.any()
    assert all(p.grad is None for p in net.parameters())


def test_a_gradient_that_does_not_fit_any_more() -> None:
    net = Net()
    nn.backward(mean_square, net, X, Y)
    before = net.first.grad.copy()
    net.second.data = np.ones((2, 4))
    with pytest.raises(GradientError, match=r"shape \(1, 4\).*now have shape \(2, 4\)"):
        nn.backward(mean_square, net, X, np.ones((6, 2)))
    np.testing.assert_array_equal(net.first.grad, before)
    assert net.norm.batches == 1


def test_nan_under_debug_nans_changes_nothing() -> None:
    net = Net()

    def loss(x: Any, k: Any) -> Any:
        return np.sum(net(x)) + np.sum(np.sqrt(net.first * k))

    step = nn.value_and_grad(net, loss)
    with np.errstate(all="ignore"), sg.debug_nans():
        for k in (-1.0, 0.0):  # the loss is nan; only its gradient is infinite
            with pytest.raises(NonFiniteGradientError, match="sqrt"):
                nn.backward(loss, X, k)
            with pytest.raises(NonFiniteGradientError, match="sqrt"):
                step(X, k)
        assert net.norm.batches == 0
        assert net.first.grad is None
        net.first.data[...] = 1.0
        assert np.isfinite(nn.backward(loss, X, 1.0))
    assert net.norm.batches == 1


def test_results_that_are_no_number() -> None:
    net = Net()
    with pytest.raises(NonScalarOutputError, match="return the loss alone"):
        nn.backward(lambda x: (np.sum(net(x)), x), X)
    with pytest.raises(NonScalarOutputError, match="`backward` needs a scalar result"):
        nn.backward(lambda x: net(x), X)


def test_a_trained_parameter_cannot_be_stored_into() -> None:
    w = nn.Parameter(np.ones(3))

    def loss(x: Any) -> Any:
        w[0] = 1.0
        return np.sum(w * x)

    with pytest.raises(AliasError, match="requires a gradient and is stored into"):
        nn.backward(loss, X[0])


# -------------------------------------------------------------------------------- hooks
def test_hooks_of_parameters() -> None:
    w, seen = nn.Parameter(np.ones(2)), []

    def loss(x: Any) -> Any:
        return np.sum(w * x)

    def note(g: Any) -> None:
        seen.append(("grad", g.tolist(), w.grad))

    handles = [
        w.register_hook(note),
        w.register_hook(lambda g: 10 * g),
        w.register_hook(lambda g: seen.append(("second", g.tolist()))),
        w.register_post_accumulate_grad_hook(
            lambda p: seen.append(("after", p.grad.tolist()))
        ),
    ]
    nn.backward(loss, np.array([1.0, 2.0]))
    assert seen == [
        ("grad", [1.0, 2.0], None), ("second", [10.0, 20.0]), ("after", [10.0, 20.0]),
    ]  # fmt: skip
    for handle in handles:
        handle.remove()
    nn.backward(loss, np.array([1.0, 2.0]))
    assert len(seen) == 3
    np.testing.assert_array_equal(w.grad, [11, 22])


def test_what_hooks_of_parameters_return() -> None:
    w = nn.Parameter(np.ones(2), name="w")

    def loss() -> Any:
        return np.sum(w)

    with w.register_hook(lambda g: g[:1]), pytest.raises(HookError, match=r"'w'.*returned"):
        nn.backward(loss)
    with w.register_hook(lambda g: 3), pytest.raises(TypeError, match="array or None"):
        nn.backward(loss)
    assert w.grad is None


# ------------------------------------------------------------------- the functional form
def test_value_and_grad() -> None:
    net = Net()
    step = nn.value_and_grad(net, mean_square)
    loss, grads = step(net, X, Y)
    assert net.first.grad is None
    assert net.norm.batches == 1
    nn.backward(mean_square, net, X, Y)
    assert list(grads) == ["first", "second", "norm.weight"]
    for name, p in net.named_parameters():
        np.testing.assert_allclose(grads[name], p.grad)
    assert loss == pytest.approx(mean_square(net, X, Y))
    net.first.requires_grad = False
    net.more = nn.Parameter(np.ones(2))
    with pytest.warns(UnusedParameterWarning, match="`more`"):
        _, grads = step(net, X, Y)
    assert list(grads) == ["second", "more", "norm.weight"]
    np.testing.assert_array_equal(grads["more"], 0)


def test_parameters_that_the_loss_does_not_depend_on_are_named_once() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    x = np.ones((3, 2), np.float32)
    step = nn.value_and_grad(model, lambda x: np.sum(model[0](x)))
    with pytest.warns(UnusedParameterWarning, match="on `1.weight`, `1.bias`: zero grad"):
        grads = step(x)[1]
    assert not np.any(grads["1.weight"]) and np.any(grads["0.weight"])
    step(x)
    model[1].requires_grad_(False)
    nn.value_and_grad(model, lambda x: np.sum(model[0](x)))(x)
