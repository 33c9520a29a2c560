"""Layers that keep statistics, where a gradient is taken."""

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import AliasError

X = np.random.default_rng(0).normal(size=(2, 2, 3, 3)).astype(np.float32)


def test_gradient_by_an_argument_says_what_works():
    model = nn.BatchNorm2d(2)
    value = sg.value_and_grad(lambda x: (model(x) ** 2).sum())
    with pytest.raises(AliasError, match=r"nn\.value_and_grad.*eval\(\)"):
        value(X)
    assert model.num_batches_tracked == 0
    model.eval()
    assert value(X)[1].shape == X.shape


def test_gradient_by_parameters_updates_the_statistics():
    model = nn.BatchNorm2d(2)
    _, grads = nn.value_and_grad(model, lambda x: (model(x) ** 2).sum())(X)
    assert set(grads) == {"weight", "bias"}
    assert model.num_batches_tracked == 1
    assert np.any(model.running_mean != 0)
