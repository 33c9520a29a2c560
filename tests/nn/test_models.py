"""Residual networks against torchvision's, which ``make_golden_models`` wrote down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.nn import models

from .golden_cases import model_images, model_state, weights

GOLDEN = json.loads(Path(__file__).with_name("golden_models.json").read_text())


@pytest.mark.parametrize("name", ["resnet18", "resnet34", "resnet50"])
def test_names_and_shapes_of_the_state(name: str) -> None:
    state = getattr(models, name)().state_dict()
    assert {k: list(v.shape) for k, v in state.items()} == GOLDEN[name]
    assert list(state) == list(GOLDEN[name])


def loaded(model: nn.Module) -> nn.Module:
    """The model with the state of the golden values."""
    shapes = {name: array.shape for name, array in model.state_dict().items()}
    assert model.load_state_dict(model_state(shapes)) == ([], [])
    return model


def test_results() -> None:
    model = loaded(models.resnet18(num_classes=10, dtype=np.float64))
    found = model.eval()(model_images())
    np.testing.assert_allclose(found.ravel(), GOLDEN["evaluated"], rtol=1e-9)


def test_training() -> None:
    small = models.ResNet(models.BasicBlock, (1, 1, 1, 1), 10, dtype=np.float64)
    model, images = loaded(small), model_images()

    def loss() -> Any:
        return np.sum(np.reshape(model(images), -1) * weights(0, 20))

    expected = np.dot(GOLDEN["trained"], weights(0, 20))
    np.testing.assert_allclose(nn.backward(loss), expected, rtol=1e-9)
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
