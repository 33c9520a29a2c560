"""Schedulers: their sequences, states and errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad import SymgradWarning, nn, optim

from .cases import RATES, SCHEDULERS

S = optim.lr_scheduler


def sgd(lr: float = 1.0, **options: Any) -> optim.SGD:
    return optim.SGD([nn.Parameter(np.zeros(1))], lr=lr, **options)


def rates(make: Callable[[optim.Optimizer], Any], n: int, *metric: float) -> list[float]:
    optimizer = sgd(momentum=0.9)
    scheduler = make(optimizer)
    found = []
    for _ in range(n):
        found.append(round(optimizer.param_groups[0]["lr"], 4))
        optimizer.step()
        scheduler.step(*metric)
    return found


SEQUENCES = [
    (lambda o: S.StepLR(o, 2), [1, 1, 0.1, 0.1, 0.01]),
    (lambda o: S.MultiStepLR(o, [2, 4]), [1, 1, 0.1, 0.1, 0.01]),
    (lambda o: S.ExponentialLR(o, 0.5), [1, 0.5, 0.25, 0.125]),
    (
        lambda o: S.CosineAnnealingLR(o, 4, 0.1),
        [1, 0.8682, 0.55, 0.2318, 0.1, 0.2318, 0.55, 0.8682, 1, 0.8682],
    ),
    (lambda o: S.LinearLR(o, 0.25, 1.0, 4), [0.25, 0.4375, 0.625, 0.8125, 1, 1]),
    (lambda o: S.ConstantLR(o, 0.5, 2), [0.5, 0.5, 1, 1]),
    (lambda o: S.LambdaLR(o, lambda t: t + 1), [1, 2, 3]),
    (lambda o: S.PolynomialLR(o, 4, 2), [1, 0.5625, 0.25, 0.0625, 0, 0]),
    (lambda o: S.CosineAnnealingWarmRestarts(o, 3), [1, 0.75, 0.25, 1, 0.75, 0.25]),
    (
        lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.5, 9), S.StepLR(o, 1)], [2]),
        [0.5, 0.5, 1, 0.1, 0.01],
    ),
    (
        lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.5, 2), S.ExponentialLR(o, 0.1)]),
        [0.5, 0.05, 0.01, 0.001],
    ),
]


@pytest.mark.parametrize(("make", "expected"), SEQUENCES)
def test_sequence(make: Any, expected: list[float]) -> None:
    assert rates(make, len(expected)) == expected


def test_plateau_drops_when_patience_is_over() -> None:
    found = rates(lambda o: S.ReduceLROnPlateau(o, factor=0.5, patience=2), 8, 1.0)
    assert found == [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25]


def test_one_cycle_goes_up_and_far_down_and_ends() -> None:
    optimizer = optim.Adam([nn.Parameter(np.zeros(1))])
    scheduler = S.OneCycleLR(optimizer, 1.0, epochs=2, steps_per_epoch=10)
    found = []
    for _ in range(20):
        group = optimizer.param_groups[0]
        found.append((group["lr"], group["betas"][0]))
        optimizer.step()
        scheduler.step()
    assert found[0] == pytest.approx((0.04, 0.95))
    assert found[5] == pytest.approx((1.0, 0.85))
    assert found[19] == pytest.approx((4e-6, 0.95))
    with pytest.raises(ValueError, match="step 21 of a cycle of 20 steps"):
        scheduler.step()
    assert scheduler.last_epoch == 20


def test_warm_restarts_between_epochs() -> None:
    optimizer = sgd()
    scheduler = S.CosineAnnealingWarmRestarts(optimizer, 2, 2)
    for epoch, part in ((0.5, 0.25), (2, 0), (4, 0.5), (5.5, 0.875), (6, 0)):
        scheduler.step(epoch)
        expected = (1 + math.cos(math.pi * part)) / 2
        assert optimizer.param_groups[0]["lr"] == pytest.approx(expected)
    optimizer.step()
    scheduler.step()
    assert scheduler.last_epoch == 7 and scheduler.T_cur == 1
    with pytest.raises(ValueError, match="epoch has to be at least 0"):
        scheduler.step(-1)


def test_a_combination_inside_a_sequence() -> None:
    def make(o: optim.Optimizer) -> Any:
        chain = S.ChainedScheduler([S.ConstantLR(o, 0.5, 2), S.ExponentialLR(o, 0.1)])
        return S.SequentialLR(o, [S.ConstantLR(o, 0.25, 9), chain], [2])

    assert rates(make, 5) == [0.25, 0.25, 0.5, 0.05, 0.01]


def test_rates_of_one_that_has_stepped_go_on_from_what_lr_was_set_to() -> None:
    optimizer = sgd()
    scheduler = S.ExponentialLR(optimizer, 0.5)
    optimizer.param_groups[0]["lr"] = 8.0
    optimizer.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [4.0]


def test_a_group_added_later() -> None:
    optimizer = sgd()
    relative, absolute = S.StepLR(optimizer, 1), S.LambdaLR(optimizer, lambda t: 0.5)
    optimizer.add_param_group({"params": [nn.Parameter(np.zeros(1))], "lr": 8.0})
    optimizer.step()
    relative.step()
    assert relative.get_last_lr() == pytest.approx([0.05, 0.8])
    with pytest.raises(
        ValueError, match="there are 2 groups, 1 when this LambdaLR was made"
    ):
        absolute.step()
    assert absolute.last_epoch == 0


def test_stepping_before_the_optimizer_warns_and_steps() -> None:
    optimizer = sgd()
    scheduler = S.StepLR(optimizer, 1)
    with pytest.warns(SymgradWarning, match="before the optimizer"):
        scheduler.step()
    assert scheduler.get_last_lr() == [0.1]


@pytest.mark.parametrize("key", SCHEDULERS.cases)
def test_a_loaded_state_goes_on_alike(key: str) -> None:
    def start() -> tuple[optim.SGD, Any]:
        groups = [{"params": [nn.Parameter(np.zeros(1))], "lr": lr} for lr in RATES]
        optimizer = optim.SGD(groups, momentum=0.9)
        return optimizer, SCHEDULERS.cases[key](S, optimizer)

    def go_on(optimizer: optim.SGD, scheduler: Any, metrics: list[float]) -> list[Any]:
        out = []
        for metric in metrics:
            optimizer.step()
            scheduler.step(
                *([metric] if isinstance(scheduler, S.ReduceLROnPlateau) else ())
            )
            out.append([(g["lr"], g["momentum"]) for g in optimizer.param_groups])
        return out

    first, second = start(), start()
    go_on(*first, SCHEDULERS.metrics[:9])
    state = json.loads(json.dumps(first[1].state_dict()))  # nothing but numbers and text
    second[0].load_state_dict(first[0].state_dict())
    second[1].load_state_dict(state)
    assert go_on(*second, SCHEDULERS.metrics[9:]) == go_on(*first, SCHEDULERS.metrics[9:])


def test_a_state_that_does_not_fit_changes_nothing() -> None:
    optimizer = sgd()
    parts = [S.ConstantLR(optimizer), S.StepLR(optimizer, 2)]
    scheduler = S.SequentialLR(optimizer, parts, [3])
    before = scheduler.state_dict()
    good = S.SequentialLR(optimizer, parts, [7]).state_dict()
    wrong = [
        ("with base_lrs, last_epoch", parts[0].state_dict()),
        ("is a dict", None),
        ("for 2 groups", {**good, "base_lrs": [1.0, 2.0]}),
        ("1 parts", {**good, "schedulers": good["schedulers"][:1]}),
        ("ConstantLR", {**good, "schedulers": good["schedulers"][::-1]}),
    ]
    for text, state in wrong:
        with pytest.raises(ValueError, match=text):
            scheduler.load_state_dict(state)  # type: ignore[arg-type]
    assert scheduler.state_dict() == before


ONE, OTHER = sgd(), sgd()
ADAGRAD = optim.Adagrad([nn.Parameter(np.zeros(1))])
REFUSED: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (TypeError, "takes an Optimizer, not list", lambda: S.StepLR([], 2)),  # type: ignore[arg-type]
    (TypeError, "Optimizer", lambda: S.OneCycleLR(3, 1.0, 5)),  # type: ignore[arg-type]
    (TypeError, "Optimizer", lambda: S.LambdaLR(None, abs)),  # type: ignore[arg-type]
    (ValueError, "step_size has to be at least 1", lambda: S.StepLR(ONE, 0)),
    (TypeError, "step_size has to be an int", lambda: S.StepLR(ONE, 1.5)),  # type: ignore[arg-type]
    (ValueError, "a milestone has to be an int from 0", lambda: S.MultiStepLR(ONE, [-1])),
    (ValueError, r"factor has to be in \(0, 1\]", lambda: S.ConstantLR(ONE, 0.0)),
    (ValueError, "total_iters", lambda: S.ConstantLR(ONE, total_iters=0)),
    (ValueError, r"start_factor has to be in \(0, 1\]", lambda: S.LinearLR(ONE, 1.5)),
    (ValueError, r"end_factor has to be in \[0, 1\]", lambda: S.LinearLR(ONE, 1.0, 1.5)),
    (ValueError, "total_iters", lambda: S.LinearLR(ONE, total_iters=0)),
    (ValueError, "total_iters", lambda: S.PolynomialLR(ONE, 0)),
    (ValueError, "T_max has to be above 0", lambda: S.CosineAnnealingLR(ONE, 0)),
    (ValueError, "T_max has to be above 0", lambda: S.CosineAnnealingLR(ONE, -3)),
    (ValueError, "T_0", lambda: S.CosineAnnealingWarmRestarts(ONE, 0)),
    (TypeError, "T_mult", lambda: S.CosineAnnealingWarmRestarts(ONE, 2, 1.5)),  # type: ignore[arg-type]
    (TypeError, "is called, so no int", lambda: S.LambdaLR(ONE, 3)),  # type: ignore[arg-type]
    (ValueError, "2 entries, the optimizer 1", lambda: S.LambdaLR(ONE, [abs, abs])),
    (
        ValueError,
        r"factor has to be in \(0, 1\)",
        lambda: S.ReduceLROnPlateau(ONE, factor=1.0),
    ),
    (ValueError, "'min' or 'max'", lambda: S.ReduceLROnPlateau(ONE, "least")),
    (ValueError, "'rel' or 'abs'", lambda: S.ReduceLROnPlateau(ONE, threshold_mode="x")),
    (ValueError, "patience", lambda: S.ReduceLROnPlateau(ONE, patience=-1)),
    (ValueError, "2 entries", lambda: S.ReduceLROnPlateau(ONE, min_lr=[1.0, 2.0])),
    (TypeError, r"step\(loss\)", lambda: S.ReduceLROnPlateau(ONE).step()),
    (ValueError, "both 0", lambda: S.CyclicLR(ONE, 0.1, 1.0, 0)),
    (ValueError, "step_size_up has to be", lambda: S.CyclicLR(ONE, 0.1, 1.0, -1)),
    (ValueError, "mode is one of", lambda: S.CyclicLR(ONE, 0.1, 1.0, mode="square")),
    (ValueError, "not 'epochs'", lambda: S.CyclicLR(ONE, 0.1, 1.0, scale_mode="epochs")),
    (ValueError, "cycle_momentum=False", lambda: S.CyclicLR(ADAGRAD, 0.1, 1.0)),
    (
        ValueError,
        "base_momentum has to be",
        lambda: S.CyclicLR(ONE, 0.1, 1, base_momentum=2),
    ),
    (ValueError, "max_lr has 2 entries", lambda: S.CyclicLR(ONE, 0.1, [1.0, 2.0])),
    (TypeError, "is called, so no int", lambda: S.MultiplicativeLR(ONE, 3)),  # type: ignore[arg-type]
    (ValueError, "total_steps, or both", lambda: S.OneCycleLR(ONE, 1.0)),
    (ValueError, "total_steps has to be at least 1", lambda: S.OneCycleLR(ONE, 1.0, 0)),
    (
        ValueError,
        r"pct_start has to be in \[0, 1.0\]",
        lambda: S.OneCycleLR(ONE, 1, 9, pct_start=2),
    ),
    (
        ValueError,
        r"pct_start has to be in \[0, 0.5\]",
        lambda: S.OneCycleLR(ONE, 1, 9, pct_start=0.6, three_phase=True),
    ),
    (ValueError, "'cos' or 'linear'", lambda: S.OneCycleLR(ONE, 1, 9, anneal_strategy="x")),
    (ValueError, "cycle_momentum=False", lambda: S.OneCycleLR(ADAGRAD, 1, 9)),
    (
        ValueError,
        "max_momentum has to be in",
        lambda: S.OneCycleLR(ONE, 1, 9, max_momentum=1.0),
    ),
    (ValueError, "at least one scheduler", lambda: S.SequentialLR(ONE, [], [])),
    (
        ValueError,
        "take 0 milestones, not 1",
        lambda: S.SequentialLR(ONE, [S.StepLR(ONE, 1)], [1]),
    ),
    (
        ValueError,
        "milestones have to increase",
        lambda: S.SequentialLR(ONE, [S.StepLR(ONE, 1)] * 3, [3, 2]),
    ),
    (
        ValueError,
        "another optimizer",
        lambda: S.SequentialLR(OTHER, [S.StepLR(ONE, 1)], []),
    ),
    (
        ValueError,
        "scheduler 1 is that of another",
        lambda: S.ChainedScheduler([S.StepLR(ONE, 1), S.StepLR(OTHER, 1)]),
    ),
    (ValueError, "needs a metric", lambda: S.ChainedScheduler([S.ReduceLROnPlateau(ONE)])),
    (TypeError, "scheduler 0 is none", lambda: S.ChainedScheduler([3])),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("error", "text", "make"), REFUSED)
def test_refused(error: type[Exception], text: str, make: Callable[[], Any]) -> None:
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(("total", "share"), [(10, 0.0), (10, 0.1), (10, 1.0), (1, 1.0)])
def test_one_cycle_with_a_phase_of_no_length(total: int, share: float) -> None:
    optimizer = sgd(momentum=0.9)
    scheduler = S.OneCycleLR(optimizer, 1.0, total, pct_start=share)
    for _ in range(total):
        assert 0 < optimizer.param_groups[0]["lr"] <= 1
        optimizer.step()
        scheduler.step()
