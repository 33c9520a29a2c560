"""What optimizers take: parameters, groups, options, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad import nn, optim


def p(*values: float) -> nn.Parameter:
    return nn.Parameter(np.array(values or (1.0, 2.0)))


A, B = p(), p()
INTEGER = nn.Parameter(np.arange(3), requires_grad=False)
OPTIMIZERS = (optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad)


def test_groups_take_missing_options_from_the_defaults() -> None:
    optimizer = optim.SGD([{"params": [A]}, {"params": B, "lr": 0.5}], lr=0.1, momentum=0.9)
    first, second = optimizer.param_groups
    assert first["params"][0] is A and second["params"][0] is B
    assert (first["lr"], second["lr"]) == (0.1, 0.5)
    assert (first["momentum"], second["momentum"]) == (0.9, 0.9)


def test_a_group_is_added_and_one_without_parameters_is_fine() -> None:
    optimizer = optim.Adam([A])
    optimizer.add_param_group({"params": [], "lr": 1.0})
    optimizer.add_param_group({"params": (x for x in [B]), "betas": (0.5, 0.6)})
    assert [len(group["params"]) for group in optimizer.param_groups] == [1, 0, 1]
    assert optimizer.param_groups[2]["betas"] == (0.5, 0.6)


def test_options_become_plain_numbers() -> None:
    group = optim.SGD([A], lr=np.float32(0.5), momentum=np.array(1)).param_groups[0]
    assert type(group["lr"]) is float and type(group["momentum"]) is float


def test_repr_shows_the_options_of_every_group() -> None:
    optimizer = optim.SGD([{"params": [A]}, {"params": [B], "lr": 0.5}], lr=0.25)
    text = repr(optimizer)
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0.0\n    lr: 0.25\n")
    assert "Parameter Group 1" in text and "lr: 0.5" in text


REFUSED: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (ValueError, "empty", lambda: optim.SGD([])),
    (ValueError, "empty", lambda: optim.SGD(x for x in ())),
    (TypeError, r"write \[parameter\]", lambda: optim.SGD(A)),
    (TypeError, r"write \[parameter\]", lambda: optim.SGD(A.data)),
    (TypeError, r"write \[group\]", lambda: optim.SGD({"params": [A]})),
    (TypeError, "a set has no order", lambda: optim.SGD({A, B})),
    (TypeError, "a set has no order", lambda: optim.SGD([{"params": {A}}])),
    (TypeError, r"module\.parameters\(\)", lambda: optim.SGD(nn.Linear(2, 3))),
    (TypeError, "not str", lambda: optim.SGD("weights")),
    (TypeError, "not ndarray", lambda: optim.SGD([A.data])),
    (TypeError, "int64 cannot be optimised", lambda: optim.SGD([INTEGER])),
    (TypeError, "or every one a parameter", lambda: optim.SGD([{"params": [A]}, B])),
    (KeyError, "params", lambda: optim.SGD([{"lr": 1.0}])),
    (ValueError, "twice", lambda: optim.SGD([A, A])),
    (ValueError, "twice", lambda: optim.SGD([{"params": [A]}, {"params": [A]}])),
    (ValueError, "'rate'.*lr", lambda: optim.SGD([{"params": [A], "rate": 1.0}])),
    (ValueError, "or none", lambda: optim.SGD([("a", A), B])),
    (ValueError, "all groups", lambda: optim.SGD([{"params": [("a", A)]}, {"params": B}])),
    (ValueError, "called 'a'", lambda: optim.SGD([("a", A), ("a", B)])),
    (TypeError, "a group is a dict", lambda: optim.SGD([A]).add_param_group([B])),  # type: ignore[arg-type]
    (ValueError, "nesterov needs", lambda: optim.SGD([A], nesterov=True)),
    (ValueError, "nesterov", lambda: optim.SGD([A], 1, 0.9, 0.1, nesterov=True)),
    (TypeError, "True or False", lambda: optim.SGD([A], 1, 0.9, nesterov=1)),  # type: ignore[arg-type]
    (TypeError, "lr has to be a number", lambda: optim.SGD([A], lr="0.1")),  # type: ignore[arg-type]
    (TypeError, "lr has to be a number", lambda: optim.SGD([A], lr=True)),
    (ValueError, "finite", lambda: optim.SGD([A], lr=np.nan)),
    (ValueError, "dampening has to be finite", lambda: optim.SGD([A], dampening=np.inf)),
    (TypeError, "a pair", lambda: optim.Adam([A], betas=0.9)),  # type: ignore[arg-type]
    (ValueError, r"\[0, 1\), not 1.0", lambda: optim.Adam([A], betas=(0.9, 1.0))),
    (ValueError, r"\[0, 1\), not -0.1", lambda: optim.AdamW([A], betas=(-0.1, 0.9))),
]


@pytest.mark.parametrize(("error", "text", "make"), REFUSED)
def test_refused(error: type[Exception], text: str, make: Callable[[], Any]) -> None:
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_negative_options_are_refused(kind: Any) -> None:
    for name, value in kind([A]).defaults.items():
        if isinstance(value, float) and name != "dampening":
            with pytest.raises(ValueError, match=f"{name} has to be at least 0, not -1.0"):
                kind([A], **{name: -1.0})


def test_a_refused_group_is_not_added() -> None:
    optimizer = optim.SGD([A])
    for group in ({"params": [A]}, {"params": [B], "lr": -1}, {"params": [B, 3]}):
        with pytest.raises((ValueError, TypeError)):
            optimizer.add_param_group(group)
    assert len(optimizer.param_groups) == 1
