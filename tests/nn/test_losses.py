"""What losses refuse, and where they stay finite. Values are compared in ``test_golden``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.nn import functional as F  # noqa: N812
from symgrad.testing import check_grads

X = np.cos(np.arange(12.0)).reshape(4, 3)
LABELS = np.array([0, 2, 1, 1])

PAIRED = [
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "kl_div",
    "hinge_embedding_loss", "soft_margin_loss", "binary_cross_entropy_with_logits",
    "binary_cross_entropy",
]  # fmt: skip


@pytest.mark.parametrize("name", PAIRED)
def test_shapes_that_would_be_broadcast_are_refused(name: str) -> None:
    loss = getattr(F, name)
    for call in (loss, sg.compile(lambda x, y: loss(x, y))):
        with pytest.raises(ValueError, match="must have the same shape"):
            call(X, X[:, :1])
        with pytest.raises(ValueError, match="must have the same shape"):
            call(X, X[0])


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: F.mse_loss(X, X, reduction="men"), "'mean', 'sum' or 'none', got 'men'"),
    (lambda: F.cross_entropy(X, LABELS, reduction="men"), "got 'men'"),
    (lambda: F.nll_loss(X, LABELS, reduction="men"), "got 'men'"),
    (lambda: nn.L1Loss(reduction="men"), "got 'men'"),
    (lambda: nn.KLDivLoss(reduction="men"), "got 'men'"),
    (lambda: F.cross_entropy(X, LABELS[:3]), r"shape \(3,\) do not fit logits of shape"),
    (lambda: F.cross_entropy(X, LABELS[:, None, None]), "do not fit logits"),
    (lambda: F.cross_entropy(X, X[:3]), "must have the same shape"),
    (lambda: F.cross_entropy(X, LABELS, label_smoothing=1.5), "from 0 to 1, got 1.5"),
    (lambda: F.huber_loss(X, X, delta=0), "delta must be positive, got 0"),
    (lambda: F.smooth_l1_loss(X, X, beta=-1), "beta must not be negative, got -1"),
    (lambda: F.binary_cross_entropy(X, X), "must be from 0 to 1; see"),
    (lambda: F.gaussian_nll_loss(X, X, -np.ones(3)), "var has negative entries"),
    (lambda: F.cosine_embedding_loss(X, X, LABELS[:3]), "must have the same shape"),
    (lambda: F.margin_ranking_loss(X[0], X[1], LABELS), "must have the same shape"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_what_is_refused(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize("bad", [3, -1, -2])
@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss])
def test_labels_that_are_no_classes(loss: Callable[..., Any], bad: int) -> None:
    labels = np.array([0, 2, bad, 1])
    for call in (loss, sg.value_and_grad(lambda x, y: loss(x, y))):
        with pytest.raises(IndexError, match="a label is not the number of a class"):
            call(X, labels)


def test_ignored_labels_have_no_gradient() -> None:
    labels = np.array([0, -100, 1, -100])
    slope = sg.grad(lambda x: F.cross_entropy(x, labels))(X)
    np.testing.assert_array_equal(slope[[1, 3]], 0)
    half = sg.grad(lambda x: F.cross_entropy(x, labels[::2]))(X[::2])
    np.testing.assert_allclose(slope[::2], half)


def test_losses_far_out_are_finite() -> None:
    far, target = np.array([-1e4, 1e4, 1e4]), np.array([0.0, 1.0, 0.0])
    value, slope = sg.value_and_grad(
        lambda x: F.binary_cross_entropy_with_logits(x, target, reduction="sum")
    )(far)
    assert value == 1e4
    np.testing.assert_array_equal(slope, [0, 0, 1])
    logits = np.array([[1e4, -1e4, 0.0]])
    value, slope = sg.value_and_grad(lambda x: F.cross_entropy(x, np.array([1])))(logits)
    assert value == 2e4
    np.testing.assert_array_equal(slope, [[1, -1, 0]])


def test_certain_probabilities() -> None:
    x, target = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0, 0.0])
    losses = F.binary_cross_entropy(x, target, reduction="none")
    np.testing.assert_array_equal(losses, [0, 0, 100, 100])
    assert np.all(np.isfinite(sg.grad(lambda x: F.binary_cross_entropy(x, target))(x)))
    assert F.kl_div(np.log(X**2), np.zeros_like(X), reduction="sum") == 0


@pytest.mark.parametrize("delta", [0.5, 2.0])
def test_huber_has_second_derivatives(delta: float) -> None:
    target = np.where(np.arange(12).reshape(4, 3) % 2, 0, X)
    bend = sg.hessian(lambda x: F.huber_loss(x, target, delta=delta, reduction="sum"))(X)
    near = np.abs(X - target) < delta
    np.testing.assert_array_equal(bend.reshape(12, 12), np.diag(near.ravel().astype(float)))


def test_second_order() -> None:
    check_grads(lambda x: F.cross_entropy(x, LABELS, label_smoothing=0.1), (X,))
    check_grads(lambda x: F.binary_cross_entropy_with_logits(x, np.abs(X)), (X,))


def test_a_vector_without_direction() -> None:
    x = np.zeros((2, 3))
    assert np.all(np.isfinite(sg.grad(lambda x: np.sum(F.normalize(x)))(x)))
    assert np.all(np.isfinite(sg.grad(lambda x: np.sum(F.cosine_similarity(x, X[:2])))(x)))


def test_losses_keep_float32() -> None:
    x, labels = X.astype(np.float32), LABELS
    for loss in (
        lambda x: F.cross_entropy(x, labels),
        lambda x: F.cross_entropy(x, labels, label_smoothing=0.1),
        lambda x: F.mse_loss(x, np.arange(12).reshape(4, 3)),
    ):
        value, slope = sg.value_and_grad(loss)(x)
        assert value.dtype == slope.dtype == np.float32
