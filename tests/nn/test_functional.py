"""``nn.functional``: values against their definitions, uncompiled and compiled, gradients."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import extend
from symgrad.nn import functional as F  # noqa: N812
from symgrad.testing import check_grads

X = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
IMAGES = np.cos(np.arange(160.0)).reshape(2, 4, 4, 5)
WEIGHT = np.sin(1 + np.arange(96.0)).reshape(6, 4, 2, 2)
BIAS = np.linspace(-1, 1, 6)
LABELS = np.array([2, 0])


def bound(function: Callable[..., Any], *rest: Any, **options: Any) -> Callable[..., Any]:
    """``function`` of its first argument."""
    return lambda x: function(x, *rest, **options)


def plain_conv(
    x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Convolution by its definition."""
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    outs, own, kh, kw = w.shape
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, (kh, kw), strict=True)]
    size = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride, strict=True)]
    result = np.zeros((len(x), outs, *size))
    for o, i, j in np.ndindex(outs, *size):
        first = o // (outs // groups) * own
        rows = slice(i * stride[0], i * stride[0] + reach[0], dilation[0])
        columns = slice(j * stride[1], j * stride[1] + reach[1], dilation[1])
        part = x[:, first : first + own, rows, columns]
        result[:, o, i, j] = np.sum(part * w[o], axis=(1, 2, 3))
    return result


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"),
    [
        ((1, 1), (0, 0), (1, 1), 1), ((2, 1), (1, 2), (1, 1), 1), ((1, 2), (1, 0), (2, 3), 1),
        ((1, 1), (1, 1), (1, 1), 2),
    ],
)  # fmt: skip
def test_conv2d(stride: Any, padding: Any, dilation: Any, groups: int) -> None:
    weight = WEIGHT[:, : 4 // groups]

    def call(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, None, stride, padding, dilation, groups)

    expected = plain_conv(IMAGES, weight, stride, padding, dilation, groups)
    np.testing.assert_allclose(call(IMAGES, weight), expected, atol=1e-13)
    np.testing.assert_allclose(sg.compile(call)(IMAGES, weight), expected, atol=1e-13)
    check_grads(call, (IMAGES, weight))


@pytest.mark.parametrize("padding", [0, 2])
def test_output_padding_by_more_than_the_stride(padding: int) -> None:
    signals, weight = IMAGES[:, :, 0], WEIGHT[:4, :3, 0]

    def call(x: Any, w: Any) -> Any:
        return F.conv_transpose1d(x, w, None, 1, padding, 2, dilation=3)

    whole = np.zeros((2, 3, 5 + 3 + 2))
    for k in range(2):
        whole[:, :, 3 * k : 3 * k + 5] += np.einsum("ncl,co->nol", signals, weight[..., k])
    expected = whole[:, :, padding : 10 - padding]
    np.testing.assert_allclose(call(signals, weight), expected, atol=1e-13)
    check_grads(call, (signals, weight))


def test_conv2d_keeps_float32() -> None:
    x, w, b = (a.astype(np.float32) for a in (IMAGES, WEIGHT, BIAS))

    def loss(x: Any, w: Any, b: Any) -> Any:
        return np.sum(F.conv2d(x, w, b, padding=1) ** 2)

    for g in sg.grad(loss, argnums=(0, 1, 2))(x, w, b):
        assert g.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.uint64, np.uint8, np.bool_])
def test_conv2d_takes_images_of_whole_numbers(dtype: Any) -> None:
    x, w = (np.abs(IMAGES) * 3).astype(dtype), WEIGHT.astype(np.float32)
    found = sg.jacfwd(lambda w: np.sum(F.conv2d(x, w)))(w)
    whole = x.astype(np.result_type(dtype, np.float32))
    expected = sg.jacfwd(lambda w: np.sum(F.conv2d(whole, w)))(w)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("padding", [0, 1])
def test_pooling(padding: int) -> None:
    rows = np.pad(IMAGES, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2))
    windows = np.lib.stride_tricks.sliding_window_view(rows, (2, 2), (2, 3))[:, :, ::2, ::2]
    np.testing.assert_allclose(
        F.avg_pool2d(IMAGES, 2, padding=padding), windows.mean((4, 5))
    )
    low = np.where(np.pad(np.ones((4, 5)), padding) > 0, rows, -np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(low, (2, 2), (2, 3))[:, :, ::2, ::2]
    np.testing.assert_allclose(
        F.max_pool2d(IMAGES, 2, padding=padding), windows.max((4, 5))
    )
    for pool in (F.avg_pool2d, F.max_pool2d):
        check_grads(bound(pool, 2, padding=padding), (IMAGES,))
        check_grads(bound(pool, (3, 2), 1), (IMAGES,))


def test_max_pooling_gives_a_tie_to_the_first_entry() -> None:
    g = sg.grad(lambda x: np.sum(F.max_pool2d(x, 2)))(np.ones((1, 1, 2, 2)))
    np.testing.assert_array_equal(g, [[[[1, 0], [0, 0]]]])


ACTIVATIONS: list[tuple[Callable[..., Any], Callable[[float], float]]] = [
    (F.relu, lambda x: max(x, 0)),
    (F.leaky_relu, lambda x: x if x > 0 else 0.01 * x),
    (F.sigmoid, lambda x: 1 / (1 + math.exp(-x))),
    (F.erf, math.erf),
    (F.softplus, lambda x: math.log(1 + math.exp(x))),
    (F.gelu, lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2)))),
    (F.silu, lambda x: x / (1 + math.exp(-x))),
]


@pytest.mark.parametrize(("function", "definition"), ACTIVATIONS)
def test_activations(function: Any, definition: Any) -> None:
    expected = np.vectorize(definition)(X)
    np.testing.assert_allclose(function(X), expected)
    np.testing.assert_allclose(sg.compile(lambda x: function(x))(X), expected)
    assert function(X.astype(np.float32)).dtype == np.float32
    check_grads(lambda x: function(x), (X,))


@pytest.mark.parametrize("function", [F.softsign, F.tanhshrink, F.mish])
def test_activations_with_rules_of_their_own(function: Any) -> None:
    check_grads(lambda x: function(x), (X,))
    if function is not F.mish:  # np.logaddexp takes real numbers
        check_grads(lambda x: np.abs(function(x + 0.5j)), (X,))


OF_WHOLE_NUMBERS = (
    F.sigmoid, F.logsigmoid, F.silu, F.glu, F.softmax, F.softmin, F.log_softmax, F.logsumexp,
    F.softplus, F.tanh, F.gelu, F.mish, F.elu, F.softsign, F.hardswish,
)  # fmt: skip


@pytest.mark.parametrize("function", OF_WHOLE_NUMBERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, bool])
def test_whole_numbers_do_not_wrap_around(function: Any, dtype: Any) -> None:
    x = np.array([0, 3, 200, 1]).astype(dtype)
    expected = function(x.astype(float))
    for f in (function, sg.compile(function)):
        np.testing.assert_allclose(f(x), expected, rtol=2e-3, atol=1e-4)
    weighted = sg.grad(lambda a: np.sum(function(x) * a))(np.array(1.5))
    np.testing.assert_allclose(weighted, np.sum(expected), rtol=2e-3, atol=1e-4)


def test_gelu_by_tanh() -> None:
    np.testing.assert_allclose(F.gelu(X, "tanh"), F.gelu(X), atol=1e-3)
    far = np.array([300.0, -300.0], np.float16)
    slopes = sg.grad(lambda x: np.sum(F.gelu(x, "tanh")))(far)
    np.testing.assert_array_equal(slopes, [1, 0])


@pytest.mark.parametrize(
    ("x", "expected"), [(-8.0, -3.9796072610867959e-14), (-1e160, 0), (1e160, 1)]
)
def test_gelu_keeps_its_digits_far_out(x: float, expected: float) -> None:
    def gelu(x: Any) -> Any:
        return np.sum(F.gelu(x))

    at = (np.array([x]),)
    with np.errstate(over="ignore"):  # the square of x is infinite
        np.testing.assert_allclose(sg.grad(gelu)(*at), [expected], rtol=1e-10)
        np.testing.assert_allclose(sg.jvp(gelu, at, (np.ones(1),))[1], expected, rtol=1e-10)


def test_erf_is_exact_to_two_units_in_the_last_place() -> None:
    x = np.concatenate([np.linspace(-7, 7, 3001), 0.1 ** np.arange(1, 300, 7)])
    expected = np.array([math.erf(v) for v in x])
    np.testing.assert_array_less(
        np.abs(F.erf(x) - expected), 2.5 * np.spacing(np.abs(expected))
    )
    special = np.array([np.inf, -np.inf, np.nan, 0.0, 1e300])
    np.testing.assert_array_equal(F.erf(special), [1, -1, np.nan, 0, 1])
    negative = -np.linspace(0.0, 26.5, 107)
    np.testing.assert_allclose(
        extend.one_plus_erf(negative), [math.erfc(-v) for v in negative], rtol=4e-13
    )
    assert [F.erf(x.astype(t)).dtype for t in ("f2", "f4", "i8")] == ["f2", "f4", "f8"]
    assert F.erf(np.zeros((0, 2))).shape == (0, 2)


def test_nothing_overflows() -> None:
    far = np.array([-700.0, 0.0, 700.0])
    np.testing.assert_array_equal(F.sigmoid(far * 2), [0, 0.5, 1])
    np.testing.assert_array_equal(F.softplus(far)[[0, 2]], [np.exp(-700.0), 700])
    for function in (F.sigmoid, F.softplus, F.relu):
        slopes = sg.grad(lambda x, function=function: np.sum(function(x)))(far)
        ends = [0, function is not F.sigmoid]
        np.testing.assert_allclose(slopes[[0, 2]], ends, atol=1e-99)


def test_relu_is_flat_at_zero() -> None:
    assert sg.grad(lambda x: np.sum(F.relu(x)))(np.zeros(2)).tolist() == [0, 0]


def test_softmax_and_its_logarithms() -> None:
    expected = np.exp(X) / np.exp(X).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(F.softmax(X), expected)
    np.testing.assert_allclose(F.log_softmax(X, axis=1), np.log(expected))
    np.testing.assert_allclose(F.logsumexp(X, axis=0), np.log(np.exp(X).sum(axis=0)))
    np.testing.assert_allclose(F.logsumexp(X), np.log(np.exp(X).sum()))
    assert F.logsumexp(np.array([-np.inf, 1.0])) == 1
    for function in (F.softmax, F.log_softmax, F.logsumexp):
        check_grads(bound(function, axis=1), (X,))


def test_losses() -> None:
    picked = -F.log_softmax(X)[[0, 1], LABELS]
    one_hot = np.eye(3)[LABELS]
    for labels in (LABELS, one_hot):
        np.testing.assert_allclose(F.cross_entropy(X, labels, reduction="none"), picked)
        np.testing.assert_allclose(F.cross_entropy(X, labels), picked.mean())
        check_grads(bound(F.cross_entropy, labels, reduction="sum"), (X,))
    np.testing.assert_allclose(F.mse_loss(X, one_hot), np.mean((X - one_hot) ** 2))
    check_grads(bound(F.mse_loss, one_hot), (X,))


def test_linear() -> None:
    weight, bias = WEIGHT[0, :, 0, :1].repeat(3, axis=1), np.arange(4.0)
    np.testing.assert_allclose(F.linear(X, weight, bias), X @ weight.T + bias)
    check_grads(F.linear, (X, weight, bias))


def test_what_does_not_fit_is_refused() -> None:
    for call, text in [
        (lambda x: F.conv2d(x, WEIGHT[:, :3]), "differ in channels"),
        (lambda x: F.conv2d(x, WEIGHT[0]), "needs rank 4"),
        (lambda x: F.conv2d(x, WEIGHT, stride=(1, 1, 1)), "one integer or two"),
        (lambda x: F.max_pool2d(x, 2, padding=2), "more than half"),
    ]:
        for run in (call, sg.compile(call)):
            with pytest.raises(ValueError, match=text):
                run(IMAGES)
