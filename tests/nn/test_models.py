"""Residual networks against torchvision's, which ``make_golden_models`` wrote down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.nn import models
from symgrad.nn.training import backward

from .golden_cases import model_images, model_state, weights

GOLDEN = json.loads(Path(__file__).with_name("golden_models.json").read_text())


@pytest.mark.parametrize("name", ["resnet18", "resnet34", "resnet50"])
def test_names_and_shapes_of_the_state(name: str) -> None:
    state = getattr(models, name)().state_dict()
    assert {k: list(v.shape) for k, v in state.items()} == GOLDEN[name]
    assert list(state) == list(GOLDEN[name])


@pytest.fixture(scope="module")
def state() -> dict[str, Any]:
    shapes = {k: tuple(v) for k, v in GOLDEN["resnet18"].items()}
    return model_state(shapes | {"fc.weight": (10, 512), "fc.bias": (10,)})


def loaded(state: dict[str, Any]) -> nn.Module:
    model = models.resnet18(num_classes=10, dtype=np.float64)
    assert model.load_state_dict(state) == ([], [])
    return model


def test_results(state: dict[str, Any]) -> None:
    model = loaded(state)
    found = model.eval()(model_images())
    np.testing.assert_allclose(found.ravel(), GOLDEN["evaluated"], rtol=1e-9)


def test_training(state: dict[str, Any]) -> None:
    model, images = loaded(state), model_images()

    def loss() -> Any:
        return np.sum(np.reshape(model(images), -1) * weights(0, 20))

    expected = np.dot(GOLDEN["trained"], weights(0, 20))
    np.testing.assert_allclose(backward(loss), expected, rtol=1e-9)
    variance = model.get_buffer("layer3.0.bn1.running_var")[:5]
    np.testing.assert_allclose(variance, GOLDEN["running_var"], rtol=1e-9)
    for name, p in model.named_parameters():
        found = p.grad.ravel()[:2]
        np.testing.assert_allclose(
            found, GOLDEN["gradients"][name], rtol=1e-6, err_msg=name
        )


def test_blocks_may_begin_as_identities() -> None:
    model = models.resnet18(10, width=2, zero_init_residual=True)
    assert not np.any(model.layer2[1].bn2.weight)
    assert not np.any(
        models.resnet50(10, width=2, zero_init_residual=True).layer1[0].bn3.weight
    )
