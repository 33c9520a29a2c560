"""Optimizers and schedulers against what PyTorch did (``make_golden.py``)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgrad import optim
from symgrad.nn.parameter import Parameter

from .cases import OPTIMIZERS, RATES, SCHEDULERS, START, noise

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())


def trajectory(name: str, options: dict[str, Any], dtype: str) -> tuple[np.ndarray, str]:
    x = Parameter(np.array(START, dtype))
    optimizer = getattr(optim, name)([x], **options)
    digest = hashlib.sha256()
    for row in noise(dtype):
        x.grad = row + x.data
        optimizer.step()
        digest.update(x.data.tobytes())
    return x.data, digest.hexdigest()[:16]


@pytest.mark.parametrize("key", OPTIMIZERS)
def test_all_steps_agree_with_pytorch_to_the_last_bit(key: str) -> None:
    expected = GOLDEN["optimizers"][key]
    last, digest = trajectory(*OPTIMIZERS[key], "float64")
    np.testing.assert_array_equal(last, expected["last"])
    assert digest == expected["digest"]
    np.testing.assert_allclose(last, expected["native"], rtol=1e-12)
    assert trajectory(*OPTIMIZERS[key], "float32")[1] == expected["float32"]


@pytest.mark.parametrize("key", SCHEDULERS.cases)
def test_all_rates_agree_with_pytorch_to_the_last_bit(key: str) -> None:
    groups = [{"params": [Parameter(np.zeros(1))], "lr": lr} for lr in RATES]
    optimizer = optim.SGD(groups, momentum=0.9)
    scheduler = SCHEDULERS.cases[key](optim.lr_scheduler, optimizer)
    for metric, expected in zip(SCHEDULERS.metrics, GOLDEN["schedulers"][key], strict=True):
        now = optimizer.param_groups
        assert [*scheduler.get_last_lr(), now[0]["momentum"]] == expected
        assert [group["lr"] for group in now] == expected[:2]
        optimizer.step()
        if isinstance(scheduler, optim.lr_scheduler.ReduceLROnPlateau):
            scheduler.step(metric)
        else:
            scheduler.step()
