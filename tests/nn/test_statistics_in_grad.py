"""Layers that keep statistics, where a gradient is taken: as in a plain run, once."""

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import AliasError
from symgrad.testing import check_grads

X = np.random.default_rng(0).normal(size=(4, 2, 3, 3)).astype(np.float32)


class Discriminator(nn.Module):
    """With batch normalisation, and a moving average and a counter of its own."""

    def __init__(self) -> None:
        super().__init__()
        rng = np.random.default_rng(3)
        self.conv = nn.Conv2d(2, 3, 2, dtype=np.float64, generator=rng)
        self.norm = nn.BatchNorm2d(3, dtype=np.float64)
        self.head = nn.Linear(3, 1, dtype=np.float64, generator=rng)
        self.calls = 0
        self.register_buffer("average", np.zeros(3))

    def forward(self, x: Any) -> Any:
        h = np.tanh(self.norm(self.conv(x))).mean(axis=(2, 3))
        self.calls += 1
        self.average[...] = 0.9 * self.average + 0.1 * h.mean(axis=0)
        return self.head(h)


def state_of(model: Any) -> dict[str, Any]:
    kept = {name: np.array(buffer) for name, buffer in model.named_buffers()}
    return {**kept, "calls": np.array(getattr(model, "calls", 0))}


def check_same_state(model: Any, other: Any) -> None:
    found, expected = state_of(model), state_of(other)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5, err_msg=name)


TRANSFORMS: dict[str, Any] = {
    "grad": lambda f, x: sg.grad(f)(x),
    "value_and_grad": lambda f, x: sg.value_and_grad(f)(x),
    "vjp": lambda f, x: sg.vjp(f, x),
    "jvp": lambda f, x: sg.jvp(f, (x,), (x,)),
    "hvp": lambda f, x: sg.hvp(f)(x, x),
    "grad of grad": lambda f, x: sg.grad(lambda x: (sg.grad(f)(x) ** 2).sum())(x),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_statistics_are_those_of_a_plain_run(transform: Any) -> None:
    model, plain = Discriminator(), Discriminator()
    for x in (X[:3], 2 * X):
        transform(lambda x: (model(x) ** 2).sum(), x)
        plain(x)
    check_same_state(model, plain)
    assert model.calls == 2


KINDS: list[Any] = [
    lambda: nn.BatchNorm1d(2, momentum=None),
    lambda: nn.BatchNorm2d(2),
    lambda: nn.InstanceNorm2d(2, track_running_stats=True),
]


@pytest.mark.parametrize("made", KINDS)
def test_each_normalisation(made: Any) -> None:
    model, plain = made(), made()
    flat = isinstance(model, nn.BatchNorm1d)
    gradient = sg.grad(lambda x: (model(x) ** 3).sum())
    for x in (X, X - 1):
        x = x[..., 0] if flat else x
        gradient(x)
        plain(x)
    check_same_state(model, plain)


def penalty(model: Any, x: Any) -> Any:
    """R1: how steep the model is at real images."""
    value, g = sg.value_and_grad(lambda x: np.sum(model(x)))(x)
    return np.logaddexp(0, -value) + 0.5 * np.mean(np.sum(g**2, axis=(1, 2, 3)))


def test_penalty_on_the_gradient_of_a_discriminator() -> None:
    model, plain = Discriminator(), Discriminator()
    x = X.astype(np.float64)
    loss = nn.backward(penalty, model, x)
    plain(x)
    check_same_state(model, plain)
    value = sg.compile(penalty)
    for name, p in model.named_parameters():
        grad, direction = p.grad, np.random.default_rng(1).normal(size=p.shape)
        ends = []
        for step in (1e-6, -1e-6):
            p.data += step * direction
            ends.append(value(model, x))
            p.data -= step * direction
        slope = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(
            np.sum(grad * direction), slope, 1e-5, 1e-9, err_msg=name
        )
    np.testing.assert_allclose(loss, value(model, x))


def test_checks_of_gradients_leave_statistics_alone() -> None:
    model = nn.BatchNorm2d(2, dtype=np.float64)
    check_grads(lambda x: (model(x) ** 3).sum(), (X.astype(np.float64),), order=2)
    check_same_state(model, nn.BatchNorm2d(2, dtype=np.float64))


def test_a_call_that_fails_leaves_counters_alone() -> None:
    model = Discriminator()
    with pytest.raises(ValueError, match="more than one value per channel"):
        sg.grad(lambda x: model(x).sum())(X[:1, :, :2, :2])
    assert model.calls == 0
    assert model.norm.num_batches_tracked == 0


def test_gradient_by_parameters_updates_the_statistics() -> None:
    model = nn.BatchNorm2d(2)
    _, grads = nn.value_and_grad(model, lambda x: (model(x) ** 2).sum())(X)
    assert set(grads) == {"weight", "bias"}
    assert model.num_batches_tracked == 1
    assert np.any(model.running_mean != 0)


def test_examples_one_by_one_have_no_statistics() -> None:
    model = nn.BatchNorm2d(2)
    with pytest.raises(AliasError, match=r"several examples at once.*`eval\(\)`"):
        sg.vmap(lambda x: model(x))(X[None])
    model.eval()
    np.testing.assert_allclose(sg.vmap(lambda x: model(x))(X[None])[0], model(X), rtol=1e-6)
