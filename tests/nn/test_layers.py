"""What layers refuse, how they change between training and evaluation, and their code."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.nn import functional as F  # noqa: N812

X = np.cos(np.arange(12.0)).reshape(4, 3)
IMAGES = np.sin(np.arange(72.0)).reshape(2, 4, 3, 3)


# ------------------------------------------------------------------------------ batch norm
def test_batch_norm_moves_its_statistics_when_training_only() -> None:
    norm = nn.BatchNorm1d(3, momentum=0.25).double()
    for k in range(1, 3):
        norm(X * k)
    assert norm.num_batches_tracked == 2
    mean, var = X.mean(axis=0), X.var(axis=0, ddof=1)
    np.testing.assert_allclose(norm.running_mean, 0.25 * 0.75 * mean + 0.25 * 2 * mean)
    np.testing.assert_allclose(
        norm.running_var, 0.75 * (0.75 + 0.25 * var) + 0.25 * 4 * var
    )
    before = {name: array.copy() for name, array in norm.state_dict().items()}
    out = norm.eval()(X)
    np.testing.assert_allclose(
        out, (X - norm.running_mean) / np.sqrt(norm.running_var + 1e-5)
    )
    for name, array in norm.state_dict().items():
        np.testing.assert_array_equal(array, before[name])


def test_batch_norm_with_the_mean_of_all_batches() -> None:
    norm = nn.BatchNorm1d(3, momentum=None).double()
    for k in (1, 2, 6):
        norm(X * k)
    np.testing.assert_allclose(norm.running_mean, 3 * X.mean(axis=0))


def test_freezing_does_not_stop_the_statistics_but_eval_does() -> None:
    norm = nn.BatchNorm1d(3).requires_grad_(False)
    norm(X)
    moved = norm.running_mean.copy()
    assert np.any(moved != 0)
    norm.eval()(X)
    np.testing.assert_array_equal(norm.running_mean, moved)


def test_statistics_can_be_forgotten() -> None:
    norm = nn.BatchNorm1d(3)
    norm(X)
    norm.reset_running_stats()
    fresh = nn.BatchNorm1d(3)
    for one, other in zip(norm.buffers(), fresh.buffers(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_batch_norm_compiled_moves_the_same_statistics() -> None:
    eager, compiled = nn.BatchNorm2d(4), nn.BatchNorm2d(4)
    step = sg.compile(lambda x: compiled(x))
    for k in range(3):
        np.testing.assert_allclose(step(IMAGES + k), eager(IMAGES + k), rtol=1e-6)
    for one, other in zip(eager.buffers(), compiled.buffers(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    compiled.eval()
    np.testing.assert_allclose(step(IMAGES), eager.eval()(IMAGES), rtol=1e-6)


# --------------------------------------------------------------------------------- dropout
def test_dropout_keeps_a_share_and_scales_it() -> None:
    drop = nn.Dropout(0.25, generator=np.random.default_rng(0))
    out = drop(np.ones((100, 100), np.float32))
    assert set(np.unique(out)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert 0.73 < np.mean(out > 0) < 0.77
    assert drop.eval()(X) is X
    np.testing.assert_array_equal(nn.Dropout(1.0)(X), 0)
    np.testing.assert_array_equal(nn.Dropout(0.0)(X), X)


def test_dropout_draws_anew_at_every_compiled_call() -> None:
    one, other = (nn.Dropout(0.5, generator=np.random.default_rng(0)) for _ in range(2))
    step = sg.value_and_grad(lambda x: np.sum(one(x)))
    for _ in range(2):
        value, slope = step(X)
        np.testing.assert_allclose(value, np.sum(slope * X))
        np.testing.assert_array_equal(slope * X, other(X))
    np.random.seed(1)
    first = sg.compile(lambda x: F.dropout(x))(X)
    np.random.seed(1)
    np.testing.assert_array_equal(first, F.dropout(X))


def test_dropout_of_channels() -> None:
    out = nn.Dropout2d(0.5, generator=np.random.default_rng(0))(np.ones((20, 8, 3, 3)))
    assert np.all((out == 0).all((2, 3)) | (out == 2).all((2, 3)))
    assert 0.3 < np.mean(out == 0) < 0.7
    out = nn.Dropout1d(0.5, generator=np.random.default_rng(0))(np.ones((20, 8, 3)))
    assert np.all((out == 0).all(2) | (out == 2).all(2))


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    x = np.random.default_rng(1).normal(size=40000)
    drop = nn.AlphaDropout(0.3, generator=np.random.default_rng(0))
    np.testing.assert_allclose([drop(x).mean(), drop(x).std()], [0, 1], atol=0.02)
    assert drop.eval()(x) is x


def test_dropout_between_recurrent_layers() -> None:
    net = nn.LSTM(3, 4, 2, dropout=0.5, generator=np.random.default_rng(0))
    x = np.ones((5, 2, 3), np.float32)
    assert np.any(net(x)[0] != net(x)[0])
    net.eval()
    np.testing.assert_array_equal(net(x)[0], net(x)[0])
    attention = nn.MultiheadAttention(4, 2, dropout=0.5)
    q = np.ones((5, 2, 4), np.float32)
    assert np.any(attention(q, q, q)[1] != attention(q, q, q)[1])


@pytest.mark.parametrize(
    "made",
    [
        lambda bias: nn.BatchNorm2d(4, bias=bias),
        lambda bias: nn.InstanceNorm2d(4, affine=True, bias=bias),
        lambda bias: nn.GroupNorm(2, 4, bias=bias),
        lambda bias: nn.LayerNorm((4, 3, 3), bias=bias),
    ],
)
def test_a_norm_with_a_weight_and_no_bias(made: Any) -> None:
    with_bias, without = made(True), made(False)
    assert without.bias is None and "bias=False" in repr(without)
    assert "bias" not in without.state_dict() and "weight" in without.state_dict()
    np.testing.assert_array_equal(without(IMAGES), with_bias(IMAGES))


@pytest.mark.parametrize("axes", [(3, -1), (1, 2), (-3, -1)])
def test_flatten_by_axes_that_are_not_there(axes: Any) -> None:
    flatten = nn.Flatten(*axes)
    for call in (flatten, sg.compile(lambda x: flatten(x))):
        with pytest.raises(IndexError, match=r"there is no axis .* of 2 axes"):
            call(X)


# ------------------------------------------------------------------------------- embedding
def test_the_padding_row_gets_no_gradient() -> None:
    table = nn.Embedding(4, 2, padding_idx=1)
    nn.backward(lambda x: np.sum(table(x)), np.array([[0, 1, 1], [3, 3, 1]]))
    assert table.weight.grad is not None
    np.testing.assert_array_equal(table.weight.grad, [[1, 1], [0, 0], [0, 0], [2, 2]])


def test_embedding_of_a_given_matrix() -> None:
    table = nn.Embedding.from_pretrained(X)
    assert table.weight.data is X and not table.weight.requires_grad
    np.testing.assert_array_equal(table(np.array([2, 0])), X[[2, 0]])
    assert nn.Embedding.from_pretrained(X, freeze=False).weight.requires_grad


def test_long_rows_are_shortened_when_they_are_asked_for() -> None:
    table = nn.Embedding(4, 2, max_norm=1.0, norm_type=1, dtype=np.float64)
    table.weight.data[...] = [[3.0, -1.0], [0.25, 0.5], [4.0, 4.0], [-2.0, 0.0]]
    plain = copy.deepcopy(table)
    x = np.array([[0, 1], [3, 0]])
    nn.backward(lambda x: np.sum(table(x)), x)
    rows = [[0.75, -0.25], [0.25, 0.5], [4.0, 4.0], [-1.0, 0.0]]
    np.testing.assert_allclose(table.weight.data, rows, rtol=1e-6)
    np.testing.assert_array_equal(table.weight.data[1:3], rows[1:3])
    np.testing.assert_array_equal(table.weight.grad, [[2, 2], [1, 1], [0, 0], [1, 1]])
    plain(x)
    np.testing.assert_array_equal(plain.weight.data, table.weight.data)


def test_gradient_by_rows_given_as_an_argument() -> None:
    def loss(w: Any) -> Any:
        return np.sum(F.embedding(np.array([1, 1, 0]), w, None, 1.0, 2.0, True) ** 2)

    w = np.array([[0.3, 0.4], [6.0, 8.0], [9.0, 9.0]])
    g = sg.grad(loss)(w)
    np.testing.assert_allclose(g, [[0.6, 0.8], [1.2, 1.6], [0, 0]], rtol=1e-6)
    assert w[1, 0] == 6.0


@pytest.mark.parametrize("bad", [[0, 4], [-1, 2]])
def test_numbers_that_are_no_rows(bad: list[int]) -> None:
    table = nn.Embedding(4, 2)
    for call in (table, sg.compile(lambda x: table(x))):
        with pytest.raises(IndexError, match="not the number of a row"):
            call(np.array(bad))


# --------------------------------------------------------------------------------- code
def test_numbers_in_tuples_are_constants_until_they_change() -> None:
    conv = nn.Conv2d(4, 2, 2, stride=2)
    step = sg.compile(lambda x: conv(x))
    assert step(IMAGES).shape == (2, 2, 1, 1)
    assert "stride=(2, 2)" in step.lower(IMAGES).source
    conv.stride = (1, 1)
    assert step(IMAGES).shape == (2, 2, 2, 2)


def test_a_layer_is_inlined() -> None:
    layer = nn.Linear(3, 2)
    source = sg.compile(lambda x: layer(x)).lower(X).source
    assert "out = x @ weight.T\n    return out + bias" in source


def test_the_backward_of_relu_is_a_factor() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 3))

    def loss(x: Any, labels: Any) -> Any:
        return F.cross_entropy(net(x), labels)

    source = nn.compiled_backward(loss).lower(X, np.array([0, 2, 1, 1])).source
    backward = source.partition("# backward")[2]
    assert backward.count("> 0") == 1
    assert "np.where" not in backward and "logical" not in backward


# ------------------------------------------------------------------------------- refused
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: nn.Dropout(1.5), "must be from 0 to 1, got 1.5"),
    (lambda: F.dropout(X, -0.1), "must be from 0 to 1, got -0.1"),
    (lambda: F.dropout1d(X, 2), "must be from 0 to 1"),
    (lambda: F.dropout2d(IMAGES, 2), "must be from 0 to 1"),
    (lambda: F.alpha_dropout(X, 2), "must be from 0 to 1"),
    (lambda: nn.BatchNorm1d(3)(X[:1]), "more than one value per channel"),
    (lambda: nn.BatchNorm2d(4)(IMAGES[:1, :, :1, :1]), "more than one value per channel"),
    (lambda: F.instance_norm(IMAGES[:, :, :1, :1]), "more than one value per channel"),
    (lambda: F.batch_norm(X, None, None), "running statistics are needed"),
    (lambda: nn.BatchNorm1d(3)(IMAGES), "BatchNorm1d needs rank 2 or 3, got 4"),
    (lambda: nn.BatchNorm2d(3)(X), "BatchNorm2d needs rank 4, got 2"),
    (lambda: nn.InstanceNorm2d(3)(X), "InstanceNorm2d needs rank 4, got 2"),
    (lambda: F.max_pool2d(X[0], 2), r"array that has them, not \(3,\)"),
    (lambda: F.avg_pool2d(X[0], 2), r"array that has them, not \(3,\)"),
    (lambda: nn.LayerNorm(4)(X), r"\(4, 3\) does not end in \(4,\)"),
    (lambda: nn.RMSNorm((4, 4))(X), "does not end in"),
    (lambda: nn.GroupNorm(3, 4), "4 channels do not make 3 equal groups"),
    (lambda: F.group_norm(IMAGES, 3), "4 channels do not make 3 equal groups"),
    (lambda: nn.Conv2d(4, 6, 3, groups=4), "4 and 6 channels do not make 4"),
    (lambda: nn.Conv2d(4, 4, 3, groups=0), "do not make 0 equal groups"),
    (lambda: nn.Conv2d(4, 4, 3, padding="some"), "'same' or 'valid', got 'some'"),
    (lambda: nn.Conv2d(4, 4, 3, 2, padding="same"), "needs stride 1"),
    (lambda: nn.Conv2d(4, 4, 3, padding_mode="odd"), "padding_mode 'odd'"),
    (lambda: nn.ConvTranspose2d(4, 4, 3, padding_mode="reflect"), "padding_mode"),
    (lambda: nn.Conv2d(3, 4, 3)(IMAGES), "differ in channels"),
    (lambda: nn.Conv2d(4, 4, 4)(IMAGES), "does not fit into"),
    (lambda: nn.Conv2d(4, 4, 3)(X), "conv2d needs rank 4 twice, got 2 and 4"),
    (lambda: nn.Conv1d(4, 4, 3)(IMAGES), "conv1d needs rank 3 twice, got 4 and 3"),
    (lambda: nn.ConvTranspose2d(4, 4, 3)(X), "conv_transpose2d needs rank 4 twice"),
    (lambda: nn.ConvTranspose1d(4, 4, 3)(IMAGES), "conv_transpose1d needs rank 3 twice"),
    (lambda: nn.ConvTranspose2d(3, 4, 3)(IMAGES), "differ in channels"),
    (lambda: F.conv2d(IMAGES, IMAGES, padding="some"), "got 'some'"),
    (lambda: F.conv2d(IMAGES, IMAGES, stride=2, padding="same"), "needs stride 1"),
    (lambda: F.conv1d(X[None], X[None], stride=(1, 2)), "stride must be one integer"),
    (
        lambda: F.conv_transpose2d(IMAGES, np.ones((4, 1, 2, 2)), output_padding=1),
        r"output_padding \(1, 1\) must be smaller",
    ),
    (lambda: F.max_pool2d(IMAGES, 4), "does not fit into"),
    (lambda: F.avg_pool2d(IMAGES, 3, padding=2), "more than half"),
    (lambda: F.max_pool2d(IMAGES, 3, padding=2, dilation=2), "more than half"),
    (lambda: F.avg_pool2d(IMAGES, 2, divisor_override=0), "must not be 0"),
    (lambda: F.adaptive_avg_pool2d(IMAGES, (1, 1, 1)), "one integer or two"),
    (lambda: F.pad(X, (1, 1), mode="odd"), "mode must be one of"),
    (lambda: F.pad(X, (1, 1, 1)), "at most 2 pairs"),
    (lambda: F.pad(X, (1,) * 6), "at most 2 pairs"),
    (lambda: F.interpolate(X, 2), "needs rank 3 or 4, got 2"),
    (lambda: F.interpolate(IMAGES, 2, mode="linear"), "'linear' does not fit rank 4"),
    (lambda: F.interpolate(IMAGES, 2, mode="odd"), "'odd' does not fit"),
    (lambda: F.interpolate(IMAGES), "either size or scale_factor"),
    (lambda: F.interpolate(IMAGES, 2, 2), "either size or scale_factor"),
    (lambda: F.interpolate(IMAGES, 2, align_corners=True), "no meaning for mode 'nearest'"),
    (lambda: F.interpolate(IMAGES, (1, 2, 3)), "2 lengths or scales are needed"),
    (lambda: F.gelu(X, "odd"), "'none' or 'tanh', got 'odd'"),
    (lambda: nn.Hardtanh(1, 1), "max_val 1 must be above min_val 1"),
    (lambda: nn.Embedding(3, 2, padding_idx=3), "padding_idx 3 is none of 3 rows"),
    (lambda: F.embedding(np.array([0]), X, -9), "padding_idx -9 is none of"),
    (lambda: nn.Embedding.from_pretrained(IMAGES), "must have two axes"),
    (lambda: nn.RNN(2, 2, nonlinearity="odd"), "'tanh' or 'relu', got 'odd'"),
    (lambda: nn.RNNCell(2, 2, nonlinearity="odd"), "'tanh' or 'relu', got 'odd'"),
    (lambda: nn.LSTM(2, 0), "must be positive"),
    (lambda: nn.GRU(2, 2, dropout=2), "must be from 0 to 1"),
    (lambda: nn.ConvTranspose2d(4, 4, 3, padding="same"), "padding must be integers"),
    (lambda: nn.LSTM(3, 2)(IMAGES), "LSTM needs rank 2 or 3, got 4"),
    (lambda: nn.LSTM(3, 2, proj_size=2), "below hidden_size"),
    (lambda: nn.GRU(3, 4, proj_size=2), "for LSTM only"),
    (lambda: nn.MultiheadAttention(5, 2), "5 features do not make 2 equal heads"),
    (lambda: nn.MultiheadAttention(4, 2, dropout=2), "must be from 0 to 1"),
    (
        lambda: F.scaled_dot_product_attention(X, X, X, np.ones((4, 4)), is_causal=True),
        "either attn_mask or is_causal",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_what_is_refused(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_numbers_outside_of_the_classes() -> None:
    for bad in ([0, 3], [-1, 0]):
        with pytest.raises(IndexError, match="outside of the classes"):
            F.one_hot(np.array(bad), 3)
    np.testing.assert_array_equal(F.one_hot(np.array([0, 2])), [[1, 0, 0], [0, 0, 1]])
    assert F.one_hot(np.array([[0, 1]]), 4).shape == (1, 2, 4)


# ------------------------------------------------------------------------------- the rest
def test_attention_of_a_query_that_may_look_nowhere() -> None:
    mask = np.array([[True, True], [False, False]])
    out = F.scaled_dot_product_attention(X[:2], X[:2], X[:2], mask)
    np.testing.assert_array_equal(out[1], 0)
    slope = sg.grad(lambda x: np.sum(F.scaled_dot_product_attention(x, x, x, mask)[0]))(
        X[:2]
    )
    assert np.all(np.isfinite(slope))


def test_causal_attention_does_not_look_ahead() -> None:
    net = nn.MultiheadAttention(4, 2, batch_first=True)
    x = np.cos(np.arange(24.0, dtype="f4")).reshape(1, 6, 4)
    out, weights = net(x, x, x, is_causal=True)
    assert not np.any(np.triu(weights[0], 1))
    shorter, _ = net(x[:, :3], x[:, :3], x[:, :3], is_causal=True)
    np.testing.assert_allclose(out[:, :3], shorter, rtol=1e-5, atol=1e-6)


def test_recurrent_layers_go_on_where_they_stopped() -> None:
    x = np.cos(np.arange(30.0)).reshape(5, 2, 3)
    for kind in (nn.RNN, nn.GRU, nn.LSTM):
        net = kind(3, 4, 2, dtype=np.float64)
        whole, end = net(x)
        first, state = net(x[:2])
        second, last = net(x[2:], state)
        np.testing.assert_allclose(np.concatenate([first, second]), whole)
        np.testing.assert_allclose(np.asarray(last), np.asarray(end))


def test_identity_and_shapes() -> None:
    assert nn.Identity(3, some="word")(X) is X
    assert nn.Flatten(0, -1)(IMAGES).shape == (72,)
    assert nn.Unflatten(-1, (3, 1))(X).shape == (4, 3, 1)


def test_repr_is_that_of_pytorch() -> None:
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1, bias=False), nn.BatchNorm2d(2), nn.ReLU(inplace=True),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 2), nn.Dropout(0.1),
    )  # fmt: skip
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)\n"
        "  (1): BatchNorm2d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, "
        "track_running_stats=True)\n"
        "  (2): ReLU(inplace=True)\n"
        "  (3): MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)\n"
        "  (4): Flatten(start_dim=1, end_dim=-1)\n"
        "  (5): Linear(in_features=8, out_features=2, bias=True)\n"
        "  (6): Dropout(p=0.1, inplace=False)\n"
        ")"
    )
    shown = {
        "nn.LSTM(3, 4, 2, bidirectional=True)": "3, 4, num_layers=2, bidirectional=True",
        "nn.GRUCell(3, 4, bias=False)": "3, 4, bias=False",
        "nn.Embedding(5, 3, padding_idx=-1)": "5, 3, padding_idx=4",
        "nn.Embedding(5, 3, max_norm=1.0)": "5, 3, max_norm=1.0",
        "nn.Upsample(size=3)": "size=3, mode='nearest'",
        "nn.GELU()": "approximate='none'",
        "nn.Softmax(dim=1)": "dim=1",
        "nn.GroupNorm(2, 4)": "2, 4, eps=1e-05, affine=True, bias=True",
        "nn.ZeroPad2d(1)": "(1, 1, 1, 1)",
        "nn.AdaptiveAvgPool2d((1, None))": "output_size=(1, None)",
    }
    for made, text in shown.items():
        assert repr(eval(made)) == f"{made[3 : made.index('(')]}({text})"
