"""A step: what it changes, in place, all or nothing; closures and hooks."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest

from symgrad import nn, optim

OPTIONS: dict[Any, dict[str, Any]] = {
    optim.SGD: {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True},
    optim.Adam: {"amsgrad": True, "weight_decay": 0.1, "maximize": True},
    optim.AdamW: {"maximize": True},
    optim.RMSprop: {"momentum": 0.9, "centered": True, "weight_decay": 0.1},
    optim.Adagrad: {"weight_decay": 0.1, "initial_accumulator_value": 1.0},
}
ALL = pytest.mark.parametrize("kind", OPTIONS)


def parameter(*values: float) -> nn.Parameter:
    x = nn.Parameter(np.array(values))
    x.grad = np.ones_like(x.data)
    return x


def frozen(optimizer: optim.Optimizer) -> Any:
    """All that a step may change, copied."""
    kept = optimizer.state_dict()
    return kept, [
        x.data.copy() for group in optimizer.param_groups for x in group["params"]
    ]


def same(a: Any, b: Any) -> bool:
    return pickle.dumps(a) == pickle.dumps(b)


@ALL
def test_a_step_changes_the_array_that_is_there_and_no_gradient(kind: Any) -> None:
    x = parameter(1.0, 2.0, 3.0)
    data, g = x.data, x.grad
    optimizer = kind([x], **OPTIONS[kind])
    for _ in range(3):
        assert optimizer.step() is None
    assert x.data is data and x.grad is g
    assert not np.array_equal(data, [1, 2, 3]) and np.array_equal(g, [1, 1, 1])


@ALL
def test_no_memory_is_taken_after_the_first_step(kind: Any) -> None:
    n = 100_000
    xs = [nn.Parameter(np.ones(shape)) for shape in (n, (2, n), 5, (n, 2))]
    for x in xs:
        x.grad = np.ones_like(x.data)
    optimizer = kind(xs, **OPTIONS[kind])
    optimizer.step()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(3):
            optimizer.step()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - before < 8 * n / 20  # a twentieth of the smallest large parameter


@ALL
def test_layout_does_not_matter(kind: Any) -> None:
    values = np.arange(12.0).reshape(3, 4)
    results = []
    for data in (values.copy(), np.asfortranarray(values), np.zeros((3, 8))[:, ::2]):
        data[...] = values
        x = nn.Parameter(data)
        x.grad = values**2 - 5
        optimizer = kind([x], **OPTIONS[kind])
        for _ in range(3):
            optimizer.step()
        results.append(x.data.copy())
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


@ALL
def test_no_gradient_no_change_but_a_zero_gradient_decays(kind: Any) -> None:
    absent, zero = parameter(1.0), parameter(1.0)
    absent.grad, zero.grad = None, np.zeros(1)
    optimizer = kind([absent, zero], weight_decay=0.5)
    optimizer.step()
    assert absent.data[0] == 1 and absent not in optimizer.state
    assert zero.data[0] < 1


def test_momentum_goes_on_with_an_old_gradient_until_it_is_none() -> None:
    x = parameter(0.0)
    optimizer = optim.SGD([x], lr=1.0, momentum=0.5)
    optimizer.step()
    x.requires_grad = False
    optimizer.step()
    assert x.data[0] == -2.5
    x.grad = None
    optimizer.step()
    assert x.data[0] == -2.5


def test_zero_grad() -> None:
    x, y = parameter(1.0), parameter(2.0)
    y.grad = None
    optimizer = optim.SGD([x, y])
    g = x.grad
    optimizer.zero_grad(set_to_none=False)
    assert x.grad is g and g[0] == 0 and y.grad is None
    optimizer.zero_grad()
    assert x.grad is None


def spoil_lr(optimizer: optim.Optimizer, x: nn.Parameter) -> None:
    optimizer.param_groups[0]["lr"] = -1.0


def spoil_options(optimizer: optim.Optimizer, x: nn.Parameter) -> None:
    del optimizer.param_groups[0]["lr"]


def spoil_data(optimizer: optim.Optimizer, x: nn.Parameter) -> None:
    x.data = np.ones(7)


def spoil_both(optimizer: optim.Optimizer, x: nn.Parameter) -> None:
    x.data = np.ones(7)
    x.grad = None
    x.grad = np.ones(7)


def spoil_flags(optimizer: optim.Optimizer, x: nn.Parameter) -> None:
    x.data.flags.writeable = False


@ALL
@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (spoil_lr, "lr has to be at least 0"),
        (spoil_options, "'lr' is missing"),
        (spoil_data, r"shape \(7,\), its gradient float64 of shape \(2,\)"),
        (spoil_both, "was kept for shape"),
        (spoil_flags, "'second' is read-only"),
    ],
)
def test_a_step_that_fails_has_changed_nothing(kind: Any, spoil: Any, text: str) -> None:
    first, second = parameter(1.0), parameter(1.0, 2.0)
    second.name = "second"
    optimizer = kind([first, second], **OPTIONS[kind])
    optimizer.step()
    spoil(optimizer, second)
    before = frozen(optimizer)
    with pytest.raises((ValueError, KeyError), match=text):
        optimizer.step()
    assert same(frozen(optimizer), before)


def test_a_first_step_that_fails_leaves_no_state() -> None:
    first, second = parameter(1.0), parameter(1.0)
    optimizer = optim.SGD([first, second], momentum=0.9, dampening=0.5)
    second.data = np.ones(2)
    with pytest.raises(ValueError, match="its gradient"):
        optimizer.step()
    assert not optimizer.state


def test_overflow_is_silent_and_the_step_complete() -> None:
    x, y = parameter(1e308), parameter(1.0)
    x.grad = np.array([-1e308])
    with np.errstate(all="raise"):
        optim.SGD([x, y], lr=10.0).step()
    assert x.data[0] == np.inf and y.data[0] == -9


def test_a_closure_is_called_once_and_its_loss_returned() -> None:
    x = parameter(1.0)
    x.grad = None
    optimizer = optim.SGD([x], lr=0.5)

    def closure() -> float:
        x.grad = 2 * x.data
        return float(x.data[0] ** 2)

    assert optimizer.step(closure) == 1.0
    assert x.data[0] == 0


def test_hooks_run_before_and_after_with_the_arguments_of_step() -> None:
    x = parameter(1.0)
    optimizer = optim.SGD([x], lr=0.5)
    seen: list[Any] = []
    before = optimizer.register_step_pre_hook(
        lambda o, args, kwargs: seen.append((o is optimizer, x.data[0], args, kwargs))
    )
    after = optimizer.register_step_post_hook(
        lambda o, args, kwargs: seen.append(x.data[0])
    )
    optimizer.step()
    assert seen == [(True, 1.0, (), {}), 0.5]
    before.remove()
    with after:
        optimizer.step()
    optimizer.step()
    assert seen[2:] == [0.0]


def test_a_pre_hook_may_return_other_arguments() -> None:
    optimizer = optim.SGD([parameter(1.0)])
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((), {"closure": lambda: 7}))
    assert optimizer.step() == 7
    optimizer.register_step_pre_hook(lambda o, args, kwargs: "no")
    with pytest.raises(TypeError, match=r"None or \(args, kwargs\), not 'no'"):
        optimizer.step()


def test_a_hook_has_to_be_callable() -> None:
    optimizer = optim.SGD([parameter(1.0)])
    for register in (optimizer.register_step_pre_hook, optimizer.register_step_post_hook):
        with pytest.raises(TypeError, match="callable"):
            register(3)  # type: ignore[arg-type]


@ALL
def test_copies_go_on_alike(kind: Any) -> None:
    x = parameter(1.0, 2.0)
    optimizer = kind([x], **OPTIONS[kind])
    optimizer.step()
    twin = copy.deepcopy(optimizer)
    (other,) = twin.param_groups[0]["params"]
    optimizer.step()
    assert not np.array_equal(other.data, x.data)
    twin.step()
    np.testing.assert_array_equal(other.data, x.data)


@ALL
def test_what_is_kept_follows_a_parameter_that_is_converted(kind: Any) -> None:
    narrow = nn.Parameter(np.array([1.0, -2.0], np.float32))
    wide = nn.Parameter(narrow.data.astype(np.float64))
    optimizers = [kind([p], lr=0.25, **OPTIONS[kind]) for p in (narrow, wide)]
    for p, optimizer in zip((narrow, wide), optimizers, strict=True):
        p.grad = np.array([0.5, 0.25], p.dtype)
        optimizer.step()
    narrow.grad = None
    narrow.data = narrow.data.astype(np.float64)
    narrow.grad = np.array([1 / 3, 0.1])
    optimizers[0].step()
    kept = [v for name, v in optimizers[0].state[narrow].items() if name != "step"]
    assert all(v.dtype == np.float64 for v in kept)
