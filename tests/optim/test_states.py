"""States of optimizers: matched by name or by order, loaded whole or not at all."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from symgrad import nn, optim

OPTIMIZERS = (optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad)


def parameters(n: int = 3) -> list[nn.Parameter]:
    return [nn.Parameter(np.arange(1.0, k + 2)) for k in range(n)]


def named(n: int = 3) -> list[tuple[str, nn.Parameter]]:
    return [(f"x{k}", x) for k, x in enumerate(parameters(n))]


def train(optimizer: optim.Optimizer, steps: int = 3) -> None:
    for _ in range(steps):
        for group in optimizer.param_groups:
            for x in group["params"]:
                x.grad = x.data**2 - 2
        optimizer.step()


def values(pairs: list[tuple[str, nn.Parameter]]) -> dict[str, list[float]]:
    return {name: x.data.tolist() for name, x in pairs}


def take_over(
    old: list[tuple[str, nn.Parameter]], new: list[tuple[str, nn.Parameter]]
) -> None:
    found = dict(old)
    for name, x in new:
        x.data[...] = found[name].data


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_names_match_in_any_order_of_parameters_and_groups(kind: Any) -> None:
    a, b = named(), named()
    first = kind([{"params": a[:2]}, {"params": a[2:], "lr": 0.05}], lr=0.1)
    train(first)
    second = kind([{"params": b[2:]}, {"params": b[1::-1], "lr": 7.0}], lr=3.0)
    second.load_state_dict(first.state_dict())
    take_over(a, b)
    assert [group["lr"] for group in second.param_groups] == [0.05, 0.1]
    train(first)
    train(second)
    assert values(a) == values(b)


def test_without_names_the_order_says_which_is_whose() -> None:
    a, b = parameters(), parameters()
    first, second = optim.Adam(a), optim.Adam(b, lr=9.0)
    train(first)
    second.load_state_dict(first.state_dict())
    for x, y in zip(a, b, strict=True):
        y.data[...] = x.data
    train(first)
    train(second)
    for x, y in zip(a, b, strict=True):
        np.testing.assert_array_equal(x.data, y.data)


def test_names_of_the_parameters_themselves_count() -> None:
    xs = parameters(2)
    xs[0].name, xs[1].name = "a", "b"
    assert optim.SGD(xs).state_dict()["param_groups"][0]["param_names"] == ["a", "b"]
    xs[1].name = "a"  # does not tell them apart
    assert "param_names" not in optim.SGD(xs).state_dict()["param_groups"][0]


def test_the_state_is_a_copy_and_so_is_what_is_loaded() -> None:
    (x,) = parameters(1)
    optimizer = optim.Adam([x])
    train(optimizer, 1)
    state = optimizer.state_dict()
    kept = pickle.dumps(state)
    train(optimizer, 2)
    assert pickle.dumps(state) == kept
    optimizer.load_state_dict(state)
    train(optimizer, 2)
    assert pickle.dumps(state) == kept


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_r03_a_state_before_the_first_step(kind: Any) -> None:
    a, b = named(), named()
    fresh, loaded = kind(a), kind(b)
    loaded.load_state_dict(kind(named()).state_dict())
    train(fresh, 1)
    train(loaded, 1)
    assert values(a) == values(b)


def test_r03_a_state_before_one_parameter_had_a_gradient() -> None:
    a, b = named(2), named(2)
    first, second = optim.Adam(a), optim.Adam(b)
    a[0][1].grad = np.ones(1)
    first.step()
    second.load_state_dict(first.state_dict())
    take_over(a, b)
    train(first)
    train(second)
    assert values(a) == values(b)


def test_a_narrow_parameter_keeps_its_dtype() -> None:
    wide, narrow = named(1), [("x0", nn.Parameter(np.ones(1, np.float32)))]
    first, second = optim.SGD(wide, momentum=0.9), optim.SGD(narrow, momentum=0.9)
    train(first)
    second.load_state_dict(first.state_dict())
    assert second.state[narrow[0][1]]["momentum_buffer"].dtype == np.float32


def test_states_as_pytorch_writes_them() -> None:
    (x,) = parameters(1)
    optimizer = optim.SGD([x])
    state = optimizer.state_dict()
    state["state"] = {0: {"momentum_buffer": None}}
    optimizer.load_state_dict(state)
    assert optimizer.state == {x: {}}
    adam = optim.Adam([x])
    state = adam.state_dict()
    zeros = np.zeros(1)
    state["state"] = {0: {"step": np.float32(3.0), "exp_avg": zeros, "exp_avg_sq": zeros}}
    adam.load_state_dict(state)
    assert adam.state[x]["step"] == 3


def changed(old: dict[str, Any], /, **entries: Any) -> dict[str, Any]:
    return {**old, **entries}


def group_with(state: dict[str, Any], **entries: Any) -> dict[str, Any]:
    return changed(state, param_groups=[{**state["param_groups"][0], **entries}])


def without_lr(state: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in state["param_groups"][0].items() if key != "lr"}


FAULTS = [
    (TypeError, "'state' and 'param_groups'", lambda s: [s]),
    (TypeError, "'state' and 'param_groups'", lambda s: {"state": {}}),
    (ValueError, "2 groups, the optimizer 1", lambda s: changed(s, param_groups=[{}, {}])),
    (ValueError, "the option 'lr'", lambda s: changed(s, param_groups=[without_lr(s)])),
    (ValueError, "the option 'momentum'", lambda s: group_with(s, momentum=0.9)),
    (ValueError, "lr has to be at least 0", lambda s: group_with(s, lr=-1.0)),
    (ValueError, "a parameter 9", lambda s: changed(s, state={9: {}})),
    (ValueError, r"shape \(5,\)", lambda s: changed(s, state={0: {"exp_avg": np.ones(5)}})),
    (ValueError, "keeps step of a parameter", lambda s: changed(s, state={0: {"step": 1}})),
    (
        ValueError,
        "only one of state and optimizer has x1, y",
        lambda s: group_with(s, param_names=["x0", "y"]),
    ),
]


@pytest.mark.parametrize(("error", "text", "spoil"), FAULTS)
def test_a_state_that_does_not_fit_changes_nothing(
    error: Any, text: str, spoil: Any
) -> None:
    optimizer = optim.Adam(named(2))
    train(optimizer)
    before = optimizer.state_dict()
    wrong = spoil(optimizer.state_dict())
    with pytest.raises(error, match=text):
        optimizer.load_state_dict(wrong)
    assert pickle.dumps(optimizer.state_dict()) == pickle.dumps(before)


def test_groups_that_divide_the_parameters_differently() -> None:
    a, b = named(2), named(2)
    one = optim.SGD([{"params": a}, {"params": []}])
    other = optim.SGD([{"params": b[:1]}, {"params": b[1:]}])
    with pytest.raises(ValueError, match="no group of the state has just x0"):
        other.load_state_dict(one.state_dict())


def test_groups_of_another_size() -> None:
    one, other = optim.SGD(parameters(2)), optim.SGD(parameters(3))
    with pytest.raises(ValueError, match="group 0 has 3 parameters, in the state 2"):
        other.load_state_dict(one.state_dict())


def test_the_state_of_another_optimizer() -> None:
    with pytest.raises(ValueError, match="the state is that of another optimizer"):
        optim.SGD(named()).load_state_dict(optim.Adam(named()).state_dict())
