"""What is compared with PyTorch: every combination of options, and the schedulers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

STEPS = 50
START = [1.0, -0.5, 3.0, 1e-4, -20.0]
RATES = (1.0, 0.03)


def noise(dtype: str) -> Iterator[np.ndarray]:
    """Rows that are added to x as gradients: of many sizes, and made of exact operations."""
    state = 12345
    for _ in range(STEPS):
        row = []
        for _ in START:
            state = (1103515245 * state + 12345) % 2**31
            row.append((state / 2**30 - 1) * 10.0 ** (state % 7 - 3))
        yield np.array(row, dtype)


def combinations(
    name: str, **choices: tuple[Any, ...]
) -> dict[str, tuple[str, dict[str, Any]]]:
    """All ways of choosing, called after the optimizer and what differs from the first."""
    found = {}
    for values in itertools.product(*choices.values()):
        options = dict(zip(choices, values, strict=True))
        if options.get("nesterov") and (not options["momentum"] or options["dampening"]):
            continue
        said = [f"{k}={v}" for k, v in options.items() if v != choices[k][0]]
        found[" ".join([name, *said])] = (name, options)
    return found


FLAG = (False, True)
DECAY = (0, 0.05)
BETAS = ((0.9, 0.999), (0.3, 0.4))

OPTIMIZERS = {
    **combinations(
        "SGD", lr=(0.01,), momentum=(0, 0.9), dampening=(0, 0.3), weight_decay=DECAY,
        nesterov=FLAG, maximize=FLAG,
    ),
    **combinations(
        "Adam", lr=(0.1,), betas=BETAS, eps=(1e-8,), weight_decay=DECAY, amsgrad=FLAG,
        maximize=FLAG,
    ),
    **combinations(
        "AdamW", lr=(0.1,), betas=BETAS, eps=(1e-3,), weight_decay=(0.01, 0, 0.3),
        amsgrad=FLAG, maximize=FLAG,
    ),
    **combinations(
        "RMSprop", lr=(0.01,), alpha=(0.99, 0.3), eps=(1e-8,), weight_decay=DECAY,
        momentum=(0, 0.9), centered=FLAG, maximize=FLAG,
    ),
    **combinations(
        "Adagrad", lr=(0.3,), lr_decay=(0, 0.1), weight_decay=DECAY,
        initial_accumulator_value=(0, 0.5), eps=(1e-10,), maximize=FLAG,
    ),
}  # fmt: skip


def falling_then_flat(n: int) -> list[float]:
    """A metric that improves, stays, and improves a little again."""
    return [1.0, 0.8, 0.7, *[0.7] * 8, 0.69995, 0.6, *[0.65] * (n - 13)]


class Schedulers(NamedTuple):
    """Makers of schedulers, each called with the module they are in and an optimizer."""

    cases: dict[str, Any]
    metrics: list[float]


SCHEDULERS = Schedulers(
    {
        "StepLR": lambda m, o: m.StepLR(o, 2, 0.1),
        "MultiStepLR": lambda m, o: m.MultiStepLR(o, [2, 4, 4, 9], 0.3),
        "ExponentialLR": lambda m, o: m.ExponentialLR(o, 0.7),
        "CosineAnnealingLR": lambda m, o: m.CosineAnnealingLR(o, 4, 0.1),
        "CosineAnnealingLR 7": lambda m, o: m.CosineAnnealingLR(o, T_max=7),
        "LinearLR": lambda m, o: m.LinearLR(o, 0.25, 1.0, 4),
        "LinearLR down": lambda m, o: m.LinearLR(o, 0.9, 0.2, 9),
        "ConstantLR": lambda m, o: m.ConstantLR(o, 0.3, 4),
        "LambdaLR": lambda m, o: m.LambdaLR(o, lambda t: 0.9**t),
        "LambdaLR two": lambda m, o: m.LambdaLR(o, [lambda t: 1 / (1 + t), lambda t: 0.5]),
        "MultiplicativeLR": lambda m, o: m.MultiplicativeLR(o, lambda t: 1 - 1 / (1 + t)),
        "CyclicLR": lambda m, o: m.CyclicLR(o, 0.1, 1.0, 3),
        "CyclicLR halves": lambda m, o: m.CyclicLR(
            o, [0.1, 0.2], [1.0, 0.7], 3, 4, "triangular2", base_momentum=0.7
        ),
        "CyclicLR powers": lambda m, o: m.CyclicLR(
            o, 0.1, 1.0, 5, 2, "exp_range", 0.9, cycle_momentum=False
        ),
        "CyclicLR function": lambda m, o: m.CyclicLR(
            o, 0.1, 1.0, 4, scale_fn=lambda t: 1 / (1 + t), scale_mode="iterations"
        ),
        "PolynomialLR": lambda m, o: m.PolynomialLR(o, 4, 2.0),
        "PolynomialLR 11": lambda m, o: m.PolynomialLR(o, 11, 0.7),
        "CosineAnnealingWarmRestarts": lambda m, o: m.CosineAnnealingWarmRestarts(o, 3),
        "CosineAnnealingWarmRestarts 2": lambda m, o: m.CosineAnnealingWarmRestarts(
            o, 3, 2, 0.01
        ),
        "ReduceLROnPlateau": lambda m, o: m.ReduceLROnPlateau(o, factor=0.5, patience=2),
        "ReduceLROnPlateau cooldown": lambda m, o: m.ReduceLROnPlateau(
            o, factor=0.3, patience=1, cooldown=2, threshold=0.01, threshold_mode="abs",
            min_lr=[0.05, 0.01],
        ),
        "ReduceLROnPlateau max": lambda m, o: m.ReduceLROnPlateau(
            o, mode="max", patience=3, eps=1e-3
        ),
        "OneCycleLR": lambda m, o: m.OneCycleLR(o, 1.0, 30),
        "OneCycleLR linear": lambda m, o: m.OneCycleLR(
            o, [1.0, 0.3], 24, pct_start=0.4, anneal_strategy="linear", div_factor=10.0,
            final_div_factor=100.0,
        ),
        "OneCycleLR three": lambda m, o: m.OneCycleLR(o, 1.0, 27, three_phase=True),
        "SequentialLR": lambda m, o: m.SequentialLR(
            o,
            [
                m.LinearLR(o, 0.1, 1.0, 3), m.CosineAnnealingLR(o, 5, 0.01),
                m.CosineAnnealingWarmRestarts(o, 4), m.StepLR(o, 2, 0.5),
            ],
            [3, 8, 14],
        ),
        "SequentialLR constant": lambda m, o: m.SequentialLR(
            o,
            [m.ConstantLR(o, 0.1, 2), m.ExponentialLR(o, 0.9), m.PolynomialLR(o, 6, 1.5),
             m.MultiStepLR(o, [0, 2], 0.5), m.LambdaLR(o, lambda t: 1 / (2 + t))],
            [2, 6, 12, 16],
        ),
        "ChainedScheduler": lambda m, o: m.ChainedScheduler(
            [m.ConstantLR(o, 0.1, 4), m.ExponentialLR(o, 0.9)]
        ),
    },
    falling_then_flat(24),
)  # fmt: skip
