"""Initial values: distributions, what is refused, and which random numbers are used."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.nn import init

SHAPE = (40, 30, 3, 2)  # 180 inputs, 240 outputs


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.parametrize(
    ("fill", "bound"),
    [
        (lambda w: init.uniform_(w, -2, 2, rng()), 2),
        (lambda w: init.xavier_uniform_(w, 2.0, rng()), 2 * math.sqrt(6 / 420)),
        (lambda w: init.kaiming_uniform_(w, 0.5, generator=rng()), math.sqrt(4.8 / 180)),
        (
            lambda w: init.kaiming_uniform_(
                w, mode="fan_out", nonlinearity="tanh", generator=rng()
            ),
            5 / 3 * math.sqrt(3 / 240),
        ),
    ],
)
def test_uniform(fill: Callable[[Any], Any], bound: float) -> None:
    w = np.empty(SHAPE)
    assert fill(w) is w
    assert 0.999 * bound < w.max() <= bound
    assert -bound <= w.min() < -0.999 * bound
    assert abs(w.mean()) < 0.03 * bound
    np.testing.assert_allclose(w.std(), bound / math.sqrt(3), rtol=0.02)


@pytest.mark.parametrize(
    ("fill", "mean", "std"),
    [
        (lambda w: init.normal_(w, 1, 0.5, rng()), 1, 0.5),
        (lambda w: init.xavier_normal_(w, 2.0, rng()), 0, 2 * math.sqrt(2 / 420)),
        (lambda w: init.kaiming_normal_(w, generator=rng()), 0, math.sqrt(2 / 180)),
        (
            lambda w: init.kaiming_normal_(
                w, mode="fan_out", nonlinearity="linear", generator=rng()
            ),
            0,
            math.sqrt(1 / 240),
        ),
    ],
)
def test_normal(fill: Callable[[Any], Any], mean: float, std: float) -> None:
    w = nn.Parameter(np.empty(SHAPE, np.float32))
    assert fill(w) is w
    assert w.dtype == np.float32
    np.testing.assert_allclose(w.data.mean(), mean, atol=0.05 * std)
    np.testing.assert_allclose(w.data.std(), std, rtol=0.03)
    assert np.abs(w.data - mean).max() > 3 * std


def test_truncated_normal() -> None:
    w = init.trunc_normal_(np.empty(20000), 1.0, 2.0, 0.0, 2.5, rng())
    assert w.min() >= 0 and w.max() <= 2.5 and w.max() > 2.49 and w.min() < 0.01
    low, high = (np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) for x in (-0.5, 0.75))
    mass = 0.5 * (math.erf(0.75 / math.sqrt(2)) + math.erf(0.5 / math.sqrt(2)))
    np.testing.assert_allclose(w.mean(), 1 + 2 * (low - high) / mass, rtol=0.01)
    far = init.trunc_normal_(np.empty(100), a=9.0, b=10.0, generator=rng())
    assert np.all((far >= 9) & (far <= 10))


def test_constants_and_matrices() -> None:
    np.testing.assert_array_equal(init.constant_(np.empty(2), 3.0), [3, 3])
    np.testing.assert_array_equal(init.ones_(np.empty(2)), [1, 1])
    np.testing.assert_array_equal(init.zeros_(np.empty(2)), [0, 0])
    np.testing.assert_array_equal(init.eye_(np.empty((2, 3))), np.eye(2, 3))


def test_dirac_hands_channels_on() -> None:
    x = np.cos(np.arange(96.0)).reshape(1, 4, 4, 6)
    w = init.dirac_(np.empty((5, 4, 3, 3)))
    out = nn.functional.conv2d(x, w, padding=1)
    np.testing.assert_array_equal(out[:, :4], x)
    np.testing.assert_array_equal(out[:, 4], 0)
    w = init.dirac_(np.empty((4, 2, 3, 3)), groups=2)
    np.testing.assert_array_equal(nn.functional.conv2d(x, w, padding=1, groups=2), x)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 2, 3)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    w = init.orthogonal_(np.empty(shape), 2.0, rng()).reshape(shape[0], -1)
    square = w @ w.T if w.shape[0] < w.shape[1] else w.T @ w
    np.testing.assert_allclose(square, 4 * np.eye(len(square)), atol=1e-12)


def test_sparse() -> None:
    w = init.sparse_(np.empty((10, 4)), 0.25, generator=rng())
    assert (np.count_nonzero(w, axis=0) == 7).all()
    assert 0.003 < w[w != 0].std() < 0.02


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("linear", None, 1), ("conv2d", None, 1), ("tanh", None, 5 / 3), ("selu", None, 0.75),
        ("relu", None, math.sqrt(2)), ("leaky_relu", 0.5, math.sqrt(1.6)),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
    ],
)  # fmt: skip
def test_gains(name: str, param: float | None, gain: float) -> None:
    assert init.calculate_gain(name, param) == gain


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: init.calculate_gain("rleu"), "nonlinearity must be one of"),
        (lambda: init.xavier_normal_(np.empty(3)), "at least two axes"),
        (lambda: init.orthogonal_(np.empty(3)), "at least two axes"),
        (lambda: init.kaiming_normal_(np.empty((3, 2)), mode="fan"), "mode must be"),
        (lambda: init.eye_(np.empty(3)), "eye_ needs two axes"),
        (lambda: init.sparse_(np.empty(3), 0.1), "sparse_ needs two axes"),
        (lambda: init.dirac_(np.empty((3, 2))), "three to five axes"),
        (lambda: init.dirac_(np.empty((3, 2, 1)), 2), "3 outputs do not make 2"),
    ],
)
def test_what_is_refused(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


BOUNDS = {
    "nn.Linear(100, 80, generator=g)": {"weight": 0.1, "bias": 0.1},
    "nn.Bilinear(64, 5, 80, generator=g)": {"weight": 0.125, "bias": 0.125},
    "nn.Conv1d(8, 60, 8, generator=g)": {"weight": 0.125, "bias": 0.125},
    "nn.Conv2d(32, 60, 4, groups=2, generator=g)": {"weight": 1 / 16, "bias": 1 / 16},
    "nn.ConvTranspose2d(30, 32, 4, groups=2, generator=g)": {"weight": 1 / 16, "bias": 1 / 16},
    "nn.LSTM(30, 25, generator=g)": {"weight_ih_l0": 0.2, "bias_hh_l0": 0.2},
    "nn.GRUCell(30, 25, generator=g)": {"weight_hh": 0.2, "bias_ih": 0.2},
    "nn.MultiheadAttention(100, 4, generator=g)": {
        "in_proj_weight": math.sqrt(6 / 400), "out_proj.weight": 0.1,
    },
    "nn.MultiheadAttention(100, 4, kdim=20, vdim=44, generator=g)": {
        "q_proj_weight": math.sqrt(6 / 200), "k_proj_weight": math.sqrt(6 / 120),
        "v_proj_weight": math.sqrt(6 / 144), "out_proj.weight": 0.1,
    },
}  # fmt: skip


@pytest.mark.parametrize("layer", BOUNDS)
def test_layers_begin_with_uniform_values(layer: str) -> None:
    made = eval(layer, {"nn": nn, "g": rng()})
    again = eval(layer, {"nn": nn, "g": rng()})
    for name, bound in BOUNDS[layer].items():
        w = made.get_parameter(name).data
        assert w.dtype == np.float32
        assert 0.9 * bound < np.abs(w).max() <= bound * (1 + 1e-6)
        np.testing.assert_array_equal(w, again.get_parameter(name).data)


def test_other_layers_begin_with() -> None:
    table = nn.Embedding(200, 30, padding_idx=-1, generator=rng()).weight.data
    np.testing.assert_array_equal(table[-1], 0)
    np.testing.assert_allclose([table[:-1].mean(), table[:-1].std()], [0, 1], atol=0.03)
    attention = nn.MultiheadAttention(4, 2)
    assert not np.any(attention.in_proj_bias.data) and not np.any(
        attention.out_proj.bias.data
    )
    assert nn.PReLU(3).weight.data.tolist() == [0.25] * 3
    norm = nn.BatchNorm2d(2)
    assert norm.weight.data.tolist() == [1, 1] and norm.bias.data.tolist() == [0, 0]
    assert norm.running_mean.tolist() == [0, 0] and norm.running_var.tolist() == [1, 1]


def test_without_a_generator_the_global_state_is_used() -> None:
    np.random.seed(5)
    first = nn.Linear(3, 2)
    np.random.seed(5)
    np.testing.assert_array_equal(first.weight.data, nn.Linear(3, 2).weight.data)
    assert np.any(first.weight.data != nn.Linear(3, 2).weight.data)


def test_dtype() -> None:
    for layer in (nn.Linear(2, 2, dtype=np.float64), nn.BatchNorm1d(2, dtype=np.float64)):
        assert {a.dtype for k, a in layer.state_dict().items() if "num" not in k} == {
            np.dtype(float)
        }
